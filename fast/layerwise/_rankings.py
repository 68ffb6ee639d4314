"""Block-coordinate Frank-Wolfe with a block for each ranking, which keeps its planes and moves shares between them."""

import numpy as np

from .._shared.jit import kernel
from ..ranking import loss_augmented_inference, semigradient
from ._examples import exact_step
from ._tail import fill_bounds, pass_backward

SHARE = 0.1  # the planes of a block are equal up to this share of what the newest plane is above their combination
MOST_MOVES = 1000  # of shares after one inference
TIES = 2.0**-40  # planes tie after a move; of those that are equal but for this share of the largest, the first counts


class RankingBlocks:
    """The planes of all groups, their shares, and the weights W that belong to them."""

    def __init__(self, problem, y, trained):
        self.problem, self.y, self.trained, self.W0 = problem, y, trained, trained.W0
        self.curvature, self.inferences = problem.regularization + problem.proximity, 0
        total = trained.tail.starts[-1]
        self.upper, self.lower = np.empty((trained.n, total)), np.empty((trained.n, total))
        self.by_upper, self.by_lower = np.empty(total), np.empty(total)
        self.first, self.checked = trained.tail.starts[-2], None

    def start(self):
        """Go from the planes 0 towards those at W0. Returns the mean hinge at W0."""
        problem, shares = self.problem, self.problem.shares
        found = [self.plane(g, self.W0) for g in range(len(shares))]
        offset = sum(share * b for share, (b, _, _) in zip(shares, found, strict=True))
        slope = sum(share * a for share, (_, a, _) in zip(shares, found, strict=True))
        rise = float(offset + problem.proximity / self.curvature * np.sum(slope * self.W0))
        step = exact_step(rise, float(np.sum(slope**2) / self.curvature), 1.0)
        self.planes = [_Planes(share / np.sqrt(self.curvature), self.W0.size) for share in shares]
        for planes, (b, a, _) in zip(self.planes, found, strict=True):
            planes.add(0.0, np.zeros(self.W0.size), 0.0)
            planes.alpha[0] = 1.0
            planes.add(b, a.ravel(), step)
        return shares @ [value for _, _, value in found]

    def recompute(self):
        """Compute W from the planes."""
        slope = sum(share * planes.slope() for share, planes in zip(self.problem.shares, self.planes, strict=True))
        self.W = (self.problem.proximity * self.W0 - slope.reshape(self.W0.shape)) / self.curvature

    def penalty(self, W):
        """Returns lambda/2 |W|^2 + theta/2 |W - W0|^2."""
        problem = self.problem
        return float(problem.regularization / 2 * np.sum(W**2) + problem.proximity / 2 * np.sum((W - self.W0) ** 2))

    def dual(self):
        """Returns the lower bound that the planes prove."""
        offset = sum(share * planes.offset() for share, planes in zip(self.problem.shares, self.planes, strict=True))
        squares = self.problem.proximity * np.sum(self.W0**2) - self.curvature * np.sum(self.W**2)
        return float(offset + squares / 2)

    def mean_hinge(self, W):
        """Returns the mean of the convex hinges. Of a single group, the plane is kept for the next visit."""
        if len(self.planes) == 1:
            self.checked = self.plane(0, W)
            return self.checked[2]
        self.fill(0, self.trained.n, W)
        self.inferences += len(self.planes)
        scores = self.upper[:, self.first :], self.lower[:, self.first :]
        return self.problem.shares @ self.hinges_of(self.problem, self.y, *scores)

    def visit(self, order):
        """One epoch."""
        for g in order:
            b, a, _ = self.checked or self.plane(g, self.W)
            self.checked, share, planes = None, self.problem.shares[g], self.planes[g]
            change = a.ravel() - planes.slope()
            rise = float(share * (b - planes.offset() + change @ self.W.ravel()))
            step = exact_step(rise, float(share**2 * np.sum(change**2) / self.curvature), 1.0)
            before = planes.add(b, a.ravel(), step)
            W = self.W.ravel() - step * share / self.curvature * change
            W = W - share / self.curvature * planes.move_shares(share, W, SHARE * rise, before)
            self.W = W.reshape(self.W.shape)

    def fill(self, begin, end, W):
        """Fill the bounds of these rows."""
        trained, rows = self.trained, slice(begin, end)
        outputs = trained.outputs(W, begin, end)
        fill_bounds(trained.tail, outputs, trained.patterns[rows], self.upper[rows], self.lower[rows])

    def plane(self, g, W):
        """Returns (offset, slope, value) of the largest linear function of group g at W."""
        begin, end = self.problem.starts[g : g + 2]
        rows, trained, self.inferences = slice(begin, end), self.trained, self.inferences + 1
        self.fill(begin, end, W)
        y, scores = self.y[rows], np.where(self.y[rows], self.lower[rows, self.first], self.upper[rows, self.first])
        worst, by_scores = _worst(self.problem, y, scores)
        by_outputs = np.empty((end - begin, trained.positions * W.shape[1]))
        passes = self.by_upper, self.by_lower, by_outputs
        send_back(trained.tail, trained.patterns[rows], self.upper[rows], y, by_scores, *passes)
        value, slope = worst + float(by_scores @ scores), trained.slope(by_outputs, begin, end)
        return value - float(np.sum(slope * W)), slope, value

    @staticmethod
    def hinges_of(problem, y, upper, lower):
        """Returns the hinge of each group, given two bounds (n, 1) of the scores."""
        scores, values = np.where(y, lower[:, 0], upper[:, 0]), []
        for begin, end in zip(problem.starts[:-1], problem.starts[1:], strict=True):
            worst, by_scores = _worst(problem, y[begin:end], scores[begin:end])
            values.append(worst + by_scores @ scores[begin:end])
        return np.array(values)


