"""Passes over the shortlist, accelerated by conjugate directions.

Passes alone converge linearly, and slowly if the examples are correlated. But the change that a pass makes is a
preconditioned gradient of the dual objective, and the dual objective is quadratic as long as the sets U, M and L stay
the same. Steps along these changes, each made conjugate to the last few, converge like conjugate gradients. Each step
is as long as it increases the dual and stays in the dual domain. Examples that would block it are left out of it.
"""

from typing import NamedTuple

import numpy as np

from .._shared.examples import add_row
from .._shared.jit import kernel, summing_kernel
from .._shared.order import shuffle
from .hinge import ALPHA, ALPHA_INCLUSIVE, BETA
from .shortlist import dual_pass

MOST_PASSES = 100  # bounds the work on a shortlist before all examples are looked at again, for a new shortlist
MEMORY = 3  # how many earlier directions a new one is made conjugate to
BEFORE = MEMORY + 1  # the slot that holds the duals and weights before a pass; directions are in slots 0..MEMORY
# A direction that depends on earlier ones leaves rounding errors only. It is dropped if its squared image is less than
# these shares of what it was before it was made conjugate, or of the squared weights that it was computed from.
DEPENDENT, ROUNDED = 1e-6, 1e-14
NO_RATE = 1e-9  # relative to the largest rate: a smaller rate, or difference of rates, is taken as 0


class Directions(NamedTuple):
    """Directions in the listed duals, in the order of `classes`; their images in the weights, and the images' squares.

    Without acceleration the arrays have no slots and are not used.
    """

    duals: np.ndarray  # (MEMORY + 2, listed classes)
    images: np.ndarray  # (MEMORY + 2, m, d)
    squares: np.ndarray  # (MEMORY + 1,)


@kernel
def visit_shortlist(examples, state, loss, shortlist, rows, seed, goal, accelerate):
    """Pass over the listed classes of `rows`, which are shuffled, until a pass gains at most `goal` times the largest.

    The gain is the first-order one. A pass that ends the visit leaves the duals exactly in their domain.
    """
    m, entries = state.duals.shape[1], shortlist.sizes[1]
    work, slots = (np.empty(m), np.empty(m), np.empty(m)), MEMORY + 2 if accelerate else 0
    directions = Directions(
        np.zeros((slots, entries)), np.empty((slots,) + state.weights.shape), np.empty(MEMORY + 1)
    )  # fmt: skip
    # Numba would compile `_accelerate` for the constant 0, too.
    oldest, newest, largest_gain = np.int64(0), np.int64(0), 0.0
    for _ in range(MOST_PASSES):
        if accelerate:
            _read_listed(state, shortlist, rows, directions.duals[BEFORE], directions.images[BEFORE])
        seed = shuffle(rows, seed)
        gain = dual_pass(examples, state, loss, shortlist, rows, work)
        largest_gain = max(gain, largest_gain)
        if gain <= goal * largest_gain:
            return
        if accelerate:
            oldest, newest = _accelerate(examples, state, loss, shortlist, rows, directions, oldest, newest)


@kernel
def _accelerate(examples, state, loss, shortlist, rows, directions, oldest, newest):
    """Step along the change of the last pass, made conjugate to the directions oldest, ..., newest - 1.

    Direction number q is in slot q modulo MEMORY + 1. Returns the new (oldest, newest).
    """
    slot = newest % (MEMORY + 1)
    direction, image = directions.duals[slot], directions.images[slot]
    _read_listed(state, shortlist, rows, direction, image)
    _add_multiple(direction, image, -1.0, directions.duals[BEFORE], directions.images[BEFORE])
    least = max(DEPENDENT * _inner_product(image, image), ROUNDED * _inner_product(state.weights, state.weights))
    for number in range(max(oldest, newest - MEMORY), newest):
        q = number % (MEMORY + 1)
        share = _inner_product(image, directions.images[q]) / directions.squares[q]
        _add_multiple(direction, image, -share, directions.duals[q], directions.images[q])
    free = _follow_direction(examples, state, loss, shortlist, rows, direction, image, least)
    directions.squares[slot] = _inner_product(image, image)
    if not free:  # on another face of the domain, earlier directions are not conjugate any more
        oldest = newest
    return oldest, newest + (directions.squares[slot] > least)


