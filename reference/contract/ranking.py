"""Checks of what is to be ranked; `contract` is the door through which both sides come to them."""

import warnings
from typing import NamedTuple

import numpy as np

from .arguments import brief, count, features, finite_array, integers, nonnegative, positive, real_array
from .qs_loss import QSLoss

SLACK = 1e3  # times eps: how far duals that are given may be outside of their domain


def two_classes(positive_scores, negative_scores):
    """The scores (P,) of the positives and (N,) of the negatives."""
    p, n = real_array(positive_scores, "positive_scores", (1,)), real_array(negative_scores, "negative_scores", (1,))
    return finite_array(p, "positive_scores"), finite_array(n, "negative_scores")


def interleaving(ranks, n_positive, n_negative=None):
    """Interleaving ranks (N,) in 1..P+1, as int64, and the number of positives."""
    n_positive = count(n_positive, "n_positive")
    array = integers(ranks, "interleaving must hold integers 1..P+1")
    if array.ndim != 1 or array.size == 0 or n_negative not in (None, array.size):
        expected = "one rank a negative" if n_negative is None else f"shape ({n_negative},)"
        raise ValueError(f"interleaving must have {expected}, got shape {array.shape}")
    outside = array[(array < 1) | (array > n_positive + 1)]
    if outside.size:
        raise ValueError(f"interleaving must hold integers in 1..{n_positive + 1}, got {outside[0]}")
    return array.astype(np.int64), n_positive


def qs_loss(loss, known):
    """One of the known losses, by name, or a QSLoss itself."""
    if isinstance(loss, QSLoss):
        return loss
    if not isinstance(loss, str) or loss not in known:
        raise ValueError(f"loss must be one of {', '.join(map(repr, known))}, or a QSLoss, got {brief(loss)}")
    return known[loss]


class RankingOptions(NamedTuple):
    """The checked arguments of `fit_ranking_svm`."""

    regularization: float
    tol: float
    max_iterations: int


def ranking_options(regularization, tol, max_iterations):
    """The options of a fit."""
    return RankingOptions(
        positive(regularization, "regularization"), nonnegative(tol, "tol"), count(max_iterations, "max_iterations")
    )


def sorted_groups(X, relevant, groups):
    """(X, relevant, rows, starts): rows[starts[g]:starts[g + 1]] are those of the g-th group, in their order.

    Groups that do not have both classes are left out, with a warning: there is nothing to rank in them.
    """
    X = _features(X)
    relevant = _relevant(relevant, X.shape[0])
    return X, relevant, *_sorted_rows(relevant, groups, stacklevel=4)


def group_shares(group_weight, n, rows, starts):
    """(groups,): which share each group has in the mean, equal shares if no weights (n,) are given."""
    sizes = np.diff(starts)
    if group_weight is None:
        return np.full(len(sizes), 1 / len(sizes))
    weights = finite_array(real_array(group_weight, "group_weight", (1,)), "group_weight").astype(np.float64)
    if weights.shape != (n,) or weights.min() < 0:
        raise ValueError(f"group_weight must have shape ({n},) and be >= 0, got {brief(weights)}, {weights}")
    weights = weights[rows]
    of_groups = weights[starts[:-1]]
    if (weights != np.repeat(of_groups, sizes)).any():
        raise ValueError("group_weight must be the same for all samples of a group: a ranking has one loss")
    if of_groups.max() == 0:
        raise ValueError("group_weight must not be 0 for all groups that have both classes")
    of_groups = of_groups / of_groups.max()
    return of_groups / of_groups.sum()


def grouped_scores(scores, relevant, groups):
    """(scores, relevant, rows, starts), as `sorted_groups` has them."""
    scores = finite_array(real_array(scores, "scores", (1,)), "scores")
    relevant = _relevant(relevant, len(scores))
    return scores, relevant, *_sorted_rows(relevant, groups, stacklevel=4)


def sorted_bags(X, relevant, bags):
    """(X, relevant, rows, starts): rows[starts[b]:starts[b + 1]] are the windows of bag b; relevant is (bags,)."""
    X = _features(X)
    relevant, bags = _relevant(relevant, X.shape[0]), _groups(bags, X.shape[0], "bags")
    rows = np.argsort(bags, kind="stable")
    starts = np.flatnonzero(np.diff(bags[rows], prepend=bags[rows[0]] - 1))
    positives = np.add.reduceat(relevant[rows].astype(np.int64), starts)
    sizes = np.diff(starts, append=len(rows))
    mixed = (positives > 0) & (positives < sizes)
    if mixed.any():
        bag = bags[rows[starts[np.argmax(mixed)]]]
        raise ValueError(f"relevant must be the same for all windows of a bag, and is not in bag {bag}")
    if positives.any() == 0 or (positives > 0).all():
        raise ValueError("relevant must have bags of both classes, got one only")
    return X, positives > 0, rows, np.append(starts, len(rows))


