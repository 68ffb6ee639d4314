"""Layer-wise training: the convex problem of each update, as pieces with slopes, and answers to it."""

import warnings
from fractions import Fraction

import numpy as np

import fast

from . import problems
from .exact import dot, exact, minimise
from .families import CRASHES, EPOCHS, Family
from .nets import NETS, Net, combined, draw_weights, plan
from .rankings import rankings


class LayerwiseOracle:
    """The convex problem of each update of an answer, a dict of objectives and trail."""

    def __init__(self, problem):
        self.problem, X = problem, problem["X"]
        shape = X.shape[1:] if X.ndim == 2 else (*X.shape[1:], 1)
        self.outputs = int(problem["y"].max()) + 1 if problem["loss"] == "multiclass" else 1
        self.steps = list(plan(problem["layers"], shape, self.outputs))
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
        problem["weights"], size = [], float(1 / (abs(X).max() or 1.0))
        for W in draw_weights(rng, layers, shape, outputs):
            problem["weights"].append((np.round(W, 3) * size).astype(X.dtype))
            size = 1.0
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
