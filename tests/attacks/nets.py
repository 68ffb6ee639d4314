"""Small networks, and the bounds of their outputs.

A bound of an output is a pair (value, slope in the weights of the trained layer), exact at the given weights. The upper
bounds are convex and the lower ones concave, so a hinge of upper bounds less lower ones has this value and this slope.
"""

from fractions import Fraction

import numpy as np

NEAR = Fraction(1, 10**12)  # a sum that is smaller than this share of its terms may have either sign in float64
NETS = (
    ((), [("dense", 2)]),
    ((), [("dense", 2), ("dense", 2)]),
    ((), []),
    ((3, 3), [("conv", 1, 2), ("dense", 2)]),
    ((3, 3), [("conv", 2, 2), ("pool", 2)]),
)


def windows(kind, size, shape):
    """Returns (the inputs of each place of the window, the shape of the outputs without their channels)."""
    if kind == "dense":
        return [list(range(int(np.prod(shape))))], ()
    height, width, channels = shape
    step = size if kind == "pool" else 1
    after = (height // size, width // size) if kind == "pool" else (height - size + 1, width - size + 1)
    found = []
    for r, c in np.ndindex(*after):
        pixels = [((r * step + i) * width + c * step + j) * channels for i, j in np.ndindex(size, size)]
        found += (
            [[p + q for p in pixels] for q in range(channels)]
            if kind == "pool"
            else [[p + q for p in pixels for q in range(channels)]]
        )
    return found, after


def plan(layers, shape, outputs):
    """Yields (kind, windows, units) of each layer, the output layer included."""
    for kind, *numbers in (*layers, ("dense", outputs)):
        places, after = windows(kind, numbers[-1], shape)
        units = shape[-1] if kind == "pool" else numbers[0]
        yield kind, places, units
        shape = (*after, units)


def draw_weights(rng, layers, shape, outputs):
    """Yields weights and biases of each layer that has some."""
    for kind, places, units in plan(layers, shape, outputs):
        if kind != "pool":
            yield rng.normal(size=(len(places[0]) + 1, units))


def combined(terms):
    """Returns the sum of factor * (value, slope)."""
    value, slope = Fraction(0), {}
    for factor, (v, s) in terms:
        value += factor * v
        for key, a in s.items():
            slope[key] = slope.get(key, 0) + factor * a
    return value, slope


class Net:
    """The bounds of the outputs for one example, as functions of the weights of layer k; the others are fixed."""

    def __init__(self, steps, weights, k):
        self.steps, self.weights, self.k = steps, weights, k
        self.is_unclear = False  # whether rounding may decide if a unit is active, which defines the convex problem

    def bounds(self, z, W):
        """Returns the lists (upper, lower) of the outputs at the weights W of layer k."""
        current, upper, lower, count = [(v, {}) for v in z], None, None, 0
        for number, (kind, places, _) in enumerate(self.steps):
            relu = kind != "pool" and number < len(self.steps) - 1
            if kind == "pool":
                if upper:
                    upper = [max((upper[i] for i in place), key=lambda pair: pair[0]) for place in places]
                    lower = [lower[max(place, key=lambda i: current[i][0])] for place in places]
                current = [max((current[i] for i in place), key=lambda pair: pair[0]) for place in places]
                continue
            if upper:
                plus, minus = (_split(self.weights[count], sign) for sign in (1, -1))
                bias = self.weights[count][-1]
                pair = upper, lower
                upper = _affine(pair[0], plus, pair[1], minus, bias, places)
                lower = _affine(pair[1], plus, pair[0], minus, bias, places)
            elif count == self.k:
                upper = lower = _trained(current, W, places)
            inputs, (*W_now, bias_now) = current, self.weights[count]
            current = _affine(inputs, W_now, inputs, None, bias_now, places)
            if relu and any(abs(value) <= NEAR for value, _ in current):
                sizes = [(abs(value), {}) for value, _ in inputs]
                W_now, bias_now = [list(map(abs, row)) for row in W_now], list(map(abs, bias_now))
                sizes = _affine(sizes, W_now, sizes, None, bias_now, places)
                near = (abs(v) <= NEAR * size and size for (v, _), (size, _) in zip(current, sizes, strict=True))
                self.is_unclear |= any(near)
            count += 1
            if relu:
                if upper:
                    zero = Fraction(0), {}
                    upper = [pair if pair[0] > 0 else zero for pair in upper]
                    lower = [pair if now[0] > 0 else zero for pair, now in zip(lower, current, strict=True)]
                current = [(max(value, Fraction(0)), {}) for value, _ in current]
        return upper, lower


def _split(W, sign):
    return [[max(sign * a, Fraction(0)) for a in row] for row in W[:-1]]


def _affine(z, W, other, minus, bias, places):
    """Returns W z - minus other + bias at each place."""
    found = []
    for place in places:
        for unit, b in enumerate(bias):
            terms = [(W[t][unit], z[i]) for t, i in enumerate(place)]
            terms += [(-minus[t][unit], other[i]) for t, i in enumerate(place)] if minus else []
            found.append(combined([*terms, (Fraction(1), (b, {}))]))
    return found


def _trained(z, W, places):
    """Returns the outputs of the trained layer, with their slopes in its weights."""
    found = []
    for place in places:
        inputs = [*(z[i][0] for i in place), Fraction(1)]
        for unit in range(len(W[0])):
            slope = {(t, unit): value for t, value in enumerate(inputs)}
            found.append((sum(W[t][unit] * value for t, value in enumerate(inputs)), slope))
    return found
