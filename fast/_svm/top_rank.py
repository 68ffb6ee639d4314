"""The kernels of TopPush and of SVMperf: dual coordinate ascent with a threshold that all samples share.

Given the threshold z, the highest negative score of TopPush or the bias of an SVM, each sample has a dual of its own,
and one coordinate has a closed form. That the duals balance, sum a = sum b, is the price of z: it follows the imbalance
t as the multiplier of an augmented Lagrangian, z - rho t, so that every step already feels the balance.
"""

from typing import NamedTuple

import numpy as np

from .._shared.examples import add, class_scores
from .._shared.jit import inlined, kernel
from .._shared.order import shuffle


class Problem(NamedTuple):
    """What a sample's dual costs: a (1 + z - s) - smooth a^2 / 2 for positives, b (s - z) for negatives, in 0..box."""

    smooth: float
    box: float
    scale: float  # 1 / (lambda P): w = scale X' duals
    penalty: float  # rho


class State(NamedTuple):
    """What is sought: signed duals, a or -b, and weights' = scale X' duals; balance = (z, t)."""

    duals: np.ndarray  # (n, m)
    weights: np.ndarray  # (m, d)
    balance: np.ndarray  # (2,)


class Listed(NamedTuple):
    """The samples that may move: of row rows[p] those of classes[starts[p]:starts[p + 1]]."""

    rows: np.ndarray
    starts: np.ndarray
    classes: np.ndarray


@kernel
def push(examples, state, relevant, problem, listed, seed, passes):
    """Passes over the listed samples, whose rows are visited in random order."""
    order, work = np.arange(len(listed.rows)), np.empty(state.duals.shape[1])
    for _ in range(passes):
        seed = shuffle(order, seed)
        for p in order:
            i, classes = listed.rows[p], listed.classes[listed.starts[p] : listed.starts[p + 1]]
            _step(examples, state, relevant, problem, i, classes, work)
        state.balance[0] -= problem.penalty * state.balance[1]


@inlined
def _step(examples, state, relevant, problem, i, classes, scores):
    """The best dual of each listed sample of row i, one after the other: they are of different classes."""
    class_scores(examples, i, state.weights, classes, scores)
    norm = examples.squared_norms[i] * problem.scale
    for c in range(len(classes)):
        j = classes[c]
        before, threshold = state.duals[i, j], state.balance[0] - problem.penalty * state.balance[1]
        if relevant[i, j]:
            slope = 1 + threshold - scores[c] - problem.smooth * before
            after = min(max(before + slope / (norm + problem.penalty + problem.smooth), 0.0), problem.box)
        else:
            after = -min(max(-before + (scores[c] - threshold) / (norm + problem.penalty), 0.0), problem.box)
        if after != before:
            state.duals[i, j] = after
            state.balance[1] += after - before
            add(examples, i, state.weights[j], problem.scale * (after - before))
