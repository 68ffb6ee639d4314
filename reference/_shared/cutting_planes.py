"""Cutting planes: minimise a convex loss plus a penalty by linear lower bounds of the loss (Joachims et al. 2009).

A plane is such a lower bound. Each iteration adds the plane that touches the loss at the current weights. Then it
minimises the maximum of all planes plus the penalty; in the dual, this is a small quadratic programme on the simplex.
Its minimum is a lower bound of the optimum, and the objective at the new weights is an upper bound. Stop if they meet.

Twin: `fast/_shared/planes.py`, where the parts with the same names do the same.
"""

from time import perf_counter

import numpy as np

from ..problems import checks

SHARE = 0.1  # a small programme is solved to this share of the gap: its error must be small beside the gap
MOST_CHANGES = 2000  # of the active set in one programme, should rounding make it cycle
RIDGE = 1e-13  # times the trace of G, added to its diagonal: some roundings, so that no linear system is singular
TINY = 1e-300  # keeps 0 / 0 out of a ratio


def minimise_by_planes(plane, weights, dtype, options, progress, X=None):
    """argmin_w regularization/2 |w|^2 + h(w),  for a convex h.

    plane(w) returns (h(w), b, a) such that h(v) >= b + <a, v> for all v, with equality at w. Returns the RankingSVMFit,
    and the shares (iterations,) of the planes in the convex combination that proves its dual. The features X, if given,
    are only looked at for a warning.
    """
    start, history, best, dual = perf_counter(), [], (np.inf, None), (0.0, np.zeros(0))
    points, slopes, offsets, alpha = [], np.zeros((0, len(weights))), np.zeros(0), np.zeros(0)
    regularization = options.regularization
    quiet = np.errstate(over="ignore", invalid="ignore")  # finite_objective refuses it
    with quiet, checks.progress_bar(progress, options.max_iterations) as report:
        while len(history) < options.max_iterations:
            weights = weights.astype(dtype).astype(np.float64)  # as they are returned
            value, offset, slope = plane(weights)
            primal = checks.finite_objective(regularization / 2 * (weights @ weights) + value)
            best = min(best, (primal, weights), key=lambda pair: pair[0])
            points.append(weights)
            slopes, offsets = np.vstack([slopes, slope]), np.append(offsets, offset)
            alpha = _active_set(slopes, offsets, alpha, regularization, SHARE * min(best[0], best[0] - dual[0]))
            weights = -(alpha @ slopes) / regularization
            lower = float(offsets @ alpha - regularization / 2 * (weights @ weights))
            dual = max(dual, (lower, alpha), key=lambda pair: pair[0])
            gap = checks.relative_gap(best[0], dual[0])
            history.append((best[0], dual[0], gap, perf_counter() - start))
            report(gap)
            if gap <= options.tol:
                break
    checks.warn_unless_converged(gap, options.tol, len(history), "iterations", X=X)
    shares = np.pad(dual[1], (0, len(history) - len(dual[1])))
    proof = shares @ slopes, float(shares @ offsets), np.array(points)[shares > 0].astype(dtype), shares[shares > 0]
    weights, history = best[1].astype(dtype), checks.svm_history(history)
    return checks.RankingSVMFit(weights, float(best[0]), dual[0], gap, len(history), history, *proof), shares


def _active_set(slopes, offsets, alpha, regularization, tolerance):
    """argmax_alpha <b, alpha> - |A' alpha|^2 / (2 lambda) over the simplex, to a gap of `tolerance`, by an active set.

    Maximise over the planes in use, without the constraint alpha >= 0. If an entry of the result is <= 0, go towards it
    until the first entry becomes 0, and remove that plane from those in use. Otherwise add the plane with the largest
    slope, unless the gap is small enough.
    """
    G = checks.finite_objective(slopes @ slopes.T / regularization)
    G = G + RIDGE * np.trace(G) * np.eye(len(G))
    alpha = np.append(alpha, float(len(alpha) == 0))
    used = alpha > 0
    for _ in range(MOST_CHANGES):
        target = _maximise_over(used, G, offsets)
        leaving = used & (target <= 0)
        if leaving.any() and used.sum() > 1:
            shares = alpha[leaving] / (alpha[leaving] - target[leaving] + TINY)
            alpha = np.maximum(alpha + shares.min() * (target - alpha), 0.0)
            used[np.flatnonzero(leaving)[shares.argmin()]] = False
            alpha = np.where(used, alpha, 0.0) / alpha[used].sum()
            continue
        alpha = target
        slope = offsets - G @ alpha
        if slope.max() - slope @ alpha <= tolerance or used[slope.argmax()]:
            break
        used[slope.argmax()] = True
    return alpha


def _maximise_over(used, G, offsets):
    """Returns the maximiser over sum alpha = 1 for the planes in use: the solution of one linear system."""
    border = np.ones((np.count_nonzero(used), 1))
    system = np.block([[G[np.ix_(used, used)], border], [border.T, 0.0]])
    alpha = np.zeros(len(used))
    alpha[used] = np.linalg.solve(system, np.append(offsets[used], 1.0))[:-1]
    return alpha
