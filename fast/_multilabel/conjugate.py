"""Passes over the listed duals of the hinge, accelerated by conjugate directions: `_shared.directions` has the method.

The dual objective is quadratic as long as each row of duals stays in its face of the bipartite simplex.
"""

import numpy as np

from .._shared.directions import ConjugateDirections
from .._shared.examples import add_to_listed
from .._shared.jit import borrowing_inlined, borrowing_kernel

NO_RATE = 1e-9  # relative to the largest rate: a smaller rate of the sum of a row is a rounding error


class Directions(ConjugateDirections):
    """Directions in the values of DualLists. The linear part of the dual is sum_i |a_i|_1 / 2."""

    def __init__(self, problem, lists, weights, work):
        counts = np.diff(lists.starts)
        smoothing_over_radius = (
            np.repeat(problem.smoothing / problem.radii[lists.rows], counts) if problem.smoothing > 0 else None
        )
        super().__init__(lists.values, weights, smoothing_over_radius)
        self.problem, self.lists, self.work = problem, lists, work
        is_positive = np.arange(len(lists.values)) < np.repeat(lists.starts[:-1] + lists.positives, counts)
        self.slopes = np.where(is_positive, 0.5, -0.5)

    def linear(self, direction):
        return self.slopes @ direction

    def leave_out(self, direction, image, length):
        return leave_out_blocked(self.problem, self.lists, direction, image, length, self.work)

    def move(self, direction, length):
        move_duals(self.lists, direction, length)


@borrowing_kernel
def leave_out_blocked(problem, lists, direction, image, length, work):
    """Set the direction to 0 for the examples that leave their domain before a step has this length.

    Returns their number, and the longest step that all others can make.
    """
    blocked, limit, sign = 0, np.inf, 1.0 if length > 0 else -1.0
    for p in range(len(lists.rows)):
        i, start, end = lists.rows[p], lists.starts[p], lists.starts[p + 1]
        rates = direction[start:end]
        room = _longest_step(lists.values[start:end], rates, lists.positives[p], problem.radii[i], sign)
        if room >= abs(length):
            limit = min(limit, room)
            continue
        blocked += 1
        for c in range(len(rates)):
            work.changes[c] = -rates[c]
            rates[c] = 0.0
        add_to_listed(problem.examples.rows, i, image, lists.classes[start:end], work.changes, end - start)
    return blocked, limit


@borrowing_inlined
def _longest_step(duals, rates, positives, radius, sign):
    """Returns the longest step of one example along sign * rates that stays in its dual domain."""
    room, total, total_rate, largest = np.inf, 0.0, 0.0, 0.0
    for c in range(len(duals)):
        side = 1.0 if c < positives else -1.0
        size, rate = side * duals[c], side * sign * rates[c]
        largest = max(largest, abs(rate))
        if rate < 0:
            room = min(room, -size / rate)
        if c < positives:
            total += size
            total_rate += rate
    if total_rate > NO_RATE * largest:
        room = min(room, (radius - total) / total_rate)
    return max(room, 0.0)


@borrowing_kernel
def move_duals(lists, direction, length):
    """Move the listed duals along the direction. Positives stay >= 0 and negatives <= 0 in spite of rounding."""
    for p in range(len(lists.rows)):
        last = lists.starts[p] + lists.positives[p]
        for e in range(lists.starts[p], lists.starts[p + 1]):
            moved = lists.values[e] + length * direction[e]
            lists.values[e] = max(moved, 0.0) if e < last else min(moved, 0.0)
