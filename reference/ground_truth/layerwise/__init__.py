"""Networks unit by unit, the split into convex functions, and the convex problem of one layer for CVXPY.

Slow and obviously right, for a dozen examples and a few units. `reference.layerwise` explains the arguments. Units are
visited in loops, and never by tables of indices. Patterns of active units and rankings are enumerated.
"""

from functools import cache
from itertools import permutations, product

import numpy as np

from ...problems import layerwise as problems
from .._solver import cp, solve
from ..ranking import rank_loss


def network_scores(X, layers, weights):
    """Returns the outputs (n, m) of the network."""
    X, weights, inputs, network = problems.network_scores(X, layers, weights)
    return np.array([_forward(x, network, weights)[-1] for x in inputs]).astype(X.dtype)


def objective(X, y, layers, weights, *, loss="multiclass", groups=None, regularization):
    """Returns ``regularization/2 |W|^2 + the mean hinge``, with all rankings tried."""
    problem = problems.fit_layerwise(X, y, layers, loss=loss, groups=groups, regularization=regularization)
    weights = [np.asarray(part, np.float64) for part in weights]
    scores = np.array([_forward(x, problem.network, weights)[-1] for x in problem.inputs[problem.rows]])
    total = regularization / 2 * sum(np.sum(part**2) for part in weights)
    for first, end, share in zip(problem.starts[:-1], problem.starts[1:], problem.shares, strict=True):
        y_block = problem.y[problem.rows[first:end]]
        total += share * max(terms(loss, y_block, scores[first:end], scores[first:end]))
    return float(total)


def terms(loss, y, upper, lower):
    """Returns the list of terms of which the hinge of a block is the maximum. Entries are numbers or expressions."""
    if loss == "multiclass":
        return [0.0] + [1 + upper[0][j] - lower[0][y[0]] for j in range(len(upper[0])) if j != y[0]]
    if loss == "zero_one":
        return [0.0, 1 - lower[0][0] if y[0] else 1 + upper[0][0]]
    p, n = [lower[i][0] for i in np.flatnonzero(y)], [upper[i][0] for i in np.flatnonzero(~y)]
    return [
        lost + sum((2 / (len(p) * len(n)) * (n[j] - p[i]) for i, j in wrong), 0.0)
        for lost, wrong in _rankings(len(p), len(n), loss)
    ]


@cache
def _rankings(P, N, loss):
    """Returns the loss and the wrong pairs of each order of P positives and N negatives."""
    found = {}
    for order in permutations(range(P + N)):
        place = np.argsort(order)
        wrong = tuple((i, j) for i, j in product(range(P), range(N)) if place[i] > place[P + j])
        if wrong not in found:
            ranks = np.array([1 + sum((i, j) not in wrong for i in range(P)) for j in range(N)])
            found[wrong] = rank_loss(ranks, P, loss)
    return [(lost, wrong) for wrong, lost in found.items()]


def bounds(x, layers, weights, k, W):
    """Returns (upper, lower): lists of the bounds of the outputs for one example, for weights W of layer k.

    W is an array, or a variable of CVXPY, whose rules then prove that `upper` is convex and `lower` concave.
    """
    inputs = _forward(x, layers, weights)
    count, upper, lower = -1, None, None
    for number, layer in enumerate(layers):
        last, now = number == len(layers) - 1, inputs[number + 1]
        if layer.kind == "pool":
            if upper is not None:
                before = inputs[number]
                windows = [_pixels(layer, unit) for unit in range(int(np.prod(layer.after)))]
                lower = [lower[max(window, key=lambda i: (before[i], -i))] for window in windows]
                upper = [_maximum([upper[i] for i in window]) for window in windows]
            continue
        count += 1
        if count == k:
            upper = lower = _linear(layer, inputs[number], inputs[number], W)[0]
        elif upper is not None:
            upper, lower = _linear(layer, upper, lower, weights[count])
        if upper is not None and not last:
            lower = [bound if active > 0 else 0.0 for bound, active in zip(lower, now, strict=True)]
            upper = [_maximum([0.0, bound]) for bound in upper]
    return upper, lower


def enumerated_upper(x, layers, weights, k, W):
    """Returns the upper bounds of a dense network as maxima over all patterns of active units, each linear in W."""
    inputs, hidden = _forward(x, layers, weights), [layer.after[0] for layer in layers[k:-1]]
    best = None
    for pattern in product((0, 1), repeat=sum(hidden)):
        upper = lower = _linear(layers[k], inputs[k], inputs[k], W)[0]
        given = list(pattern)
        for number in range(k, len(layers) - 1):
            now = inputs[number + 1]
            on, given = given[: len(now)], given[len(now) :]
            upper = [u if active else 0.0 for u, active in zip(upper, on, strict=True)]
            lower = [v if active > 0 else 0.0 for v, active in zip(lower, now, strict=True)]
            upper, lower = _linear(layers[number + 1], upper, lower, weights[number + 1])
        best = upper if best is None else [max(a, b) for a, b in zip(best, upper, strict=True)]
    return best


