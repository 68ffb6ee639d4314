"""A primal-dual interior-point method for TopPush, whose dual ascent is slow where features are badly scaled.

With the threshold z as a variable, TopPush is a quadratic programme:

    min  lambda/2 |W|^2 + 1/P sum_i s_i xi_i^2   such that   xi_i >= 1 + z - f_i  and  z >= f_j

for the positives i and the negatives j. Their duals a_i and b_j are >= 0, and xi_i = a_i / (2 s_i). A point in the
interior keeps all slacks and duals > 0, and each iteration moves it by a step of Newton's method towards the point at
which all products of a slack and its dual are equal and small (Mehrotra 1992). The Newton system couples the classes
through z only, so it consists of a d by d system for each class. Ten to sixty iterations suffice, however X is scaled.

At the optimum only the highest negatives have duals above 0. So an iteration takes all positives, but only the
negatives that have been among the highest, and the highest of those that come to lie above z join them. P, the weights
s_i and the scores f are those of `reference.topk_baselines`.
"""

from typing import NamedTuple

import numpy as np

TO_BOUNDARY = 0.99  # the part of the way to the boundary of the interior that a step goes at most
MOST_ITERATIONS = 100  # problems take 10 to 60
# With q samples, an iteration takes q d^2 operations in products of matrices. A pass of the ascent takes 4 n m d
# scattered ones, which take thirty times as long. If all samples took part, thirty iterations would be d / 4 passes,
# and the ascent gets a quarter of them before.
LEAST_PASSES, FEATURES_PER_PASS = 5, 16
MOST_FEATURES = 1000
MOST_NUMBERS = 10_000_000  # in X as a dense array, in the duals, of which it needs some ten arrays, and in all systems
PER_WEIGHT, FEWEST = 2, 300  # so many negatives for each number in W come in at a time, or FEWEST if that is more


class Samples(NamedTuple):
    """The q samples that take part, class by class: those of class j are starts[j]:starts[j + 1]."""

    taken: np.ndarray  # flags (n, m)
    rows: np.ndarray  # (q,)
    starts: np.ndarray  # (m + 1,)
    positive: np.ndarray  # flags (q,)
    curvatures: np.ndarray  # (q,): what xi grows by with each dual, 1 / (2 s_i), and 0 for negatives

    def of(self, values):
        """Returns the entries (q,) of an array (n, m)."""
        return values.T[self.taken.T]

    def spread(self, values):
        """Returns an array (n, m) with these entries (q,), and 0 elsewhere."""
        spread = np.zeros(self.taken.shape)
        spread.T[self.taken.T] = values
        return spread

    def parts(self):
        """Yields (the class, the slice of its samples, their rows)."""
        for j, (begin, end) in enumerate(zip(self.starts[:-1], self.starts[1:], strict=True)):
            yield j, slice(begin, end), self.rows[begin:end]


class Interior(NamedTuple):
    """The point: weights (m, d), the threshold, and of each sample its score, its slack and its dual, all (q,)."""

    weights: np.ndarray
    threshold: float
    scores: np.ndarray
    slacks: np.ndarray
    duals: np.ndarray


def passes_before(model):
    """Returns how many passes of the ascent come first: all of them for SVMperf, or if the arrays would be large."""
    (n, d), m = model.X.shape, model.relevant.shape[1]
    if not model.smoothing or d > MOST_FEATURES or max(n * d, n * m, m * d * d) > MOST_NUMBERS:
        return np.iinfo(np.int64).max
    return LEAST_PASSES + d // FEATURES_PER_PASS


def first(model, scores):
    """Returns (the Samples, the point to start from): weights of 0, and duals that balance."""
    samples = _samples(model, model.relevant | _highest(scores, ~model.relevant, model))
    positive, duals = samples.positive, np.empty(len(samples.rows))
    duals[positive] = 2 / samples.curvatures[positive]  # xi = 2: with z = 1/2 and scores of 0, the slacks are 1/2
    duals[~positive] = duals[positive].sum() / np.count_nonzero(~positive)
    weights = np.zeros((scores.shape[1], model.X.shape[1]))
    return samples, Interior(weights, 0.5, np.zeros(len(duals)), np.full(len(duals), 0.5), duals)


