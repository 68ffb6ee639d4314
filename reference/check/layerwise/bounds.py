"""The certificate of layer-wise training: each update of the trail is optimal for its convex problem. NumPy only.

A fit names the weights after each update. From them, this module rebuilds the convex problem of each update, with
passes of its own: a convolution is a sum over the pixels of its kernel, and a maximum one over those of its window. The
objective of an update is recomputed. A lower bound of its minimum is that of cutting planes: of linear functions
that are nowhere above the convex hinge. They touch it at the weights before and after the update, and at the minimum of
the planes so far. A plane is valid wherever it touches, and so is the bound. The number is the largest relative
distance of the two over all updates. It is 0 only if each update is the minimiser.
"""

from typing import NamedTuple

import numpy as np

from ...problems import layerwise as problems
from ..judging.answers import Malformed
from ..proofs.duality import ELEMENTARY, UNIT, bounds, exact_sum, rounding
from ..proofs.shares import strongest_shares
from ..ranking_svm.bounds import worst

PLANES = 400  # the most for one update
SHARE = 0.1  # the bound is exact up to this share of the tolerance of the fit


class Update(NamedTuple):
    """What is known of one update."""

    layer: int
    before: float  # the objective of the network before it
    after: float  # and after it
    unsure: float  # by how much rounding may have changed these two
    primal: float  # the objective of the convex problem at the weights after the update, from above
    bound: float  # of its minimum, from below

    @property
    def gap(self):
        """Returns an upper bound of the relative distance of the weights from the minimum."""
        return bounds(self.primal, self.bound).value


class Plane(NamedTuple):
    """A linear function of the weights that is nowhere above a convex one, and by how much it may be off."""

    value: float  # at the point where it touches
    slope: np.ndarray
    unsure: float
    slope_unsure: np.ndarray


def true_scores(problem):
    """Returns the scores (n, outputs) of a `NetworkProblem`, in float64."""
    return forward(problem.inputs.reshape(-1, *problem.network[0].before), problem.network, problem.weights)[-1]


def updates(trail, problem: problems.LayerwiseProblem):
    """Yields the Update of each weights of the trail, in order. O(planes) passes through the network each."""
    now = problem.weights
    before, off = _objective(problem, now)
    for number, W in enumerate(trail):
        k, W = number % len(now), np.asarray(W, np.float64)
        convex = ConvexBound(problem, now, k)
        primal, later = convex.primal(W), [*now[:k], W, *now[k + 1 :]]
        after, later_off = _objective(problem, later)
        bound = convex.lower_bound([now[k], W], primal, problem.tol)
        yield Update(k, before, after, off + later_off, primal, bound)
        now, before, off = later, after, later_off


