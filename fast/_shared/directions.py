"""Conjugate directions in the duals of a fit, made from the changes that passes over its examples make.

The change that a pass makes is a preconditioned gradient of the dual objective. As long as the duals stay in the same
faces of their domains, the objective is quadratic, and steps along these changes, each made conjugate to the last few,
converge like conjugate gradients. Each step is as long as it increases the dual and stays in the domain. Examples that
would block it are left out of it.
"""

from abc import ABC, abstractmethod

import numpy as np
from scipy.linalg.blas import daxpy

MEMORY = 3  # how many earlier directions a new one is made conjugate to
# A direction that depends on earlier ones leaves rounding errors only. It is dropped if its squared image is less than
# these shares of what it was before it was made conjugate, or of the squared weights that it was computed from.
DEPENDENT, ROUNDED = 1e-6, 1e-14
# A conjugate direction takes some dozen operations for each weight, and the step of a listed dual takes 2 d. Directions
# are used if there are at most this many weights for each listed dual.
MOST_WEIGHTS_PER_DUAL = 8

# Passes over the lists end when one gains at most this share of the largest gain of a pass: the larger of GOAL, below
# which new lists are worth more than another pass, and NEAR_GOAL tol / gap, as the gap falls with the gain.
GOAL, NEAR_GOAL = 0.05, 0.3
MOST_PASSES = 100  # bounds the work on the lists before all examples are looked at again


class ConjugateDirections(ABC):
    """Directions in the listed duals and their images: directions in the weights.

    Direction number q is in slot q modulo MEMORY + 1. The directions from `oldest` on are conjugate. A family has the
    methods `linear`, `leave_out` and `move`.
    """

    def __init__(self, values, weights, smoothing_over_radius=None):
        """Passes change `values` and `weights`. `smoothing_over_radius` has a number for each value, or is None."""
        self.values, self.smoothing_over_radius = values, smoothing_over_radius
        self.shape, self.weights = weights.shape, weights.reshape(-1)
        self.oldest, self.newest = 0, 0
        self.duals = np.empty((MEMORY + 1, len(values)))
        self.images = np.empty((MEMORY + 1, weights.size))
        self.squares = np.empty(MEMORY + 1)

    @staticmethod
    def bytes_for(listed, weights):
        """Returns the memory that directions in so many duals and weights need."""
        return 8 * (MEMORY + 1) * (listed + weights)

    def before_pass(self):
        """Remember the duals and weights before a pass, in the slot of its direction."""
        slot = self.newest % (MEMORY + 1)
        self.duals[slot], self.images[slot] = self.values, self.weights

    def after_pass(self):
        """Step along the change of the pass, made conjugate to the last few directions."""
        slot = self.newest % (MEMORY + 1)
        direction, image = self.duals[slot], self.images[slot]
        np.subtract(self.values, direction, out=direction)
        np.subtract(self.weights, image, out=image)
        least = max(
            DEPENDENT * self._product(direction, image, direction, image),
            ROUNDED * self._product(self.values, self.weights, self.values, self.weights),
        )
        for number in range(max(self.oldest, self.newest - MEMORY), self.newest):
            q = number % (MEMORY + 1)
            share = self._product(direction, image, self.duals[q], self.images[q]) / self.squares[q]
            daxpy(self.duals[q], direction, a=-share)
            daxpy(self.images[q], image, a=-share)
        is_free = self._follow(direction, image, least)
        self.squares[slot] = self._product(direction, image, direction, image)
        if not is_free:  # on another face of the domain, earlier directions are not conjugate any more
            self.oldest = self.newest
        self.newest += bool(self.squares[slot] > least)

    @abstractmethod
    def linear(self, direction):
        """Returns the slope of the linear part of the dual along a direction, divided by lambda."""

    @abstractmethod
    def leave_out(self, direction, image, length):
        """Set the direction to 0 for the examples that leave their domain before a step has this length.

        The image (of the shape of the weights) changes with it. Returns the number of these examples, and the longest
        step that all others can make.
        """

    @abstractmethod
    def move(self, direction, length):
        """Move the listed duals along the direction."""

    def _follow(self, direction, image, least):
        """Maximise the dual along a direction, without the examples that would block the step.

        A direction whose squared image is at most `least` is not followed. Returns whether no example blocked the step.
        """
        length = self._best_length(direction, image, least)
        blocked, limit = self.leave_out(direction, image.reshape(self.shape), length)
        if blocked:
            sign = 1.0 if length > 0 else -1.0
            length = sign * min(max(sign * self._best_length(direction, image, least), 0.0), limit)
        daxpy(image, self.weights, a=length)
        self.move(direction, length)
        return not blocked

    def _best_length(self, direction, image, least):
        """Returns the step length that maximises the dual along the direction.

        Divided by lambda, the dual is its linear part less 1/2 <(duals, W), (duals, W)>.
        """
        square = self._product(direction, image, direction, image)
        if not square > least:
            return 0.0
        bend = self._product(self.values, self.weights, direction, image)
        return float((self.linear(direction) - bend) / square)

    def _product(self, duals, image, other_duals, other_image):
        """Returns the inner product by which directions are conjugate: <image, image'> + smoothing/r <x, x'>."""
        product = np.vdot(image, other_image)
        if self.smoothing_over_radius is not None:
            product += np.vdot(self.smoothing_over_radius * duals, other_duals)
        return product
