"""Oracles of the fits that have one row of duals for each example: top-k SVMs and multilabel hinges, linear or kernel.

A loss is the maximum of its pieces, which are enumerated from the definition: offset + <coefficients, scores>.
A row of duals is -r_i times a convex combination of the coefficients of pieces, where r_i = s_i / (lambda n).
"""

from fractions import Fraction
from itertools import combinations

import numpy as np

from .exact import dot, exact, minimise


def topk_pieces(m, y, k, kind):
    """Returns the pieces of the top-k hinge: the mean of k violations 1 + s_j - s_y, cut at 0 in one of three ways."""
    rivals = [j for j in range(m) if j != y]
    sizes = {"alpha": (0, k), "beta": range(k + 1), "alpha_inclusive": (0, k - 1, k)}[kind]
    chosen = [group for size in sorted(set(sizes)) for group in combinations(rivals, size)]
    return [
        (Fraction(len(group), k), {**dict.fromkeys(group, Fraction(1, k)), y: -Fraction(len(group), k)})
        for group in chosen
    ]


def multilabel_pieces(flags):
    """Returns the pieces of the multilabel hinge: 0, and 1 + s_n - s_p for each negative n and positive p."""
    positives, negatives = ([j for j, flag in enumerate(flags) if bool(flag) == wanted] for wanted in (True, False))
    pairs = [(Fraction(1), {n: Fraction(1), p: Fraction(-1)}) for p in positives for n in negatives]
    return [(Fraction(0), {}), *pairs]


