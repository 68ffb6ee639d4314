"""The walk of Table 3: it draws examples and pairs of classes from given numbers, and moves the pairs that violate."""

from typing import NamedTuple

import numpy as np

from .._shared.examples import is_dense
from .._shared.jit import borrowing_kernel, kernel, merged
from .embedding import Embedding, change_embedding, embed, embedding_steps, make_changes
from .label_sets import is_label, nth_other
from .outcomes import (
    NO_CLASS,
    NO_VIOLATOR,
    NOT_FINITE,
    NOT_VIOLATED,
    OUT_OF_NUMBERS,
    OUT_OF_RANGE,
    SKIPPED,
    UNUSABLE,
    VIOLATED,
    Draw,
    Walked,
)
from .prototypes import (
    Point,
    Prototypes,
    RowLog,
    first_violator,
    keep_row,
    move_prototype,
    prototype_score,
    row_step_size,
)
from .vectors import squared_norm

# So many classes are drawn before their scores are computed, in one call. More of them save calls where violators are
# rare; fewer save searches in the set of labels where the first class violates.
DRAWN_TOGETHER = 32


class StepRule(NamedTuple):
    """The options of `fit_wsabie` as numbers."""

    euclidean: bool
    most_trials: int  # the number of classes that may be drawn for a step
    weights: np.ndarray  # (m,) weights[r - 1] is the weight of a step for rank r
    adagrad: bool
    links: int  # Q, the longest chain of last violators
    margin: float
    step_size: float
    max_norm: float


def step_rule_of(rule, m):
    """The checked options, as the kernels read them."""
    uniform = rule.weighting == "uniform"
    weights = np.ones(m) if uniform else np.cumsum(1 / np.arange(1, m + 1))
    return StepRule(
        rule.discriminant == "euclidean", m if rule.sampling == "warp" else 1, weights, rule.step == "adagrad",
        min(rule.last_violators, m), rule.margin, rule.step_size, rule.max_norm,
    )  # fmt: skip


class WalkState(NamedTuple):
    """What a walk changes."""

    prototypes: Prototypes
    embedding: Embedding
    last: np.ndarray  # (m,) the last violator of each class, or NO_CLASS
    skipped: np.ndarray  # (m,) how many examples of a class in a row were skipped
    stamps: np.ndarray  # (m + 1,) the number of the last chain that held each class; then the number of all chains
    point: Point  # memory for an example
    compared: np.ndarray  # (m + 1,) memory for a label and the classes that are compared with it
    steps: np.ndarray  # (e,) memory for the steps of the rows of W
    log: RowLog  # the prototypes that moved


