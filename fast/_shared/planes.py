"""Cutting planes, as `reference._cutting_planes` derives them: the inner products of the planes are kept."""

from time import perf_counter
from typing import NamedTuple

import numpy as np

from reference import contract

from .jit import kernel

SHARE = 0.1  # of the gap that is left: how well a small programme is solved
LONGER = 4  # times eps: by that much weights are stretched, that their rounding leaves no margin just below 1
IDLE = 50  # iterations after which a plane that is not needed is dropped
MOST_CHANGES, RIDGE, TINY = 2000, 1e-13, 1e-300  # of an active set


class _Planes:
    """The planes b + <a, w> that are kept, their inner products over lambda, and how long each has not been needed."""

    def __init__(self, d, regularization):
        self.slopes, self.offsets, self.regularization = np.zeros((0, d)), np.zeros(0), regularization
        self.points = []  # where each of them touches
        self.products, self.alpha, self.idle = np.zeros((0, 0)), np.zeros(0), np.zeros(0, np.int64)
        self.numbers, self.count = np.zeros(0, np.int64), 0  # the order in which they came

    def add(self, point, slope, offset):
        """A new plane, after those are dropped that have not been needed for a while."""
        kept = np.append(np.flatnonzero(self.idle < IDLE), len(self.idle))
        self.points = [[*self.points, point][i] for i in kept]
        self.numbers, self.count = np.append(self.numbers, self.count)[kept], self.count + 1
        self.slopes = np.vstack([self.slopes, slope])[kept]
        self.offsets, self.idle = np.append(self.offsets, offset)[kept], np.append(self.idle, 0)[kept]
        self.alpha = np.append(self.alpha, float(len(self.alpha) == 0))[kept]
        row = self.slopes @ slope / self.regularization
        products = np.empty((len(kept), len(kept)))
        products[:-1, :-1] = self.products[np.ix_(kept[:-1], kept[:-1])]
        products[-1], products[:, -1] = row, row
        self.products = products

    def minimise(self, tolerance):
        """(weights, value) at the minimum of the largest plane plus the penalty, from below."""
        contract.finite_objective(self.products)
        if not solve_dual(self.products, self.offsets, self.alpha, tolerance):
            self.alpha = _active_set(self.products, self.offsets, self.alpha, tolerance)
        self.alpha = self.alpha / self.alpha.sum()  # many small steps leave the simplex by some roundings
        self.idle = np.where(self.alpha > 0, 0, self.idle + 1)
        weights = -(self.alpha @ self.slopes) / self.regularization
        return weights, float(self.offsets @ self.alpha - self.regularization / 2 * (weights @ weights))

    def proof(self):
        """The combination of planes whose minimum that value is, as a _Proof."""
        used = np.flatnonzero(self.alpha > 0)
        points, shares = [self.points[i] for i in used], self.alpha[used]
        return _Proof(self.numbers[used], shares, points, self.alpha @ self.slopes, float(self.offsets @ self.alpha))


class _Proof(NamedTuple):
    """Planes by number, their shares, where they touch, and their combination: a lower bound of h."""

    numbers: np.ndarray
    shares: np.ndarray
    points: list
    slope: np.ndarray
    offset: float


def minimise_by_planes(plane, weights, dtype, options, progress):
    """argmin_w regularization/2 |w|^2 + h(w),  with plane(w) = (h(w), b, a) such that h >= b + <a, .>, and = at w.

    Returns the RankingSVMFit, and the shares (iterations,) of the planes in the combination that proves its dual.
    """
    start, history, best = perf_counter(), [], (np.inf, None)
    dual = 0.0, _Proof(np.zeros(0, np.int64), np.zeros(0), [], np.zeros(len(weights)), 0.0)
    planes, regularization = _Planes(len(weights), options.regularization), options.regularization
    longer = 1 + LONGER * float(np.finfo(dtype).eps)
    quiet = np.errstate(over="ignore", invalid="ignore")  # what is not finite is refused
    with quiet, contract.progress_bar(progress, options.max_iterations) as report:
        while len(history) < options.max_iterations:
            weights = (weights * longer).astype(dtype).astype(np.float64)  # as they would be returned
            value, offset, slope = plane(weights)
            primal = contract.finite_objective(regularization / 2 * (weights @ weights) + value)
            if primal < best[0]:
                best = primal, weights
            planes.add(weights, slope, offset)
            weights, lower = planes.minimise(SHARE * min(best[0], best[0] - dual[0]))
            if lower > dual[0]:
                dual = lower, planes.proof()
            gap = float((best[0] - dual[0]) / best[0]) if best[0] > dual[0] else 0.0
            history.append((best[0], dual[0], gap, perf_counter() - start))
            report(gap)
            if gap <= options.tol:
                break
    contract.warn_unless_converged(gap, options.tol, len(history), "iterations")
    return _fit(best, dual, history, dtype)


