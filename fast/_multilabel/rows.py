"""The multilabel losses of one example and their gradients, as `reference.multilabel` derives them.

`scores` (m,) are those of the example, and `member` (m,) tells which classes are its positives.
"""

from typing import NamedTuple

import numpy as np

from .._shared.bipartite import bipartite_depths
from .._shared.jit import borrowing_kernel, kernel

# The losses as numbers, for the kernels. The public names are in `reference.problems.checks.MULTILABEL_LOSSES`.
HINGE, ENTROPY = 0, 1
LOSS_NUMBERS = {"hinge": HINGE, "entropy": ENTROPY}


class StepMemory(NamedTuple):
    """Memory for what is computed for each class of one example."""

    scores: np.ndarray
    changes: np.ndarray
    near: np.ndarray  # coordinates of a projection, less the largest of the positives or of the negatives
    b: np.ndarray
    c: np.ndarray


def work_for(m):
    """Returns memory for an example of m classes."""
    return StepMemory(*(np.empty(m) for _ in StepMemory._fields))


@borrowing_kernel
def count_positives(member):
    """Returns the number of positives, or 0 if all classes are: an example without negatives has no loss either."""
    positives = np.int64(0)
    for j in range(len(member)):
        positives += member[j]
    return positives if positives < len(member) else np.int64(0)


@borrowing_kernel
def project_row(scores, member, radius, offset, out, work):
    """Project (-s_Y, s_N) onto the bipartite simplex; the offset is added to s_N. Writes u for Y and -v for N."""
    gap, near, w, z = write_near(scores, member, offset, work), work.near, 0.0, 0.0
    if radius > 0 and gap > 0:
        w, z = depths_of_near(member, radius, gap, work)
        for j in range(len(scores)):
            out[j] = max(near[j] + w, 0.0) if member[j] else -max(near[j] + z, 0.0)
    else:
        for j in range(len(scores)):
            out[j] = 0.0


@borrowing_kernel
def write_near(scores, member, offset, work):
    """Write -s_Y and s_N to `near`, less the largest of each. Returns the sum of both and of the offset."""
    b_most, c_most, near = -np.inf, -np.inf, work.near
    for j in range(len(scores)):
        if member[j]:
            b_most = max(b_most, -scores[j])
        else:
            c_most = max(c_most, scores[j])
    for j in range(len(scores)):
        near[j] = -scores[j] - b_most if member[j] else scores[j] - c_most
    return (c_most + b_most) + offset


@borrowing_kernel
def depths_of_near(member, radius, gap, work):
    """Returns the depths of `bipartite_depths` for the coordinates in `near`."""
    b_size, c_size, near = np.int64(0), np.int64(0), work.near
    for j in range(len(member)):
        if member[j]:
            work.b[b_size] = near[j]
            b_size += 1
        else:
            work.c[c_size] = near[j]
            c_size += 1
    return bipartite_depths(work.b, b_size, work.c, c_size, radius, gap)


@borrowing_kernel
def hinge_of_row(scores, member, smoothing, work):
    """Returns the multilabel hinge loss of an example that has a positive and a negative."""
    lowest, highest = np.inf, -np.inf
    for j in range(len(scores)):
        if member[j]:
            lowest = min(lowest, scores[j])
        else:
            highest = max(highest, scores[j])
    if smoothing == 0:
        return max(0.0, 1 + (highest - lowest))
    x, total = work.changes, 0.0
    project_row(scores, member, smoothing, 1.0, x, work)
    for j in range(len(scores)):
        u = x[j] / smoothing
        total += (max(u, 0.0) - u * (scores[j] - highest)) - smoothing / 2 * u * u
    return max(0.0, total)


@borrowing_kernel
def entropy_of_row(scores, member, positives):
    """Returns log sum_j exp(s_j) - mean s_Y. Without the largest score, log1p keeps the digits of a small sum."""
    best = np.int64(0)
    for j in range(len(scores)):
        if scores[j] > scores[best]:
            best = j
    mean, total = 0.0, 0.0
    for j in range(len(scores)):
        if member[j]:
            mean += scores[best] - scores[j]
        if j != best:
            total += np.exp(scores[j] - scores[best])
    return mean / positives + np.log1p(total)


@borrowing_kernel
def hinge_gradient_of_row(scores, member, smoothing, out, work):
    """Write -u for the positives and v for the negatives. Without smoothing, this is a subgradient."""
    if smoothing > 0:
        project_row(scores, member, smoothing, 1.0, out, work)
        for j in range(len(scores)):
            out[j] = -out[j] / smoothing
        return
    positive, negative = np.int64(-1), np.int64(-1)
    for j in range(len(scores)):
        out[j] = 0.0
        if member[j]:
            if positive < 0 or scores[j] < scores[positive]:
                positive = j
        elif negative < 0 or scores[j] > scores[negative]:
            negative = j
    if 1 + (scores[negative] - scores[positive]) > 0:
        out[positive], out[negative] = -1.0, 1.0


@borrowing_kernel
def entropy_gradient_of_row(scores, member, positives, out):
    """Write softmax(s) - 1 / |Y| for the positives and softmax(s) for the negatives."""
    most, total, of_negatives, last = -np.inf, 0.0, 0.0, np.int64(0)
    for j in range(len(scores)):
        most = max(most, scores[j])
    for j in range(len(scores)):
        out[j] = np.exp(scores[j] - most)
        total += out[j]
    for j in range(len(scores)):
        out[j] /= total
        if member[j]:
            out[j] -= 1 / positives
            last = j
        else:
            of_negatives += out[j]
    if positives == 1:  # then p - 1 loses the digits that the sum of the others has
        out[last] = -of_negatives


@kernel
def losses_of_rows(scores, Y, loss, smoothing, work, out):
    """Write the loss of each example."""
    for i in range(len(scores)):
        row, positives = work.scores, count_positives(Y[i])
        out[i] = 0.0
        for j in range(len(row)):
            row[j] = scores[i, j]
        if positives > 0 and loss == HINGE:
            out[i] = hinge_of_row(row, Y[i], smoothing, work)
        elif positives > 0:
            out[i] = entropy_of_row(row, Y[i], positives)


@kernel
def gradients_of_rows(scores, Y, loss, smoothing, work, out):
    """Write the gradient of each example in the row of `out`."""
    for i in range(len(scores)):
        row, positives, gradient = work.scores, count_positives(Y[i]), work.changes
        for j in range(len(row)):
            row[j], gradient[j] = scores[i, j], 0.0
        if positives > 0 and loss == HINGE:
            hinge_gradient_of_row(row, Y[i], smoothing, gradient, work)
        elif positives > 0:
            entropy_gradient_of_row(row, Y[i], positives, gradient)
        for j in range(len(row)):
            out[i, j] = gradient[j]


@kernel
def errors_of_rows(scores, Y, out):
    """Write 1 for each example of which a negative scores as much as a positive or more, and 0 for the others."""
    for i in range(len(scores)):
        lowest, highest = np.inf, -np.inf
        for j in range(scores.shape[1]):
            if Y[i, j]:
                lowest = min(lowest, scores[i, j])
            else:
                highest = max(highest, scores[i, j])
        out[i] = highest >= lowest
