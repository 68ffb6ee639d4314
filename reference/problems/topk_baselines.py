"""The statements of `reference.topk_baselines`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from . import checks
from .checks.types import Array, Floats, Matrix

__all__ = ["fit_top_push", "fit_svm_perf"]

LOSSES = ("recall", "precision")
DOMAIN_SLACK = 1e3  # times eps: given duals may be outside of their domain by the rounding of the solver they come from


class SamplesProblem(NamedTuple):
    """The checked arguments of `fit_top_push`, or with k and loss those of `fit_svm_perf`."""

    X: Matrix
    relevant: Array  # (n,) or (n, m), bool
    regularization: float
    tol: float
    max_iterations: int
    sample_weight: Floats  # (n,)
    duals: Floats
    progress: bool
    k: float | None = None
    loss: str | None = None

    @property
    def unit(self):
        """The largest weight of a positive."""
        return self.sample_weight[np.nonzero(self.relevant)[0]].max()

    def counted(self):
        """Returns (X, flags, weights, duals) of the rows of weight above 0, both numbers relative to the unit."""
        arrays, above = (self.X, self.relevant, self.sample_weight, self.duals), self.sample_weight > 0
        X, relevant, weights, duals = arrays if above.all() else (array[above] for array in arrays)
        return X, relevant, weights / self.unit, duals / self.unit

    def of_all(self, fit):
        """Returns the fit of these rows with the duals of all rows."""
        duals = np.zeros(self.relevant.shape)
        duals[self.sample_weight > 0] = self.unit * fit.duals
        return fit._replace(duals=duals)


class SelectionProblem(NamedTuple):
    """What a selection of SVMperf is: the flags, the shares s_i of the samples, their sum P over positives, k, loss."""

    relevant: Array
    shares: Floats  # like relevant
    total: float
    k: float  # the sum of the shares in a selection
    loss: str


def selection_problem(relevant, weights, k, loss):
    """Returns the problem, with k and the weights (n,) of the rows relative to the largest of a positive."""
    shares = np.broadcast_to(weights.reshape(-1, *[1] * (relevant.ndim - 1)), relevant.shape)
    total = shares[relevant].sum()
    return SelectionProblem(relevant, shares, total, _but_for_rounding(k, (total, shares.sum()), shares.size), loss)


def fit_top_push(
    X: Matrix, relevant: Array, *, regularization: float, tol: float = 1e-3, max_iterations: int = 1000, seed: int = 0,
    sample_weight: Array | None = None, duals: Array | None = None, progress: bool = False,
) -> SamplesProblem:  # fmt: skip
    r"""Train TopPush, which ranks every positive above the highest negative, to a certified duality gap.

    .. math::

        \arg\min_w \; \tfrac{\lambda}{2} \|w\|^2
        + \tfrac1P \sum_{i \text{ positive}} s_i \max(0, \; 1 + \max_{j \text{ negative}} f_j - f_i)^2

    Here :math:`\lambda` is `regularization`, f are the scores X w, :math:`s_i` is `sample_weight`, and P is the sum of
    the weights of the positives.

    Parameters
    ----------
    X : array or scipy CSR or CSC matrix, shape (n, d), float32 or float64
        Features, one row a sample.
    relevant : bool array, shape (n,) or (n, m)
        Which samples are positive. (n, m) is the multiclass reduction: row i is one-hot if example i has one class.
    regularization : float, > 0
        :math:`\lambda`.
    tol : float, >= 0
        The relative duality gap at which to stop.
    max_iterations : int, >= 1
        The largest number of iterations.
    seed : int
        Seed of the visiting order, for a method that visits samples in random order.
    sample_weight : array, shape (n,), >= 0, optional
        :math:`s_i`, one weight a row, for all of its samples. The mean over positives is weighted by :math:`s_i`. A row
        of weight 0 is left out: its positives have no loss, and its negatives are not among those whose highest score
        counts. All negatives of weight above 0 count alike. An integer weight is thus the same as so many copies of the
        row. The default is 1.
    duals : array like `relevant`, optional
        Starting point: the duals of an earlier fit, for any `regularization` and the same weights. Zeros if not given.
    progress : bool
        Show a progress bar.

    Returns
    -------
    fit : TopRankFit
        weights (d,) or (d, m), primal, dual, ``gap = (primal - dual) / primal``, iterations, and history, with one
        record (primal, dual, gap, seconds) an iteration. The duals are >= 0 for positives, <= 0 for negatives, and sum
        to 0. primal is that of the weights as returned, which are the best found.

    Raises
    ------
    ValueError
        An argument is not as described above, or all samples are of one class, or all whose weight is above 0; or the
        weights of the positives have a sum that is out of the range of the dtype.

    Warns
    -----
    ConvergenceWarning
        The gap is still above `tol` after `max_iterations`. The fit returned is valid, with its true gap.

    References
    ----------
    * Paper 004 (Lapin, Hein, Schiele: Top-k Multiclass SVM, 2015), sections 2.3 and 6.2.
    * Paper (Li, Jin, Zhou: Top Rank Optimization in Linear Time, 2014).

    Examples
    --------
    >>> X, relevant = np.array([[1.0, 0.0], [0.8, 1.0], [0.0, 1.0], [-1.0, 0.5]]), np.array([1, 1, 0, 0])
    >>> fit = fit_top_push(X, relevant, regularization=0.1)
    >>> scores = X @ fit.weights
    >>> bool(scores[:2].min() > scores[2:].max())
    True
    """
    X, relevant = checks.reduced_samples(X, relevant)
    options = checks.ranking_options(regularization, tol, max_iterations)
    checks.visiting_orders(None, X.shape[0], options.max_iterations, seed)
    weights = _weights(sample_weight, relevant, X.dtype)
    duals, progress = _pushing_duals(duals, relevant, weights), checks.flag(progress, "progress")
    return SamplesProblem(X, relevant, *options, weights, duals, progress)


def fit_svm_perf(
    X: Matrix, relevant: Array, *, k: float, loss: str = "recall", regularization: float, tol: float = 1e-3,
    max_iterations: int = 1000, seed: int = 0, sample_weight: Array | None = None, duals: Array | None = None,
    progress: bool = False,
) -> SamplesProblem:  # fmt: skip
    r"""Train SVMperf for recall or precision among k predicted positives, to a certified duality gap.

    .. math::

        \arg\min_w \; \tfrac{\lambda}{2} \|w\|^2
        + \max \left( 0, \; \max_{|S| = k} \; \text{loss}(S) + F(S) - F(\text{positives}) \right)

    Here :math:`\lambda` is `regularization`, and S is the set of the k samples that are predicted positive. loss(S) is
    1 - recall@k, the share of the positives that are not in S, or 1 - prec@k, the share of S that is negative. F(S) -
    F(positives) is the sum of the scores of the negatives in S, less that of the positives that are not in S, divided
    by the number of positives.

    Parameters
    ----------
    X : array or scipy CSR or CSC matrix, shape (n, d), float32 or float64
        Features, one row a sample.
    relevant : bool array, shape (n,) or (n, m)
        Which samples are positive. (n, m) is the multiclass reduction: row i is one-hot if example i has one class.
    k : int, or float with `sample_weight`
        The size of S, between 1 and the number of all samples, n or n m. With `sample_weight` it is the weight of S:
        a number above 0, and at most the sum of the weights of all samples.
    loss : {"recall", "precision"}
        Which loss(S).
    regularization : float, > 0
        :math:`\lambda`.
    tol : float, >= 0
        The relative duality gap at which to stop.
    max_iterations : int, >= 1
        The largest number of iterations.
    seed : int
        Seed of the visiting order, for a method that visits samples in random order.
    sample_weight : array, shape (n,), >= 0, optional
        :math:`s_i`, one weight a row, for all of its samples. Each sample counts :math:`s_i` times: in the loss, in F,
        and in the size of S, which may hold a part of a sample. An integer weight is thus the same as so many copies of
        the row, and a row of weight 0 is left out. Multiply k and all weights by one number, and the problem is the
        same. The default is 1.
    duals : array like `relevant`, optional
        Starting point: the duals of an earlier fit, for any `regularization` and the same weights. Zeros if not given.
    progress : bool
        Show a progress bar.

    Returns
    -------
    fit : TopRankFit
        weights (d,) or (d, m), primal, dual, ``gap = (primal - dual) / primal``, iterations, and history, with one
        record (primal, dual, gap, seconds) an iteration. The dual of a sample is the sum of the shares of the planes
        whose S contains it, times the weight of the sample that is in S. Without weights ``duals / k`` is in the top-k
        simplex of `project_topk_simplex`. primal is that of the weights as returned, which are the best found.

    Raises
    ------
    ValueError
        An argument is not as described above, or all samples are of one class, or all whose weight is above 0; or the
        weights have sums that are out of the range of the dtype.

    Warns
    -----
    ConvergenceWarning
        The gap is still above `tol` after `max_iterations`. The fit returned is valid, with its true gap.

    References
    ----------
    * Paper 004 (Lapin, Hein, Schiele: Top-k Multiclass SVM, 2015), sections 2.3 and 6.2.
    * Paper (Joachims: A Support Vector Method for Multivariate Performance Measures, 2005).
    * Paper (Kar, Narasimhan, Jain: Surrogate Functions for Maximizing Precision at the Top, 2015).

    Examples
    --------
    >>> X, relevant = np.array([[1.0, 0.0], [0.8, 1.0], [0.0, 1.0], [-1.0, 0.5]]), np.array([1, 1, 0, 0])
    >>> fit = fit_svm_perf(X, relevant, k=2, regularization=0.1)
    >>> scores = X @ fit.weights
    >>> bool(scores[:2].min() > scores[2:].max())
    True
    """
    X, relevant = checks.reduced_samples(X, relevant)
    options = checks.ranking_options(regularization, tol, max_iterations)
    loss = checks.choice(loss, "loss", LOSSES)
    checks.visiting_orders(None, X.shape[0], options.max_iterations, seed)
    weights, k = _selecting_weights(sample_weight, k, relevant, X.dtype)
    duals, progress = _selecting_duals(duals, relevant, weights, k), checks.flag(progress, "progress")
    return SamplesProblem(X, relevant, *options, weights, duals, progress, k, loss)


def _weights(sample_weight, relevant, dtype):
    """Returns the weights (n,) of the rows for `fit_top_push`, float64, all 1 if none are given."""
    if sample_weight is None:
        return np.ones(len(relevant))
    weights, n = checks.real_array(sample_weight, "sample_weight", (1,)), len(relevant)
    weights = checks.finite_array(weights, "sample_weight").astype(np.float64)
    if weights.shape != (n,):
        raise ValueError(f"sample_weight must have shape ({n},), one weight a row, got {checks.brief(weights)}")
    if weights.min() < 0:
        raise ValueError(f"sample_weight must be >= 0, got {weights.min()}")
    counted = relevant[weights > 0]
    if not counted.any() or counted.all():
        classes = "no sample" if counted.size == 0 else f"relevant = {bool(counted.flat[0])} only"
        raise ValueError(f"sample_weight must be above 0 for samples of both classes, got that for {classes}")
    with np.errstate(over="ignore"):
        total = weights[np.nonzero(relevant)[0]].sum()
        in_range = np.finfo(dtype).tiny < total and 2 * total < np.finfo(dtype).max  # a dual is at most 2 P
    if not in_range:
        raise ValueError(f"sample_weight must leave its sum over positives in the range of {dtype}, got {total}")
    return weights


def _selecting_weights(sample_weight, k, relevant, dtype):
    """Returns (the weights (n,) of the rows for `fit_svm_perf`, k). Without weights they are 1, and k is an integer."""
    weights = _weights(sample_weight, relevant, dtype)
    if sample_weight is None:
        return weights, checks.count(k, "k", relevant.size)
    k, least = checks.positive(k, "k"), float(np.finfo(dtype).tiny) * max(1.0, weights.max())
    with np.errstate(over="ignore"):
        positives, everything = weights[np.nonzero(relevant)[0]].sum(), weights.sum() * (relevant.size // len(relevant))
        ratio = everything / positives
    if not max(everything, ratio) < np.finfo(dtype).max:
        got = f"got {positives} over positives and {everything} over all samples"
        raise ValueError(f"sample_weight must leave its sums, and their ratio, in the range of {dtype}, {got}")
    if not least < _but_for_rounding(k, (everything,), relevant.size) <= everything:
        raise ValueError(f"k must be above 0, and at most the weight of all samples, {everything}, got {k}")
    return weights, k


def _but_for_rounding(k, sums, n):
    """Returns the first of the sums of at most n terms that differs from k only by roundings, or k if there is none."""
    same = (whole for whole in sums if abs(k - whole) <= n * np.finfo(np.float64).eps * whole)
    return float(next(same, k))


def _pushing_duals(duals, relevant, weights):
    """Returns the starting point of `fit_top_push`, float64: >= 0 for positives, <= 0 for negatives, of sum 0.

    Rows of weight 0 must have none.
    """
    if duals is None:
        return np.zeros(relevant.shape)
    duals = _like(duals, relevant)
    slack = DOMAIN_SLACK * np.finfo(duals.dtype).eps * np.abs(duals).sum(dtype=np.float64)
    duals = duals.astype(np.float64)
    if (np.where(relevant, -duals, duals) > slack).any() or abs(duals.sum()) > slack:
        raise ValueError(f"duals must be >= 0 where relevant, <= 0 elsewhere, and sum to 0, got sum {duals.sum()}")
    if duals[weights == 0].any():
        raise ValueError("duals must be 0 where sample_weight is 0, got the duals of other weights")
    return duals


def _selecting_duals(duals, relevant, weights, k):
    """Returns the starting point of `fit_svm_perf`, float64: 0 <= duals <= weights sum/k, with sum <= k."""
    if duals is None:
        return np.zeros(relevant.shape)
    duals = _like(duals, relevant)
    weights = np.broadcast_to(weights.reshape(-1, *[1] * (duals.ndim - 1)), duals.shape)
    slack = DOMAIN_SLACK * np.finfo(duals.dtype).eps * max(1.0, weights.sum() / k)
    duals = duals.astype(np.float64)
    above = duals - weights * (duals.sum() / k)
    if (duals < -slack * weights).any() or (above > slack * weights).any() or duals.sum() > k * (1 + slack):
        raise ValueError(
            f"duals must be in 0..sum/k, times the weights if there are any, with sum <= k = {k}, got "
            f"{duals.min()}..{duals.max()}"
        )
    return duals


def _like(duals, relevant):
    """Returns finite duals that have the shape of the flags."""
    duals = checks.finite_array(checks.real_array(duals, "duals", (relevant.ndim,)), "duals")
    if duals.shape != relevant.shape:
        raise ValueError(f"duals must have shape {relevant.shape}, got shape {duals.shape}")
    return duals
