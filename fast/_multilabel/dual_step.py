"""The best row of duals of one example while all other rows are fixed; `reference.multilabel` derives it."""

import numpy as np

from .._shared.jit import borrowing_inlined, borrowing_kernel
from .._shared.omega import omega
from .rows import HINGE, entropy_gradient_of_row, project_row

MOST_ROOT_STEPS = 100  # of Newton's method, which needs a few
EXACT_STEP = 8.9e-16  # relative: a smaller step changes nothing
SMALLEST = 2.2250738585072014e-308  # the smallest number with all digits


@borrowing_kernel
def write_best_row(loss, smoothing, scores, duals, norm, member, positives, radius, out, work):
    """Write the best row of duals to `out`. `scores` are those of the example, and are overwritten."""
    for j in range(len(scores)):
        scores[j] -= norm * duals[j]  # now without the example's own part of W
    if loss == HINGE:
        write_hinge_row(smoothing, scores, norm, member, radius, out, work)
    elif norm * radius < SMALLEST:
        entropy_gradient_of_row(scores, member, positives, out)
        for j in range(len(scores)):
            out[j] *= -radius
    else:
        _write_entropy_row(scores, duals, norm, member, positives, radius, out)


@borrowing_inlined
def write_hinge_row(smoothing, scores, norm, member, radius, out, work):
    """A projection onto the bipartite simplex. Without any curvature, a linear programme."""
    curvature = norm + smoothing / radius
    if curvature > 0:
        for j in range(len(scores)):
            scores[j] /= curvature
        project_row(scores, member, radius, 1 / curvature, out, work)
        return
    no_positive, no_negative = True, True
    for j in range(len(scores)):  # the first positive and the first negative are an optimal vertex
        out[j] = 0.0
        if member[j] and no_positive:
            out[j], no_positive = radius, False
        elif no_negative and not member[j]:
            out[j], no_negative = -radius, False


@borrowing_kernel
def _write_entropy_row(scores, duals, norm, member, positives, radius, out):
    """Find the t with sum alpha p = alpha, where alpha p = omega(scores + alpha tau - t), and write r (tau - p).

    The difference of the sums is concave and increases with t. So after one step of Newton's method at most, t is at or
    below the root, and then it increases to it. The first t is that of the row of duals before.
    """
    alpha = norm * radius
    share = alpha / positives
    least = _left_end(scores, member, share, alpha)
    t = max(_first_guess(scores, duals, norm, member, share), least)
    log_share = np.log(share)
    for turn in range(MOST_ROOT_STEPS):
        surplus, slope = 0.0, 0.0
        for j in range(len(scores)):
            if member[j]:
                w = omega(scores[j] + share - t)
                out[j] = _deficit(w, share, t - scores[j] + log_share)
                surplus += out[j]
            else:
                w = omega(scores[j] - t)
                out[j] = -w
                surplus -= w
            slope += w / (1 + w)
        step = -surplus / slope
        is_last = abs(step) <= EXACT_STEP * max(abs(t), 1.0) or (turn > 1 and step <= 0)
        if is_last:
            break
        t = max(t + step, least)
    of_negatives, last = 0.0, np.int64(0)
    for j in range(len(scores)):
        out[j] /= norm
        if member[j]:
            last = j
        else:
            of_negatives += out[j]
    if positives == 1:
        out[last] = -of_negatives


@borrowing_inlined
def _first_guess(scores, duals, norm, member, share):
    """Returns the t that the largest alpha p of the row of duals before suggests."""
    best, most = np.int64(0), -np.inf
    for j in range(len(scores)):
        value = (share if member[j] else 0.0) - norm * duals[j]
        if value > most:
            best, most = j, value
    return scores[best] + ((share if member[best] else 0.0) - most) - np.log(most)


@borrowing_inlined
def _left_end(scores, member, share, alpha):
    """Returns a t at which the largest term alone makes up the sum alpha: a lower bound of the root."""
    most = -np.inf
    for j in range(len(scores)):
        most = max(most, scores[j] + ((share if member[j] else 0.0) - alpha))
    return most - np.log(alpha)


@borrowing_inlined
def _deficit(w, share, g):
    """Returns d = share - omega, the solution of d - log1p(-d / share) = g. Two Newton steps restore lost digits."""
    d = share - w
    if w > share / 2:
        for _ in range(2):
            d -= (d - np.log1p(-d / share) - g) / (1 + 1 / (share - d))
    return d
