"""Checks of scores, rankings, groups and bags, and of the options of the learners that rank.

Each check returns its argument in the form that the methods read, or it raises a ValueError. Both packages import the
checks from `reference.problems.checks`.
"""

from typing import NamedTuple

import numpy as np

from .arguments import brief, count, features, finite_array, integers, nonnegative, positive, real_array
from .qs_loss import QSLoss
from .reporting import warn

# --- scores, rankings and losses -----------------------------------------------------------------------------------


def two_classes(positive_scores, negative_scores):
    """Returns the scores (P,) of the positives and (N,) of the negatives."""
    p, n = real_array(positive_scores, "positive_scores", (1,)), real_array(negative_scores, "negative_scores", (1,))
    return finite_array(p, "positive_scores"), finite_array(n, "negative_scores")


def interleaving(ranks, n_positive, n_negative=None):
    """Returns the ranks (N,) in 1..P+1, int64, and the number P of positives."""
    n_positive = count(n_positive, "n_positive")
    array = integers(ranks, "interleaving must hold integers 1..P+1")
    if array.ndim != 1 or array.size == 0 or n_negative not in (None, array.size):
        expected = "one rank for each negative" if n_negative is None else f"shape ({n_negative},)"
        raise ValueError(f"interleaving must have {expected}, got shape {array.shape}")
    outside = array[(array < 1) | (array > n_positive + 1)]
    if outside.size:
        raise ValueError(f"interleaving must hold integers in 1..{n_positive + 1}, got {outside[0]}")
    return array.astype(np.int64), n_positive


def qs_loss(loss, known):
    """Returns one of the `known` losses, given by name, or `loss` itself if it is a QSLoss."""
    if isinstance(loss, QSLoss):
        return loss
    if not isinstance(loss, str) or loss not in known:
        raise ValueError(f"loss must be one of {', '.join(map(repr, known))}, or a QSLoss, got {brief(loss)}")
    return known[loss]


# --- groups and bags -----------------------------------------------------------------------------------------------


def sorted_groups(X, relevant, groups):
    """Returns (X, relevant, rows, starts). The samples of the g-th group are rows[starts[g]:starts[g + 1]], in order.

    Groups that do not have both classes are left out with a warning, since their samples cannot be ranked wrongly.
    """
    X = features(X)
    relevant = _flags(relevant, X.shape[0])
    return X, relevant, *_sorted_rows(relevant, groups)


def grouped_scores(scores, relevant, groups):
    """Returns (scores, relevant, rows, starts), with rows and starts as in `sorted_groups`."""
    scores = finite_array(real_array(scores, "scores", (1,)), "scores")
    relevant = _flags(relevant, len(scores))
    return scores, relevant, *_sorted_rows(relevant, groups)


def group_shares(group_weight, n, rows, starts):
    """Returns the share (groups,) of each group in the mean over groups. Without weights (n,), the shares are equal."""
    sizes = np.diff(starts)
    if group_weight is None:
        return np.full(len(sizes), 1 / len(sizes))
    weights = finite_array(real_array(group_weight, "group_weight", (1,)), "group_weight").astype(np.float64)
    if weights.shape != (n,):
        raise ValueError(f"group_weight must have shape ({n},), one weight a sample, got shape {weights.shape}")
    if weights.min() < 0:
        raise ValueError(f"group_weight must be >= 0, got {weights.min()}")
    weights = weights[rows]
    of_groups = weights[starts[:-1]]
    if (weights != np.repeat(of_groups, sizes)).any():
        raise ValueError("group_weight must be the same for all samples of a group: a ranking has one loss")
    if of_groups.max() == 0:
        raise ValueError("group_weight must not be 0 for all groups that have both classes")
    of_groups = of_groups / of_groups.max()
    return of_groups / of_groups.sum()


def sorted_bags(X, relevant, bags):
    """Returns (X, relevant, rows, starts). Bag b has the windows rows[starts[b]:starts[b + 1]]; relevant is (bags,)."""
    X = features(X)
    relevant, bags = _flags(relevant, X.shape[0]), _numbers(bags, X.shape[0], "bags")
    rows = np.argsort(bags, kind="stable")
    starts = np.flatnonzero(np.diff(bags[rows], prepend=bags[rows[0]] - 1))
    positives = np.add.reduceat(relevant[rows].astype(np.int64), starts)
    sizes = np.diff(starts, append=len(rows))
    mixed = (positives > 0) & (positives < sizes)
    if mixed.any():
        bag = bags[rows[starts[np.argmax(mixed)]]]
        raise ValueError(f"relevant must be the same for all windows of a bag, got both values in bag {bag}")
    if positives.any() == 0 or (positives > 0).all():
        raise ValueError(f"relevant must have bags of both classes, got only {bool(positives.any())}")
    return X, positives > 0, rows, np.append(starts, len(rows))


