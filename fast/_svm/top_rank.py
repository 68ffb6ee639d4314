"""Dual coordinate ascent for TopPush and SVMperf with k = P, whose samples share a threshold z.

For TopPush, z is the highest negative score; for SVMperf, it is the bias of a binary SVM. For a fixed z, each sample
has one dual, and maximising over it has a closed form. The optimality condition of z is that the duals balance,
t = sum a - sum b = 0. So z is the multiplier of this condition in an augmented Lagrangian: a step uses the threshold
z - rho t, and z moves by -rho t after each pass.
"""

from typing import NamedTuple

import numpy as np

from .._shared.examples import add_row, class_scores
from .._shared.jit import inlined, kernel
from .._shared.order import shuffle
from .shortlist import SLACK

THRESHOLD, IMBALANCE = 0, 1  # the places of z and t in `BalancedState.balance`


class TopRankProblem(NamedTuple):
    """A dual is in 0..box. Its gain is a (1 + z - s) - smooth a^2 / 2 for positives, and b (s - z) for negatives."""

    smooth: float
    box: float
    scale: float  # 1 / (lambda P): w = scale X' duals
    penalty: float  # rho


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
    slopes = np.where(relevant, 1 + z - scores - problem.smooth * duals, scores - z)
    sizes = np.abs(duals)
    may_move = np.where(sizes == 0, slopes > -SLACK, (sizes < problem.box) | (slopes < SLACK)) | everything
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


@inlined
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
            slope = 1 + threshold - scores[c] - problem.smooth * before
            after = min(max(before + slope / (norm + problem.penalty + problem.smooth), 0.0), problem.box)
        else:
            after = -min(max(-before + (scores[c] - threshold) / (norm + problem.penalty), 0.0), problem.box)
        if after != before:
            state.duals[i, j] = after
            state.balance[IMBALANCE] += after - before
            add_row(examples.rows, i, state.weights[j], problem.scale * (after - before))
