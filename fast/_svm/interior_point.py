"""A primal-dual interior-point method for TopPush, whose dual ascent is slow where features are badly scaled.

With the threshold z as a variable, TopPush is a quadratic programme:

    min  lambda/2 |W|^2 + 1/P sum_i s_i xi_i^2   such that   xi_i >= 1 + z - f_i  and  z >= f_j

for the positives i and the negatives j. Their duals a_i and b_j are >= 0, and xi_i = a_i / (2 s_i). A point in the
interior keeps all slacks and duals > 0, and each iteration moves it by a step of Newton's method towards the point at
which all products of a slack and its dual are equal and small (Mehrotra 1992). The Newton system couples the classes
through z only, so it consists of a d by d system for each class. Ten to fifty iterations suffice, however X is scaled.
"""

from typing import NamedTuple

import numpy as np

TO_BOUNDARY = 0.99  # the part of the way to the boundary of the interior that a step goes at most
MOST_ITERATIONS = 100  # problems take 10 to 60; then rounding leaves nothing to gain
# An iteration takes n m d^2 operations in products of matrices, a pass of the ascent 4 n m d scattered ones, which take
# thirty times as long. So thirty iterations take as long as d / 4 passes, and the ascent gets a quarter of them before.
LEAST_PASSES, FEATURES_PER_PASS = 5, 16
MOST_FEATURES, MOST_NUMBERS = 1000, 10_000_000  # of X as a dense array, or of the duals: it needs some ten arrays


class Interior(NamedTuple):
    """The point: weights (m, d), the threshold, and of each sample its score, its slack and its dual, all (n, m)."""

    weights: np.ndarray
    threshold: float
    scores: np.ndarray
    slacks: np.ndarray
    duals: np.ndarray


def passes_before(model):
    """Returns how many passes of the ascent come first: all of them for SVMperf, or if the arrays would be large."""
    n, d = model.X.shape
    if not model.smoothing or d > MOST_FEATURES or n * max(d, model.relevant.shape[1]) > MOST_NUMBERS:
        return np.iinfo(np.int64).max
    return LEAST_PASSES + d // FEATURES_PER_PASS


def first(model):
    """Returns the point to start from: weights of 0, and duals that balance."""
    n, d = model.X.shape
    positive, duals = model.relevant, np.empty((n, model.relevant.shape[1]))
    duals[positive] = 2 / _curvatures(model)[positive]  # xi = 2: with z = 1/2 and scores of 0, the slacks are 1/2
    duals[~positive] = duals[positive].sum() / np.count_nonzero(~positive)
    return Interior(np.zeros((duals.shape[1], d)), 0.5, np.zeros(duals.shape), np.full(duals.shape, 0.5), duals)


def improved(point, model, X):
    """Returns the next point: a step towards the optimum says how far to aim, a second one corrects its products."""
    newton = _Newton(point, model, X)
    step = newton.step(-point.slacks * point.duals)
    length = _length(point, step, 1.0)
    products = (point.slacks + length * step.slacks) * (point.duals + length * step.duals)
    mean = np.mean(point.slacks * point.duals)
    centre = mean * (products.mean() / mean) ** 3
    step = newton.step(centre - point.slacks * point.duals - step.slacks * step.duals)
    length = _length(point, step, TO_BOUNDARY)
    return Interior(*(old + length * change for old, change in zip(point, step, strict=True)))


def _length(point, step, share):
    """Returns the length of a step, at most 1, that goes this share of the way to the boundary at most."""
    nearest = 0.0
    for values, changes in ((point.slacks, step.slacks), (point.duals, step.duals)):
        nearest = max(nearest, float((-changes / values).max()))
    return min(1.0, share / nearest) if nearest > 0 else 1.0


def _curvatures(model):
    """Returns what xi grows by with each dual, 1 / (2 s_i), and 0 for negatives: (n, m)."""
    return np.where(model.relevant, model.smoothing_over_share[:, None], 0.0)


class _Newton:
    """The linear system of a point, for any change of the products of slacks and duals.

    To first order in the change of weights D and threshold dz, a signed dual changes by  g + h (dz - <x, D>).  So the
    weights, which are scale times the sum of the signed duals times x, solve  (I/scale + X' h X) D = X' (g + h dz) + r
    for each class, and dz makes the signed duals sum to 0.
    """

    def __init__(self, point, model, X):
        self.point, self.X, self.curvatures = point, X, _curvatures(model)
        self.sign = np.where(model.relevant, 1.0, -1.0)
        self.signed = self.sign * point.duals
        # What the constraints and the weights lack, apart from rounding 0 after the first full step.
        self.lacking = self.sign * (point.scores - point.threshold) - point.slacks + self.curvatures * point.duals
        self.lacking -= model.relevant
        self.residual = self.signed.T @ X - point.weights / model.scale
        self.divisor = point.slacks + self.curvatures * point.duals
        self.h = point.duals / self.divisor
        self.systems = np.array([_gram(X, column, model.examples.squared_norms, model.scale) for column in self.h.T])
        self.by_threshold = self.h.T @ X

    def step(self, change):
        """Returns the step, an Interior, for this change of slack times dual."""
        point = self.point
        g = self.sign * (change - point.duals * self.lacking) / self.divisor
        right = np.stack([g.T @ self.X + self.residual, self.by_threshold], axis=2)
        solved = np.linalg.solve(self.systems, right)
        D, towards = solved[..., 0], solved[..., 1]
        slope = self.h.sum() - np.sum(self.by_threshold * towards)
        missing = -self.signed.sum() - g.sum() + np.sum(self.by_threshold * D)
        dz = missing / slope
        D += dz * towards
        scores = self.X @ D.T
        duals = self.sign * (g + self.h * (dz - scores))
        slacks = self.sign * (scores - dz) + self.curvatures * duals + self.lacking
        return Interior(D, dz, scores, slacks, duals)


def _gram(X, h, squared_norms, scale):
    """Returns I/scale + X' diag(h) X. Rows that change no digit of it are left out: late, these are nearly all."""
    counts = h * squared_norms * scale > np.finfo(np.float64).eps / len(h)
    rows = X[counts] * np.sqrt(h[counts])[:, None]
    gram = rows.T @ rows
    gram[np.diag_indices(len(gram))] += 1 / scale
    return gram
