"""Layer-wise training: the convex problem of each update, as pieces whose slopes are carried forward through the net.

A bound of an output is a pair (value, slope in the weights of the trained layer), exact at the given weights. The upper
bounds are convex and the lower ones concave, so a hinge of upper bounds less lower ones has this value and this slope.
"""

import warnings
from fractions import Fraction

import numpy as np

import fast

from . import problems
from .exact import dot, exact, minimise
from .families import CRASHES, EPOCHS, Family
from .rankings import rankings

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
    """Returns (kind, windows) of each layer, the output layer included."""
    steps = []
    for kind, *numbers in (*layers, ("dense", outputs)):
        places, after = windows(kind, numbers[-1], shape)
        units = shape[-1] if kind == "pool" else numbers[0]
        steps.append((kind, places))
        shape = (*after, units)
    return steps


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
        for number, (kind, places) in enumerate(self.steps):
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


class LayerwiseOracle:
    """The convex problem of each update of an answer, a dict of objectives and trail."""

    def __init__(self, problem):
        self.problem, X = problem, problem["X"]
        shape = X.shape[1:] if X.ndim == 2 else (*X.shape[1:], 1)
        self.outputs = int(problem["y"].max()) + 1 if problem["loss"] == "multiclass" else 1
        self.steps = plan(problem["layers"], shape, self.outputs)
        self.z = exact(X.reshape(len(X), -1))
        self.regularization, self.proximity = (Fraction(problem[name]) for name in ("regularization", "proximity"))
        self.start = [exact(W) for W in problem["weights"]]
        self.blocks, self.is_unclear = list(self._blocks()), False

    def _blocks(self):
        """Yields (share, function of the bounds of all examples that yields the pieces of the hinge)."""
        y, n = self.problem["y"], len(self.z)
        if self.problem["loss"] == "multiclass":
            for i in range(n):
                rivals = [j for j in range(self.outputs) if j != y[i]]
                yield (
                    Fraction(1, n),
                    lambda u, l, i=i, rivals=rivals: [(1, [(1, u[i][j]), (-1, l[i][y[i]])]) for j in rivals],
                )
        elif self.problem["loss"] == "zero_one":
            for i in range(n):
                yield Fraction(1, n), lambda u, l, i=i: [(1, [(-1, l[i][0])] if y[i] else [(1, u[i][0])])]
        else:
            p, n = np.flatnonzero(y), np.flatnonzero(~y)
            table = rankings(len(p), len(n), self.problem["loss"])

            def pieces(u, l):
                down = sorted((l[i][0] for i in p), key=lambda pair: -pair[0])
                fall = sorted((u[i][0] for i in n), key=lambda pair: -pair[0])
                for lost, by_p, by_n in table:
                    yield lost, list(zip([*by_p, *by_n], [*down, *fall], strict=True))

            yield Fraction(1), pieces

    def _worst(self, net, W, number):
        """Returns the largest piece (offset, slope) of a block at the weights W, scaled by its share."""
        share, pieces = self.blocks[number]
        bounds = [net.bounds(z, W) for z in self.z]
        uppers, lowers = zip(*bounds, strict=True)
        found = [combined([(Fraction(1), (Fraction(b), {})), *terms]) for b, terms in pieces(uppers, lowers)]
        value, slope = max([(Fraction(0), {}), *found], key=lambda pair: pair[0])
        at = {(t, unit): a for t, row in enumerate(W) for unit, a in enumerate(row)}
        return share * (value - dot(slope, at)), {key: share * a for key, a in slope.items()}

    def update(self, weights, k):
        """Returns functions of the convex problem of layer k: W -> objective, and () -> (low, high, best W)."""
        self.net = net = Net(self.steps, weights, k)
        total = self.regularization + self.proximity
        keys = [(t, unit) for t, row in enumerate(weights[k]) for unit in range(len(row))]
        before = {(t, unit): weights[k][t][unit] for t, unit in keys}
        others = sum(a * a for j, W in enumerate(weights) if j != k for row in W for a in row)
        squares = self.proximity * self.regularization / total * sum(a * a for a in before.values())
        rest = (self.regularization * others + squares) / 2
        centre = {key: self.proximity / total * a for key, a in before.items()}

        def rows(w):
            return [[w[t, unit] for unit in range(len(row))] for t, row in enumerate(weights[k])]

        blocks = [lambda w, number=number: self._worst(net, rows(w), number) for number in range(len(self.blocks))]

        def objective(w):
            hinges = sum((b + dot(a, w) for b, a in (worst(w) for worst in blocks)), Fraction(0))
            return rest + total / 2 * sum((w[key] - centre[key]) ** 2 for key in keys) + hinges

        def minimum():
            found = minimise(lambda slope: {key: a / total for key, a in slope.items()}, blocks, centre)
            return rest + found.low, rest + found.high, rows(found.w)

        return objective, minimum

    def objective(self, weights):
        """Returns the objective of the network: the convex problem of the last layer, at its weights, is exact."""
        W, k = weights[-1], len(weights) - 1
        penalty = self.regularization / 2 * sum(a * a for part in weights for row in part for a in row)
        net = Net(self.steps, weights, k)
        at = {(t, unit): a for t, row in enumerate(W) for unit, a in enumerate(row)}
        pairs = (self._worst(net, W, number) for number in range(len(self.blocks)))
        return penalty + sum((b + dot(a, at) for b, a in pairs), Fraction(0))

    def bounds(self, answer):
        """Sets `is_unclear`, and yields (objective, lower bound and upper bound of the minimum) of each update."""
        now, self.is_unclear = list(self.start), False
        for number, W in enumerate(answer["trail"]):
            k = number % len(now)
            objective, minimum = self.update(now, k)
            W = exact(W)
            value = objective({(t, unit): a for t, row in enumerate(W) for unit, a in enumerate(row)})
            yield value, *minimum()[:2]
            self.is_unclear |= self.net.is_unclear
            now[k] = W

    def numbers(self, answer, shake=None):
        return [(value, low) for value, low, _ in self.bounds(answer)]

    def suboptimality(self, answer):
        """Returns the bounds of the largest suboptimality of an update."""
        least, most = Fraction(0), Fraction(0)
        for value, low, high in self.bounds(answer):
            if value > 0:
                least, most = max(least, (value - high) / value), max(most, (value - low) / value)
        return least, most

    def gap(self, answer):
        return 0, self.suboptimality(answer)[1]

    def answer(self, trail):
        """Returns the answer with this trail, and the exact objectives, rounded."""
        now, objectives = list(self.start), []
        for number in range(len(trail) + 1):
            objectives.append(float(self.objective(now)))
            if number < len(trail):
                now[number % len(now)] = exact(trail[number])
        return {"objectives": np.array(objectives), "trail": tuple(trail)}


