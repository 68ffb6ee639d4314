"""Squared distances from inner products, and from differences where the inner products cancel."""

from .._shared.examples import is_dense
from .._shared.jit import kernel
from .vectors import RECOMPUTED_IN_SCORES, row_squared_distance, sparse_squared_distance


@kernel
def negative_squared_distances(points, squared_norms, prototypes, squares, scores):
    """Replace scores[i, g] = <b_g, z_i> by -|b_g - z_i|^2.

    The points z are Rows. `squared_norms` are those of the points, `squares` those of the prototypes.
    """
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
