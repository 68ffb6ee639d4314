"""Scores of classes: inner products, or squared distances from these, and from differences where they cancel."""

import numpy as np

from reference.problems import checks

from .._shared.examples import is_dense, matrix_rows, row_products
from .._shared.jit import kernel
from .vectors import RECOMPUTED_IN_SCORES, row_squared_distance, sparse_squared_distance


def prototype_scorer(X, fit):
    """Returns a function of (first, last) that returns the scores of these examples, given what the checks return.

    Several threads may call it at the same time.
    """
    is_embedded = fit.embedding is not None
    is_sparse = hasattr(X, "tocsr") and not is_embedded  # so are the points z, then
    products = row_products(X, fit.embedding if is_embedded else fit.prototypes)

    def scores_of(first, last):
        with np.errstate(over="ignore", invalid="ignore"):  # an overflow is refused later
            Z = products(first, last) if is_embedded else X[first:last]
            Z = Z.astype(np.float64, copy=False) if is_sparse else np.ascontiguousarray(Z, np.float64)
            scores = products(first, last) if is_sparse else Z @ fit.prototypes.T
            if fit.discriminant == "euclidean":
                _turn_into_distances(Z, fit.prototypes, scores)
        return checks.in_range(scores, X.dtype, "scores")

    return scores_of


def _turn_into_distances(Z, prototypes, scores):
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