class ConvexBound:
    """The convex problem of layer k at these weights of the network.

    What is active at these weights is decided in float64, and defines the problem. To each decision belongs a function
    that is convex and nowhere below the hinge.
    """

    def __init__(self, problem: problems.LayerwiseProblem, weights, k):
        self.problem, self.weights, self.k, self.W0 = problem, weights, k, weights[k]
        z = problem.inputs[problem.rows].reshape(-1, *problem.network[0].before)
        self.values = forward(z, problem.network, weights)
        self.sizes = sizes_of(np.abs(z), problem.network, [np.abs(part) for part in weights])
        self.at = [i for i, layer in enumerate(problem.network) if layer.weights_shape][k]
        self.curvature = problem.regularization + problem.proximity
        self.centre = problem.proximity * self.W0 / self.curvature
        others = sum(exact_sum(part**2) for j, part in enumerate(weights) if j != k)
        self.others = problem.regularization / 2 * others
        away = problem.proximity / self.curvature * exact_sum(self.W0**2)
        self.rest = self.others + problem.regularization / 2 * away

    def primal(self, W):
        """Returns an upper bound of the objective at W."""
        problem, plane = self.problem, self.plane(W)
        penalty = problem.regularization / 2 * exact_sum(W**2) + problem.proximity / 2 * exact_sum((W - self.W0) ** 2)
        return float((self.others + penalty + max(plane.value, 0.0) + plane.unsure) * (1 + ELEMENTARY * UNIT))

    def plane(self, W):
        """Returns the Plane of a subgradient of the convex mean hinge at W."""
        layers, uppers = self.problem.network[self.at :], []
        upper = lower = _affine(self.values[self.at], layers[0], W)
        count = self.k
        for number, layer in enumerate(layers):
            values, after = self.values[self.at + number], self.values[self.at + number + 1]
            before = upper, lower
            if number and layer.kind == "pool":
                upper, lower = _largest(upper, upper, layer), _largest(values, lower, layer)
            elif number:
                count += 1
                plus, minus = _parts(self.weights[count])
                intercept = self.weights[count][-1]
                upper = _linear(before[0], layer, plus) - _linear(before[1], layer, minus) + intercept
                lower = _linear(before[1], layer, plus) - _linear(before[0], layer, minus) + intercept
            uppers.append((before[0], upper))
            if layer.kind != "pool" and number < len(layers) - 1:
                upper, lower = np.maximum(upper, 0), np.where(after > 0, lower, 0)
        value, by_upper, by_lower = _mean_hinge(self.problem, upper, lower)
        sizes = sizes_of(self.sizes[self.at], layers, [np.abs(W), *map(np.abs, self.weights[self.k + 1 :])])[-1]
        slope = self._slope(layers, uppers, self.values, by_upper, by_lower)
        slope_sizes = self._slope(layers, uppers, self.sizes, np.abs(by_upper), np.abs(by_lower), sign=1)
        return Plane(value, slope, unsure_of(self.problem, sizes), 2 * _share(self.problem) * slope_sizes)

    def _slope(self, layers, uppers, inputs, by_upper, by_lower, sign=-1):
        """Returns the slope in W, from those in the bounds of the scores. With the sign 1: the sum of all sizes."""
        count = sum(layer.weights_shape is not None for layer in layers) + self.k
        for number in range(len(layers) - 1, -1, -1):
            layer, (before, upper), values = layers[number], uppers[number], self.values[self.at + number :]
            if layer.kind != "pool":
                count -= 1
                if number < len(layers) - 1:
                    by_upper, by_lower = by_upper * (upper > 0), by_lower * (values[1] > 0)
            if number == 0:
                return _weights_slope(inputs[self.at], layer, by_upper + by_lower)
            if layer.kind == "pool":
                by_upper, by_lower = _to_largest(before, by_upper, layer), _to_largest(values[0], by_lower, layer)
            else:
                (plus, minus), shape = _parts(self.weights[count]), before.shape
                pair = by_upper, by_lower
                by_upper = _transposed(pair[0], layer, plus, shape) + sign * _transposed(pair[1], layer, minus, shape)
                by_lower = _transposed(pair[1], layer, plus, shape) + sign * _transposed(pair[0], layer, minus, shape)
        raise AssertionError("the trained layer has weights")

    def lower_bound(self, points, primal, tol):
        """Returns a lower bound of the minimum. It stops where it is exact up to a share of `tol` of this primal."""
        planes, alpha, best = [Plane(0.0, np.zeros(self.W0.size), 0.0, np.zeros(self.W0.size))], np.ones(1), -np.inf
        weights, least = self.W0, primal
        for number in range(PLANES):
            point = points[number] if number < len(points) else weights
            plane, away = self.plane(point), self.centre - point
            least = min(least, self.rest + self.curvature / 2 * np.sum(away**2) + plane.value)
            off = plane.slope_unsure + rounding(away.size + ELEMENTARY) * np.abs(plane.slope)
            off = plane.unsure + np.sum(off * (np.abs(away) + np.abs(self.centre)))
            value = plane.value + np.sum(plane.slope * away)  # at the centre
            planes.append(Plane(value, plane.slope.ravel(), off, plane.slope_unsure.ravel()))
            offsets, slopes, unsure_by, slopes_unsure = (np.array(part) for part in zip(*planes, strict=True))
            alpha = strongest_shares(offsets - unsure_by, slopes, np.append(alpha, 0.0), self.curvature)
            alpha = alpha / alpha.sum()
            combined, more = alpha @ slopes, rounding(2 * len(alpha) + ELEMENTARY)
            low = self.rest + alpha @ offsets - alpha @ unsure_by - more * (self.rest + alpha @ np.abs(offsets))
            longest = np.abs(combined) + alpha @ slopes_unsure + more * (alpha @ np.abs(slopes))
            best = max(best, float(low - (1 + more) * exact_sum(longest**2) / (2 * self.curvature)))
            weights = self.centre - combined.reshape(self.W0.shape) / self.curvature
            if least - best <= SHARE * tol * primal:
                break
        return best


def _objective(problem, weights):
    """Returns (the objective of the network, by how much it may be off)."""
    z = problem.inputs[problem.rows].reshape(-1, *problem.network[0].before)
    scores = forward(z, problem.network, weights)[-1]
    off = unsure_of(problem, sizes_of(np.abs(z), problem.network, [np.abs(part) for part in weights])[-1])
    penalty = problem.regularization / 2 * sum(exact_sum(part**2) for part in weights)
    return float(penalty + _mean_hinge(problem, scores, scores)[0]), off + ELEMENTARY * UNIT * penalty


def sizes_of(z, layers, weights):
    """Returns the sizes of the inputs of each layer and of the outputs of the last, for sizes of X and of weights.

    They bound what is added up on the way, so rounding changes a value by no more than `_share` times its size.
    """
    values, rest = [z], list(weights)
    for layer in layers:
        pool = layer.kind == "pool"
        values.append(_largest(values[-1], values[-1], layer) if pool else _affine(values[-1], layer, rest.pop(0)))
    return values


def _share(problem):
    """Returns the relative rounding error of a pass through the network and of the mean hinge."""
    terms = sum(layer.weights_shape[0] + 8 for layer in problem.network if layer.weights_shape)
    return rounding(2 * terms + 2 * len(problem.rows) + 4 * problem.network[-1].after[-1] + ELEMENTARY)


