"""TopPush and SVMperf: oracles with one dual a sample. Sample (i, j) has the score of row i in column j."""

from fractions import Fraction

import numpy as np

from . import problems
from .duals import DualFit, inner_products, nearest
from .exact import dot, minimise
from .families import Family, Oracle
from .multiclass import shares


class Samples(DualFit):
    """What both have in common: samples of weight s, those of weight 0 left out, and P, the weight of the positives."""

    def __init__(self, K, relevant, regularization, s):
        super().__init__(K, relevant.shape[1], regularization, s, [])
        self.weight = {(i, j): s[i] for i, j in np.ndindex(*relevant.shape) if s[i] > 0}
        self.positive = [key for key in self.weight if relevant[key]]
        self.negative = [key for key in self.weight if not relevant[key]]
        self.total = sum(self.weight[key] for key in self.positive)
        self.radius = np.array([float(share) for share in s])

    def minimum(self):
        centre = dict.fromkeys([*self.weight, *self.moved()], Fraction(0))
        rows = [i for i in range(self.n) if self.shares[i] > 0]
        found = minimise(lambda slope: self._risen(slope, rows), [self.worst], centre)
        duals = [[Fraction(0)] * self.m for _ in range(self.n)]
        for share, piece in found.shares[0]:
            for (i, j), value in self.dual_of(piece).items():
                duals[i][j] += share * value
        return found.low, found.high, np.array(duals, dtype=np.float64)

    def objective(self, scores, squared_norm):
        offset, slope = self.worst({key: scores[key[0]][key[1]] for key in self.weight})
        return self.regularization / 2 * squared_norm + offset + sum(a * scores[i][j] for (i, j), a in slope.items())

    def strangers(self, A):
        """True if a sample that is left out has a dual."""
        return any(value for i, row in enumerate(A) for j, value in enumerate(row) if (i, j) not in self.weight)

    def norm(self, slope):
        """Returns the squared norm of the weights -X' slope / lambda, times lambda/2."""
        rows = [[slope.get((i, j), Fraction(0)) for j in range(self.m)] for i in range(self.n)]
        return self.of_duals(rows)[1] / (2 * self.regularization)

    def moved(self):
        return []


class TopPush(Samples):
    """Mean over positives of s max(0, 1 + highest negative - f)^2.

    The minimum over v of v^2 + 2 P/s max(0, violation - v) is the same, as the slopes in all violations sum to 2 at
    most at the optimum, by Cauchy's inequality and P(w) <= P(0) = 1.
    """

    def moved(self):
        return [(*key, "moved") for key in self.positive]

    def worst(self, w):
        pairs = [(0, {})]
        for p in self.positive:
            n = max(self.negative, key=w.__getitem__)
            slope = {p: Fraction(-2), n: Fraction(2)}
            pairs.append((Fraction(2), slope | {(*p, "moved"): Fraction(-2)}))
        return max(pairs, key=lambda piece: piece[0] + dot(piece[1], w))

    def _risen(self, slope, rows):
        moved = {key: a * self.total / (2 * self.weight[key[:2]]) for key, a in slope.items() if len(key) == 3}
        return super()._risen({key: a for key, a in slope.items() if len(key) == 2}, rows) | moved

    def objective(self, scores, squared_norm):
        highest = max(scores[i][j] for i, j in self.negative)
        lacking = sum(self.weight[i, j] * max(0, 1 + highest - scores[i][j]) ** 2 for i, j in self.positive)
        return self.regularization / 2 * squared_norm + lacking / self.total

    def dual_of(self, piece):
        return {key: -a * self.total for key, a in piece.slope.items() if len(key) == 2}

    def repaired(self, A):
        point = {(i, j): A[i][j] for i, j in self.weight}
        size = 4 * sum(abs(value) for value in point.values()) + 1
        rays = [{p: size, n: -size} for p in self.positive for n in self.negative]
        far, v = nearest(point, [{}, *rays])
        gain = sum((v.get(key, 0) - v.get(key, 0) ** 2 / (4 * self.weight[key]) for key in self.positive), Fraction(0))
        dual = gain / self.total - self.norm({key: value / self.total for key, value in v.items()})
        unit = max((abs(value) for value in point.values()), default=0) or 1
        return (Fraction(10**9) if self.strangers(A) else far / unit), dual

    def corner(self, rng):
        """Returns the duals that are best for weights 0, with random negatives."""
        duals, share = np.zeros((self.n, self.m)), rng.dirichlet(np.full(len(self.negative), 0.3))
        for key in self.positive:
            duals[key] = 2 * self.weight[key]
        for key, part in zip(self.negative, share, strict=True):
            duals[key] = -2 * float(self.total) * part
        return duals


