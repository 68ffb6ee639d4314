"""Checks for the top-k SVM and its baselines: options, weights of examples, starting duals, gaps and histories."""

from typing import NamedTuple

import numpy as np

from .arguments import LARGEST_FLOAT, brief, choice, count, csr_matrix, finite_array, nonnegative, positive, real_array

KINDS = ("alpha", "beta", "alpha_inclusive")
DOMAIN_ROUNDINGS = 1e3  # by how many roundings of its size given duals may leave their domain: sums over classes round
DUALS_AT_A_TIME = 2**18  # given duals are checked by examples with about so many duals, in little memory


class SVMOptions(NamedTuple):
    """The checked arguments of `fit_topk_svm`, and radius = 1 / (regularization n) of the dual domain at weight 1."""

    k: int
    kind: str
    regularization: float
    radius: float
    tol: float
    max_epochs: int
    sample_weight: np.ndarray  # (n,)
    smoothing: float = 0.0  # gamma

    def of(self, i):
        """Returns the options of example i: its weight multiplies the radius of its dual domain."""
        return self._replace(radius=self.radius * self.sample_weight[i])


def svm_options(n, m, k, kind, regularization, tol, max_epochs, sample_weight, smoothing=0.0):
    """Returns the checked options for n examples of m classes."""
    k, kind, smoothing = topk_loss(k, kind, smoothing, m)
    number = positive(regularization, "regularization")
    if not 0 < 1 / number / n < np.inf:
        raise ValueError(f"regularization must leave 1 / (regularization n) in range, got {regularization!r}")
    weights, tol = example_weights(sample_weight, n), nonnegative(tol, "tol")
    if not 1 / number / n * float(weights.max()) < np.inf:
        raise ValueError(f"sample_weight must leave sample_weight / (regularization n) in range, got {weights.max()}")
    max_epochs = count(max_epochs, "max_epochs")
    return SVMOptions(k, kind, number, 1 / number / n, tol, max_epochs, weights, smoothing)


def topk_loss(k, kind, smoothing, m):
    """Returns the checked k, kind and smoothing of a top-k hinge of m classes. gamma is divided by: 0 or normal."""
    k, kind = count(k, "k", m - 1), choice(kind, "kind", KINDS)
    number = nonnegative(smoothing, "smoothing")
    if 0 < number < np.finfo(np.float64).tiny or number > 1 / np.finfo(np.float64).tiny:
        raise ValueError(f"smoothing must be 0 or a number whose reciprocal is in range, got {smoothing!r}")
    return k, kind, number


def example_weights(sample_weight, n):
    """Returns the weights (n,) of the examples in float64, all 1 if none are given."""
    if sample_weight is None:
        return np.ones(n)
    weights = finite_array(real_array(sample_weight, "sample_weight", (1,)), "sample_weight").astype(np.float64)
    if weights.shape != (n,) or weights.min() < 0 or weights.max() == 0:
        raise ValueError(f"sample_weight must have shape ({n},), >= 0 and not all 0, got {brief(weights)}, {weights}")
    return weights


def starting_duals(duals, y, m, options):
    """Returns duals (n, m) in float64: a copy of the given ones, which must be in their domain, or zeros."""
    dense = np.zeros((len(y), m))
    for first, rows in dual_chunks(duals, y, m, options):
        dense[first : first + len(rows)] = rows
    return dense


def dual_chunks(duals, y, m, options):
    """Yields (first example, the duals of some examples from it on), float64 and checked; nothing if none are given.

    The given ones are dense or CSR, and must be in their domain.
    """
    if duals is None:
        return
    is_sparse, n = hasattr(duals, "tocsr"), len(y)
    duals = csr_matrix(duals, "duals") if is_sparse else finite_array(real_array(duals, "duals", (2,)), "duals")
    if duals.shape != (n, m):
        raise ValueError(f"duals must have shape ({n}, {m}), got shape {duals.shape}")
    slack, size = DOMAIN_ROUNDINGS * np.finfo(duals.dtype).eps, max(DUALS_AT_A_TIME // m, 1)
    for first in range(0, n, size):
        rows, part = duals[first : first + size], slice(first, first + size)
        rows = (rows.toarray() if is_sparse else rows).astype(np.float64)
        _in_domain(rows, y[part], first, slack, options.radius * options.sample_weight[part], options)
        yield first, rows


def _in_domain(duals, y, first, slack, radius, options):
    """Raise ValueError unless the duals of the examples first, first + 1, ... are in their domains, up to rounding."""
    own = np.arange(duals.shape[1]) == y[:, None]
    x = -duals[~own].reshape(len(y), -1)
    total, cap = x.sum(axis=1), radius / options.k
    if options.kind == "alpha" or options.k == 1:
        cap = total / options.k
    elif options.kind == "alpha_inclusive":
        cap = np.minimum(cap, total / (options.k - 1))
    excess = np.max([-x.min(axis=1), x.max(axis=1) - cap, total - radius, np.abs(duals[own] - total)], axis=0)
    outside = excess > slack * radius
    if outside.any():
        i, expected = int(np.argmax(outside)), "in the domain of the loss (1 / (regularization n))"
        raise ValueError(f"duals must be {expected}, got {duals[i]} at row {first + i}")


def assembled_duals(chunks, n, m, dtype, sparse_duals):
    """Returns the duals (n, m) of a fit in their final dtype, dense or as a CSR array of those that are not 0.

    `chunks` yields pairs (first example, the duals of some examples from it on), in ascending order.
    """
    if sparse_duals:
        from scipy import sparse  # takes half a second to import, and few fits need it

        return sparse.vstack([sparse.csr_array(rows.astype(dtype)) for _, rows in chunks], format="csr")
    duals = np.zeros((n, m), dtype)
    for first, rows in chunks:
        duals[first : first + len(rows)] = rows
    return duals


def squared_norms(values, name):
    """Returns the squared norms (n,) of the examples. One that is too small to divide by becomes 0."""
    if not np.isfinite(values).all():
        i = int(np.argmin(np.isfinite(values)))
        raise ValueError(f"{name} must have rows whose squared norm is finite, got {values[i]} at row {i}")
    return np.where(values < np.finfo(np.float64).tiny, 0.0, values)


def svm_history(records):
    """Returns the history of a fit as a record array, from one tuple (primal, dual, gap, seconds) an iteration."""
    return np.rec.array(records, dtype=[(name, np.float64) for name in ("primal", "dual", "gap", "seconds")])


def finite_objective(values):
    """Returns the values, numbers that an objective is computed from, if all of them are finite."""
    if not np.isfinite(values).all():
        demand = f"regularization must leave the objectives of this X in range, numbers of at most {LARGEST_FLOAT:.7g}"
        raise ValueError(f"{demand}, got {np.max(np.abs(values))}")
    return values


def relative_gap(primal, dual):
    """Returns (primal - dual) / primal, or 0 if primal <= dual, as rounding can have it."""
    if not (np.isfinite(primal) and np.isfinite(dual)):
        raise ValueError(f"regularization, weights and duals must leave the objectives in range, got {primal}, {dual}")
    return max(0.0, float((primal - dual) / primal)) if primal > dual else 0.0
