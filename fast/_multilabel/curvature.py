"""Smoothed multilabel losses, their duals and their curvature: the kernels of `newton`.

The loss of an example, times its radius r, is the maximum over rows of duals a of f(a) - <a, s>. With a centre c and
sigma > 0, the `proximity_over_radius`, the smoothed loss subtracts sigma/2 |a - c|^2. Its gradient in the scores is -a.
For the hinge, the maximiser is a projection, which moves linearly with the scores as long as it stays in its face: only
the duals that are not 0 move, and their sum over the positives and negatives stays 0. If the sum over the positives is
r, this stays, too. So the curvature is 1 / (sigma + smoothing/r) times the projection that subtracts the mean over all
duals that move, or the means over the positives and over the negatives apart. That of the entropy is r (diag p - p p'),
and sigma is 0.
"""

import numpy as np

from .._shared.jit import borrowing_inlined, borrowing_kernel
from .dual_step import write_hinge_row
from .rows import HINGE, count_positives, hinge_of_row
from .steps import hinge_gain

AT_RADIUS = 1 - 1e-12  # a sum of duals of at least this share of the radius is at the radius


@borrowing_kernel
def write_smoothed_duals(problem, scores, centre, proximity_over_radius, out, work):
    """Write the maximisers for the hinge. Returns the sums over the examples of r L and of f(a)."""
    loss, gain = 0.0, 0.0
    for i in range(len(scores)):
        radius, member, row = problem.radii[i], problem.Y[i], work.scores
        if radius == 0:
            continue
        for j in range(len(row)):
            row[j] = scores[i, j]
        loss += radius * hinge_of_row(row, member, problem.smoothing, work)
        for j in range(len(row)):
            row[j] -= proximity_over_radius * centre[i, j]
        write_hinge_row(problem.smoothing, row, proximity_over_radius, member, radius, out[i], work)
        gain += hinge_gain(out[i], problem.smoothing / radius)
    return loss, gain


@borrowing_kernel
def write_softmax_duals(problem, scores, out):
    """Write the maximisers for the entropy, a = r (tau - softmax(s)). Returns the sums of r L and of f(a) = r H(p).

    One exponential a score: log1p keeps the digits of a small loss, and the sum over the negatives those of the dual of
    an only positive.
    """
    loss, gain = 0.0, 0.0
    for i in range(len(scores)):
        radius, member, row = problem.radii[i], problem.Y[i], out[i]
        if radius == 0:
            continue
        positives, best, last, others, of_negatives = count_positives(member), 0, 0, 0.0, 0.0
        for j in range(len(row)):
            if scores[i, j] > scores[i, best]:
                best = j
        for j in range(len(row)):
            row[j] = np.exp(scores[i, j] - scores[i, best])
            others += row[j] if j != best else 0.0
        share, own = radius / positives, radius * np.log1p(others)
        loss, gain = loss + own, gain + own
        for j in range(len(row)):
            below = scores[i, best] - scores[i, j]
            row[j] *= -radius / (1 + others)
            gain -= row[j] * below
            if member[j]:
                row[j], loss, last = row[j] + share, loss + share * below, j
            else:
                of_negatives += row[j]
        if positives == 1:
            row[last] = -of_negatives
    return loss, gain


@borrowing_kernel
def write_diagonal(problem, duals, proximity_over_radius, out):
    """Write the diagonals of the curvatures."""
    for i in range(len(duals)):
        radius, member, row = problem.radii[i], problem.Y[i], out[i]
        for j in range(len(row)):
            row[j] = 0.0
        if radius > 0 and problem.loss == HINGE:
            in_y, in_n, is_full = _face(duals[i], member, radius)
            for j in range(len(row)):
                if duals[i, j] != 0:
                    movable = in_y + in_n if not is_full else in_y if member[j] else in_n
                    row[j] = (1 - 1 / movable) / (proximity_over_radius + problem.smoothing / radius)
        elif radius > 0:
            share = 1 / count_positives(member)
            for j in range(len(row)):
                p = (share if member[j] else 0.0) - duals[i, j] / radius
                row[j] = max(radius * p * (1 - p), 0.0)


@borrowing_kernel
def write_curved(problem, rows, duals, proximity_over_radius, changes, out):
    """Write the curvature of each example in `rows` times its row of `changes`, which are in the order of `rows`."""
    for e in range(len(rows)):
        i = rows[e]
        radius, member, row, v = problem.radii[i], problem.Y[i], duals[i], changes[e]
        if problem.loss == HINGE:
            _project_on_face(row, member, radius, proximity_over_radius + problem.smoothing / radius, v, out[e])
        else:
            share, mean = 1 / count_positives(member), 0.0
            for j in range(len(row)):
                p = (share if member[j] else 0.0) - row[j] / radius
                out[e, j] = radius * p
                mean += p * v[j]
            for j in range(len(row)):
                out[e, j] *= v[j] - mean


@borrowing_kernel
def add_curvature(problem, X, rows, duals, proximity_over_radius, classes, hessian):
    """Add sum_i J_i (x) x_i x_i' to a matrix (m, d, m, d), in its blocks with j >= l. X has the features of `rows`.

    The loss is the hinge. `classes` is memory for m classes.
    """
    for e in range(len(rows)):
        i = rows[e]
        radius, member, row, size = problem.radii[i], problem.Y[i], duals[i], 0
        in_y, in_n, is_full = _face(row, member, radius)
        bend = proximity_over_radius + problem.smoothing / radius
        for j in range(len(row)):
            if row[j] != 0:
                classes[size] = j
                size += 1
        for a in range(size):
            for b in range(a + 1):
                j, l = classes[a], classes[b]
                movable = in_y + in_n if not is_full else in_y if member[j] else in_n
                entry = ((j == l) - (0.0 if is_full and member[j] != member[l] else 1 / movable)) / bend
                if entry != 0:
                    for f in range(X.shape[1]):
                        x = entry * X[e, f]
                        for g in range(X.shape[1]):
                            hessian[j, f, l, g] += x * X[e, g]


@borrowing_inlined
def _face(row, member, radius):
    """Returns (positives with duals, negatives with duals, whether the sum is the radius)."""
    in_y, in_n, total = 0, 0, 0.0
    for j in range(len(row)):
        if row[j] != 0:
            if member[j]:
                in_y += 1
                total += row[j]
            else:
                in_n += 1
    return in_y, in_n, total >= AT_RADIUS * radius


@borrowing_inlined
def _project_on_face(row, member, radius, bend, v, out):
    """Write the projection of v onto the directions of the face of a row of duals, divided by the bend."""
    in_y, in_n, is_full = _face(row, member, radius)
    of_y, of_n = 0.0, 0.0
    for j in range(len(row)):
        if row[j] != 0:
            if member[j]:
                of_y += v[j]
            else:
                of_n += v[j]
    mean_y = of_y / in_y if is_full else (of_y + of_n) / (in_y + in_n)
    mean_n = of_n / in_n if is_full else mean_y
    for j in range(len(row)):
        out[j] = (v[j] - (mean_y if member[j] else mean_n)) / bend if row[j] != 0 else 0.0
