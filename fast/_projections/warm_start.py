"""Project a short row from the threshold of the row before.

The rows of a batch are often similar, and then their thresholds are, too. From a good first guess, a few passes over a
short row are less work than the search for candidates.
"""

import numpy as np

from .._shared.bits import LARGEST_NUMBERS
from .._shared.jit import kernel, summing_kernel
from .thresholds import WORST_RATIO

NO_GUESS = np.nan  # no threshold that the next row should try; the guess failed
GUESS_STEPS = 40  # most end after three or four; a guess that needs more was not worth trying
EXACT = 4e-16  # relative: two roundings
CONVERGED = 1e-15  # relative: a Newton step of so few roundings changes nothing


@kernel
def project_from_guess(a, guess, cap, radius, x):
    """Write x = clip(a - t, 0, cap) with sum x = radius, for a short row. Returns t and sum max(a - t - cap, 0).

    Returns NO_GUESS for t if the guess is not worth trying or has failed; x then is not the answer. Whether the sum of
    the projection is the radius at all, the caller sees from the two numbers.
    """
    if not abs(guess) <= WORST_RATIO * radius:
        return NO_GUESS, 0.0
    t = _threshold_from_guess(a, guess, cap, radius, x)
    if not abs(t) <= WORST_RATIO * radius:  # no threshold; or one too large for the sum to keep its digits
        return NO_GUESS, 0.0
    outside, excess = _excess(a, t + cap)
    return t if outside == 0 else NO_GUESS, excess


@summing_kernel
def _excess(a, end):
    """Returns the number of coordinates that are not in range, and sum max(a - end, 0)."""
    largest, outside, excess = LARGEST_NUMBERS[a.itemsize // 8], 0.0, 0.0
    for i in range(a.size):
        outside += 0.0 if abs(a[i]) <= largest else 1.0
        v = a[i] - end
        excess += v if v > 0 else 0.0
    return outside, excess


@kernel
def _threshold_from_guess(a, guess, cap, radius, x):
    """Write x = clip(a - t, 0, cap) with sum x = radius, from a guess of t. Returns t, or NO_GUESS if it is not found.

    Each Newton step writes the x of its t. So three or four passes over a short row do all the work.
    """
    t, low, high, last_inside = guess, -np.inf, np.inf, -1
    for _ in range(GUESS_STEPS):
        total, inside = _write_clipped_and_sum(a, t, cap, x)
        surplus = total - radius
        if abs(surplus) <= EXACT * radius:
            return t
        if surplus > 0:
            low = t
        else:
            high = t
        target = t + surplus / inside if inside > 0 else np.inf
        if inside == last_inside and abs(target - t) <= CONVERGED * (abs(t) + cap):
            return t
        last_inside = inside
        if low < target < high:
            t = target
        elif high == np.inf:
            t += cap
        elif low == -np.inf:
            t -= cap
        else:
            t = 0.5 * (low + high)
    return NO_GUESS


@summing_kernel
def _write_clipped_and_sum(a, t, cap, x):
    """Write x = clip(a - t, 0, cap). Returns its sum and the number of coordinates below the cap."""
    total, inside = 0.0, 0
    for i in range(x.size):
        v = a[i] - t
        w = v if v > 0 else 0.0
        w = w if w < cap else cap
        total += w
        inside += w == v
        x[i] = w
    return total, inside
