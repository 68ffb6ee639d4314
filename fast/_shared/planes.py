"""Cutting planes: minimise a convex loss plus a penalty by linear lower bounds of the loss (Joachims et al. 2009).

Twin: `reference/_shared/cutting_planes.py`, which describes the method; the parts with the same names do the same. Here
the inner products of the planes are kept, planes that are not needed are dropped, and the small quadratic programme is
first tried by exchanges between two planes, which are compiled. The active set of the reference is the fallback.
"""

from typing import NamedTuple

import numpy as np

from reference.problems import checks

from .jit import kernel
from .recorder import Recorder

SHARE = 0.1  # a small programme is solved to this share of the gap: its error must be small beside the gap
STRETCH = 4  # roundings; see `stretch`
IDLE = 50  # iterations with share 0 after which a plane is dropped: a larger programme would cost more than a new plane
MOST_EXCHANGES = 20_000  # in one programme; planes that are nearly equal need more, and go to the active set
MOST_CHANGES = 2000  # of the active set in one programme, should rounding make it cycle
RIDGE = 1e-13  # times the trace of G, added to its diagonal: some roundings, so that no linear system is singular
TINY = 1e-300  # keeps 0 / 0 out of a ratio


class _Planes:
    """The kept planes b + <a, w>, their inner products divided by lambda, and their shares alpha."""

    def __init__(self, d, regularization):
        self.slopes, self.offsets, self.regularization = np.zeros((0, d)), np.zeros(0), regularization
        self.points = []  # the weights at which each touches the loss
        self.products, self.alpha = np.zeros((0, 0)), np.zeros(0)
        self.idle = np.zeros(0, np.int64)  # for how many iterations the share of each has been 0
        self.numbers, self.count = np.zeros(0, np.int64), 0  # the iteration that added each, and the next one

    def add(self, point, slope, offset):
        """Drop the planes that have been idle for long, and add a new one."""
        kept = self.idle < IDLE
        if not kept.all():
            self._keep(np.flatnonzero(kept))
        c = len(self.points)
        self.points.append(point)
        self.numbers, self.count = np.append(self.numbers, self.count), self.count + 1
        self.slopes = np.vstack([self.slopes, slope])
        self.offsets, self.idle = np.append(self.offsets, offset), np.append(self.idle, 0)
        self.alpha = np.append(self.alpha, float(c == 0))
        products = np.empty((c + 1, c + 1))
        products[:c, :c] = self.products
        products[c] = products[:, c] = self.slopes @ slope / self.regularization
        self.products = products

    def _keep(self, kept):
        """Drop all other planes."""
        self.points = [self.points[i] for i in kept]
        self.numbers, self.slopes, self.offsets = self.numbers[kept], self.slopes[kept], self.offsets[kept]
        self.alpha, self.idle, self.products = self.alpha[kept], self.idle[kept], self.products[np.ix_(kept, kept)]

    def minimise(self, tolerance):
        """Minimise the maximum of the planes plus the penalty. Returns (weights, a lower bound of the minimum)."""
        checks.finite_objective(self.products)
        if not exchange_shares(self.products, self.offsets, self.alpha, tolerance):
            self.alpha = _active_set(self.products, self.offsets, self.alpha, tolerance)
        self.alpha = self.alpha / self.alpha.sum()  # many small steps add up to roundings of the sum
        self.idle = np.where(self.alpha > 0, 0, self.idle + 1)
        weights = -(self.alpha @ self.slopes) / self.regularization
        return weights, float(self.offsets @ self.alpha - self.regularization / 2 * (weights @ weights))

    def proof(self):
        """Returns the convex combination of planes that proves the lower bound."""
        used = np.flatnonzero(self.alpha > 0)
        points, shares = [self.points[i] for i in used], self.alpha[used]
        slope, offset = self.alpha @ self.slopes, float(self.offsets @ self.alpha)
        return _PlanesProof(self.numbers[used], shares, points, slope, offset)


class _PlanesProof(NamedTuple):
    """Planes by number, their shares, the points at which they touch h, and their combination: a lower bound of h."""

    numbers: np.ndarray
    shares: np.ndarray
    points: list
    slope: np.ndarray
    offset: float


def stretch(dtype):
    """Returns the factor 1 + 4 eps. Weights are stretched so that rounding cannot push a margin of 1 just below 1."""
    return 1 + STRETCH * float(np.finfo(dtype).eps)


