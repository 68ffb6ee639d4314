"""Block-coordinate Frank-Wolfe with a block for each example: the hinge of Crammer and Singer, or of its sign.

The plane of example i has the slope P_i' delta_i in the weights, where P_i are its patches, and delta_i is the slope in
the outputs of the trained layer. All that is kept of the block is delta_i and the offset.
"""

import numpy as np

from .._shared.jit import kernel
from ._tail import fill_bounds, pass_backward, pass_forward

TIES = 2.0**-40  # of the margin 1: a hinge up to this counts as 0, and rivals that differ by less are equal


class ExampleBlocks:
    """The planes of all examples, and the weights W that belong to them."""

    def __init__(self, problem, y, trained):
        self.problem, self.trained, self.W0 = problem, trained, trained.W0
        self.y, self.multiclass = y.astype(np.int64), problem.loss == "multiclass"
        self.curvature, self.inferences = problem.regularization + problem.proximity, 0
        squares = np.einsum("ij,ij->i", trained.patches, trained.patches)
        self.norms = squares if trained.positions == 1 else np.zeros(0)

    def start(self):
        """Go from the planes 0 towards those at W0. Returns the mean hinge at W0."""
        trained, problem = self.trained, self.problem
        outputs = trained.outputs(self.W0)
        self.deltas, values = np.empty_like(outputs), np.empty(len(outputs))
        fill_planes(trained.tail, outputs, trained.patterns, self.y, self.multiclass, self.deltas, values)
        self.offsets = values - np.einsum("ij,ij->i", self.deltas, outputs)
        self.inferences += len(values)
        slope = trained.slope(problem.shares[:, None] * self.deltas)
        rise = problem.shares @ self.offsets + problem.proximity / self.curvature * np.sum(slope * self.W0)
        step = exact_step(float(rise), float(np.sum(slope**2) / self.curvature), 1.0)
        self.deltas *= step
        self.offsets *= step
        return problem.shares @ values

    def recompute(self):
        """Compute W from the planes."""
        slope = self.trained.slope(self.problem.shares[:, None] * self.deltas)
        self.W = (self.problem.proximity * self.W0 - slope) / self.curvature

    def penalty(self, W):
        """Returns lambda/2 |W|^2 + theta/2 |W - W0|^2."""
        problem = self.problem
        return float(problem.regularization / 2 * np.sum(W**2) + problem.proximity / 2 * np.sum((W - self.W0) ** 2))

    def dual(self):
        """Returns the lower bound that the planes prove."""
        squares = self.problem.proximity * np.sum(self.W0**2) - self.curvature * np.sum(self.W**2)
        return float(self.problem.shares @ self.offsets + squares / 2)

    def mean_hinge(self, W):
        """Returns the mean of the convex hinges."""
        trained, total = self.trained, self.trained.tail.starts[-1]
        upper, lower = np.empty((trained.n, total)), np.empty((trained.n, total))
        fill_bounds(trained.tail, trained.outputs(W), trained.patterns, upper, lower)
        first = trained.tail.starts[-2]
        self.inferences += trained.n
        return self.problem.shares @ example_hinges(upper[:, first:], lower[:, first:], self.y, self.multiclass)

    def visit(self, order):
        """One epoch."""
        trained, W, patches = self.trained, np.ascontiguousarray(self.W), self.trained.patches
        patches = patches.reshape(trained.n, trained.positions, -1)
        problem, self.inferences = self.problem, self.inferences + len(order)
        labels = self.y, self.multiclass, problem.shares, self.curvature
        visit_examples(order, trained.tail, trained.patterns, patches, self.norms, labels, self.deltas, self.offsets, W)
        self.W = W


@kernel
def exact_step(rise, bend, most):
    """Returns the step in 0..most that maximises step * rise - step^2/2 * bend."""
    if not rise > 0:
        return 0.0
    return most if rise >= bend * most else rise / bend


@kernel
def example_hinges(upper, lower, y, multiclass):
    """Returns the hinge of each example, given two bounds (n, outputs) of its scores."""
    values = np.empty(len(y))
    for i in range(len(y)):
        values[i] = example_hinge(upper[i], lower[i], y[i], multiclass)[0]
    return values


