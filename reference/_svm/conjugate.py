"""Steps along directions in the duals, each direction conjugate to the last few.

The dual objective is lambda (the sum of the own duals - 1/2 |W|^2), where an own dual is that of an example for its
true class. So it is quadratic along a direction in the duals, and only the image of the direction counts for its
curvature: X' direction, a direction in the weights. Two directions are conjugate if their images are orthogonal. If
the dual has been maximised along one of them, then a step along the other leaves it so.
"""

import numpy as np

MEMORY = 3  # how many earlier directions a new one is made conjugate to
# A direction that depends on earlier ones leaves rounding errors only. It is dropped if its squared image is less than
# these shares of what it was before it was made conjugate, or of the squared weights that it was computed from.
DEPENDENT, ROUNDED = 1e-6, 1e-14
NO_RATE = 1e-9  # relative to the largest rate of an example: a smaller rate, or difference of rates, is taken as 0


class Directions:
    """The last conjugate directions of the listed examples `rows`, each as (direction, image, squared image)."""

    def __init__(self, model, rows, y, options):
        self.model, self.rows, self.y = model, rows, y[rows]
        self.options = options._replace(sample_weight=options.sample_weight[rows])
        self.kept = []

    def follow(self, direction, image):
        """Maximise the dual along a direction (rows, m), made conjugate to the last ones. The dual never decreases.

        Examples that would block the step are left out of it, and the length is computed again for the others.
        """
        weights = self.model.weights
        least = max(DEPENDENT * _dot(image, image), ROUNDED * _dot(weights, weights))
        for earlier, its_image, square in self.kept:
            share = _dot(image, its_image) / square
            direction, image = direction - share * earlier, image - share * its_image
        length = self._best_length(direction, image, least)
        rooms = longest_steps(self.model.duals[self.rows], np.sign(length) * direction, self.y, self.options)
        blocked = rooms < abs(length)
        if blocked.any():
            self.kept = []  # on another face of the domain, earlier directions are not conjugate any more
            direction = np.where(blocked[:, None], 0.0, direction)
            image = self.model.X[self.rows].T @ direction
            sign, limit = np.sign(length), rooms.min(where=~blocked, initial=np.inf)
            length = sign * min(max(sign * self._best_length(direction, image, least), 0.0), limit)
        self.model.duals[self.rows] = moved(self.model.duals[self.rows], direction, length, self.y)
        self.model.weights = weights + length * image
        if _dot(image, image) > least:
            self.kept = [*self.kept, (direction, image, _dot(image, image))][-MEMORY:]

    def _best_length(self, direction, image, least):
        """Returns the best length along a direction, of either sign, or 0 if its squared image is at most `least`."""
        square = _dot(image, image)
        return (own(direction, self.y).sum() - _dot(self.model.weights, image)) / square if square > least else 0.0


def best_share(weights, change, image, y):
    """Returns the length in [0, 1] at which the dual is largest along a change of the duals.

    An image of 0 leaves the dual linear along the change, and the passes made the change in an ascent direction.
    """
    slope, square = own(change, y).sum() - _dot(weights, image), _dot(image, image)
    return min(max(slope / square, 0.0), 1.0) if square > 0 else 1.0


def own(duals, y):
    """Returns the dual of each example for its own class."""
    return duals[np.arange(len(y)), y]


def moved(duals, direction, length, y):
    """Returns duals + length * direction. Rivals stay <= 0, and each row sums to 0."""
    result = np.minimum(duals + length * direction, 0.0)
    result[np.arange(len(y)), y] = 0.0
    result[np.arange(len(y)), y] = -result.sum(axis=1)
    return result


def longest_steps(duals, rates, y, options):
    """Returns for each example the longest step along its rates that stays in its dual domain."""
    rivals = np.arange(duals.shape[1]) != y[:, None]
    x, rate = (-array[rivals].reshape(len(y), -1) for array in (duals, rates))
    total, total_rate = own(duals, y)[:, None], own(rates, y)[:, None]
    # A coordinate that moves with its cap, or at a constant sum, has rates and distances of rounding errors only.
    noise = NO_RATE * np.abs(rates).max(axis=1, keepdims=True)
    radius = (options.radius * options.sample_weight)[:, None]
    steps = [_longest(radius - total, total_rate, noise), _longest(x, -rate, 0.0)]
    if options.kind != "alpha":
        steps.append(_longest(radius / options.k - x, rate, noise))
    if options.kind != "beta" and options.k > 1:  # the cap of the others grows with the sum
        share = options.k - (options.kind == "alpha_inclusive")
        steps.append(_longest(total / share - x, rate - total_rate / share, noise))
    return np.maximum(np.hstack(steps).min(axis=1), 0.0)


def _longest(distance, rate, least):
    """Returns distance / rate, or inf where the rate is at most `least`."""
    with np.errstate(over="ignore"):  # to inf, which is no limit
        return np.divide(distance, rate, out=np.full(rate.shape, np.inf), where=rate > least)


def _dot(a, b):
    return float(np.vdot(a, b))