def minimise_by_planes(plane, weights, dtype, options, progress, X=None):
    """argmin_w regularization/2 |w|^2 + h(w),  for a convex h.

    plane(w) returns (h(w), b, a) such that h(v) >= b + <a, v> for all v, with equality at w. Returns the RankingSVMFit,
    and the shares (iterations,) of the planes in the convex combination that proves its dual. The features X, if given,
    are only looked at for a warning.
    """
    no_planes = _PlanesProof(np.zeros(0, np.int64), np.zeros(0), [], np.zeros(len(weights)), 0.0)
    recorder = Recorder(options.tol, dual=0.0, proof=no_planes)  # h >= 0: the objective is at least 0
    planes, regularization = _Planes(len(weights), options.regularization), options.regularization
    factor = stretch(dtype)
    quiet = np.errstate(over="ignore", invalid="ignore")  # finite_objective refuses it
    with quiet, checks.progress_bar(progress, options.max_iterations) as report:
        for _ in range(options.max_iterations):
            weights = (weights * factor).astype(dtype).astype(np.float64)  # as they are returned
            value, offset, slope = plane(weights)
            primal = checks.finite_objective(regularization / 2 * (weights @ weights) + value)
            recorder.improve_primal(primal, weights)
            planes.add(weights, slope, offset)
            weights, lower = planes.minimise(SHARE * min(recorder.primal, recorder.primal - recorder.dual))
            recorder.improve_dual(lower, planes.proof)
            if recorder.close_iteration(report):
                break
    checks.warn_unless_converged(recorder.gap, options.tol, len(recorder.history), "iterations", X=X)
    return _fit_and_shares(recorder, dtype)


def _fit_and_shares(recorder, dtype):
    (primal, *results), proof = recorder.results(), recorder.proof
    shares = np.zeros(len(recorder.history))
    shares[proof.numbers] = proof.shares
    points = np.array(proof.points).reshape(-1, len(proof.slope)).astype(dtype)
    proved = proof.slope, proof.offset, points, proof.shares
    return checks.RankingSVMFit(recorder.answer.astype(dtype), float(primal), *results, *proved), shares


def _active_set(G, b, alpha, tolerance):
    """argmax <b, alpha> - alpha' G alpha / 2 over the simplex, from `alpha`, to a gap of `tolerance`.

    It takes few linear systems, whatever the conditioning of G.
    """
    G = G + RIDGE * np.trace(G) * np.eye(len(G))
    used = alpha > 0
    for _ in range(MOST_CHANGES):
        target = _maximise_over(used, G, b)
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


def _maximise_over(used, G, b):
    """Returns the maximiser over sum alpha = 1 for the planes in use: the solution of one linear system."""
    system = np.ones((used.sum() + 1, used.sum() + 1))
    system[:-1, :-1], system[-1, -1] = G[np.ix_(used, used)], 0.0
    alpha = np.zeros(len(used))
    alpha[used] = np.linalg.solve(system, np.append(b[used], 1.0))[:-1]
    return alpha


@kernel
def exchange_shares(G, b, alpha, tolerance):
    """argmax <b, alpha> - alpha' G alpha / 2 over the simplex, from `alpha`, in place, to a gap of `tolerance`.

    Sequential minimal optimization: each step moves share to the plane with the largest slope, from the plane for which
    this gains most. Returns False if the gap is not reached.
    """
    c = len(b)
    slope = np.empty(c)
    for i in range(c):
        slope[i] = b[i]
        for j in range(c):
            slope[i] -= G[i, j] * alpha[j]
    for _ in range(MOST_EXCHANGES):
        up, mean = 0, 0.0
        for i in range(c):
            mean += alpha[i] * slope[i]
            if slope[i] > slope[up]:
                up = i
        if slope[up] - mean <= tolerance:
            return True
        down = _best_source(G, slope, alpha, up)
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
def _best_source(G, slope, alpha, up):
    """Returns the plane from which a move of share to plane `up` gains most."""
    best, gain = up, -1.0
    for j in range(len(slope)):
        rise = slope[up] - slope[j]
        if alpha[j] > 0 and rise > 0:
            curvature = max(G[up, up] + G[j, j] - 2 * G[up, j], TINY)
            step = min(alpha[j], rise / curvature)
            gained = step * (rise - step * curvature / 2)
            if gained > gain:
                best, gain = j, gained
    return best