def _fit(best, dual, history, dtype):
    lower, proof = dual
    shares = np.zeros(len(history))
    shares[proof.numbers] = proof.shares
    points = np.array(proof.points).reshape(-1, len(proof.slope)).astype(dtype)
    weights, gap, records = best[1].astype(dtype), history[-1][2], contract.svm_history(history)
    results = weights, float(best[0]), lower, gap, len(history), records
    return contract.RankingSVMFit(*results, proof.slope, proof.offset, points, proof.shares), shares


def _active_set(G, b, alpha, tolerance):
    """The same maximum from where `solve_dual` gave up, by linear systems: few, and of any conditioning."""
    G = G + RIDGE * np.trace(G) * np.eye(len(G))  # planes that depend on one another must not divide by zero
    used = alpha > 0
    for _ in range(MOST_CHANGES):
        target = _stationary(G, b, used)
        leaving = used & (target <= 0)
        if leaving.any() and used.sum() > 1:
            shares = alpha[leaving] / (alpha[leaving] - target[leaving] + TINY)
            alpha = np.maximum(alpha + shares.min() * (target - alpha), 0.0)
            used[np.flatnonzero(leaving)[shares.argmin()]] = False
            alpha = np.where(used, alpha, 0.0) / alpha[used].sum()
            continue
        alpha, slope = target, b - G @ target
        if slope.max() - slope @ alpha <= tolerance or used[slope.argmax()]:
            break
        used[slope.argmax()] = True
    return np.maximum(alpha, 0.0)


def _stationary(G, b, used):
    """Where the gradient is the same for all planes in use, and their shares sum to 1."""
    system = np.ones((used.sum() + 1, used.sum() + 1))
    system[:-1, :-1], system[-1, -1] = G[np.ix_(used, used)], 0.0
    alpha = np.zeros(len(used))
    alpha[used] = np.linalg.solve(system, np.append(b[used], 1.0))[:-1]
    return alpha

MOST_STEPS = 20_000  # for a small programme


@kernel
def solve_dual(G, b, alpha, tolerance):
    """argmax <b, alpha> - alpha' G alpha / 2 over the simplex, from `alpha`, in place, to a gap of `tolerance`.

    Weight moves from one plane to another: to the steepest, from the one that gains most by it (SMO). False if it did
    not get there: planes that are nearly the same take more steps than it is given.
    """
    c = len(b)
    slope = np.empty(c)
    for i in range(c):
        slope[i] = b[i]
        for j in range(c):
            slope[i] -= G[i, j] * alpha[j]
    for _ in range(MOST_STEPS):
        up, mean = 0, 0.0
        for i in range(c):
            mean += alpha[i] * slope[i]
            if slope[i] > slope[up]:
                up = i
        if slope[up] - mean <= tolerance:
            return True
        down = _best_giver(G, slope, alpha, up)
        curvature = max(G[up, up] + G[down, down] - 2 * G[up, down], 0.0)
        step = min(alpha[down], (slope[up] - slope[down]) / curvature) if curvature > 0 else alpha[down]
        if alpha[up] + step == alpha[up]:
            break
        alpha[up] += step
        alpha[down] = 0.0 if step == alpha[down] else alpha[down] - step
        for i in range(c):
            slope[i] -= step * (G[i, up] - G[i, down])
    return False


@kernel
def _best_giver(G, slope, alpha, up):
    best, gain = up, -1.0
    for j in range(len(slope)):
        rise = slope[up] - slope[j]
        if alpha[j] > 0 and rise > 0:
            curvature = max(G[up, up] + G[j, j] - 2 * G[up, j], 1e-300)
            step = min(alpha[j], rise / curvature)
            gained = step * (rise - step * curvature / 2)
            if gained > gain:
                best, gain = j, gained
    return best
