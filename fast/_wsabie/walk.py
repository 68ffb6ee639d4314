"""The walk of Table 3: examples and classes are drawn from given numbers, and a step is made wherever two violate."""

from typing import NamedTuple

import numpy as np

from .._shared.jit import inlined, kernel
from .embedding import Embedding, catch_up, change, descend, project
from .label_sets import labels_up_to, nth_other
from .prototypes import Point, Prototypes, first_violator, move, rate, score, square

NONE, OUT_OF_RANGE = -1, -2
TOGETHER = 32  # so many classes are drawn at a time


class Steps(NamedTuple):
    """The rule as numbers."""

    euclidean: bool
    trials: int
    weights: np.ndarray  # (m,) of a step, for each rank less one
    adagrad: bool
    links: int
    margin: float
    step_size: float
    max_norm: float


class State(NamedTuple):
    """What a walk changes."""

    prototypes: Prototypes
    embedding: Embedding
    last: np.ndarray  # (m,) the last violators
    skipped: np.ndarray  # (m,) how many examples of a class in a row were skipped
    stamps: np.ndarray  # (m + 1,) the last chain that a class was in; and how many chains there were


@kernel
def walk(data, state, steps, numbers, count):
    """Up to so many steps, as far as the numbers last: how many were made, how many moved, how many numbers were used.

    A step that lacks numbers changes nothing. The last is OUT_OF_RANGE if a difference of scores is not finite.
    """
    e, m = state.prototypes.rows.shape[1], len(state.last)
    point = Point(np.empty(e), np.empty(data.dims + 1, np.int64), np.empty(data.dims + 1))
    changes, rivals, made, moved = np.empty(e), np.empty(m + 1, np.int64), 0, 0
    used = np.int64(0)  # a bare 0 would have `_pair` compiled for zeros, too
    while made < count:
        positive, negative, trial, end, size, squared = _pair(data, state, steps, point, rivals, numbers, used)
        if end == OUT_OF_RANGE:
            return made, moved, end
        if end < 0:
            break
        made, used = made + 1, end
        if trial > 0:
            state.last[positive], state.skipped[positive] = negative, 0
        if negative != NONE:
            moved += 1
            weight = steps.weights[max((m - 1) // trial, 1) - 1]
            _step(state, steps, point, size, squared, positive, negative, weight, changes)
    catch_up(state.embedding)
    return made, moved, used


@kernel
def _pair(data, state, steps, point, rivals, numbers, used):
    """Draw an example, a label and classes until one violates: (label, violator or -1, trials, numbers used, ...).

    No trials: the example is left alone. The number of numbers used is -1 if there are not enough.
    """
    m, prototypes, euclidean, left = len(state.last), state.prototypes, steps.euclidean, len(numbers) - used
    if left < 1:
        return 0, NONE, 0, -1, 0, 0.0
    t = int(numbers[used] * (len(data.starts) - 1))
    labels = data.classes[data.firsts[t] : data.firsts[t + 1]]
    if len(labels) == 0 or len(labels) == m:
        return 0, NONE, 0, used + 1, 0, 0.0
    if left < 2:
        return 0, NONE, 0, -1, 0, 0.0
    positive, used, left = labels[int(numbers[used + 1] * len(labels))], used + 2, left - 2
    size, squared = read(data, t, state.embedding, point)
    rivals[0], margin = positive, steps.margin
    links = chain(state.last, state.stamps, steps.links, labels, positive, rivals)
    place = first_violator(prototypes, rivals, links, margin, point, size, squared, euclidean) if links > 0 else 1
    if place <= links:
        state.skipped[positive] += place >= 0
        return positive, NONE, 0, used if place >= 0 else OUT_OF_RANGE, size, squared
    trial = 0
    while trial < min(steps.trials, left):
        several = min(TOGETHER, min(steps.trials, left) - trial)
        others(labels, m, numbers, used + trial, several, rivals)
        place = first_violator(prototypes, rivals, several, margin, point, size, squared, euclidean)
        if place < 0:
            return 0, NONE, 0, OUT_OF_RANGE, 0, 0.0
        if place <= several:
            trial += place
            return positive, rivals[place], trial, used + trial, size, squared
        trial += several
    return positive, NONE, trial, used + trial if trial == steps.trials else -1, size, squared


@kernel
def read(data, t, embedding, point):
    """Example t becomes the point: how many entries of it are not 0, and its squared norm where that is of use."""
    start, end = data.starts[t], data.starts[t + 1]
    if len(embedding.columns) == 0 and len(data.columns) == 0:
        _copy(data.values, start, point.z)
        return 0, 0.0
    size, squared = _entries(data.values, data.columns, start, end, point.places, point.values)
    if len(embedding.columns) > 0:
        project(embedding, point.places, point.values, size, point.z)
    return size, squared


@inlined
def _copy(values, start, z):
    for c in range(len(z)):
        z[c] = values[start + c]


@inlined
def _entries(values, columns, start, end, places, entries):
    """The entries that are not 0; the memory has room for one more than there can be."""
    size, squared, dense = 0, 0.0, len(columns) == 0
    for i in range(start, end):
        value = np.float64(values[i])
        places[size] = i - start if dense else columns[i]
        entries[size] = value
        squared += value * value
        size += value != 0
    return size, squared


@kernel
def others(labels, m, numbers, begin, several, rivals):
    """Write the classes, none of them a label, for which so many numbers stand, from rivals[1] on."""
    for i in range(several):
        rivals[i + 1] = nth_other(labels, int(numbers[begin + i] * (m - len(labels))))


@kernel
def chain(last, stamps, links, labels, positive, rivals):
    """Write, from rivals[1] on, the last violator of the positive class, that of that one, ..., no labels; how many."""
    stamp, count = stamps[len(last)] + 1, 0
    stamps[len(last)], stamps[positive], v = stamp, stamp, last[positive]
    for _ in range(links):
        if v == NONE or stamps[v] == stamp:
            break
        stamps[v] = stamp
        place = labels_up_to(labels, v)
        if place == 0 or labels[place - 1] != v:
            count += 1
            rivals[count] = v
        v = last[v]
    return count


@kernel
def _step(state, steps, point, size, squared, positive, negative, weight, changes):
    """Down the gradients, all of them taken at the same point."""
    prototypes, embedding = state.prototypes, state.embedding
    slope, length = 2 * weight if steps.euclidean else weight, np.sqrt(squared)
    if len(embedding.columns) > 0:
        d, rows = len(embedding.columns), prototypes.rows
        descend(
            embedding.sums, rows, positive, negative, slope, length, d, steps.step_size, steps.adagrad, changes
        )  # fmt: skip
    _move(prototypes, steps, positive, slope, 1.0, point, size, squared)
    _move(prototypes, steps, negative, slope, -1.0, point, size, squared)
    if len(embedding.columns) > 0:
        change(embedding, point.places, point.values, size, length, point.z, changes, steps.max_norm)


@inlined
def _move(prototypes, steps, g, slope, sign, point, size, squared):
    """Prototype g steps towards the point (sign 1) or away from it (-1)."""
    if steps.euclidean:
        apart = -score(prototypes, g, point, size, squared, steps.euclidean)
    else:
        apart = square(point.z) if len(prototypes.scales) == 0 else squared
    e = prototypes.rows.shape[1]
    share = sign * slope * rate(prototypes.sums, g, slope * slope * apart / e, steps.step_size, steps.adagrad)
    move(prototypes, g, share, 1.0 if steps.euclidean else 0.0, point, size, squared, steps.max_norm)
