"""Dual coordinate ascent for TopPush and SVMperf with k = P, whose samples share a threshold z.

For TopPush, z is the highest negative score; for SVMperf, it is the bias of a binary SVM. For a fixed z, each sample
has one dual, and maximising over it has a closed form. The optimality condition of z is that the duals balance,
t = sum a - sum b = 0. So z is the multiplier of this condition in an augmented Lagrangian: a step uses the threshold
z - rho t, and z moves by -rho t after each pass.
"""

from typing import NamedTuple

import numpy as np

from reference.problems import checks

from .._shared.examples import add_row, class_scores, linear_examples
from .._shared.jit import kernel, merged
from .._shared.order import shuffle
from .._shared.planes import stretch
from .shortlist import SLACK

THRESHOLD, IMBALANCE = 0, 1  # the places of z and t in `BalancedState.balance`


class TopRankProblem(NamedTuple):
    """A dual is in 0..box.

    Its gain is a (1 + z - s) - smoothing_over_share a^2 / 2 for positives, and b (s - z) for negatives.
    """

    smoothing_over_share: np.ndarray  # (n,) of the positives of each row
    boxes: np.ndarray  # (n,)
    scale: float  # 1 / (lambda P): w = scale X' duals
    penalty: float  # rho


class TopRankModel:
    """The objective of one of the two problems; duals and scores are (n, m), weights (m, d).

    The rows have shares (n,), weights relative to the largest of a positive. One that is 0 after the division becomes
    the smallest number, which changes nothing but roundings. The conjugate of TopPush's squared hinge has no box; that
    of SVMperf's hinge is linear, and its box is the share.
    """

    def __init__(self, X, relevant, regularization, shares, smoothing):
        n = X.shape[0]
        self.relevant, self.smoothing, self.regularization = relevant.reshape(n, -1), smoothing, regularization
        self.smoothing_over_share = smoothing / np.maximum(shares, np.finfo(np.float64).tiny)
        self.rows, self.boxes = shares, np.full(n, np.inf) if smoothing else shares
        self.shares = np.repeat(shares, np.count_nonzero(self.relevant, axis=1))  # of the positives, row by row
        self.total = self.shares.sum()  # P
        self.examples, self.X = linear_examples(X, np.zeros(n, np.int64))
        self.stretch = stretch(X.dtype)
        with np.errstate(over="ignore", invalid="ignore"):
            self.scale = np.divide(1, regularization * self.total)
            checks.finite_objective(self.scale * np.append(self.examples.squared_norms, 1))

    def weights(self, duals):
        """Returns the weights (m, d) of these duals."""
        return np.ascontiguousarray((self.X.T @ duals).T * self.scale)

    def primal(self, weights):
        """Returns (the objective, the scores) of the weights as they are returned, rounded to the dtype of X."""
        weights = weights.astype(self.X.dtype).astype(np.float64)
        scores = np.asarray(self.X @ weights.T, np.float64)
        return float(self.regularization / 2 * np.sum(weights**2) + self.hinge(scores)), scores

    def threshold(self, scores):
        """Returns z: the highest score of a negative, or for SVMperf the P-th highest of the scores plus losses."""
        if self.smoothing:  # TopPush
            return np.where(self.relevant, -np.inf, scores).max()
        shares = np.broadcast_to(self.rows[:, None], scores.shape)
        return highest_of_weight((scores - self.relevant).ravel(), shares.ravel(), self.total)

    def hinge(self, scores):
        """Returns the objective without the penalty."""
        positives, z = scores[self.relevant], self.threshold(scores)
        if self.smoothing:  # TopPush
            return (self.shares * np.maximum(0, 1 + z - positives) ** 2).sum() / self.total
        above = np.maximum(scores[~self.relevant] - z, 0)
        if (self.rows != 1).any():
            above *= np.broadcast_to(self.rows[:, None], scores.shape)[~self.relevant]
        return ((self.shares * np.maximum(1 + z - positives, 0)).sum() + above.sum()) / self.total

    def dual(self, duals, weights):
        """Returns the dual objective of balanced duals and their weights."""
        a = duals[self.relevant]
        smoothing_over_share = np.broadcast_to(self.smoothing_over_share[:, None], duals.shape)[self.relevant]
        return float(
            (a - smoothing_over_share / 2 * a**2).sum() / self.total - self.regularization / 2 * np.sum(weights**2)
        )


