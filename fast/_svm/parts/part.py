"""The examples of a part, its duals, and the model that the kernels work on."""

from typing import NamedTuple

import numpy as np

from reference.problems import checks

from ..._shared.examples import Examples, linear_examples, matrix_rows
from ..._shared.threads import in_turn
from ..ascent import ALL_CLASSES
from ..dual_lists import DUALS_AT_A_TIME, DualLists, append_duals, dual_rows, empty_lists, reserve
from ..models import LinearModel, aligned_zeros
from ..sdca_step import TopKLoss, visit, work_for


class Part(NamedTuple):
    """The examples of a part, with the number of the part."""

    number: int
    X: np.ndarray  # or CSR
    labels: np.ndarray
    sample_weight: np.ndarray


class PartState(NamedTuple):
    """What a part keeps from one task to the next.

    `before` is what the last pass started from: the values of the lists, or all lists if it made them anew. `start` are
    the values before the step along a direction that came before that pass, and `change` is what the pass changed.
    `directions` are the last directions in the duals, each in the order of `lists.values`, the newest last.
    """

    squared_norms: np.ndarray
    lists: DualLists
    before: DualLists | np.ndarray | None = None
    start: np.ndarray | None = None
    change: np.ndarray | None = None
    directions: tuple = ()


class Answer(NamedTuple):
    """What a task returns: an array or None, to be added over all parts, numbers for the driver, and the new state."""

    total: np.ndarray | None
    facts: tuple
    state: PartState


class Problem(NamedTuple):
    """What all parts have in common."""

    m: int
    kind: int
    k: int
    radius: float
    rule: checks.PartsRule


def starting_state(part, problem, duals):
    """Returns the state of a part, from starting duals in the form of `checks.dual_chunks`, or from None.

    If the fit has starting duals, its rounds visit only what can move the weights. So each example with x = 0 gets its
    optimal duals here, also in a part whose duals are all 0.
    """
    examples, _ = linear_examples(part.X, part.labels)
    lists = empty_lists(part.X.shape[0], problem.m)
    for first, rows in duals or ():
        append_duals(lists, first, rows, part.labels[first : first + len(rows)])
    still = np.flatnonzero(examples.squared_norms == 0)
    if duals is not None and len(still):
        reserve(lists, len(still), problem.m)
        no_weights = np.zeros((1, 1))  # are read by no step of such an example
        visit(examples, lists, no_weights, part_loss(part, problem), still, ALL_CLASSES, 0, 0.0, work_for(problem.m))
    return PartState(examples.squared_norms, lists)


def part_loss(part, problem, stretch=1.0):
    """Returns the loss of the examples of a part, for duals that are multiplied by `stretch`."""
    return TopKLoss(problem.kind, problem.k, problem.radius * stretch, writable(part.sample_weight))


def movable(part, state):
    """Returns the listed examples that a step can move."""
    return np.flatnonzero((state.lists.counts > 0) & (state.squared_norms > 0) & (part.sample_weight > 0))


def copied(lists):
    """Returns lists that a task may change."""
    return DualLists(*(array.copy() for array in lists))


def trimmed(lists, m):
    """Returns lists without the memory that was reserved for longer ones."""
    values, classes = (array[: end + m].copy() for array, end in zip(lists, lists.ends.tolist(), strict=False))
    return lists._replace(values=values, classes=classes)


def writable(array):
    """Returns the array, or a copy if it came read-only or unaligned from another process: a kernel has one type."""
    return array if array.flags.writeable and array.flags.aligned else array.copy()


def chunks_of(duals, rows):
    """Returns the duals of some examples in the form of `checks.dual_chunks`, from a CSR array, or None from None."""
    if duals is None:
        return None
    size = max(DUALS_AT_A_TIME // duals.shape[1], 1)
    return ((first, duals[rows[first : first + size]].toarray()) for first in range(0, len(rows), size))


def own_chunks(state, labels, m):
    """Yields the duals of a part in the same form."""
    return dual_rows(copied(state.lists), writable(labels), m)


class PartModel(LinearModel):
    """The model of one part: its examples, lists that kernels may change, and weights."""

    def __init__(self, part, state, m, lists, weights=None):
        self.X, self.by_features = part.X, hasattr(part.X, "tocsr")
        if not self.by_features:
            self.X = np.ascontiguousarray(part.X)
        norms, labels = writable(state.squared_norms), writable(part.labels)
        self.examples, self.is_float32 = Examples(matrix_rows(self.X), norms, labels, False), self.X.dtype == np.float32
        self.m, self.n_jobs, self.each, self.work = m, 1, in_turn, work_for(m)
        self.lists, self.weights = lists, weights

    @classmethod
    def to_move(cls, part, state, m, weights, stretch):
        """Returns a model whose duals and weights are copies, and whose duals are multiplied by `stretch`."""
        model = cls(part, state, m, copied(state.lists), aligned_zeros(weights.shape))
        model.weights[:] = weights
        with np.errstate(all="ignore"):  # reserved room holds whatever was in memory, NaN among it
            np.multiply(model.lists.values, stretch, out=model.lists.values)
        return model

    def own_weights(self, as_returned):
        """Returns X' duals of this part; with `as_returned`, of the duals rounded to the dtype of X."""
        d = self.X.shape[1]
        self.weights = aligned_zeros((d, self.m) if self.by_features else (self.m, d))
        self.recompute_weights(as_returned)
        return self.weights
