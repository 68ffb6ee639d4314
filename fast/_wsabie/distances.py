"""Squared distances from inner products, and from differences where the inner products cancel."""

import numpy as np

from .._shared.examples import is_dense, matrix_rows
from .._shared.jit import kernel
from .vectors import RECOMPUTED_IN_SCORES, row_squared_distance, sparse_squared_distance


def turn_into_distances(Z, prototypes, scores):
    """Replace scores[i, g] = <b_g, z_i> by -|b_g - z_i|^2, for points Z (n, e), dense or CSR."""
    squares = np.einsum("ij,ij->i", prototypes, prototypes)
    if hasattr(Z, "tocsr"):
        squared_norms = np.asarray(Z.multiply(Z).sum(axis=1)).ravel()
    else:
        squared_norms = np.einsum("ij,ij->i", Z, Z)
    _turn_rows(matrix_rows(Z), squared_norms, prototypes, squares, scores)


@kernel
def _turn_rows(points, squared_norms, prototypes, squares, scores):
    """`squared_norms` are those of the points, `squares` those of the prototypes."""
    values, columns, starts = points.values, points.columns, points.starts
    dense = is_dense(points)
    for i in range(len(squared_norms)):
        start, end = starts[i], starts[i + 1]
        for g in range(len(prototypes)):
            terms = squares[g] + squared_norms[i]
            distance = terms - 2 * scores[i, g]
            if not distance < RECOMPUTED_IN_SCORES * terms:
                scores[i, g] = -distance
            elif dense:
                scores[i, g] = -row_squared_distance(prototypes, g, values[start:end])
            else:
                row, size = prototypes[g], end - start
                scores[i, g] = -sparse_squared_distance(row, 1.0, columns[start:end], values[start:end], size)
