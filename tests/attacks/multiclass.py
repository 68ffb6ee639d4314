"""The fits with a row of duals for each example: top-k hinges and entropies, multilabel hinge and entropy."""

from fractions import Fraction

import numpy as np

from . import problems
from .duals import DualFit, inner_products, multilabel_pieces, topk_pieces
from .entropies import EntropyFit, MultilabelEntropy, TopKEntropy
from .exact import exact
from .families import Family, Oracle

KINDS = ("alpha", "beta", "alpha_inclusive")


class TopK(Family):
    """The top-k hinges and entropies."""

    def draw(self, rng):
        """Returns the arguments of a problem."""
        (n, d), m = problems.sizes(rng), int(rng.integers(2, 6))
        X, y = problems.features(rng, n, d), problems.labels(rng, n, m)
        problem = {"K": problems.gram(rng, X)} if self.kernel else {"X": X, "csr": bool(rng.random() < 0.1)}
        problem |= {"y": y, "k": int(rng.choice([1, m - 1, rng.integers(1, m)]))}
        problem["regularization"] = problems.regularization(rng, np.sqrt(abs(problem["K"])) if self.kernel else X)
        problem |= problems.weights(rng, n, X.dtype, [int(rng.integers(n))])
        if "entropy" in self.name:
            return problem
        problem["kind"] = str(rng.choice(KINDS))
        if self.name.endswith("parts"):
            return problem | {"parts": int(rng.integers(1, n + 1))}
        return problem | {"smoothing": float(rng.choice([0.0, 0.0, 0.5, 1e-3, 10.0]))}

    def oracle(self, problem):
        y, k = [int(label) for label in problem["y"]], problem["k"]
        m, K = max(y) + 1, exact(problem["K"]) if self.kernel else inner_products(problem["X"])
        if self.kernel and problem["K"].dtype != object and not problems.is_gram(K):  # fractions: they were moved
            raise ValueError("K is no matrix of inner products")
        pieces = [topk_pieces(m, label, k, problem.get("kind", "alpha")) for label in y]
        given = K, m, problem["regularization"], shares(problem, len(y)), pieces
        if "entropy" in self.name:
            fit = EntropyFit(*given, [TopKEntropy(m, label, k) for label in y])
            return Oracle(problem, fit, self.start(problem))
        rivals = [[j for j in range(m) if j != label] for label in y]
        return Oracle(problem, DualFit(*given, problem.get("smoothing", 0.0), rivals))

    def with_other_loss(self, rng, problem):
        other = {"k": int(rng.integers(1, int(problem["y"].max()) + 1))}
        return problem | other | ({} if "entropy" in self.name else {"kind": str(rng.choice(KINDS))})


class Multilabel(Family):
    """fit_multilabel with both of its losses."""

    def draw(self, rng):
        (n, d), m = problems.sizes(rng), int(rng.integers(2, 6))
        X, Y = problems.features(rng, n, d), rng.random((n, m)) < 0.5
        proper = int(rng.integers(n))
        Y[proper, 0], Y[proper, -1] = True, False
        problem = {"X": X, "csr": bool(rng.random() < 0.1), "Y": Y, "loss": str(rng.choice(["hinge", "entropy"]))}
        problem |= {"regularization": problems.regularization(rng, X), **problems.weights(rng, n, X.dtype, [proper])}
        return problem | {"smoothing": float(rng.choice([0.0, 0.5, 1e-3, 10.0])) * (problem["loss"] == "hinge")}

    def oracle(self, problem):
        Y = problem["Y"]
        (n, m), proper = Y.shape, Y.any(axis=1) & ~Y.all(axis=1)
        counted = [share * int(flag) for share, flag in zip(shares(problem, n), proper, strict=True)]
        given = inner_products(problem["X"]), m, problem["regularization"], counted
        if problem["loss"] == "hinge":
            pieces = [multilabel_pieces(row) for row in Y]
            return Oracle(problem, DualFit(*given, pieces, problem["smoothing"], [list(range(m))] * n))
        losses = [MultilabelEntropy(row) if flag else None for row, flag in zip(Y, proper, strict=True)]
        fit = EntropyFit(*given, [loss.corners() if loss else [] for loss in losses], losses)
        return Oracle(problem, fit, self.start(problem))

    def with_other_loss(self, rng, problem):
        return problem | {"loss": "hinge", "smoothing": float(rng.choice([0.0, 0.5, 2.0]))}


def shares(problem, n):
    """Returns s_i / n."""
    s = problem.get("sample_weight")
    return [(Fraction(1) if s is None else Fraction(float(s[i]))) / n for i in range(n)]
