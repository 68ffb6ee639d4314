"""Passes of coordinate ascent for the top-k entropy: one step for each example, one by one or in blocks.

A step reads the scores of its example, and changes them for all later examples. One by one, it computes x'W and then
adds to W: both run at the speed of the memory. In blocks, the scores of a block of examples are one matrix product,
and so is the change of W by all steps of the block. In between, a step changes the scores of the later examples of its
block by its inner products with them. The iterates are the same up to rounding.

The scores of an example get the changes of all earlier examples of the block just before its step. Four changes at a
time are added, so that the scores are read and written a quarter as often.
"""

from typing import NamedTuple

import numpy as np

from ..._shared.examples import TOGETHER, dense_add, dense_dot
from ..._shared.jit import borrowing_inlined, borrowing_kernel, inlined_sum
from ..weights import move_weights, scores_of_classes
from .step import best_shares

ALMOST_ONE = 1 - 2.0**-53


class EntropyLoss(NamedTuple):
    """The top-k entropy: k, r_i = s_i / (lambda n) of each example, and how short the last change of t has to be."""

    k: int
    radius: np.ndarray  # (n,)
    short: float


class EntropyDuals(NamedTuple):
    """The duals (n, m), and for each example the threshold and the number of rivals at the cap of its last step."""

    rows: np.ndarray
    thresholds: np.ndarray  # NaN before the first step
    at_cap: np.ndarray


@borrowing_kernel
def visit_one_by_one(examples, duals, weights, loss, rows, work):
    """One step for each example of `rows`, in this order. Returns the sum of radius times entropy of their shares."""
    entropy, m = 0.0, duals.rows.shape[1]
    for i in rows:
        scores_of_classes(examples.rows, i, weights, work.moved, work.scores)
        entropy += _entropy_step(examples.squared_norms[i], examples.labels[i], duals, i, loss, work)
        move_weights(examples, i, weights, work, m)
    return entropy


@borrowing_kernel
def visit_dense(X, examples, duals, weights, loss, rows, work):
    """The same for dense features X (n, d) and weights (m, d). It compiles in half the time."""
    entropy, m = 0.0, duals.rows.shape[1]
    for i in rows:
        for j in range(m):
            work.scores[j] = dense_dot(X[i], weights[j])
        entropy += _entropy_step(examples.squared_norms[i], examples.labels[i], duals, i, loss, work)
        for j in range(m):
            dense_add(X[i], weights[j], work.changes[j])
    return entropy


@borrowing_kernel
def visit_block(scores, products, rows, order, examples, duals, loss, changes, work):
    """The same for a block of the examples `rows`, in the order of their places in the block.

    `scores` are those at the begin of the block, and `products` the inner products of its examples. The changes of the
    duals are written to `changes`.
    """
    entropy, m = 0.0, duals.rows.shape[1]
    for a in range(len(order)):
        p = order[a]
        i = rows[p]
        own = scores[p]
        _add_earlier(products[p], order, a, changes, own)
        for j in range(m):
            work.scores[j] = own[j]
        entropy += _entropy_step(examples.squared_norms[i], examples.labels[i], duals, i, loss, work)
        own = changes[p]
        for j in range(m):
            own[j] = work.changes[j]
    return entropy


@inlined_sum
def _add_earlier(products, order, count, changes, scores):
    """Add the changes of the first `count` examples of the order, times their inner products, to the scores."""
    for first in range(0, count, TOGETHER):
        if first + TOGETHER > count:
            for a in range(first, count):
                dense_add(changes[order[a]], scores, products[order[a]])
            break
        p, q, s, t = order[first], order[first + 1], order[first + 2], order[first + 3]
        x0, x1, x2, x3 = products[p], products[q], products[s], products[t]
        c0, c1, c2, c3 = changes[p], changes[q], changes[s], changes[t]
        for j in range(len(scores)):
            scores[j] += (x0 * c0[j] + x1 * c1[j]) + (x2 * c2[j] + x3 * c3[j])


@borrowing_inlined
def _entropy_step(norm, label, duals, i, loss, work):
    """Maximise the dual over the duals of example i, given the scores of all classes. The changes are in `work`.

    Returns radius times the entropy of the new shares u. By Fenchel's equality, it is L(h) - <h, u> with the loss
    L = -log(1-sigma) at the scores after the step, where h is less by alpha (u + sigma).
    """
    row, r, changes, h, m = duals.rows[i], loss.radius[i], work.changes, work.b, len(work.b)
    if r == 0:
        for j in range(m):
            changes[j] = 0.0
        return 0.0
    _own_differences(work.scores, row, norm, label, h)
    alpha = r * norm
    u = work.scores
    duals.thresholds[i], duals.at_cap[i] = best_shares(
        h, m - 1, alpha, loss.k, duals.thresholds[i], duals.at_cap[i], loss.short, work.candidates, changes, u
    )
    sigma, products = _share_sums(u, h, alpha, m - 1)
    for j in range(label):
        changes[j] = -(r * u[j]) - row[j]
        row[j] = -(r * u[j])
    for j in range(label + 1, m):
        changes[j] = -(r * u[j - 1]) - row[j]
        row[j] = -(r * u[j - 1])
    changes[label] = r * sigma - row[label]
    row[label] = r * sigma
    return r * (alpha * sigma * sigma - products - np.log1p(-min(sigma, ALMOST_ONE)))


@inlined_sum
def _share_sums(u, h, alpha, n):
    """Returns (sum u, <u, h - alpha u>)."""
    sigma, products = 0.0, 0.0
    for c in range(n):
        sigma += u[c]
        products += u[c] * (h[c] - alpha * u[c])
    return sigma, products


@borrowing_inlined
def _own_differences(scores, row, norm, label, h):
    """Write s_j - s_y for the rivals, from the scores without the example's own part of the weights."""
    own = scores[label] - norm * row[label]
    for j in range(label):
        h[j] = (scores[j] - norm * row[j]) - own
    for j in range(label + 1, len(row)):
        h[j - 1] = (scores[j] - norm * row[j]) - own