@kernel
def _read_listed(state, shortlist, rows, direction, image):
    """Write the listed duals to `direction`, and the weights to `image`."""
    for i in rows:
        for e in range(shortlist.starts[i], shortlist.starts[i + 1]):
            direction[e] = state.duals[i, shortlist.classes[e]]
    for j in range(len(image)):
        for f in range(image.shape[1]):
            image[j, f] = state.weights[j, f]


@kernel
def _add_multiple(direction, image, factor, other_direction, other_image):
    """Add a multiple of another direction and its image."""
    for e in range(len(direction)):
        direction[e] += factor * other_direction[e]
    for j in range(len(image)):
        for f in range(image.shape[1]):
            image[j, f] += factor * other_image[j, f]


@summing_kernel
def _inner_product(A, B):
    """<A, B> of two matrices."""
    total = 0.0
    for j in range(A.shape[0]):
        for f in range(A.shape[1]):
            total += A[j, f] * B[j, f]
    return total


@kernel
def _follow_direction(examples, state, loss, shortlist, rows, direction, image, least):
    """Maximise the dual along a direction, without the examples that would block the step.

    A direction whose squared image is at most `least` is not followed. Returns whether no example blocked the step.
    """
    length = _best_length(state, shortlist, rows, direction, image, least)
    blocked, limit, sign = 0, np.inf, 1.0 if length > 0 else -1.0
    for i in rows:
        start, end = shortlist.starts[i], shortlist.starts[i + 1]
        classes, radius = shortlist.classes[start:end], loss.radius * loss.sample_weight[i]
        room = _longest_step(state.duals[i], classes, direction[start:end], loss, radius, sign)
        if room < abs(length):
            blocked += 1
            for e in range(start, end):
                if direction[e] != 0:
                    add_row(examples.rows, i, image[shortlist.classes[e]], -direction[e])
                    direction[e] = 0.0
        else:
            limit = min(limit, room)
    if blocked > 0:
        again = _best_length(state, shortlist, rows, direction, image, least)
        length = sign * min(max(sign * again, 0.0), limit)
    for j in range(len(image)):
        for f in range(image.shape[1]):
            state.weights[j, f] += length * image[j, f]
    for i in rows:
        _move_duals(state.duals[i], shortlist.classes, direction, length, shortlist.starts[i], shortlist.starts[i + 1])
    return blocked == 0


@kernel
def _best_length(state, shortlist, rows, direction, image, least):
    """Returns the step length that maximises sum_i duals[i, y_i] - 1/2 |W|^2 along the direction."""
    slope, square = -_inner_product(state.weights, image), _inner_product(image, image)
    for i in rows:
        slope += direction[shortlist.starts[i]]
    return slope / square if square > least else 0.0


@kernel
def _longest_step(duals, classes, direction, loss, radius, sign):
    """Returns the longest step of one example along sign * direction that stays in its dual domain."""
    kind, k = loss.kind, loss.k
    total, total_rate = duals[classes[0]], sign * direction[0]
    # A coordinate that moves with its cap, or at a constant sum, has rates and distances of rounding errors only.
    noise = 0.0
    for c in range(len(direction)):
        noise = max(noise, NO_RATE * abs(direction[c]))
    room = (radius - total) / total_rate if total_rate > noise else np.inf
    # The domain of this loss has the cap total / growing; 0 means that its only cap is constant.
    growing = 0 if kind == BETA or k == 1 else k - (kind == ALPHA_INCLUSIVE)
    for c in range(1, len(classes)):
        x, rate = -duals[classes[c]], -sign * direction[c]
        if rate < 0:
            room = min(room, -x / rate)
        if kind != ALPHA and rate > noise:
            room = min(room, (radius / k - x) / rate)
        if growing > 0 and rate - total_rate / growing > noise:
            room = min(room, (total / growing - x) / (rate - total_rate / growing))
    return max(room, 0.0)


@kernel
def _move_duals(duals, classes, direction, length, start, end):
    """Move the listed duals of one example along the direction. Rivals stay <= 0, and the row sums to 0 as before."""
    total = 0.0
    for e in range(start + 1, end):
        moved = min(duals[classes[e]] + length * direction[e], 0.0)
        duals[classes[e]] = moved
        total -= moved
    duals[classes[start]] = total