def unsure_of(problem, sizes):
    """Returns by how much the mean hinge of scores of these sizes may be off.

    The hinge of a group moves by four times the largest change of a score at most.
    """
    largest = np.maximum.reduceat(sizes.reshape(len(sizes), -1).max(axis=1), problem.starts[:-1])
    return float(ELEMENTARY * _share(problem) * (problem.shares @ (1 + largest)))


def _mean_hinge(problem, upper, lower):
    """Returns (mean hinge, slopes in the upper bounds, slopes in the lower ones)."""
    y, by_upper, by_lower, total = problem.y[problem.rows], np.zeros_like(upper), np.zeros_like(lower), 0.0
    for first, end, share in zip(problem.starts[:-1], problem.starts[1:], problem.shares, strict=True):
        rows = np.arange(first, end)
        if problem.loss == "multiclass":
            margins = 1 + upper[first] - lower[first, y[first]]
            margins[y[first]] = 0
            rival = int(margins.argmax())
            total += share * margins[rival]
            if rival != y[first]:
                by_upper[first, rival], by_lower[first, y[first]] = share, -share
        elif problem.loss == "zero_one":
            value = 1 - lower[first, 0] if y[first] else 1 + upper[first, 0]
            total += share * max(value, 0.0)
            (by_lower if y[first] else by_upper)[first, 0] = (value > 0) * (-share if y[first] else share)
        else:
            p, n = rows[y[rows]], rows[~y[rows]]
            if not np.isfinite(4 * np.append(lower[p], upper[n])).all():
                raise Malformed("its scores are out of range")
            lost, by_p, by_n = worst(lower[p, 0], upper[n, 0], problem.loss)
            by_lower[p, 0], by_upper[n, 0] = share * by_p, share * by_n
            total += share * (lost + by_p @ lower[p, 0] + by_n @ upper[n, 0])
    return float(total), by_upper, by_lower


# --- layers, pixel by pixel of their windows -----------------------------------------------------------------------


def forward(z, layers, weights):
    """Returns the inputs of each layer and the outputs of the last."""
    values, rest = [z], list(weights)
    for layer in layers:
        if layer.kind == "pool":
            values.append(_largest(values[-1], values[-1], layer))
        else:
            out = _affine(values[-1], layer, rest.pop(0))
            values.append(np.maximum(out, 0) if rest else out)
    return values


def _parts(W):
    return np.maximum(W[:-1], 0), np.maximum(-W[:-1], 0)


def _affine(z, layer, W):
    return _linear(z, layer, W[:-1]) + W[-1]


def _shifts(z, layer):
    """Yields the pixels (n, height, width, channels) at each place of the window of all output pixels."""
    (height, width), s = layer.after[:2], layer.size
    step = s if layer.kind == "pool" else 1
    for r in range(s):
        for c in range(s):
            yield z[:, r : r + step * height : step, c : c + step * width : step][:, :height, :width]


def _linear(z, layer, W):
    if layer.kind == "dense":
        return z.reshape(len(z), -1) @ W
    channels = layer.before[-1]
    return sum(part @ W[i * channels : (i + 1) * channels] for i, part in enumerate(_shifts(z, layer)))


def _transposed(slopes, layer, W, shape):
    """Returns the slopes in the inputs of a linear layer."""
    if layer.kind == "dense":
        return (slopes @ W.T).reshape(shape)
    total, channels = np.zeros(shape), layer.before[-1]
    for i, part in enumerate(_shifts(total, layer)):
        part += slopes @ W[i * channels : (i + 1) * channels].T
    return total


def _weights_slope(z, layer, slopes):
    """Returns the slopes in the weights of a layer, the intercepts last."""
    units = slopes.shape[-1]
    flat = slopes.reshape(-1, units)
    parts = [z.reshape(len(z), -1)] if layer.kind == "dense" else list(_shifts(z, layer))
    rows = [part.reshape(len(flat), -1).T @ flat for part in parts]
    return np.vstack([*rows, flat.sum(axis=0)])


def _largest(by, z, layer):
    """Returns the entries of z at the places of the windows where `by` is the largest, the first one of a tie."""
    best, found = None, None
    for key, part in zip(_shifts(by, layer), _shifts(z, layer), strict=True):
        better = np.ones(key.shape, bool) if best is None else key > best
        best, found = (key, part) if best is None else (np.where(better, key, best), np.where(better, part, found))
    return found


def _to_largest(by, slopes, layer):
    """Returns the slopes of maxima, each at the entry that it was taken from."""
    total, best = np.zeros(by.shape), _largest(by, by, layer)
    open_ = np.ones(best.shape, bool)
    for key, part in zip(_shifts(by, layer), _shifts(total, layer), strict=True):
        here = open_ & (key == best)
        part += np.where(here, slopes, 0)
        open_ &= ~here
    return total