# --- the learners for the top of the ranking -----------------------------------------------------------------------


def reduced_samples(X, relevant):
    """Returns (X, relevant), with one flag a row, (n,), or (n, m) flags: samples (i, j) of the multiclass reduction."""
    X = features(X)
    try:
        array = np.asarray(relevant)
    except ValueError:  # rows of different lengths
        array = np.zeros(0)
    n, m = X.shape[0], array.shape[1] if array.ndim == 2 else 1
    if array.shape not in ((n,), (n, m)) or m == 0:
        raise ValueError(f"relevant must have shape ({n},) or ({n}, m), flags of each row, got {brief(relevant)}")
    flags = _flags(array.ravel(), n * m).reshape(array.shape)
    if flags.all() or not flags.any():
        raise ValueError(f"relevant must have both classes, got only {bool(flags.flat[0])}")
    return X, flags


# --- options and starting points -----------------------------------------------------------------------------------


class RankingOptions(NamedTuple):
    """The checked options of `fit_ranking_svm`."""

    regularization: float
    tol: float
    max_iterations: int


def ranking_options(regularization, tol, max_iterations):
    """Returns the options of a fit by cutting planes."""
    return RankingOptions(
        positive(regularization, "regularization"), nonnegative(tol, "tol"), count(max_iterations, "max_iterations")
    )


def start(weights, d):
    """Returns the weights (d,) to start from, float64, or None without weights."""
    if weights is None:
        return None
    weights = finite_array(real_array(weights, "weights", (1,)), "weights")
    if weights.shape != (d,):
        raise ValueError(f"weights must have shape ({d},), got shape {weights.shape}")
    return weights.astype(np.float64)


# --- parts of the checks above -------------------------------------------------------------------------------------


def _sorted_rows(relevant, groups):
    """Returns (rows, starts) of the groups that have both classes, and warns of the others."""
    n = len(relevant)
    groups = _numbers(groups, n, "groups")
    rows = np.arange(n)
    if (groups[1:] < groups[:-1]).any():
        rows = np.argsort(groups, kind="stable")
        groups, relevant = groups[rows], relevant[rows]
    starts = np.flatnonzero(np.append(True, groups[1:] != groups[:-1]))
    sizes = np.diff(starts, append=n)
    positives = np.add.reduceat(relevant.astype(np.int64), starts)
    kept = (positives > 0) & (positives < sizes)
    if not kept.any():
        raise ValueError("relevant must have both classes in at least one group, got none")
    if kept.all():
        return rows, np.append(starts, n)
    message = f"{np.count_nonzero(~kept)} of the {len(kept)} groups do not have both classes and are left out"
    warn(message)
    return rows[np.repeat(kept, sizes)], np.concatenate([[0], np.cumsum(sizes[kept])])


def _flags(relevant, n):
    """Returns the flags (n,) of samples, bool."""
    try:
        array = np.asarray(relevant)
    except ValueError:  # rows of different lengths
        array = np.zeros(0)
    if array.shape != (n,):
        raise ValueError(f"relevant must have shape ({n},), one flag a row, got {brief(relevant)}")
    if array.dtype == bool:
        return array.copy()
    if array.dtype.kind not in "iuf" or not np.isin(array, (0, 1)).all():
        wrong = array[~np.isin(array, (0, 1))] if array.dtype.kind in "iuf" else array
        raise ValueError(f"relevant must hold booleans, or 0 and 1, got {wrong[0]!r}")
    return array.astype(bool)


def _numbers(values, n, name):
    """Returns the numbers (n,) of the groups or bags of samples, int64. Without groups these are zeros."""
    if values is None:
        return np.zeros(n, np.int64)
    array = integers(values, f"{name} must hold integers of shape ({n},)")
    if array.shape != (n,):
        raise ValueError(f"{name} must have shape ({n},), one number a row, got shape {array.shape}")
    return array.astype(np.int64)