class SvmPerf(Samples):
    """The loss plus score of the worst selection of the weight k, or 0."""

    def __init__(self, *given, k, loss):
        super().__init__(*given)
        self.k, self.loss = Fraction(float(k)), loss

    def select(self, gain):
        """Returns the selection with the largest gain: samples in the order of their gains, the last one in part."""
        left, found = self.k, {}
        for key in sorted(self.weight, key=lambda key: -gain[key]):
            found[key] = min(left, self.weight[key])
            left -= found[key]
        return found

    def worst(self, w):
        gain = {key: w[key] / self.total + self._lost(key) for key in self.weight}
        offset, slope = self._piece_of(self.select(gain))
        return (offset, slope) if offset + dot(slope, w) > 0 else (Fraction(0), {})

    def _lost(self, key):
        """Returns what a sample in the selection adds to the loss."""
        if self.loss == "recall":
            return -1 / self.total if key in self.positive else Fraction(0)
        return 1 / self.k if key in self.negative else Fraction(0)

    def _piece_of(self, v, share=1):
        """Returns (loss, slope in the scores) of a selection, or of `share` of one."""
        missed = {key: v.get(key, 0) - (share * self.weight[key] if key in self.positive else 0) for key in self.weight}
        constant = share if self.loss == "recall" else 0
        return constant + sum(self._lost(key) * v.get(key, 0) for key in v), {
            key: value / self.total for key, value in missed.items()
        }

    def dual_of(self, piece):
        if not piece.slope:
            return {}
        whole = {key: self.weight[key] if key in self.positive else 0 for key in self.weight}
        return {key: a * self.total + whole[key] for key, a in piece.slope.items()}

    def repaired(self, A):
        point = {(i, j): A[i][j] for i, j in self.weight}

        def vertex(w):
            best = self.select(w)
            return best if dot(best, w) > 0 else {}

        _, v = nearest(point, vertex, list(self.weight))
        moved = max(abs(v[key] - point[key]) / self.weight[key] for key in self.weight)
        offset, slope = self._piece_of(v, sum(v.values()) / self.k)
        return (Fraction(10**9) if self.strangers(A) else moved), offset - self.norm(slope)

    def corner(self, rng):
        """Returns a selection with the largest loss, or a random one."""
        duals, wild = np.zeros((self.n, self.m)), rng.choice([0.0, 0.0, 10.0])
        gain = {key: float(self._lost(key)) + wild * rng.random() + 1e-9 * rng.random() for key in self.weight}
        for key, value in self.select(gain).items():
            duals[key] = float(value)
        return duals


class TopRank(Family):
    """fit_top_push and fit_svm_perf."""

    alone = False

    def draw(self, rng):
        n, d = problems.sizes(rng)
        X, flags = problems.features(rng, n, d), problems.flags(rng, n)
        if rng.random() < 0.3:
            X, n = X[:3], min(n, 3)
            flags = np.arange(3) == rng.integers(0, 3, n)[:, None]
        needed = range(n) if flags.ndim == 2 else (int(flags.argmax()), int((~flags).argmax()))
        problem = {"X": X, "csr": bool(rng.random() < 0.1), "relevant": flags}
        problem |= {"regularization": problems.regularization(rng, X), **problems.weights(rng, n, X.dtype, needed)}
        if self.name == "fit_top_push":
            return problem
        most = sum(float(share) for share in shares(problem, n)) * n * (flags.size // n)
        k = float(rng.uniform(0.01, 1) * most) if "sample_weight" in problem else int(rng.integers(1, flags.size + 1))
        return problem | {"k": k, "loss": str(rng.choice(["recall", "precision"]))}

    def oracle(self, problem):
        relevant, n = problem["relevant"], len(problem["X"])
        relevant = relevant.reshape(n, -1)
        s = [share * n for share in shares(problem, n)]
        given = inner_products(problem["X"]), relevant, problem["regularization"], s
        if self.name == "fit_top_push":
            return Oracle(problem, TopPush(*given))
        return Oracle(problem, SvmPerf(*given, k=problem["k"], loss=problem["loss"]))

    def shape(self, problem):
        return problem["relevant"].shape

    def weights(self, oracle, problem, duals):
        fit, X = oracle.fit, problem["X"].astype(np.float64)
        if isinstance(fit, SvmPerf):
            whole = duals.sum() / float(fit.k) * np.array([[float(s)] for s in fit.shares])
            duals = np.where(problem["relevant"].reshape(len(X), -1), whole, 0) - duals
        return X.T @ duals / float(fit.regularization * fit.total)

    def with_other_loss(self, rng, problem):
        if self.name == "fit_top_push":
            return problem | {"relevant": problem["relevant"][::-1]}
        return problem | {"loss": "precision" if problem["loss"] == "recall" else "recall"}
