"""The fits with a row of duals for each example: problems, oracles, solvers, wrong answers."""

import warnings
from fractions import Fraction

import numpy as np

import fast
import reference

from . import problems
from .duals import DualFit, inner_products, multilabel_pieces, scores_of, topk_pieces
from .exact import exact
from .moves import MOVES, Field
from .moves import weights as moved_weights

KINDS = ("alpha", "beta", "alpha_inclusive")


class Oracle:
    """The exact minimum of a problem, and the exact objective and dual of answers: dicts of duals and maybe weights."""

    def __init__(self, problem, fit):
        self.problem, self.fit, self._minimum = problem, fit, None

    def minimum(self):
        self._minimum = self._minimum or self.fit.minimum()
        return self._minimum

    def objective(self, answer):
        if "weights" in answer:
            return self.fit.objective(*scores_of(self.problem["X"], answer["weights"]))
        return self.fit.objective(*self.fit.of_duals(exact(answer["duals"])))

    def proof(self, answer):
        """Returns (distance of the duals from their domain in units of r, the dual at the nearest feasible duals)."""
        return self.fit.repaired(exact(answer["duals"]))


class Multiclass:
    """One of the functions that fit a top-k or a multilabel loss."""

    def __init__(self, name):
        self.name, self.kernel, self.multilabel = name, name.endswith("kernel"), name == "fit_multilabel"

    def draw(self, rng):
        """Returns the arguments of a problem."""
        (n, d), m = problems.sizes(rng), int(rng.integers(2, 6))
        X, y = problems.features(rng, n, d), problems.labels(rng, n, m)
        problem = {"K": problems.gram(rng, X)} if self.kernel else {"X": X}
        problem["regularization"] = problems.regularization(rng, problem["K" if self.kernel else "X"] ** (0.5 if self.kernel else 1))
        problem |= {"csr": True} if not self.kernel and rng.random() < 0.1 else {}
        problem |= {"y": y, "k": int(rng.choice([1, m - 1, rng.integers(1, m)])), "kind": str(rng.choice(KINDS))}
        problem |= problems.weights(rng, n, X.dtype, [int(rng.integers(n))])
        if self.name.endswith("parts"):
            return problem | {"parts": int(rng.integers(1, n + 1))}
        return problem | {"smoothing": float(rng.choice([0.0, 0.0, 0.5, 1e-3, 10.0]))}

    def oracle(self, problem):
        m, y = int(problem["y"].max()) + 1, problem["y"]
        pieces = [topk_pieces(m, int(label), problem["k"], problem["kind"]) for label in y]
        rivals = [[j for j in range(m) if j != label] for label in y]
        K = exact(problem["K"]) if self.kernel else inner_products(problem["X"])
        options = problem["regularization"], _shares(problem, len(y)), pieces, problem.get("smoothing", 0.0), rivals
        return Oracle(problem, DualFit(K, m, *options))

    def fit(self, package, problem, tol, epochs):
        """Returns the answer of a solver."""
        given = {key: value for key, value in problem.items() if key != "csr"}
        steps = {"max_rounds" if self.name.endswith("parts") else "max_epochs": epochs}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = getattr(package, self.name)(**given, tol=tol, **steps)
        return {"duals": found.duals} if self.kernel else {"weights": found.weights, "duals": found.duals}

    def altered(self, rng, problem):
        """Returns a similar problem with other weights, regularisation or loss."""
        n, kind = len(problem["y"]), rng.integers(4)
        if kind == 0:
            return problem | {"sample_weight": 10.0 ** rng.choice([0, 0, 1, 6], n)}
        if kind == 1:
            return problem | {"regularization": problem["regularization"] * (1 + 10.0 ** rng.uniform(-6, 1))}
        return problem | ({"k": 1} if kind == 2 else {"kind": str(rng.choice(KINDS))})

    def field(self, rng, problem, oracle, good):
        """Returns what the moves may use."""
        fit, X = oracle.fit, problem["K" if self.kernel else "X"].astype(np.float64)
        radius = np.array([float(share / fit.regularization) for share in fit.shares])
        if self.kernel:
            values, vectors = np.linalg.eigh(X)
            X = vectors * np.sqrt(np.maximum(values, 0))

        def corner():
            rows = np.zeros(good["duals"].shape)
            for i, pieces in enumerate(fit.pieces):
                most = max(offset for offset, _ in pieces)
                best = [slope for offset, slope in pieces if offset == most or rng.random() < 0.1]
                for j, value in best[rng.integers(len(best))].items():
                    rows[i, j] = -radius[i] * float(value)
            return rows

        def other():
            changed, epochs = (problem, int(rng.integers(1, 8))) if rng.random() < 0.4 else (self.altered(rng, problem), 300)
            return self.fit(fast, changed, 10.0 ** rng.uniform(-10, -1), epochs)["duals"].astype(np.float64)

        return Field(rng, X, radius, good["duals"].astype(np.float64), corner, other)

    def wrong(self, rng, problem, oracle, good, field):
        """Returns an answer that is likely to be wrong."""
        dtype = good["duals"].dtype
        if self.kernel or rng.random() < 0.75:
            duals = MOVES[rng.integers(len(MOVES))](field)
            answer = {"duals": duals.astype(dtype if rng.random() < 0.5 else np.float64)}
            if self.kernel or rng.random() < 0.6:
                return answer
            W = problem["X"].T.astype(np.float64) @ answer["duals"].astype(np.float64)
            return {"weights": W.astype(answer["duals"].dtype), **answer}

        def elsewhere():
            return self.fit(fast, self.altered(rng, problem), 1e-3, 100)["weights"]

        return good | {"weights": moved_weights(rng, good["weights"], elsewhere).astype(dtype)}

    def right(self, rng, problem):
        """Yields (tol, answer) of solvers, with other roundings, too."""
        for package, epochs in ((fast, 3000), (reference, 100)):
            tol = 10.0 ** -int(rng.integers(3, 11))
            answer = self.fit(package, problem, tol / 4, epochs)
            yield tol, answer
            yield tol, {"duals": answer["duals"]}
            eps = np.finfo(answer["duals"].dtype).eps
            yield tol, {"duals": answer["duals"] * (1 + eps * rng.integers(-1, 2, answer["duals"].shape)).astype(answer["duals"].dtype)}


def _shares(problem, n):
    s = problem.get("sample_weight")
    return [(Fraction(1) if s is None else Fraction(float(s[i]))) / n for i in range(n)]
