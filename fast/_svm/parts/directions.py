"""A round of many steps: each follows the sum of the changes that the parts make, conjugate to the last few directions.

The driver knows the images X'direction, which lie in the space of the weights, and the parts know the directions in
their duals. `conjugate` does the same within one part.
"""

from collections import deque
from typing import NamedTuple

import numpy as np

from ..ascent import GOAL, NEAR_GOAL
from ..conjugate import DEPENDENT, MEMORY, ROUNDED
from .tasks import pass_over_listed, turn_direction

MOST_STEPS = 300  # of a round: more than the passes over one part, as the steps of several parts gain less each


class Followed(NamedTuple):
    """A direction that was followed: its image, the square of that, and the sum of the changes of the label duals."""

    image: np.ndarray
    square: float
    own: float


def ascend_together(driver, wanted):
    """Steps of all parts together, until a pass gains little. Returns the length of the last, which is pending."""
    goal, largest, length, earlier = max(GOAL, NEAR_GOAL * wanted), 0.0, None, deque(maxlen=MEMORY)
    for step in range(MOST_STEPS):
        arguments = driver.weights, driver.sigma, driver.number, step, length
        change, facts = driver.run(pass_over_listed, *arguments)
        gain, own = driver.passed(change, facts)
        theta = best_share(driver.weights, change, own)
        driver.weights = driver.weights + theta * change
        length = _follow(driver, change, own, theta, earlier)
        largest = max(largest, gain)
        if gain <= goal * largest:
            break
    return length


def best_share(weights, change, own):
    """Returns which share of the changes of all parts, in [0, 1], increases the dual most."""
    square = _dot(change, change)
    return min(max((own - _dot(weights, change)) / square, 0.0), 1.0) if square > 0 else 1.0


def _follow(driver, image, own, theta, earlier):
    """Move the weights along a direction, made conjugate to earlier ones. Returns the length of the step, or None.

    Examples that would block the step are left out. After that, earlier directions are not conjugate any more.
    """
    weights = driver.weights
    least = max(DEPENDENT * _dot(image, image), ROUNDED * _dot(weights, weights))
    image, own, shares = _made_conjugate(image, own, earlier)
    length = _best_length(weights, image, own, least)
    if length is None and theta == 1:
        return None
    length = length or 0.0
    correction, facts = driver.run(turn_direction, theta, shares, length, image.shape)
    limits, owns = zip(*facts, strict=True)
    own = sum(owns)
    if correction is not None:
        image, sign = image + correction, np.sign(length)
        length = sign * min(max(sign * (_best_length(weights, image, own, least) or 0.0), 0.0), min(limits))
        for place in range(len(earlier)):
            earlier[place] = None
    driver.weights = weights + length * image
    square = _dot(image, image)
    earlier.append(Followed(image, square, own) if square > least else None)
    return float(length)


def _made_conjugate(image, own, earlier):
    """Returns (image, own, the share of each earlier direction that was subtracted)."""
    shares = []
    for direction in earlier:
        share = _dot(image, direction.image) / direction.square if direction else 0.0
        if direction:
            image, own = image - share * direction.image, own - share * direction.own
        shares.append(share)
    return image, own, shares


def _best_length(weights, image, own, least):
    """Returns the step length that maximises the dual along a direction, or None if its image is too small."""
    square = _dot(image, image)
    return (own - _dot(weights, image)) / square if square > least else None


def _dot(a, b):
    return float(np.vdot(a, b))