def joined(samples, point, model, X, scores):
    """Returns (the Samples, the point) with the highest negatives that lie above z in these scores (n, m).

    Their slack would be below 0. They get one above 0, which the next steps correct, and the dual that gives them the
    mean of all products.
    """
    above = _highest(scores, ~samples.taken & (scores > point.threshold), model)
    if not above.any():
        return samples, point
    wider, mean = _samples(model, samples.taken | above), np.mean(point.slacks * point.duals)
    f, slacks, duals = map(samples.spread, (point.scores, point.slacks, point.duals))
    rows, classes = np.nonzero(above)
    f[above] = np.einsum("ij,ij->i", X[rows], point.weights[classes])
    slacks[above] = np.maximum(scores[above] - point.threshold, np.sqrt(mean))
    duals[above] = mean / slacks[above]
    return wider, Interior(point.weights, point.threshold, *map(wider.of, (f, slacks, duals)))


def _highest(scores, among, model):
    """Returns the flags (n, m) of the highest scores among some negatives: as many as may come in at a time."""
    places, most = np.flatnonzero(among), max(PER_WEIGHT * scores.shape[1] * model.X.shape[1], FEWEST)
    if len(places) <= most:
        return among
    chosen = np.zeros(among.shape, bool)
    chosen.flat[places[np.argpartition(scores[among], -most)[-most:]]] = True
    return chosen


def _samples(model, taken):
    classes, rows = np.nonzero(taken.T)
    positive = model.relevant[rows, classes]
    curvatures = np.where(positive, model.smoothing_over_share[rows], 0.0)
    return Samples(taken, rows, np.searchsorted(classes, np.arange(taken.shape[1] + 1)), positive, curvatures)


def improved(samples, point, model, X):
    """Returns the next point: a step towards the optimum says how far to aim, a second one corrects its products."""
    newton = _Newton(samples, point, model, X)
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


class _Newton:
    """The linear system of a point, for any change of the products of slacks and duals.

    To first order in the change of weights D and threshold dz, a signed dual changes by  g + h (dz - <x, D>).  So the
    weights, which are scale times the sum of the signed duals times x, solve  (I/scale + X' h X) D = X' (g + h dz) + r
    for each class, and dz makes the signed duals sum to 0.
    """

    def __init__(self, samples, point, model, X):
        self.samples, self.point, self.X = samples, point, X
        self.sign = np.where(samples.positive, 1.0, -1.0)
        self.signed = self.sign * point.duals
        # What the constraints lack, and below what the weights lack. A step of length t leaves 1 - t of it, and
        # negatives that join add to it.
        self.lacking = self.sign * (point.scores - point.threshold) - point.slacks + samples.curvatures * point.duals
        self.lacking -= samples.positive
        self.residual = self._products(self.signed) - point.weights / model.scale
        self.divisor = point.slacks + samples.curvatures * point.duals
        self.h = point.duals / self.divisor
        self.systems = np.empty((len(point.weights), X.shape[1], X.shape[1]))
        for j, part, rows in samples.parts():
            self.systems[j] = _gram(X, rows, self.h[part], model)
        self.by_threshold = self._products(self.h)

    def _products(self, values):
        """Returns the sums (m, d) of the samples of each class, times these values."""
        return np.array([values[part] @ self.X[rows] for _, part, rows in self.samples.parts()])

    def step(self, change):
        """Returns the step, an Interior, for this change of slack times dual."""
        point = self.point
        g = self.sign * (change - point.duals * self.lacking) / self.divisor
        right = np.stack([self._products(g) + self.residual, self.by_threshold], axis=2)
        solved = np.linalg.solve(self.systems, right)
        D, towards = solved[..., 0], solved[..., 1]
        slope = self.h.sum() - np.sum(self.by_threshold * towards)
        missing = -self.signed.sum() - g.sum() + np.sum(self.by_threshold * D)
        dz = missing / slope
        D += dz * towards
        scores = np.concatenate([self.X[rows] @ D[j] for j, _, rows in self.samples.parts()])
        duals = self.sign * (g + self.h * (dz - scores))
        slacks = self.sign * (scores - dz) + self.samples.curvatures * duals + self.lacking
        return Interior(D, dz, scores, slacks, duals)


def _gram(X, rows, h, model):
    """Returns I/scale + X' diag(h) X. Rows that change no digit of it are left out: late, these are nearly all."""
    counts = h * model.examples.squared_norms[rows] * model.scale > np.finfo(np.float64).eps / max(len(h), 1)
    weighted = X[rows[counts]] * np.sqrt(h[counts])[:, None]
    gram = weighted.T @ weighted
    gram[np.diag_indices(len(gram))] += 1 / model.scale
    return gram
