"""Passes over the examples, with one dual step for each, and the look at all examples that certifies the gap."""

from typing import NamedTuple

import numpy as np

from .._shared.examples import Examples, add_products, dense_add, dense_dot, is_dense
from .._shared.jit import borrowing_inlined, borrowing_kernel
from .dual_step import write_best_row
from .rows import count_positives, entropy_of_row, hinge_of_row


class MultilabelProblem(NamedTuple):
    """The examples, whose labels are not used; their positives; the loss; and the radius of each dual domain."""

    examples: Examples
    Y: np.ndarray  # (n, m) bool
    loss: int
    smoothing: float
    radii: np.ndarray  # (n,), 0 for examples without a loss


@borrowing_kernel
def visit_in_order(problem, duals, weights, order, work):
    """One step for each example. The weights are (m, d) for dense examples and (d, m) for CSR."""
    for i in order:
        radius = problem.radii[i]
        if radius > 0:
            member, row, best = problem.Y[i], duals[i], work.changes
            _write_scores(problem.examples.rows, i, weights, work.scores)
            write_best_row(
                problem.loss, problem.smoothing, work.scores, row, problem.examples.squared_norms[i], member,
                count_positives(member), radius, best, work,
            )  # fmt: skip
            for j in range(len(row)):
                change = best[j] - row[j]
                row[j], best[j] = best[j], change
            _add_changes(problem.examples.rows, i, weights, best)


@borrowing_inlined
def _write_scores(rows, i, weights, out):
    start, end = rows.starts[i], rows.starts[i + 1]
    values = rows.values[start:end]
    if is_dense(rows):
        for j in range(len(out)):
            out[j] = dense_dot(values, weights[j])
    else:
        for j in range(len(out)):
            out[j] = 0.0
        add_products(values, rows.columns[start:end], weights, out)


@borrowing_inlined
def _add_changes(rows, i, weights, changes):
    start, end = rows.starts[i], rows.starts[i + 1]
    values = rows.values[start:end]
    if is_dense(rows):
        for j in range(len(changes)):
            if changes[j] != 0:
                dense_add(values, weights[j], changes[j])
    else:
        columns = rows.columns[start:end]
        for e in range(len(values)):
            x, w = values[e], weights[columns[e]]
            for j in range(len(changes)):
                w[j] += changes[j] * x


@borrowing_kernel
def look_at_hinges(problem, duals, scores, first, work):
    """Returns the sums of r L and of what the duals give, over the examples first, first + 1, ... with these scores.

    The loss is the hinge.
    """
    total, gain = 0.0, 0.0
    for p in range(len(scores)):
        i = first + p
        radius, member, row = problem.radii[i], problem.Y[i], work.scores
        if radius > 0:
            for j in range(len(row)):
                row[j] = scores[p, j]
            total += radius * hinge_of_row(row, member, problem.smoothing, work)
            gain += hinge_gain(duals[p], problem.smoothing / radius)
    return total, gain


@borrowing_kernel
def look_at_entropies(problem, duals, scores, first, work):
    """Returns the same for the entropy. In a kernel of its own, so that hinges need not compile it."""
    total, gain = 0.0, 0.0
    for p in range(len(scores)):
        i = first + p
        radius, member, row = problem.radii[i], problem.Y[i], work.scores
        if radius > 0:
            for j in range(len(row)):
                row[j] = scores[p, j]
            positives = count_positives(member)
            total += radius * entropy_of_row(row, member, positives)
            gain += radius * _entropy_of_duals(duals[p], member, positives, radius)
    return total, gain


@borrowing_inlined
def hinge_gain(duals, smoothing_over_radius):
    """Returns what a row of duals gives: |a|_1 / 2 - smoothing/(2 r) |a|^2."""
    gain = 0.0
    for j in range(len(duals)):
        gain += 0.5 * (abs(duals[j]) - smoothing_over_radius * duals[j] ** 2)
    return gain


@borrowing_inlined
def _entropy_of_duals(duals, member, positives, radius):
    """Returns H(p) for p = tau - a / r. The p of a positive is tau (1 - share), whose logarithm is that of both."""
    entropy, log_positives = 0.0, np.log(float(positives))
    for j in range(len(duals)):
        if member[j]:
            share = duals[j] * positives / radius
            if share < 1:
                entropy += (1 - share) * (log_positives - np.log1p(-share)) / positives
        elif duals[j] < 0:
            p = -duals[j] / radius
            entropy -= p * np.log(p)
    return entropy
