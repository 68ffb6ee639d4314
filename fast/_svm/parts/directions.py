"""A round of many steps: each follows the sum of the changes that the parts make, conjugate to the last few directions.

The driver knows the images X'direction, which lie in the space of the weights, and the parts know the directions in
their duals. `conjugate` does the same within one part. There a step is made, and the next pass begins where it ended.
Here one communication asks for both. A part knows which of its examples block the step, and leaves them out, but not
those of others. So its pass begins where the step would end if no other part had any. Afterwards the driver knows all,
and takes the best shares of the step and of the pass: with 0 <= passed <= along <= 1 the duals are between feasible
points, and the dual objective, a concave quadratic function of both shares, does not decrease.
"""

from collections import deque
from typing import NamedTuple

import numpy as np

from ..._shared.directions import DEPENDENT, MEMORY, ROUNDED
from ..ascent import GOAL, NEAR_GOAL
from .tasks import step_of_listed

MOST_STEPS = 300  # of a round: more than the passes over one part, as the steps of several parts gain less each
# A step that many examples block can be useless, and so is the pass that began where it should have ended. If its best
# share is less than TRUSTED, the parts make a pass without a step, and the next steps have at most SHORTER times its
# length. They have at most GROW times the length of the longest good one, and the first ones at most LONGEST.
TRUSTED, SHORTER, GROW, LONGEST = 0.5, 0.25, 2.0, 2.0


class Followed(NamedTuple):
    """A direction that was followed: its image, the square of that, and the sum of the changes of the label duals."""

    image: np.ndarray
    square: float
    own: float


class Move(NamedTuple):
    """What the parts do before a pass: take `shares` of the last step and pass, and step along a new direction.

    The direction is the change of the last pass, minus `conjugate` of each of the last directions.
    """

    shares: tuple
    conjugate: list
    length: float


def ascend_together(driver, wanted):
    """Steps of all parts together, until a pass gains little. Returns the shares of the last, which are pending."""
    goal, largest, steps = max(GOAL, NEAR_GOAL * wanted), 0.0, _Steps(driver)
    for number in range(MOST_STEPS):
        shares, gain, change, own = steps.make(number)
        if shares[0] >= TRUSTED:
            largest = max(largest, gain)
            if gain <= goal * largest:
                break
        steps.plan(shares, change, own)
    return shares


class _Steps:
    """The next move of all parts, the image of its direction, and the last directions: None if not conjugate."""

    def __init__(self, driver):
        self.driver, self.move, self.image, self.longest = driver, None, np.zeros_like(driver.weights), LONGEST
        self.earlier = deque(maxlen=MEMORY)

    def make(self, number):
        """Make the move and a pass. Returns (the best shares, their gain, change of the weights by the pass, own)."""
        driver, length = self.driver, self.move.length if self.move else 0.0
        begin = driver.weights + length * self.image
        (change, correction), facts = driver.run(
            step_of_listed, begin, driver.sigma, driver.number, number, self.move
        )  # fmt: skip
        passed, owns, blocked = zip(*facts, strict=True)
        _, own = driver.passed(change, passed)
        step = length * (self.image + correction)
        if self.move:
            self._remember(self.image + correction, sum(owns), any(blocked))
        shares, gain = best_of_both(driver.weights, step, length * sum(owns), change, own)
        driver.weights = driver.weights + shares[0] * step + shares[1] * change
        return shares, gain, change, own

    def plan(self, shares, change, own):
        """Plan the next move: a step along the change of the pass, made conjugate, if the last step was a good one."""
        last, weights = abs(self.move.length) if self.move else 0.0, self.driver.weights
        if shares[0] < TRUSTED:
            self.longest, self.move = SHORTER * last, Move(shares, [], 0.0)
            return
        self.longest = max(self.longest, GROW * last)
        self.image, own, conjugate = _made_conjugate(change, own, self.earlier)
        square = _dot(self.image, self.image)
        length = (own - _dot(weights, self.image)) / square if square > _least(change, weights) else 0.0
        self.move = Move(shares, conjugate, float(np.clip(length, -self.longest, self.longest)))

    def _remember(self, image, own, has_blocked):
        """Append the direction of the move. If some were left out of it, earlier ones are not conjugate any more."""
        if has_blocked:
            self.earlier = deque([None] * len(self.earlier), maxlen=MEMORY)
        square = _dot(image, image)
        is_followed = self.move.length != 0 and square > _least(image, self.driver.weights)
        self.earlier.append(Followed(image, square, own) if is_followed else None)


def best_share(weights, change, own):
    """Returns which share of the changes of all parts, in [0, 1], increases the dual most."""
    square = _dot(change, change)
    return min(max((own - _dot(weights, change)) / square, 0.0), 1.0) if square > 0 else 1.0


def best_of_both(weights, step, own_step, change, own):
    """Returns which shares 0 <= passed <= along <= 1 of a step, and of the changes that came after it, are best.

    A concave quadratic function has its maximum over a triangle where its slope is 0, or else on one of the sides.
    """
    slopes = own_step - _dot(weights, step), own - _dot(weights, change)
    (a, b), c = (_dot(step, step), _dot(step, change)), _dot(change, change)
    passed = best_share(weights + step, change, own)
    both = best_share(weights, step + change, own_step + own)
    shares = [(1.0, passed), (both, both), (best_share(weights, step, own_step), 0.0)]
    determinant = a * c - b * b
    if determinant > DEPENDENT * a * c > 0:
        along, share = (c * slopes[0] - b * slopes[1]) / determinant, (a * slopes[1] - b * slopes[0]) / determinant
        if 0 <= share <= along <= 1:
            shares.append((along, share))

    def gain(along, share):
        curvature = a * along * along + 2 * b * along * share + c * share * share
        return along * slopes[0] + share * slopes[1] - curvature / 2

    best = max(shares, key=lambda pair: gain(*pair))
    return best, gain(*best)


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


def _dot(a, b):
    return float(np.vdot(a, b))