class Layerwise(Family):
    """fit_layerwise, with one round or two."""

    tries = 3

    def draw(self, rng):
        image, layers = NETS[rng.integers(len(NETS))]
        loss, n = str(rng.choice(["multiclass", "zero_one", "ap", "ndcg", "auc"])), int(rng.integers(2, 5))
        X = problems.features(rng, n, 9 if image else int(rng.integers(1, 4))).reshape(n, *image or (-1,))
        X = X / (np.abs(X).max() or X.dtype.type(1)) * X.dtype.type(rng.choice([1.0, 3.0, 1e-3]))
        y = problems.labels(rng, n, int(rng.integers(2, 4))) if loss == "multiclass" else problems.flags(rng, n)
        problem = {"X": X, "y": y, "layers": layers, "loss": loss, "max_rounds": int(rng.choice([1, 1, 2]))}
        # A certificate by cutting planes takes minutes if the curvature is small beside the squares of the features.
        problem["regularization"] = float(f"{10 ** rng.uniform(-2, 3):.3g}")
        problem["proximity"] = float(rng.choice([0.0, 0.1, 10.0]))
        shape, outputs = (image and (*image, 1)) or X.shape[1:], int(y.max()) + 1 if loss == "multiclass" else 1
        problem["weights"] = []
        for kind, *numbers in (*layers, ("dense", outputs)):
            places, after = windows(kind, numbers[-1], shape)
            units = shape[-1] if kind == "pool" else numbers[0]
            if kind != "pool":
                size = 1 / (abs(X).max() or 1.0) if not problem["weights"] else 1.0
                W = np.round(rng.normal(size=(len(places[0]) + 1, units)), 3) * float(size)
                problem["weights"].append(W.astype(X.dtype))
            shape = (*after, units)
        return problem

    def oracle(self, problem):
        return LayerwiseOracle(problem)

    def given_as(self, answer):
        return answer

    def field(self, rng, problem, oracle):
        return None

    def fit(self, package, problem, tol, epochs):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = package.fit_layerwise(**problem, tol=tol, max_epochs=epochs)
        except (ValueError, ArithmeticError) as trouble:
            CRASHES.append((package.__name__, self.name, repr(trouble)[:200], problem))
            return None
        return {"objectives": found.objectives, "trail": found.trail}

    def optimum(self, oracle, dtype):
        """Returns the answer whose updates are exact but for rounding."""
        now, trail = list(oracle.start), []
        for number in range(len(now) * oracle.problem["max_rounds"]):
            trail.append(np.array(oracle.update(now, number % len(now))[1]()[2], dtype=np.float64).astype(dtype))
            now[number % len(now)] = exact(trail[-1])
        return oracle.answer(trail)

    def wrong(self, rng, problem, oracle, field):
        trail = list(self.optimum(oracle, problem["X"].dtype)["trail"])
        number, kind, eps = int(rng.integers(len(trail))), rng.integers(4), 10.0 ** rng.uniform(-12, -1)
        W = trail[number]
        if kind == 0:
            W = W * (1 + eps)
        elif kind == 1:
            W = W + eps * np.abs(W).max(initial=1e-300) * rng.normal(size=W.shape)
        elif kind == 2:
            trail = list((self.fit(fast, problem, 1e-9, int(rng.integers(1, 5))) or {"trail": trail})["trail"])
            W = trail[min(number, len(trail) - 1)]
        else:
            W = np.array(oracle.start[number % len(oracle.start)], dtype=np.float64)
        trail[min(number, len(trail) - 1)] = W.astype(problem["X"].dtype)
        return oracle.answer(trail)

    def right(self, rng, problem, oracle):
        for package in EPOCHS:
            tol = 10.0 ** -int(rng.integers(2, 6))
            answer = self.fit(package, problem, tol / 4, 100)
            if answer:
                yield tol, answer
        yield 10.0 ** -int(rng.integers(3, 11)), self.optimum(oracle, problem["X"].dtype)