@kernel
def example_hinge(upper, lower, y, multiclass):
    """Returns the hinge, and the place of the upper and of the lower bound that grow and lower it; -1 for none."""
    if not multiclass:
        value = 1 - lower[0] if y else 1 + upper[0]
        rival, own = -1 if y else 0, 0 if y else -1
    else:
        best, rival = -np.inf, -1
        for j in range(len(upper)):
            best = max(best, upper[j]) if j != y else best
        for j in range(len(upper) - 1, -1, -1):
            rival = j if j != y and upper[j] >= best - TIES * max(1.0, abs(best)) else rival
        value, own = 1 + upper[rival] - lower[y], y
    return (value, rival, own) if value > TIES else (0.0, -1, -1)


@kernel
def plane_of(tail, pattern, y, multiclass, upper, lower, by_upper, by_lower):
    """Fill the bounds and the slopes of one example. Returns its hinge."""
    pass_forward(tail, pattern, upper, lower)
    first = tail.starts[-2]
    value, rival, own = example_hinge(upper[first:], lower[first:], y, multiclass)
    if value > 0:
        by_upper[first:] = 0
        by_lower[first:] = 0
        if rival >= 0:
            by_upper[first + rival] = 1
        if own >= 0:
            by_lower[first + own] = -1
        pass_backward(tail, pattern, upper, by_upper, by_lower)
    else:
        by_upper[:] = 0
        by_lower[:] = 0
    return value


@kernel
def fill_planes(tail, outputs, patterns, y, multiclass, deltas, values):
    """Write the hinge of each example, and its slope in the outputs of the trained layer."""
    total, width = tail.starts[-1], outputs.shape[1]
    upper, lower, by_upper, by_lower = np.empty(total), np.empty(total), np.empty(total), np.empty(total)
    for i in range(len(y)):
        upper[:width] = outputs[i]
        lower[:width] = outputs[i]
        values[i] = plane_of(tail, patterns[i], y[i], multiclass, upper, lower, by_upper, by_lower)
        deltas[i] = by_upper[:width] + by_lower[:width]


@kernel
def visit_examples(order, tail, patterns, patches, norms, labels, deltas, offsets, W):
    """Go towards the plane at W of each example in turn, and move W. `norms` is empty for a convolution."""
    y, multiclass, shares, curvature = labels
    total, positions, units = tail.starts[-1], patches.shape[1], W.shape[1]
    upper, lower, by_upper, by_lower = np.empty(total), np.empty(total), np.empty(total), np.empty(total)
    width, change = positions * units, np.empty(positions * units)
    direction = np.zeros(W.shape if norms.size == 0 else (0, 0))
    for i in order:
        write_outputs(patches[i], W, upper)
        lower[:width] = upper[:width]
        value = plane_of(tail, patterns[i], y[i], multiclass, upper, lower, by_upper, by_lower)
        offset, along, size = value, 0.0, 0.0
        for k in range(width):
            slope = by_upper[k] + by_lower[k]
            change[k] = slope - deltas[i, k]
            offset -= slope * upper[k]
            along += change[k] * upper[k]
            size += change[k] ** 2
        if norms.size:
            size *= norms[i]
        else:
            direction[:] = 0
            add_outer(patches[i], change, 1.0, direction)
            size = np.sum(direction**2)
        rise = shares[i] * (offset - offsets[i] + along)
        step = exact_step(rise, shares[i] ** 2 * size / curvature, 1.0)
        deltas[i] += step * change
        offsets[i] += step * (offset - offsets[i])
        if norms.size:
            add_outer(patches[i], change, -step * shares[i] / curvature, W)
        else:
            W -= step * shares[i] / curvature * direction


@kernel
def write_outputs(patches, W, outputs):
    """Write the outputs of the trained layer for one example."""
    units = W.shape[1]
    for position in range(len(patches)):
        out = outputs[position * units : (position + 1) * units]
        out[:] = 0
        for q in range(len(W)):
            x = patches[position, q]
            if x != 0:
                for u in range(units):
                    out[u] += x * W[q, u]


@kernel
def add_outer(patches, by_outputs, factor, total):
    """Add factor * patches' by_outputs to the total."""
    units = total.shape[1]
    for position in range(len(patches)):
        for q in range(len(total)):
            x = factor * patches[position, q]
            if x != 0:
                for u in range(units):
                    total[q, u] += x * by_outputs[position * units + u]