def highest_of_weight(values, weights, size):
    """Returns the largest z such that the values >= z have a weight of at least `size`, but for roundings."""
    if (weights == 1).all():
        return np.partition(values, len(values) - int(size))[len(values) - int(size)]
    order = np.argsort(-values)
    place = np.searchsorted(np.cumsum(weights[order]), size * (1 - len(values) * np.finfo(np.float64).eps))
    return values[order[min(place, len(values) - 1)]]


class BalancedState(NamedTuple):
    """What the ascent changes: signed duals, a or -b, the weights' = scale X' duals, and the balance (z, t)."""

    duals: np.ndarray  # (n, m)
    weights: np.ndarray  # (m, d)
    balance: np.ndarray  # (2,)


class ListedSamples(NamedTuple):
    """The samples that may move: of row rows[p] those in the columns classes[starts[p]:starts[p + 1]]."""

    rows: np.ndarray
    starts: np.ndarray
    classes: np.ndarray


def list_samples(state, problem, relevant, scores, everything):
    """Returns the samples whose dual may move if scores change by up to SLACK, or all samples with `everything`."""
    duals, z = state.duals, state.balance[THRESHOLD]
    slopes = np.where(relevant, 1 + z - scores - problem.smoothing_over_share[:, None] * duals, scores - z)
    sizes = np.abs(duals)
    free = (sizes < problem.boxes[:, None]) | (slopes < SLACK)
    may_move = np.where(sizes == 0, slopes > -SLACK, free) | everything
    rows, classes = np.nonzero(may_move)
    counts = np.bincount(rows, minlength=len(duals))
    return ListedSamples(np.flatnonzero(counts), np.append(0, np.cumsum(counts[counts > 0])), classes)


def scale_to_balance(duals):
    """Scale down the positive duals or the negative ones, so that all duals sum to 0: only then they prove a bound."""
    a, b = duals[duals > 0].sum(), -duals[duals < 0].sum()
    if a > b:
        duals[duals > 0] *= b / a
    elif b > a:
        duals[duals < 0] *= a / b


@kernel
def visit_samples(examples, state, relevant, problem, listed, seed, passes):
    """Make so many passes over the listed samples, with their rows in random order."""
    order, work = np.arange(len(listed.rows)), np.empty(state.duals.shape[1])
    for _ in range(passes):
        seed = shuffle(order, seed)
        for p in order:
            i, classes = listed.rows[p], listed.classes[listed.starts[p] : listed.starts[p + 1]]
            _sample_steps(examples, state, relevant, problem, i, classes, work)
        state.balance[THRESHOLD] -= problem.penalty * state.balance[IMBALANCE]


@merged
def _sample_steps(examples, state, relevant, problem, i, classes, scores):
    """Maximise over the dual of each listed sample of row i in turn.

    The samples are of different classes, so that a step does not change the scores of the others.
    """
    class_scores(examples.rows, i, state.weights, classes, scores)
    norm = examples.squared_norms[i] * problem.scale
    for c in range(len(classes)):
        j = classes[c]
        before = state.duals[i, j]
        threshold = state.balance[THRESHOLD] - problem.penalty * state.balance[IMBALANCE]
        if relevant[i, j]:
            slope = 1 + threshold - scores[c] - problem.smoothing_over_share[i] * before
            after = min(
                max(before + slope / (norm + problem.penalty + problem.smoothing_over_share[i]), 0.0), problem.boxes[i]
            )
        else:
            after = -min(max(-before + (scores[c] - threshold) / (norm + problem.penalty), 0.0), problem.boxes[i])
        if after != before:
            state.duals[i, j] = after
            state.balance[IMBALANCE] += after - before
            add_row(examples.rows, i, state.weights[j], problem.scale * (after - before))
