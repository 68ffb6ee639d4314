"""A round of many steps: each follows the sum of the changes that the parts make, conjugate to the last few directions.

The driver knows the images X'direction, which lie in the space of the weights, and the parts know the directions in
their duals. `conjugate` does the same within one part. There a step is made, and the next pass begins where it ended.
Here one communication asks for both. A part knows which of its examples block the step, and leaves them out, but not
those of others. So its pass begins where the step would end if no other part had any. Afterwards the driver knows all,
and takes the best share of the step and of the pass: with shares 0 <= passed <= along <= 1 the duals are between feasible
points, and the dual objective, a concave quadratic function of both shares, does not decrease.
"""

from collections import deque
from typing import NamedTuple

import numpy as np

from ..ascent import GOAL, NEAR_GOAL
from ..conjugate import DEPENDENT, MEMORY, ROUNDED
from .tasks import step_of_listed

MOST_STEPS = 300  # of a round: more than the passes over one part, as the steps of several parts gain less each


class Followed(NamedTuple):
    """A direction that was followed: its image, the square of that, and the sum of the changes of the label duals."""

    image: np.ndarray
    square: float
    own: float


class Move(NamedTuple):
    """What the parts do before a pass: take `shares` of the last step and pass, and step along a new direction.

    The direction is the change of the last pass, minus `conjugate` of each earlier direction.
    """

    shares: tuple
    conjugate: list
    length: float


def ascend_together(driver, wanted):
    """Steps of all parts together, until a pass gains little. Returns the shares of the last, which are pending."""
    goal, largest, earlier = max(GOAL, NEAR_GOAL * wanted), 0.0, deque(maxlen=MEMORY)
    move, image = None, np.zeros_like(driver.weights)
    for step in range(MOST_STEPS):
        length = move.length if move else 0.0
        begin = driver.weights + length * image
        (change, correction), facts = driver.run(step_of_listed, begin, driver.sigma, driver.number, step, move)
        passed, stepped, blocked = zip(*facts, strict=True)
        gain, own = driver.passed(change, passed)
        if move:
            image, own_image = image + correction, sum(stepped)
            _remember(earlier, image, own_image, sum(blocked) > 0, driver.weights)
        shares = best_shares(driver.weights, length * image, length * sum(stepped), change, own)
        driver.weights = driver.weights + (shares[0] * length) * image + shares[1] * change
        largest = max(largest, gain)
        if gain <= goal * largest:
            break
        image, own_image, conjugate = _made_conjugate(change, own, earlier)
        move = Move(shares, conjugate, _best_length(driver.weights, image, own_image, _least(change, driver.weights)))
    return shares


def best_share(weights, change, own):
    """Returns which share of the changes of all parts, in [0, 1], increases the dual most."""
    square = _dot(change, change)
    return min(max((own - _dot(weights, change)) / square, 0.0), 1.0) if square > 0 else 1.0


def best_shares(weights, step, own_step, change, own):
    """Returns which shares 0 <= passed <= along <= 1 of a step, and of the changes that came after it, are best.

    A concave quadratic function has its maximum over a triangle where its slope is 0, or else on one of the sides.
    """
    slopes = own_step - _dot(weights, step), own - _dot(weights, change)
    (a, b), c = (_dot(step, step), _dot(step, change)), _dot(change, change)
    passed = best_share(weights + step, change, own)
    if a == 0:
        return 1.0, passed
    both = best_share(weights, step + change, own_step + own)
    shares = [(1.0, passed), (both, both), (best_share(weights, step, own_step), 0.0)]
    determinant = a * c - b * b
    if determinant > DEPENDENT * a * c:
        along, share = (c * slopes[0] - b * slopes[1]) / determinant, (a * slopes[1] - b * slopes[0]) / determinant
        if 0 <= share <= along <= 1:
            return along, share

    def gain(along, share):
        curvature = a * along * along + 2 * b * along * share + c * share * share
        return along * slopes[0] + share * slopes[1] - curvature / 2

    return max(shares, key=lambda pair: gain(*pair))


def _remember(earlier, image, own, has_blocked, weights):
    """Append a direction that was followed. After some were left out of it, earlier ones are not conjugate any more."""
    if has_blocked:
        for place in range(len(earlier)):
            earlier[place] = None
    square = _dot(image, image)
    earlier.append(Followed(image, square, own) if square > _least(image, weights) else None)


def _least(image, weights):
    """Returns the squared image up to which a direction that was made from this one has rounding errors only."""
    return max(DEPENDENT * _dot(image, image), ROUNDED * _dot(weights, weights))


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
    """Returns the step length that maximises the dual along a direction, or 0 if its image is too small."""
    square = _dot(image, image)
    return (own - _dot(weights, image)) / square if square > least else 0.0


def _dot(a, b):
    return float(np.vdot(a, b))