def reduced_samples(X, relevant):
    """(X, relevant): one flag a row, (n,), or (n, m) flags, of the samples (i, j) of the multiclass reduction."""
    X = _features(X)
    try:
        array = np.asarray(relevant)
    except ValueError:  # rows of different lengths
        array = np.zeros(0)
    n, m = X.shape[0], array.shape[1] if array.ndim == 2 else 1
    if array.shape not in ((n,), (n, m)) or m == 0:
        raise ValueError(f"relevant must have shape ({n},) or ({n}, m), flags of each row, got {brief(relevant)}")
    flags = _relevant(array.ravel(), n * m).reshape(array.shape)
    if flags.all() or not flags.any():
        raise ValueError(f"relevant must have both classes, got only {bool(flags.flat[0])}")
    return X, flags


def pushing_duals(duals, relevant):
    """Duals to start `fit_top_push` from, float64: >= 0 for positives, <= 0 for negatives, of sum 0."""
    if duals is None:
        return np.zeros(relevant.shape)
    duals = _like(duals, relevant)
    slack = SLACK * np.finfo(duals.dtype).eps * np.abs(duals).sum(dtype=np.float64)
    duals = duals.astype(np.float64)
    if (np.where(relevant, -duals, duals) > slack).any() or abs(duals.sum()) > slack:
        raise ValueError(f"duals must be >= 0 where relevant, <= 0 elsewhere, and sum to 0, got sum {duals.sum()}")
    return duals


def selecting_duals(duals, relevant, k):
    """Duals to start `fit_svm_perf` from, float64: 0 <= duals <= sum / k, sum <= k, the top-k simplex times k."""
    if duals is None:
        return np.zeros(relevant.shape)
    duals = _like(duals, relevant)
    slack = SLACK * np.finfo(duals.dtype).eps * max(1.0, duals.size / k)
    duals = duals.astype(np.float64)
    if duals.min() < -slack or duals.max() > duals.sum() / k + slack or duals.sum() > k * (1 + slack):
        raise ValueError(f"duals must be in 0..sum/k, with sum <= k = {k}, got {duals.min()}..{duals.max()}")
    return duals


def _like(duals, relevant):
    duals = finite_array(real_array(duals, "duals", (relevant.ndim,)), "duals")
    if duals.shape != relevant.shape:
        raise ValueError(f"duals must have shape {relevant.shape}, got shape {duals.shape}")
    return duals


def _features(X):
    return features(X)


def _sorted_rows(relevant, groups, stacklevel):
    n = len(relevant)
    groups = _groups(groups, n)
    rows = np.argsort(groups, kind="stable")
    starts = np.flatnonzero(np.diff(groups[rows], prepend=groups[rows[0]] - 1))
    sizes = np.diff(starts, append=n)
    positives = np.add.reduceat(relevant[rows].astype(np.int64), starts)
    kept = (positives > 0) & (positives < sizes)
    if not kept.any():
        raise ValueError("relevant must have both classes in at least one group, got none")
    if not kept.all():
        message = f"{np.count_nonzero(~kept)} of the {len(kept)} groups do not have both classes and are left out"
        warnings.warn(message, stacklevel=stacklevel)
    return rows[np.repeat(kept, sizes)], np.concatenate([[0], np.cumsum(sizes[kept])])


def _relevant(relevant, n):
    try:
        array = np.asarray(relevant)
    except ValueError:  # rows of different lengths
        array = np.zeros(0)
    if array.shape != (n,):
        raise ValueError(f"relevant must have shape ({n},), one flag a row, got {brief(relevant)}")
    if array.dtype.kind not in "biuf" or not np.isin(array, (0, 1)).all():
        wrong = array[~np.isin(array, (0, 1))] if array.dtype.kind in "biuf" else array
        raise ValueError(f"relevant must hold booleans, or 0 and 1, got {wrong[0]!r}")
    return array.astype(bool)


def _groups(groups, n, name="groups"):
    if groups is None:
        return np.zeros(n, np.int64)
    array = integers(groups, f"{name} must hold integers of shape ({n},)")
    if array.shape != (n,):
        raise ValueError(f"{name} must have shape ({n},), one number a row, got shape {array.shape}")
    return array.astype(np.int64)


class DirectOptions(NamedTuple):
    """The checked arguments of `fit_direct_loss`."""

    epsilon: float
    step_size: float
    max_iterations: int


def direct_options(epsilon, step_size, max_iterations):
    """The options of direct loss minimisation."""
    return DirectOptions(
        positive(epsilon, "epsilon"), positive(step_size, "step_size"), count(max_iterations, "max_iterations")
    )


def start(weights, d):
    """Weights (d,) to start from, float64; zeros if none are given."""
    if weights is None:
        return np.zeros(d)
    weights = finite_array(real_array(weights, "weights", (1,)), "weights")
    if weights.shape != (d,):
        raise ValueError(f"weights must have shape ({d},), got shape {weights.shape}")
    return weights.astype(np.float64)
