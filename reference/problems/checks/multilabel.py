"""Checks for multilabel losses and their training: indicators of the positive classes, options and starting duals."""

from typing import NamedTuple

import numpy as np

from .arguments import brief, choice, count, csr_matrix, finite_array, nonnegative, positive, real_array
from .svm import DOMAIN_ROUNDINGS, example_weights

MULTILABEL_LOSSES = ("hinge", "entropy")


class MultilabelOptions(NamedTuple):
    """The checked arguments of `fit_multilabel`, and radius = 1 / (regularization n) of the dual domain at weight 1."""

    loss: str
    smoothing: float
    regularization: float
    radius: float
    tol: float
    max_epochs: int
    sample_weight: np.ndarray  # (n,)

    def of(self, i):
        """Returns the options of example i: its weight multiplies the radius of its dual domain."""
        return self._replace(radius=self.radius * self.sample_weight[i])


def indicator(Y, n, m=None):
    """Returns Y as a boolean array (n, m); without m, the number of columns is that of Y. Y may be CSR."""
    matrix = csr_matrix(Y, "Y").toarray() if hasattr(Y, "tocsr") else finite_array(real_array(Y, "Y", (2,)), "Y")
    if matrix.shape != (n, matrix.shape[1] if m is None else m):
        raise ValueError(f"Y must have shape ({n}, {'m' if m is None else m}), got shape {matrix.shape}")
    members = matrix != 0
    wrong = members & (matrix != 1)
    if wrong.any():
        raise ValueError(f"Y must be boolean, or an indicator of 0 and 1, got {matrix[wrong][0]}")
    return members


def proper_rows(Y):
    """Returns which rows of an indicator have a positive and a negative. The loss of the others is 0."""
    return Y.any(axis=1) & ~Y.all(axis=1)


def loss_smoothing(smoothing):
    """Returns the parameter of a smoothed loss, a number >= 0."""
    return nonnegative(smoothing, "smoothing")


def multilabel_options(n, loss, smoothing, regularization, tol, max_epochs, sample_weight):
    """Returns the checked options for n examples."""
    loss, smoothing = choice(loss, "loss", MULTILABEL_LOSSES), loss_smoothing(smoothing)
    if loss == "entropy" and smoothing != 0:
        raise ValueError(f"smoothing must be 0 for the entropy, which is smooth, got {smoothing!r}")
    number = positive(regularization, "regularization")
    if not 0 < 1 / number / n < np.inf:
        raise ValueError(f"regularization must leave 1 / (regularization n) in range, got {regularization!r}")
    weights, tol = example_weights(sample_weight, n), nonnegative(tol, "tol")
    if not 1 / number / n * float(weights.max()) < np.inf:
        raise ValueError(f"sample_weight must leave sample_weight / (regularization n) in range, got {weights.max()}")
    least = 1 / number / n * float(weights[weights > 0].min())
    if not (least > 0 and smoothing / least < np.inf):
        raise ValueError(f"smoothing must leave smoothing * regularization n / sample_weight in range, got {smoothing}")
    return MultilabelOptions(loss, smoothing, number, 1 / number / n, tol, count(max_epochs, "max_epochs"), weights)


def multilabel_duals(duals, Y, options):
    """Returns duals (n, m) in float64: a copy of the given ones, which must be in their domain, or zeros."""
    if duals is None:
        return np.zeros(Y.shape)
    is_sparse = hasattr(duals, "tocsr")
    duals = csr_matrix(duals, "duals").toarray() if is_sparse else real_array(duals, "duals", (2,))
    duals = finite_array(duals, "duals")
    if duals.shape != Y.shape:
        raise ValueError(f"duals must have shape {Y.shape}, got shape {duals.shape}")
    slack, duals = DOMAIN_ROUNDINGS * np.finfo(duals.dtype).eps, duals.astype(np.float64)
    outside = _excess(duals, Y, options) > slack * options.radius * options.sample_weight
    if outside.any():
        i, expected = int(np.argmax(outside)), "in the domain of the loss (1 / (regularization n))"
        raise ValueError(f"duals must be {expected}, got {brief(duals[i].tolist())} at row {i}")
    return duals


def _excess(duals, Y, options):
    """Returns by how much each row of duals is outside its domain."""
    radius = np.where(proper_rows(Y), options.radius * options.sample_weight, 0.0)
    total, sizes = np.where(Y, duals, 0.0).sum(axis=1), np.maximum(Y.sum(axis=1), 1)
    highest = (radius / sizes if options.loss == "entropy" else radius)[:, None]
    least = np.where(Y, 0.0 if options.loss == "hinge" else -radius[:, None], -radius[:, None])
    most = np.where(Y, highest, 0.0)
    broken = [np.abs(duals.sum(axis=1)), total - radius, (least - duals).max(axis=1), (duals - most).max(axis=1)]
    return np.max(broken, axis=0)
