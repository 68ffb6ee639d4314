"""Passes over the shortlist, each of which also gives a direction: conjugate directions make the passes count for more.

The passes converge linearly, and slowly where the examples are correlated. But the change that a pass makes is a
preconditioned gradient of the dual objective, which is quadratic while the sets U, M and L stay as they are: made
conjugate to the last few directions, with the longest step that stays in the dual domain, it converges as conjugate
gradients do. Examples that would block the step are left out of it.
"""

import numpy as np

from .._shared.examples import add
from .._shared.jit import kernel, summing_kernel
from .._shared.order import shuffle
from .dual_step import ALPHA, ALPHA_INCLUSIVE, BETA
from .steps import one_pass

MEMORY = 3  # directions to be conjugate to


@kernel
def passes(examples, state, loss, shortlist, rows, everything, seed, most, goal, accelerate):
    """Passes until the first-order gain has fallen to `goal` times that of the first; returns how many.

    With `everything`, over all classes and in the order of `rows`; otherwise over the shortlist, in random order.
    """
    m, entries = state.duals.shape[1], shortlist.sizes[1]
    classes, work = np.empty(m if everything else 0, np.int32), (np.empty(m), np.empty(m), np.empty(m))
    size = MEMORY + 2 if accelerate else 0
    directions, images = np.zeros((size, entries)), np.empty((size,) + state.weights.shape)
    squares, oldest, newest, first_gain = np.empty(MEMORY + 1), 0, 0, 0.0
    for done in range(1, most + 1):
        if accelerate:
            _read(state, shortlist, rows, directions[MEMORY + 1], images[MEMORY + 1])
        if not everything:
            seed = shuffle(rows, seed)
        gain = one_pass(examples, state, loss, rows, shortlist, classes, work)
        first_gain = max(gain, first_gain)
        # The last thing to happen is always a pass: it leaves the duals exactly in their domain.
        if gain <= goal * first_gain:
            return done
        if accelerate:
            slot = newest % (MEMORY + 1)
            direction, image = directions[slot], images[slot]
            _read(state, shortlist, rows, direction, image)
            _add(direction, image, -1.0, directions[MEMORY + 1], images[MEMORY + 1])
            least = max(1e-6 * _inner(image, image), 1e-14 * _inner(state.weights, state.weights))
            for other in range(max(oldest, newest - MEMORY), newest):
                other %= MEMORY + 1
                _add(direction, image, -_inner(image, images[other]) / squares[other], directions[other], images[other])
            free = _follow(examples, state, loss, shortlist, rows, direction, image, least)
            squares[slot] = _inner(image, image)
            oldest = oldest if free else newest  # on another face, conjugacy begins anew
            newest += squares[slot] > least
    return most


@kernel
def _read(state, shortlist, rows, direction, image):
    """The duals on the shortlist, flat, and the weights."""
    for i in rows:
        for e in range(shortlist.starts[i], shortlist.starts[i + 1]):
            direction[e] = state.duals[i, shortlist.classes[e]]
    for j in range(len(image)):
        for f in range(image.shape[1]):
            image[j, f] = state.weights[j, f]


@kernel
def _add(direction, image, factor, other_direction, other_image):
    for e in range(len(direction)):
        direction[e] += factor * other_direction[e]
    for j in range(len(image)):
        for f in range(image.shape[1]):
            image[j, f] += factor * other_image[j, f]


@summing_kernel
def _inner(A, B):
    total = 0.0
    for j in range(A.shape[0]):
        for f in range(A.shape[1]):
            total += A[j, f] * B[j, f]
    return total


@kernel
def _follow(examples, state, loss, shortlist, rows, direction, image, least):
    """Maximises the dual along a direction; returns whether nothing stood in the way.

    An image whose square is below `least` is what rounding has left of a direction that depends on earlier ones.
    """
    length = _best_length(state, shortlist, rows, direction, image, least)
    blocked, limit, sign = 0, np.inf, 1.0 if length > 0 else -1.0
    for i in rows:
        start, end = shortlist.starts[i], shortlist.starts[i + 1]
        classes = shortlist.classes[start:end]
        room = _room(state.duals[i], classes, direction[start:end], loss, loss.radius * loss.sample_weight[i], sign)
        if room < abs(length):
            blocked += 1
            for e in range(start, end):
                if direction[e] != 0:
                    add(examples, i, image[shortlist.classes[e]], -direction[e])
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
        _write(state.duals[i], shortlist.classes, direction, length, shortlist.starts[i], shortlist.starts[i + 1])
    return blocked == 0


@kernel
def _best_length(state, shortlist, rows, direction, image, least):
    """The length at which the dual objective, sum of the own duals - 1/2 |W|^2, is largest along the direction."""
    slope, square = -_inner(state.weights, image), _inner(image, image)
    for i in rows:
        slope += direction[shortlist.starts[i]]
    return slope / square if square > least else 0.0


@kernel
def _room(duals, classes, direction, loss, radius, sign):
    """How far one example's duals can go along a direction (or against it) before they leave their domain."""
    kind, k = loss.kind, loss.k
    total, total_rate = duals[classes[0]], sign * direction[0]
    # Coordinates that move with their cap, or at a constant sum, show rates and distances that are rounding only.
    noise = 0.0
    for c in range(len(direction)):
        noise = max(noise, 1e-9 * abs(direction[c]))
    room = (radius - total) / total_rate if total_rate > noise else np.inf
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
def _write(duals, classes, direction, length, start, end):
    total = 0.0
    for e in range(start + 1, end):
        moved = min(duals[classes[e]] + length * direction[e], 0.0)
        duals[classes[e]] = moved
        total -= moved
    duals[classes[start]] = total
