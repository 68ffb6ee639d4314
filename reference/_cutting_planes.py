"""Cutting planes: a convex loss minimised through the linear functions that it lies above (Joachims et al. 2009).

Minimise the largest of all planes so far plus the penalty: in the dual, a small quadratic programme on the simplex. The
minimum is below the optimum, and the objective at the new weights above it. Stop when they meet.
"""

from time import perf_counter

import numpy as np

from . import contract

SHARE = 0.1  # of the gap that is left: how well a small programme is solved
MOST_STEPS = 2000  # for a small programme
RIDGE, TINY = 1e-13, 1e-300


def minimise_by_planes(plane, weights, dtype, options, progress):
    """argmin_w regularization/2 |w|^2 + h(w),  with plane(w) = (h(w), b, a) such that h >= b + <a, .>, and = at w.

    Returns the RankingSVMFit, and the shares (iterations,) of the planes in the combination that proves its dual.
    """
    start, history, best, dual = perf_counter(), [], (np.inf, None), (0.0, np.zeros(0))
    points, slopes, offsets, alpha = [], np.zeros((0, len(weights))), np.zeros(0), np.zeros(0)
    regularization = options.regularization
    quiet = np.errstate(over="ignore", invalid="ignore")  # what is not finite is refused
    with quiet, contract.progress_bar(progress, options.max_iterations) as report:
        while len(history) < options.max_iterations:
            weights = weights.astype(dtype).astype(np.float64)  # as they would be returned
            value, offset, slope = plane(weights)
            primal = contract.finite_objective(regularization / 2 * (weights @ weights) + value)
            best = min(best, (primal, weights), key=lambda pair: pair[0])
            points.append(weights)
            slopes, offsets = np.vstack([slopes, slope]), np.append(offsets, offset)
            alpha = _solve_dual(slopes, offsets, alpha, regularization, SHARE * min(best[0], best[0] - dual[0]))
            weights = -(alpha @ slopes) / regularization
            lower = float(offsets @ alpha - regularization / 2 * (weights @ weights))
            dual = max(dual, (lower, alpha), key=lambda pair: pair[0])
            gap = float((best[0] - dual[0]) / best[0]) if best[0] > dual[0] else 0.0
            history.append((best[0], dual[0], gap, perf_counter() - start))
            report(gap)
            if gap <= options.tol:
                break
    contract.warn_unless_converged(gap, options.tol, len(history), "iterations")
    shares = np.pad(dual[1], (0, len(history) - len(dual[1])))
    proof = shares @ slopes, float(shares @ offsets), np.array(points)[shares > 0].astype(dtype), shares[shares > 0]
    weights, history = best[1].astype(dtype), contract.svm_history(history)
    return contract.RankingSVMFit(weights, float(best[0]), dual[0], gap, len(history), history, *proof), shares


def _solve_dual(slopes, offsets, alpha, regularization, tolerance):
    """argmax_alpha <b, alpha> - |A' alpha|^2 / (2 lambda) over the simplex, to a gap of `tolerance`: an active set.

    Maximise over the planes in use as if weights could be negative. If one is, stop where the first of them becomes 0,
    and leave that plane out. If none is, and another plane promises more, take it in; otherwise this is the maximum.
    """
    G = contract.finite_objective(slopes @ slopes.T / regularization)
    G = G + RIDGE * np.trace(G) * np.eye(len(G))  # planes that depend on one another must not divide by zero
    alpha = np.append(alpha, float(len(alpha) == 0))
    used = alpha > 0
    for _ in range(MOST_STEPS):
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
    """The maximiser over sum alpha = 1 with these planes only: one linear system."""
    border = np.ones((np.count_nonzero(used), 1))
    system = np.block([[G[np.ix_(used, used)], border], [border.T, 0.0]])
    alpha = np.zeros(len(used))
    alpha[used] = np.linalg.solve(system, np.append(offsets[used], 1.0))[:-1]
    return alpha