@borrowing_kernel
def walk_by_pairs(data, state, rule, numbers, count):
    """Make `count` steps, or as many as the numbers suffice for. Returns what was done, as Walked.

    A step that lacks numbers changes nothing. The walk ends at a difference of scores that is not finite.
    """
    made, moved, used = 0, 0, np.int64(0)  # a literal 0 would have kernels compiled for literals, too: here and below
    while made < count:
        draw = _draw(data, state, rule, numbers, used)
        if draw.status == OUT_OF_RANGE:
            return Walked(made, moved, used, False)
        if draw.status == OUT_OF_NUMBERS:
            break
        made, used = made + 1, draw.used
        if draw.status == SKIPPED:
            state.skipped[draw.positive] += 1
        elif draw.status != UNUSABLE:
            state.last[draw.positive], state.skipped[draw.positive] = draw.violator, 0
        if draw.status == VIOLATED:
            moved += 1
            rank = max((len(state.last) - 1) // draw.trials, 1)
            _step(state, rule, draw, rule.weights[rank - 1])
    make_changes(state.embedding)
    return Walked(made, moved, used, True)


@merged
def _draw(data, state, rule, numbers, used):
    """Draw an example, one of its labels, and classes until one violates the margin. The example becomes the point."""
    m, prototypes, point, compared = len(state.last), state.prototypes, state.point, state.compared
    if used >= len(numbers):
        return Draw(OUT_OF_NUMBERS, 0, NO_CLASS, 0, used, 0, 0.0)
    t = int(numbers[used] * (len(data.first_labels) - 1))
    labels = data.classes[data.first_labels[t] : data.first_labels[t + 1]]
    if len(labels) == 0 or len(labels) == m:
        return Draw(UNUSABLE, 0, NO_CLASS, 0, used + 1, 0, 0.0)
    if used + 2 > len(numbers):
        return Draw(OUT_OF_NUMBERS, 0, NO_CLASS, 0, used, 0, 0.0)
    positive, used = labels[int(numbers[used + 1] * len(labels))], used + 2
    size, squared = read_example(data.rows, t, state.embedding, point)
    compared[0] = positive
    links = write_chain(state.last, state.stamps, rule.links, labels, positive, compared)
    if links > 0:
        place = first_violator(prototypes, compared, links, rule.margin, point, size, squared, rule.euclidean)
        if place != NO_VIOLATOR:
            status = OUT_OF_RANGE if place == NOT_FINITE else SKIPPED
            return Draw(status, positive, NO_CLASS, 0, used, size, squared)
    trials, most = 0, min(rule.most_trials, len(numbers) - used)
    while trials < most:
        several = min(DRAWN_TOGETHER, most - trials)
        write_others(labels, m, numbers, used + trials, several, compared)
        place = first_violator(prototypes, compared, several, rule.margin, point, size, squared, rule.euclidean)
        if place == NOT_FINITE:
            return Draw(OUT_OF_RANGE, positive, NO_CLASS, 0, used, size, squared)
        if place != NO_VIOLATOR:
            trials += place
            return Draw(VIOLATED, positive, compared[place], trials, used + trials, size, squared)
        trials += several
    status = NOT_VIOLATED if trials == rule.most_trials else OUT_OF_NUMBERS
    return Draw(status, positive, NO_CLASS, trials, used + trials, size, squared)


@merged
def read_example(rows, t, embedding, point):
    """Example t becomes the point. Returns the number of its entries that are not 0, and its squared norm.

    Both are 0 where they are not needed: if the example is dense and there is no embedding.
    """
    start, end = rows.starts[t], rows.starts[t + 1]
    if len(embedding.transposed) == 0 and is_dense(rows):
        _copy(rows.values, start, point.z)
        return np.int64(0), 0.0
    size, squared = _write_entries(rows.values, rows.columns, start, end, point.columns, point.values)
    if len(embedding.transposed) > 0:
        embed(embedding, point.columns, point.values, size, point.z)
    return size, squared


@kernel
def _copy(values, start, z):
    for c in range(len(z)):
        z[c] = values[start + c]


@kernel
def _write_entries(values, columns, start, end, point_columns, point_values):
    """Write the entries that are not 0. The loop writes one entry beyond them, so the memory has d + 1 places."""
    size, squared, dense = np.int64(0), 0.0, len(columns) == 0
    for i in range(start, end):
        value = np.float64(values[i])
        point_columns[size] = i - start if dense else columns[i]
        point_values[size] = value
        squared += value * value
        size += value != 0
    return size, squared


@kernel
def write_others(labels, m, numbers, begin, several, compared):
    """Write the classes, none of them a label, that `several` numbers select, into compared[1:]."""
    for i in range(several):
        compared[i + 1] = nth_other(labels, int(numbers[begin + i] * (m - len(labels))))


@kernel
def write_chain(last, stamps, links, labels, positive, compared):
    """Write the last violator of the positive class, the last violator of that one, ..., into compared[1:].

    At most `links` of them. Labels are followed, but not written. Returns how many classes were written.
    """
    stamp, count = stamps[len(last)] + 1, np.int64(0)
    stamps[len(last)], stamps[positive], v = stamp, stamp, last[positive]
    for _ in range(links):
        if v == NO_CLASS or stamps[v] == stamp:
            break
        stamps[v] = stamp
        if not is_label(labels, v):
            count += 1
            compared[count] = v
        v = last[v]
    return count


@merged
def _step(state, rule, draw, weight):
    """Move the two prototypes and W against their gradients, all of them taken before the step."""
    point, steps_in_W = state.point, state.steps
    prototypes, embedding, positive, negative = state.prototypes, state.embedding, draw.positive, draw.violator
    slope, length = 2 * weight if rule.euclidean else weight, np.sqrt(draw.squared)
    if len(embedding.transposed) > 0:
        d, rows = len(embedding.transposed), prototypes.rows
        embedding_steps(
            embedding.sums, rows, positive, negative, slope, length, d, rule.step_size, rule.adagrad, steps_in_W
        )  # fmt: skip
    for g, sign in ((positive, 1.0), (negative, -1.0)):
        if len(state.log.places) > 0:
            keep_row(state.log, prototypes.rows, g)
        _move(prototypes, rule, g, slope, sign, point, draw)
    if len(embedding.transposed) > 0:
        columns, values = point.columns, point.values
        change_embedding(embedding, columns, values, draw.size, length, point.z, steps_in_W, rule.max_norm)


@merged
def _move(prototypes, rule, g, slope, sign, point, draw):
    """Move prototype g towards the point (sign 1) or away from it (sign -1)."""
    if rule.euclidean:
        square = -prototype_score(prototypes, g, point, draw.size, draw.squared, rule.euclidean)
    else:
        square = squared_norm(point.z) if len(prototypes.scales) == 0 else draw.squared
    mean_square = slope * slope * square / prototypes.rows.shape[1]
    step = sign * slope * row_step_size(prototypes.sums, g, mean_square, rule.step_size, rule.adagrad)
    pull = 1.0 if rule.euclidean else 0.0
    move_prototype(prototypes, g, step, pull, point, draw.size, draw.squared, rule.max_norm)
