"""The rounds of a latent ranking SVM: its bags, the convex problem of a round, and when rounds may end."""

from typing import NamedTuple

import numpy as np

from ...problems import checks
from ..judging.arguments import Problem
from ..proofs.rounding import tolerance
from .steps import TIED


class Bags(NamedTuple):
    """The windows of each positive bag, in the order of the bag numbers, and those of all negative bags."""

    positive: list
    negatives: np.ndarray


def bags_of(problem):
    """Returns the Bags."""
    _, positive, rows, starts = checks.sorted_bags(problem.X, problem.relevant, problem.bags)
    windows = np.split(rows, starts[1:-1])
    negatives = [here for here, flag in zip(windows, positive, strict=True) if not flag]
    return Bags([here for here, flag in zip(windows, positive, strict=True) if flag], np.concatenate(negatives))


def convex_problem(problem, bags, chosen):
    """Returns the Problem of the ranking SVM on the chosen windows."""
    rows = np.concatenate([chosen, bags.negatives])
    data = {"X": problem.X[rows], "relevant": np.arange(len(rows)) < len(chosen), "groups": None, "group_weight": None}
    return Problem(**data, **problem.only("loss", "regularization", "tol", "max_iterations"))


def rise(objectives):
    """Returns the largest relative rise from one round to the next, or 0; inf if an objective is negative."""
    if np.min(objectives, initial=0.0) < 0:
        return np.inf
    return float(max(np.max(np.diff(objectives) / objectives[:-1], initial=0.0), 0.0))


def allowed_rise(tol, dtype, n):
    """Returns the largest rise that gaps of `tol` in both rounds explain, for weights of this dtype and n windows."""
    return 2 * (tol + tolerance(dtype, n))


def is_settled(objectives, tol):
    """True if the last round lowers the objective by at most `tol`, so that the rounds may end."""
    return len(objectives) > 1 and abs(objectives[-2] - objectives[-1]) <= tol * objectives[-1] * (1 + TIED)


def missing_decrease(objectives, tol):
    """Returns by how much a round before the last falls short of a third of the decrease of `tol`.

    It is relative to the first objective, and 0 if the rounds went on for a reason.
    """
    missing = tol / 3 * objectives[1:-1] + np.diff(objectives[:-1])
    return float(np.max(missing, initial=0.0) / (objectives[0] or 1.0))


def shortfall(X, weights, chosen, bags):
    """Returns by how much the best window of a bag scores higher than the chosen one, relative to the largest score.

    It is 0 if no window would be exchanged: the weights and the windows are then a fixed point of the rounds.
    """
    weights = weights.astype(np.float64)
    scores, largest = X @ weights, float(abs(X).max()) * np.abs(weights).sum()
    missed = max(scores[rows].max() - scores[row] for row, rows in zip(chosen, bags.positive, strict=True))
    return float(missed / largest) if largest else 0.0


def first_choice(X, bags, weights):
    """Returns the windows with the highest scores, or nearest to the means of their bags; None if rounding decides."""
    if weights is not None:
        return highest([X[rows] @ weights for rows in bags.positive], bags, TIED * abs(X).max() * len(weights))
    near = [_nearness(X[rows]) for rows in bags.positive]
    return highest(near, bags, TIED * max(np.abs(values).max() for values in near))


def highest(scores, bags, doubt, X=None):
    """Returns the first of the highest windows of each bag; None if a different window is within `doubt` of it."""
    chosen = []
    for values, rows in zip(scores, bags.positive, strict=True):
        best = int(values.argmax())
        close = np.flatnonzero(values >= values[best] - doubt)
        if X is None:
            equal = values[close] == values[best]
        else:
            equal = (X[rows[close]] == X[rows[best]]).all(axis=1)
        if not equal.all():
            return None
        chosen.append(rows[close[0]])
    return np.array(chosen)


def _nearness(windows):
    """Returns the negated squared distance of each window, dense or CSR, from their mean."""
    windows = (windows.toarray() if hasattr(windows, "toarray") else windows).astype(np.float64)
    return -((windows - windows.mean(axis=0)) ** 2).sum(axis=1)
