"""The convex problem of one layer, by block-coordinate Frank-Wolfe with exact line searches, to a certified gap.

    min_W  c + lambda/2 |W|^2 + theta/2 |W - W0|^2 + sum_g share_g h_g(W)

h_g is the hinge of block g at the bounds of its scores: convex, and a maximum of linear functions offset + <slope, W>,
one for each pattern of units and each wrong answer. A pass forward finds the largest of them at given weights, a pass
backward its slope. A block keeps a convex combination (b_g, a_g) of such planes. The dual of the combinations is

    D = c + sum_g share_g b_g + theta/2 |W0|^2 - (lambda + theta)/2 |W|^2
    W = (theta W0 - sum_g share_g a_g) / (lambda + theta)

In English:

    Find the planes at W0. All blocks go the same way from the plane 0 towards them, as far as the dual rises.
    In each epoch, compute the primal and the dual at W, and stop if they meet.
    Then visit the blocks in turn. Find the plane at W, and go towards it, as far as the dual rises.
    A ranking is a block of many examples, and there are few. Such a block keeps its planes. It also moves shares from
    the plane that is the lowest at W to the highest one, as far as the dual rises, until they are about equal.
"""

from typing import NamedTuple

import numpy as np

from ..problems import checks
from ..problems.layerwise import RANKED

SHARE = 0.1  # the planes of a block are equal up to this share of what the newest plane is above their combination
MOST_MOVES = 1000  # of shares after one inference
TIES = 2.0**-40  # planes tie after a move; of those that are equal but for this share of the largest, the first counts


class Minimum(NamedTuple):
    """The best weights, and what proves them."""

    weights: np.ndarray
    primal: float
    dual: float
    gap: float
    epochs: int


def minimise(layer, W0, problem, rest):
    """Returns the Minimum for the convex problem of a layer, a `TrainedLayer`. `rest` is c."""
    blocks = _Blocks(layer, W0, problem, rest)
    best, epochs = (blocks.primal(W0, blocks.first_hinges), W0), 0
    while True:
        W = blocks.weights().astype(problem.X.dtype).astype(np.float64)  # as they are returned
        planes = [layer.plane(0, W)] if blocks.count == 1 else []
        hinges = np.array([planes[0][0] + np.sum(planes[0][1] * W)]) if planes else layer.hinges(W)
        best = min(best, (blocks.primal(W, hinges), W), key=lambda pair: pair[0])
        dual = blocks.dual()
        gap = checks.relative_gap(best[0], dual)
        if gap <= problem.tol or epochs == problem.max_epochs:
            return Minimum(best[1], best[0], min(dual, best[0]), gap, epochs)
        epochs += 1
        for g in problem.generator.permutation(blocks.count):
            blocks.visit(g, planes.pop() if planes else layer.plane(g, blocks.W))


class _Blocks:
    """The planes of all blocks, their shares, and the weights W that belong to them."""

    def __init__(self, layer, W0, problem, rest):
        self.problem, self.W0, self.rest, self.count = problem, W0, rest, len(problem.shares)
        self.curvature = problem.regularization + problem.proximity
        self.keeps = problem.loss in RANKED
        planes = [layer.plane(g, W0) for g in range(self.count)]
        offset = sum(share * b for share, (b, _) in zip(problem.shares, planes, strict=True))
        slope = sum(share * a for share, (_, a) in zip(problem.shares, planes, strict=True))
        centre = problem.proximity * W0 / self.curvature
        step = _step(offset + np.sum(slope * centre), np.sum(slope**2) / self.curvature, 1.0)
        self.first_hinges = np.array([b + np.sum(a * W0) for b, a in planes])
        zero = (0.0, np.zeros_like(W0))
        self.planes = [[zero, plane] for plane in planes]
        self.alphas = [np.array([1 - step, step]) for _ in planes]
        self.W = self.weights()

    def combination(self, g):
        """Returns (b_g, a_g)."""
        pairs = list(zip(self.alphas[g], self.planes[g], strict=True))
        return sum(alpha * b for alpha, (b, _) in pairs), sum(alpha * a for alpha, (_, a) in pairs)

    def weights(self):
        """Returns W, computed from the planes."""
        slope = sum(share * self.combination(g)[1] for g, share in enumerate(self.problem.shares))
        self.W = (self.problem.proximity * self.W0 - slope) / self.curvature
        return self.W

    def primal(self, W, hinges):
        """Returns the objective of the convex problem."""
        problem = self.problem
        penalty = problem.regularization / 2 * np.sum(W**2) + problem.proximity / 2 * np.sum((W - self.W0) ** 2)
        return float(self.rest + penalty + problem.shares @ hinges)

    def dual(self):
        """Returns the lower bound that the combinations of planes prove."""
        offset = sum(share * self.combination(g)[0] for g, share in enumerate(self.problem.shares))
        squares = self.problem.proximity * np.sum(self.W0**2) - self.curvature * np.sum(self.W**2)
        return float(self.rest + offset + squares / 2)

    def visit(self, g, plane):
        """Go from the combination of block g towards this plane. A block that keeps planes moves their shares, too."""
        share, (b, a) = self.problem.shares[g], self.combination(g)
        rise = share * (plane[0] - b + np.sum((plane[1] - a) * self.W))
        step = _step(rise, share**2 * np.sum((plane[1] - a) ** 2) / self.curvature, 1.0)
        if self.keeps:
            self.planes[g].append(plane)
            self.alphas[g] = np.append((1 - step) * self.alphas[g], step)
        else:
            self.planes[g] = [((1 - step) * b + step * plane[0], (1 - step) * a + step * plane[1])]
            self.alphas[g] = np.ones(1)
        self.W = self.W - step * share / self.curvature * (plane[1] - a)
        if self.keeps:
            self._move_shares(g, SHARE * rise)

    def _move_shares(self, g, tolerance):
        """Maximise the dual over the convex combinations of the planes of block g, up to `tolerance`."""
        share, alpha = self.problem.shares[g], self.alphas[g]
        slopes = share * np.array([a.ravel() for _, a in self.planes[g]])
        gram, before = slopes @ slopes.T / self.curvature, alpha.copy()
        value = share * np.array([b for b, _ in self.planes[g]]) + slopes @ self.W.ravel()
        tie = TIES * np.abs(value).max()
        for _ in range(MOST_MOVES):
            lowest = value[alpha > 0].min()
            up = int((value >= value.max() - tie).argmax())
            down = int(((alpha > 0) & (value <= lowest + tie)).argmax())
            rise = value[up] - value[down]
            if not rise > max(tolerance, tie):
                break
            step = _step(rise, gram[up, up] + gram[down, down] - 2 * gram[up, down], alpha[down])
            alpha[up] += step
            alpha[down] = 0.0 if step == alpha[down] else alpha[down] - step
            value -= step * (gram[up] - gram[down])
        self.W = self.W - ((alpha - before) @ slopes).reshape(self.W.shape) / self.curvature


def _step(rise, bend, most):
    """Returns the step in 0..most that maximises step * rise - step^2/2 * bend."""
    return most if rise >= bend * most and rise > 0 else max(rise, 0.0) / bend if bend > 0 else 0.0
