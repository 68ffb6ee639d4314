"""Passes over the listed duals, accelerated by conjugate directions.

Passes alone converge linearly, and slowly if the examples are correlated. But the change that a pass makes is a
preconditioned gradient of the dual objective, and the dual objective is quadratic as long as the sets U, M and L stay
the same. Steps along these changes, each made conjugate to the last few, converge like conjugate gradients. Each step
is as long as it increases the dual and stays in the dual domain. Examples that would block it are left out of it.
"""

import numpy as np
from scipy.linalg.blas import daxpy

from .._shared.jit import borrowing_inlined, borrowing_kernel
from .dual_lists import spread, write_all_classes
from .dual_step import ZERO
from .hinge import ALPHA, ALPHA_INCLUSIVE, BETA
from .weights import add_to_classes

MEMORY = 3  # how many earlier directions a new one is made conjugate to
# A direction that depends on earlier ones leaves rounding errors only. It is dropped if its squared image is less than
# these shares of what it was before it was made conjugate, or of the squared weights that it was computed from.
DEPENDENT, ROUNDED = 1e-6, 1e-14
NO_RATE = 1e-9  # relative to the largest rate: a smaller rate, or difference of rates, is taken as 0


class Directions:
    """Directions in the duals, in the order of `DualLists.values`, and their images: directions in the weights.

    Direction number q is in slot q modulo MEMORY + 1. The directions from `oldest` on are conjugate.
    """

    def __init__(self, model, loss, rows):
        self.model, self.oldest, self.newest = model, 0, 0
        self.duals = np.empty((MEMORY + 1, model.lists.ends[0]))
        self.images = np.empty((MEMORY + 1, model.weights.size))
        self.squares = np.empty(MEMORY + 1)
        self.stiffness = _stiffness(model.lists, loss, rows) if loss.smoothing > 0 else None

    @staticmethod
    def bytes_for(listed, weights):
        """Returns the memory that directions in so many duals and weights need."""
        return 8 * (MEMORY + 1) * (listed + weights)

    def before_pass(self):
        """Remember the duals and weights before a pass, in the slot of its direction."""
        slot = self.newest % (MEMORY + 1)
        self.duals[slot], self.images[slot] = self._listed(), self.model.weights.reshape(-1)

    def after_pass(self, loss, rows):
        """Step along the change of the pass, made conjugate to the last few directions."""
        slot, weights = self.newest % (MEMORY + 1), self.model.weights.reshape(-1)
        direction, image = self.duals[slot], self.images[slot]
        np.subtract(self._listed(), direction, out=direction)
        np.subtract(weights, image, out=image)
        least = max(
            DEPENDENT * self._product(direction, image, direction, image),
            ROUNDED * self._product(self._listed(), weights, self._listed(), weights),
        )
        for number in range(max(self.oldest, self.newest - MEMORY), self.newest):
            q = number % (MEMORY + 1)
            share = self._product(direction, image, self.duals[q], self.images[q]) / self.squares[q]
            daxpy(self.duals[q], direction, a=-share)
            daxpy(self.images[q], image, a=-share)
        is_free = self._follow(loss, rows, direction, image, least)
        self.squares[slot] = self._product(direction, image, direction, image)
        if not is_free:  # on another face of the domain, earlier directions are not conjugate any more
            self.oldest = self.newest
        self.newest += bool(self.squares[slot] > least)

    def _listed(self):
        return self.model.lists.values[: self.duals.shape[1]]

    def _follow(self, loss, rows, direction, image, least):
        """Maximise the dual along a direction, without the examples that would block the step.

        A direction whose squared image is at most `least` is not followed. Returns whether no example blocked the step.
        """
        model, length = self.model, self._best_length(rows, direction, image, least)
        shaped = image.reshape(model.weights.shape)
        blocked, limit = leave_out_blocked(
            model.examples, model.lists, loss, rows, direction, shaped, length, model.work
        )  # fmt: skip
        if blocked:
            sign = 1.0 if length > 0 else -1.0
            length = sign * min(max(sign * self._best_length(rows, direction, image, least), 0.0), limit)
        daxpy(image, model.weights.reshape(-1), a=length)
        move_duals(model.lists, rows, direction, length)
        return not blocked

    def _best_length(self, rows, direction, image, least):
        """Returns the step length that maximises the dual along the direction.

        Divided by lambda, the dual is sum_i duals[i, y_i] - 1/2 <(duals, W), (duals, W)>.
        """
        square = self._product(direction, image, direction, image)
        if not square > least:
            return 0.0
        bend = self._product(self._listed(), self.model.weights.reshape(-1), direction, image)
        return float((direction[self.model.lists.starts[rows]].sum() - bend) / square)

    def _product(self, duals, image, other_duals, other_image):
        """Returns the inner product by which directions are conjugate: <image, image'> + gamma/r <x, x'>."""
        product = np.vdot(image, other_image)
        if self.stiffness is not None:
            product += np.vdot(self.stiffness * duals, other_duals)
        return product


def _stiffness(lists, loss, rows):
    """Returns gamma / (s_i r) for each listed rival of these examples, in the order of the listed duals, and else 0."""
    stiffness, counts = np.zeros(lists.ends[0]), lists.counts[rows]
    with np.errstate(over="ignore"):
        each = np.minimum(loss.smoothing / (loss.radius * loss.sample_weight[rows]), np.finfo(np.float64).max)
    stiffness[spread(lists.starts[rows], counts)] = np.repeat(each, counts)
    stiffness[lists.starts[rows]] = 0.0  # the own duals
    return stiffness


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
