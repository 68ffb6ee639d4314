"""The layers after the trained one, in arrays, and the passes of the two bounds through them, one example at a time."""

from typing import NamedTuple

import numpy as np

from .._shared.jit import kernel
from ._network import forward, patches

RELU, AFFINE, MAXIMUM = 0, 1, 2


class Tail(NamedTuple):
    """Steps after the trained layer. Step s reads entries starts[s]:starts[s + 1] of a row and writes the next ones."""

    kinds: np.ndarray
    starts: np.ndarray  # (steps + 2,)
    tables: np.ndarray  # of all steps; that of step s has positions[s] * windows[s] entries from firsts[s] on
    firsts: np.ndarray
    positions: np.ndarray
    windows: np.ndarray
    units: np.ndarray
    plus: np.ndarray  # max(A, 0), (window, units) row by row, from matrices[s] on
    minus: np.ndarray  # max(-A, 0)
    intercepts: np.ndarray  # from offsets[s] on
    matrices: np.ndarray
    offsets: np.ndarray


def tail_of(stages, weights, k):
    """Returns the Tail of layer k."""
    at = next(i for i, stage in enumerate(stages) if stage.weights == k and stage.kind != "pool")
    steps, sizes = [], [stages[at].after]
    for stage in stages[at:]:
        if stage is not stages[at]:
            steps.append((AFFINE if stage.kind != "pool" else MAXIMUM, stage))
            sizes.append(stage.after)
        if stage.has_relu:
            steps.append((RELU, None))
            sizes.append(stage.after)
    tables = [stage.table if stage else np.zeros((0, 0), np.int64) for _, stage in steps]
    parts = [weights[stage.weights] if kind == AFFINE else np.zeros((1, 0)) for kind, stage in steps]
    flat = np.concatenate([np.zeros(0), *(part[:-1].ravel() for part in parts)])

    def column(values):
        return np.array(list(values), np.int64)

    def firsts(values):
        return np.cumsum([0, *values])[:-1].astype(np.int64)

    return at, Tail(
        column(kind for kind, _ in steps), np.cumsum([0, *sizes]).astype(np.int64),
        np.concatenate([np.zeros(0, np.int64), *(table.ravel() for table in tables)]),
        firsts(table.size for table in tables), column(table.shape[0] for table in tables),
        column(table.shape[1] for table in tables), column(part.shape[1] for part in parts),
        np.maximum(flat, 0), np.maximum(-flat, 0), np.concatenate([np.zeros(0), *(part[-1] for part in parts)]),
        firsts(part[:-1].size for part in parts), firsts(part.shape[1] for part in parts),
    )  # fmt: skip


class Trained:
    """The trained layer: its patches, the tail, and the patterns of the units that are active at its weights W0."""

    def __init__(self, stages, weights, k, X):
        at, self.tail = tail_of(stages, weights, k)
        for stage in stages[:at]:
            X = forward(stage, weights, X)
        self.W0, self.positions, self.n = weights[k], len(stages[at].table), len(X)
        self.patches = patches(stages[at], X)
        self.patterns = np.zeros((self.n, self.tail.starts[-1]), np.int16)
        find_patterns(self.tail, self.outputs(self.W0), self.patterns)

    def outputs(self, W, first=0, end=None):
        """Returns the outputs (rows, positions * units) of the trained layer."""
        end = self.n if end is None else end
        rows = self.patches[first * self.positions : end * self.positions]
        return (rows @ W).reshape(end - first, -1)

    def slope(self, by_outputs, first=0, end=None):
        """Returns the slope in the weights of the layer, from those in its outputs."""
        end = self.n if end is None else end
        rows = self.patches[first * self.positions : end * self.positions]
        return rows.T @ by_outputs.reshape(len(rows), -1)


@kernel
def pass_forward(tail, pattern, upper, lower):
    """Fill the bounds of one example. The first entries are the outputs of the trained layer."""
    for s in range(tail.kinds.size):
        step_forward(tail, s, pattern, upper, lower)


@kernel
def step_forward(tail, s, pattern, upper, lower):
    """Fill the bounds after step s."""
    begin, middle, end = tail.starts[s], tail.starts[s + 1], tail.starts[s + 2]
    if tail.kinds[s] == RELU:
        for i in range(middle - begin):
            upper[middle + i] = max(upper[begin + i], 0.0)
            lower[middle + i] = lower[begin + i] if pattern[begin + i] else 0.0
    elif tail.kinds[s] == AFFINE:
        apply_affine(tail, s, upper, lower)
    else:
        for i in range(end - middle):
            upper[middle + i] = upper[largest_of(tail, s, i, upper)]
            lower[middle + i] = lower[begin + tail.tables[tail.firsts[s] + i * tail.windows[s] + pattern[middle + i]]]