def _worst(problem, y, scores):
    """Returns the loss of the ranking that attains the hinge, and the slopes in the scores."""
    p, n, by_scores = scores[y], scores[~y], np.empty(len(y))
    worst = loss_augmented_inference(p, n, problem.loss, method=problem.method)
    by_scores[y], by_scores[~y] = semigradient(p, n, worst.interleaving)
    return worst.loss, by_scores


class _Planes:
    """The planes of one group. `scale` times a slope has the curvature of the dual as its squared norm."""

    def __init__(self, scale, size):
        self.scale, self.count = scale, 0
        self.slopes, self.offsets, self.alpha = np.empty((8, size)), np.zeros(8), np.zeros(8)
        self.gram = np.zeros((8, 8))

    def add(self, offset, slope, step):
        """Add a plane with the share `step`; the other shares shrink. Returns the shares then, as a copy."""
        k = self.count
        if k == len(self.slopes):
            self._double()
        self.slopes[k], self.offsets[k], self.count = slope, offset, k + 1
        self.gram[k, : k + 1] = self.gram[: k + 1, k] = self.scale**2 * (self.slopes[: k + 1] @ slope)
        self.alpha[:k] *= 1 - step
        self.alpha[k] = step
        return self.alpha[: k + 1].copy()

    def _double(self):
        k = self.count
        slopes, gram = np.empty((2 * k, self.slopes.shape[1])), np.zeros((2 * k, 2 * k))
        slopes[:k], gram[:k, :k] = self.slopes, self.gram
        self.slopes, self.gram = slopes, gram
        self.offsets, self.alpha = np.append(self.offsets, np.zeros(k)), np.append(self.alpha, np.zeros(k))

    def slope(self):
        """Returns the slope of the convex combination."""
        return self.alpha[: self.count] @ self.slopes[: self.count]

    def offset(self):
        """Returns its offset."""
        return float(self.alpha[: self.count] @ self.offsets[: self.count])

    def move_shares(self, share, W, tolerance, before):
        """Maximise the dual over the convex combinations. Returns the change of the slope."""
        k = self.count
        values = share * (self.offsets[:k] + self.slopes[:k] @ W)
        move_until_equal(values, self.gram[:k, :k], self.alpha[:k], tolerance)
        return (self.alpha[:k] - before) @ self.slopes[:k]


@kernel
def move_until_equal(values, gram, alpha, tolerance):
    """Move shares from the plane with the lowest value to the one with the highest, until they are about equal."""
    tie = TIES * np.abs(values).max()
    for _ in range(MOST_MOVES):
        up, down = first_extremes(values, alpha, tie)
        rise = values[up] - values[down]
        if not rise > max(tolerance, tie):
            break
        step = exact_step(rise, gram[up, up] + gram[down, down] - 2 * gram[up, down], alpha[down])
        alpha[up] += step
        alpha[down] = 0.0 if step == alpha[down] else alpha[down] - step
        for i in range(len(values)):
            values[i] -= step * (gram[i, up] - gram[i, down])


@kernel
def first_extremes(values, alpha, tie):
    """Returns the first index with the highest value, and the first with the lowest one of a positive share."""
    most, least = -np.inf, np.inf
    for i in range(len(values)):
        most = max(most, values[i])
        least = min(least, values[i]) if alpha[i] > 0 else least
    up, down = -1, -1
    for i in range(len(values) - 1, -1, -1):
        up = i if values[i] >= most - tie else up
        down = i if alpha[i] > 0 and values[i] <= least + tie else down
    return up, down


@kernel
def send_back(tail, patterns, upper, y, by_scores, by_upper, by_lower, by_outputs):
    """Write the slopes in the outputs of the trained layer, from those in the scores."""
    width = by_outputs.shape[1]
    for i in range(len(y)):
        by_upper[-1] = 0.0 if y[i] else by_scores[i]
        by_lower[-1] = by_scores[i] if y[i] else 0.0
        pass_backward(tail, patterns[i], upper[i], by_upper, by_lower)
        by_outputs[i] = by_upper[:width] + by_lower[:width]
