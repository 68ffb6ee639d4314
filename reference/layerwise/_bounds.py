"""Two bounds of each output of a network, as functions of the weights W of one layer; all other weights are fixed.

    lower(W) <= output(W) <= upper(W),  with equality at the current weights;  upper is convex, lower is concave.

The two bounds pass through the layers after that of W, one layer at a time:

    the layer of W:  its outputs are linear in W, so that both bounds are equal to them;
    affine map A:    A+ upper - A- lower  and  A+ lower - A- upper,  where A = A+ - A- is the split by sign;
    ReLU:            max(0, upper),  and lower where the unit is active at the current weights, 0 elsewhere;
    maximum:         the maximum of the uppers,  and the lower of the entry that is the largest at the current weights.

Each line keeps the claim. A nonnegative combination of convex functions is convex, and so is a maximum of convex
functions. max(0, f) >= f >= lower and max(0, f) >= 0, so either is a lower bound, and the active one is equal.
The concave-convex procedure writes each unit as u - v with convex u and v, and linearises v at the current weights.
For a ReLU, u' = max(u, v) and v' = v. Its upper bound is max(u - l, v - l), where l <= v is the linear function. So it
is nowhere below max(0, u - l), and the bounds here are at least as tight.
"""

import numpy as np

from ._network import apply


def patterns_of(steps, weights, outputs):
    """Returns, for each step after the trained layer, what is active at the current weights.

    `outputs` are those of the trained layer. The pattern is a mask for a ReLU, and the place of the first largest entry
    of each window for a maximum.
    """
    patterns, z = [], outputs
    for step in steps:
        is_max = step.kind == "max"
        patterns.append({"relu": z > 0, "max": z[:, step.table].argmax(axis=2) if is_max else None}.get(step.kind))
        z = apply(step, z, weights)
    return patterns


def bounds_of(steps, weights, patterns, outputs):
    """Returns the list of (upper, lower) before each step and after the last one."""
    trace = [(outputs, outputs)]
    for step, pattern in zip(steps, patterns, strict=True):
        upper, lower = trace[-1]
        if step.kind == "affine":
            W = weights[step.weights]
            plus, minus = np.maximum(W[:-1], 0), np.maximum(-W[:-1], 0)
            u, v = upper[:, step.table], lower[:, step.table]
            n = len(u)
            after = (u @ plus - v @ minus + W[-1]).reshape(n, -1), (v @ plus - u @ minus + W[-1]).reshape(n, -1)
        elif step.kind == "relu":
            after = np.maximum(upper, 0), np.where(pattern, lower, 0)
        else:
            chosen = np.take_along_axis(lower[:, step.table], pattern[:, :, None], axis=2)[:, :, 0]
            after = upper[:, step.table].max(axis=2), chosen
        trace.append(after)
    return trace


def slopes_of(steps, weights, patterns, trace, by_upper, by_lower):
    """Returns the slopes in the outputs of the trained layer of <by_upper, upper> + <by_lower, lower>.

    by_upper >= 0 >= by_lower, so that the sum is convex. `trace` is that of `bounds_of`.
    """
    for step, pattern, (upper, _) in zip(steps[::-1], patterns[::-1], trace[-2::-1], strict=True):
        if step.kind == "affine":
            W = weights[step.weights]
            plus, minus = np.maximum(W[:-1], 0), np.maximum(-W[:-1], 0)
            shape = (len(upper), len(step.table), W.shape[1])
            u, v = by_upper.reshape(shape), by_lower.reshape(shape)
            by_upper = _scattered(u @ plus.T - v @ minus.T, step.table, upper.shape)
            by_lower = _scattered(v @ plus.T - u @ minus.T, step.table, upper.shape)
        elif step.kind == "relu":
            by_upper, by_lower = by_upper * (upper > 0), by_lower * pattern
        else:
            by_upper = _sent_to(upper[:, step.table].argmax(axis=2), by_upper, step.table, upper.shape)
            by_lower = _sent_to(pattern, by_lower, step.table, upper.shape)
    return by_upper + by_lower


def _scattered(slopes, table, shape):
    """Returns the sums over all windows that hold an entry: the transpose of `z[:, table]`."""
    total = np.zeros(shape)
    np.add.at(total, (slice(None), table), slopes)
    return total


def _sent_to(places, slopes, table, shape):
    """Returns the slopes of maxima, each at the entry of its window that it was taken from."""
    total, windows = np.zeros(shape), np.arange(len(table))
    np.add.at(total, (np.arange(shape[0])[:, None], table[windows, places]), slopes)
    return total
