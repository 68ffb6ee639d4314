"""Distances from inner products, where these lose nothing, and from differences where they do."""

from .._shared.jit import kernel
from .prototypes import distance, sparse_distance

CANCELLED = 1e-3  # what is left of |b|^2 + |z|^2, relative, when its digits are worth computing again


@kernel
def distances_again(values, columns, starts, lengths, prototypes, squares, scores):
    """scores[i, g] = <b_g, z_i> becomes -|b_g - z_i|^2; squared norms of all are given; z sparse if it has columns."""
    for i in range(len(lengths)):
        start, end = starts[i], starts[i + 1]
        for g in range(len(prototypes)):
            terms = squares[g] + lengths[i]
            apart = terms - 2 * scores[i, g]
            if not apart < CANCELLED * terms:
                scores[i, g] = -apart
            elif len(columns) == 0:
                scores[i, g] = -distance(prototypes, g, values[start:end])
            else:
                scores[i, g] = -sparse_distance(prototypes[g], 1.0, columns[start:end], values[start:end], end - start)