class DualFit:
    """min_W lambda/2 |W|^2 + sum_i c_i loss_i(scores of i), where K holds the inner products of the examples."""

    def __init__(self, K, m, regularization, shares, pieces, smoothing=0.0, smoothed=None):
        self.K, self.n, self.m, self.shares, self.pieces = K, len(K), m, shares, pieces
        self.regularization, self.smoothing = Fraction(float(regularization)), Fraction(float(smoothing))
        self.smoothed = smoothed  # for each example, the classes whose duals have a quadratic term
        self.radius = np.array([float(share / self.regularization) for share in shares])

    def minimum(self):
        """Returns the bounds of the minimum, and the duals (n, m) that prove the lower one."""
        rows = [i for i in range(self.n) if self.shares[i] > 0]
        centre = {(i, j): Fraction(0) for i in rows for j in range(self.m)}
        if self.smoothing:
            centre |= {(i, j, "moved"): Fraction(0) for i in rows for j in self.smoothed[i]}
        found = minimise(lambda slope: self._risen(slope, rows), [self._block(i) for i in rows], centre)
        duals = [[Fraction(0)] * self.m for _ in range(self.n)]
        for share, piece in (pair for block in found.shares for pair in block):
            for (i, j, *moved), a in piece.slope.items():
                duals[i][j] -= 0 if moved else share * a / self.regularization
        return found.low, found.high, np.array(duals, dtype=np.float64)

    def objective(self, scores, squared_norm):
        """Returns the objective at weights with these scores."""
        losses = sum((self._loss(i, scores[i]) for i in range(self.n) if self.shares[i] > 0), Fraction(0))
        return self.regularization / 2 * squared_norm + losses

    def corner(self, rng):
        """Returns duals (n, m) at random corners of the domain, most of them with the largest linear gain."""
        rows = np.zeros((self.n, self.m))
        for i, pieces in enumerate(self.pieces):
            most = max(offset for offset, _ in pieces)
            best = [slope for offset, slope in pieces if offset == most or rng.random() < 0.1]
            for j, value in best[rng.integers(len(best))].items():
                rows[i, j] = -self.radius[i] * float(value)
        return rows

    def of_duals(self, A):
        """Returns (scores, |W|^2) of W = X'A."""
        scores = [[sum(k * A[j][c] for j, k in enumerate(row)) for c in range(self.m)] for row in self.K]
        return scores, sum(a * s for row, parts in zip(A, scores, strict=True) for a, s in zip(row, parts, strict=True))

    def repaired(self, A):
        """Returns (the largest distance of a row from its domain, in units of r_i; the dual at the nearest rows)."""
        rows, distance, gain = [], Fraction(0), Fraction(0)
        for i, row in enumerate(A):
            if self.shares[i] == 0:
                far, point = (Fraction(10**9) if any(row) else 0), {}
            else:
                unit = -self.shares[i] / self.regularization
                corners = [slope for _, slope in self.pieces[i]]
                far, point = nearest({j: a / unit for j, a in enumerate(row)}, corners)
                gain += self.shares[i] * self._gain(i, point)
                point = {j: unit * value for j, value in point.items()}
            distance = max(distance, far)
            rows.append([point.get(j, Fraction(0)) for j in range(self.m)])
        return distance, gain - self.regularization / 2 * self.of_duals(rows)[1]

    def _gain(self, i, point):
        """Returns the value of a combination of coefficients: half the sum of their sizes, less the smoothing."""
        squares = sum(point[j] ** 2 for j in self.smoothed[i]) if self.smoothing else 0
        return sum(abs(value) for value in point.values()) / 2 - self.smoothing / 2 * squares

    def _block(self, i):
        def worst(w):
            pieces = (self._piece(i, offset, slope) for offset, slope in self.pieces[i])
            return max(pieces, key=lambda piece: piece[0] + dot(piece[1], w))

        return worst

    def _piece(self, i, offset, slope):
        share = self.shares[i]
        scaled = {(i, j): share * a for j, a in slope.items()}
        if self.smoothing:
            scaled |= {(i, j, "moved"): share * a for j, a in slope.items() if j in self.smoothed[i]}
        return share * offset, scaled

    def _risen(self, slope, rows):
        """Returns the change of all scores, and of what smoothing adds to them."""
        risen = {}
        for (i, j, *moved), a in slope.items():
            if moved:
                risen[i, j, "moved"] = a * self.smoothing / self.shares[i]
            else:
                for other in rows:
                    risen[other, j] = risen.get((other, j), 0) + a * self.K[other][i] / self.regularization
        return risen

    def _loss(self, i, scores):
        """Returns c_i times the loss at these scores."""
        return self._smoothed(i, scores).low if self.smoothing else self._kinked(i, scores)

    def _kinked(self, i, scores):
        fixed = {(i, j): score for j, score in enumerate(scores)}
        offset, slope = self._block(i)(fixed)
        return offset + dot(slope, fixed)

    def slope(self, i, scores):
        """Returns the gradient of the smooth loss, for the share 1."""
        shares = self._smoothed(i, scores).shares[0]
        return [sum(share * piece.slope.get((i, j), 0) for share, piece in shares) for j in range(self.m)]

    def _smoothed(self, i, scores):
        """Returns the Minimum over z of the loss at scores - z, plus |z|^2 over twice the smoothing."""
        fixed, pieces = {(i, j): score for j, score in enumerate(scores)}, self._block(i)
        centre = {(i, j, "moved"): Fraction(0) for j in self.smoothed[i]}

        def worst(w):
            offset, slope = pieces({**fixed, **w})
            return offset + dot(slope, fixed), slope

        unit = self.smoothing / self.shares[i]
        return minimise(lambda slope: {key: a * unit for key, a in slope.items() if key in centre}, [worst], centre)


def nearest(point, vertices, keys=()):
    """Returns (largest coordinate difference, nearest point) of the convex hull of sparse vertices.

    `vertices` is a list, or a function that returns the best vertex for a linear function of these keys.
    """
    is_list = isinstance(vertices, list)
    keys = {key for vertex in [point, *vertices] for key in vertex} if is_list else keys
    point = {key: point.get(key, Fraction(0)) for key in keys}

    def worst(w):
        vertex = max(vertices, key=lambda vertex: dot(vertex, w)) if is_list else vertices(w)
        return Fraction(0), {key: vertex.get(key, 0) - point[key] for key in keys}

    w = minimise(lambda slope: slope, [worst], dict.fromkeys(keys, Fraction(0))).w
    return max((abs(value) for value in w.values()), default=Fraction(0)), {key: point[key] - w[key] for key in keys}


def inner_products(X):
    """Returns X X', exactly."""
    rows = exact(X)
    return [[sum(a * b for a, b in zip(u, v, strict=True)) for v in rows] for u in rows]


def scores_of(X, W):
    """Returns (X W, |W|^2) in fractions."""
    X, W = exact(X), exact(W)
    scores = [[sum(x * w for x, w in zip(row, column, strict=True)) for column in zip(*W, strict=True)] for row in X]
    return scores, sum(w * w for row in W for w in row)
