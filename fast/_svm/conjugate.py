"""Passes over the listed duals, accelerated by conjugate directions.

Passes alone converge linearly, and slowly if the examples are correlated. `_shared.directions` has the method. The dual
objective is quadratic as long as the sets U, M and L stay the same.
"""

import numpy as np

from .._shared.directions import ConjugateDirections
from .._shared.jit import borrowing_inlined, borrowing_kernel
from .biased_projection import ZERO
from .dual_lists import spread, write_all_classes
from .hinge import ALPHA, ALPHA_INCLUSIVE, BETA
from .weights import add_to_classes

NO_RATE = 1e-9  # relative to the largest rate: a smaller rate, or difference of rates, is taken as 0


class Directions(ConjugateDirections):
    """Directions in the duals, in the order of `DualLists.values`. The linear part is sum_i duals[i, y_i]."""

    def __init__(self, model, loss, rows):
        smoothing_over_radius = _smoothing_over_radius(model.lists, loss, rows) if loss.smoothing > 0 else None
        super().__init__(model.lists.values[: model.lists.ends[0]], model.weights, smoothing_over_radius)
        self.model, self.loss, self.rows = model, loss, rows

    def linear(self, direction):
        return direction[self.model.lists.starts[self.rows]].sum()

    def leave_out(self, direction, image, length):
        model = self.model
        return leave_out_blocked(
            model.examples, model.lists, self.loss, self.rows, direction, image, length, model.work
        )  # fmt: skip

    def move(self, direction, length):
        move_duals(self.model.lists, self.rows, direction, length)


def _smoothing_over_radius(lists, loss, rows):
    """Returns smoothing / (s_i r) for each listed rival of these examples, in the order of the listed duals, else 0."""
    smoothing_over_radius, counts = np.zeros(lists.ends[0]), lists.counts[rows]
    with np.errstate(over="ignore"):
        each = np.minimum(loss.smoothing / (loss.radius * loss.sample_weight[rows]), np.finfo(np.float64).max)
    smoothing_over_radius[spread(lists.starts[rows], counts)] = np.repeat(each, counts)
    smoothing_over_radius[lists.starts[rows]] = 0.0  # the own duals
    return smoothing_over_radius


@borrowing_kernel
def leave_out_blocked(examples, lists, loss, rows, direction, image, length, work):
    """Set the direction to 0 for the examples that leave their domain before a step has this length.

    Returns their number, and the longest step that all others can make.
    """
    blocked, limit, sign = 0, np.inf, 1.0 if length > 0 else -1.0
    for i in rows:
        start, count, place = lists.starts[i], lists.counts[i], lists.places[i]
        rates, radius = direction[start : start + count], loss.radius * loss.sample_weight[i]
        room = _longest_step(lists.values[start : start + count], rates, loss, radius, sign)
        if room >= abs(length):
            limit = min(limit, room)
            continue
        blocked += 1
        if count == len(work.b):
            place = write_all_classes(lists, examples.labels[i], count)
        moved = ZERO
        for e in range(count):
            if rates[e] != 0:
                work.moved[moved], work.changes[moved] = lists.classes[place + e], -rates[e]
                rates[e] = 0.0
                moved += 1
        add_to_classes(examples.rows, i, image, work.moved, work.changes, moved, work.scores)
    return blocked, limit


@borrowing_inlined
def _longest_step(duals, rates, loss, radius, sign):
    """Returns the longest step of one example along sign * rates that stays in its dual domain."""
    kind, k = loss.kind, loss.k
    total, total_rate = duals[0], sign * rates[0]
    # A coordinate that moves with its cap, or at a constant sum, has rates and distances of rounding errors only.
    noise = 0.0
    for c in range(len(rates)):
        noise = max(noise, NO_RATE * abs(rates[c]))
    room = (radius - total) / total_rate if total_rate > noise else np.inf
    # The domain of this loss has the cap total / growing; 0 means that its only cap is constant.
    growing = 0 if kind == BETA or k == 1 else k - (kind == ALPHA_INCLUSIVE)
    for c in range(1, len(duals)):
        x, rate = -duals[c], -sign * rates[c]
        if rate < 0:
            room = min(room, -x / rate)
        if kind != ALPHA and rate > noise:
            room = min(room, (radius / k - x) / rate)
        if growing > 0 and rate - total_rate / growing > noise:
            room = min(room, (total / growing - x) / (rate - total_rate / growing))
    return max(room, 0.0)


@borrowing_kernel
def move_duals(lists, rows, direction, length):
    """Move the listed duals along the direction. Rivals stay <= 0, and each row sums to 0 as before."""
    for i in rows:
        start, total = lists.starts[i], 0.0
        for e in range(start + 1, start + lists.counts[i]):
            moved = min(lists.values[e] + length * direction[e], 0.0)
            lists.values[e] = moved
            total -= moved
        lists.values[start] = total