def split(x, layers, weights, k, W):
    """Returns (u, v), lists of convex functions of W such that the outputs for one example are u - v."""
    inputs, count, u = _forward(x, layers, weights), -1, None
    v = None
    for number, layer in enumerate(layers):
        if layer.kind == "pool":
            if u is not None:
                windows = [_pixels(layer, unit) for unit in range(int(np.prod(layer.after)))]
                total = [sum(v[i] for i in window) for window in windows]
                u = [_maximum([u[i] + s - v[i] for i in w]) for w, s in zip(windows, total, strict=True)]
                v = total
            continue
        count += 1
        if count == k:
            u = _linear(layer, inputs[number], inputs[number], W)[0]
            v = [0.0] * len(u)
        elif u is not None:
            # A u - A v = (A+ u + A- v) - (A- u + A+ v)
            zero = [0.0] * len(u)
            plain = np.vstack([weights[count][:-1], np.zeros(weights[count].shape[1])])
            up, down = _linear(layer, u, [-b for b in v], weights[count]), _linear(layer, zero, [-b for b in u], plain)
            opposite = _linear(layer, v, zero, plain)
            u, v = up[0], [a + b for a, b in zip(down[0], opposite[0], strict=True)]
        if u is not None and number < len(layers) - 1:
            u = [_maximum([a, b]) for a, b in zip(u, v, strict=True)]
    return u, v


def convex_minimum(
    X, y, layers, weights, k, *, loss="multiclass", groups=None, regularization, proximity=0.0
):  # fmt: skip
    """Returns (W, the minimum) of the convex problem of layer k at these weights, by CVXPY."""
    problem = problems.fit_layerwise(X, y, layers, loss=loss, groups=groups, regularization=regularization)
    W, total, constraints = cp.Variable(weights[k].shape), 0.0, []
    for first, end, share in zip(problem.starts[:-1], problem.starts[1:], problem.shares, strict=True):
        y_block, m = problem.y[problem.rows[first:end]], problem.network[-1].after[0]
        above, below = cp.Variable((end - first, m)), cp.Variable((end - first, m))
        for i, row in enumerate(problem.rows[first:end]):
            upper, lower = bounds(problem.inputs[row], problem.network, weights, k, W)
            constraints += [above[i, j] >= upper[j] for j in range(m)] + [below[i, j] <= lower[j] for j in range(m)]
        offsets, by_above, by_below = _linear_terms(loss, y_block, m)
        total += share * cp.max(offsets + by_above @ cp.vec(above, "C") + by_below @ cp.vec(below, "C"))
    others = sum(np.sum(part**2) for j, part in enumerate(weights) if j != k)
    total += regularization / 2 * (cp.sum_squares(W) + others) + proximity / 2 * cp.sum_squares(W - weights[k])
    minimum = solve(cp.Problem(cp.Minimize(total), constraints))
    return W.value, minimum


def _linear_terms(loss, y, m):
    """Returns (offsets, slopes in the uppers, slopes in the lowers) of the terms of a block, one a row."""
    zero, size = np.zeros((len(y), m)), len(y) * m
    offsets = np.array(terms(loss, y, zero, zero))
    units = np.eye(size).reshape(size, len(y), m)
    by_upper = np.array([np.array(terms(loss, y, unit, zero)) - offsets for unit in units]).T
    return offsets, by_upper, np.array([np.array(terms(loss, y, zero, unit)) - offsets for unit in units]).T


def _forward(x, layers, weights):
    """Returns the inputs of each layer and the outputs of the last, for one example."""
    values, rest = [np.asarray(x, np.float64)], list(weights)
    for layer in layers:
        if layer.kind == "pool":
            units = range(int(np.prod(layer.after)))
            values.append(np.array([max(values[-1][i] for i in _pixels(layer, unit)) for unit in units]))
        else:
            out = np.array(_linear(layer, values[-1], values[-1], rest.pop(0))[0])
            values.append(np.maximum(out, 0) if rest else out)
    return values


def _linear(layer, upper, lower, W):
    """Returns the two bounds of an affine layer. Units take the same bound for positive weights, else the other one."""
    fixed = isinstance(W, np.ndarray)
    above, below = [], []
    for position in _positions(layer):
        for unit in range(layer.after[-1]):
            up = down = W[W.shape[0] - 1, unit]
            for row, i in enumerate(position):
                swapped = fixed and W[row, unit] < 0
                up = up + W[row, unit] * (lower[i] if swapped else upper[i])
                down = down + W[row, unit] * (upper[i] if swapped else lower[i])
            above.append(up)
            below.append(down)
    return above, below


def _positions(layer):
    """Yields the indices of the inputs that each position of a dense or convolutional layer reads."""
    if layer.kind == "dense":
        yield range(int(np.prod(layer.before)))
        return
    _, width, channels = layer.before
    for row, column in product(range(layer.after[0]), range(layer.after[1])):
        yield [
            ((row + r) * width + column + c) * channels + channel
            for r, c, channel in product(range(layer.size), range(layer.size), range(channels))
        ]


def _pixels(layer, unit):
    """Returns the indices of the window of one maximum."""
    _, width, channels = layer.before
    pixel, channel = divmod(unit, channels)
    row, column = divmod(pixel, layer.after[1])
    corners = product(range(layer.size), range(layer.size))
    return [((row * layer.size + r) * width + column * layer.size + c) * channels + channel for r, c in corners]


def _maximum(values):
    """Returns the maximum of numbers or of expressions."""
    if any(isinstance(value, cp.Expression) for value in values):
        return cp.maximum(*values) if len(values) > 1 else values[0]
    return max(values)