@kernel
def place_of_largest(tail, s, i, values):
    """Returns the place in window i of its first largest entry."""
    begin, first, best = tail.starts[s], tail.firsts[s] + i * tail.windows[s], 0
    for q in range(1, tail.windows[s]):
        if values[begin + tail.tables[first + q]] > values[begin + tail.tables[first + best]]:
            best = q
    return best


@kernel
def largest_of(tail, s, i, values):
    """Returns the index of the first largest entry of window i."""
    place = place_of_largest(tail, s, i, values)
    return tail.starts[s] + tail.tables[tail.firsts[s] + i * tail.windows[s] + place]


@kernel
def apply_affine(tail, s, upper, lower):
    """A+ upper - A- lower and A+ lower - A- upper."""
    begin, middle, units, window = tail.starts[s], tail.starts[s + 1], tail.units[s], tail.windows[s]
    for position in range(tail.positions[s]):
        out = middle + position * units
        for u in range(units):
            upper[out + u] = lower[out + u] = tail.intercepts[tail.offsets[s] + u]
        for q in range(window):
            i = begin + tail.tables[tail.firsts[s] + position * window + q]
            a, b, row = upper[i], lower[i], tail.matrices[s] + q * units
            if a != 0 or b != 0:
                for u in range(units):
                    upper[out + u] += a * tail.plus[row + u] - b * tail.minus[row + u]
                    lower[out + u] += b * tail.plus[row + u] - a * tail.minus[row + u]


@kernel
def pass_backward(tail, pattern, upper, by_upper, by_lower):
    """Fill the slopes in the entries of one example. The last entries are those in the bounds of the scores."""
    for s in range(tail.kinds.size - 1, -1, -1):
        begin, middle, end = tail.starts[s], tail.starts[s + 1], tail.starts[s + 2]
        by_upper[begin:middle] = 0
        by_lower[begin:middle] = 0
        if tail.kinds[s] == RELU:
            for i in range(middle - begin):
                by_upper[begin + i] = by_upper[middle + i] if upper[begin + i] > 0 else 0.0
                by_lower[begin + i] = by_lower[middle + i] if pattern[begin + i] else 0.0
        elif tail.kinds[s] == AFFINE:
            transpose_affine(tail, s, by_upper, by_lower)
        else:
            for i in range(end - middle):
                by_upper[largest_of(tail, s, i, upper)] += by_upper[middle + i]
                entry = tail.tables[tail.firsts[s] + i * tail.windows[s] + pattern[middle + i]]
                by_lower[begin + entry] += by_lower[middle + i]


@kernel
def transpose_affine(tail, s, by_upper, by_lower):
    """The transpose of `apply_affine`."""
    begin, middle, units, window = tail.starts[s], tail.starts[s + 1], tail.units[s], tail.windows[s]
    for position in range(tail.positions[s]):
        out = middle + position * units
        for q in range(window):
            i = begin + tail.tables[tail.firsts[s] + position * window + q]
            row, a, b = tail.matrices[s] + q * units, 0.0, 0.0
            for u in range(units):
                a += by_upper[out + u] * tail.plus[row + u] - by_lower[out + u] * tail.minus[row + u]
                b += by_lower[out + u] * tail.plus[row + u] - by_upper[out + u] * tail.minus[row + u]
            by_upper[i] += a
            by_lower[i] += b


@kernel
def find_patterns(tail, outputs, patterns):
    """Write which units are active and which entries are the largest, for each example."""
    row, same, width = np.empty(tail.starts[-1]), np.empty(tail.starts[-1]), outputs.shape[1]
    for k in range(len(outputs)):
        row[:width] = outputs[k]
        same[:width] = outputs[k]
        for s in range(tail.kinds.size):
            begin, middle, end = tail.starts[s], tail.starts[s + 1], tail.starts[s + 2]
            if tail.kinds[s] == RELU:
                for i in range(begin, middle):
                    patterns[k, i] = row[i] > 0
            elif tail.kinds[s] == MAXIMUM:
                for i in range(end - middle):
                    patterns[k, middle + i] = place_of_largest(tail, s, i, row)
            step_forward(tail, s, patterns[k], row, same)


@kernel
def fill_bounds(tail, outputs, patterns, upper, lower):
    """Fill the bounds of each example, one a row, from the outputs of the trained layer."""
    width = outputs.shape[1]
    for k in range(len(outputs)):
        upper[k, :width] = outputs[k]
        lower[k, :width] = outputs[k]
        pass_forward(tail, patterns[k], upper[k], lower[k])
