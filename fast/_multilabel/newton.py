"""Newton's method for multilabel losses: it converges where passes over the examples are slow, at small regularization.

Divided by the regularization, the primal is 1/2 |W|^2 plus the sum of r_i L_i. For the entropy it is smooth. For the
hinge, each round smooths it around the duals of the round before (the proximal point method, or the method of
multipliers), ever less, so that the duals converge to an optimum. A Newton step solves (I + X' J X) D = -gradient by
conjugate gradients, where J is the curvature of the smoothed losses. Each class has a block of the matrix; their
inverses are the preconditioner.

Source: X. Li, D. Sun, K.-C. Toh, "A highly efficient semismooth Newton augmented Lagrangian method for solving lasso
problems", SIAM Journal on Optimization 28, 2018.
"""

import numpy as np

from .curvature import write_curved, write_diagonal, write_smoothed_duals
from .rows import HINGE, memory_for

FIRST_GAMMA, SHRINK, LEAST_GAMMA = 0.1, 0.2, 1e-6  # sigma times the radius in each round: units of the margin
MOST_NEWTON_STEPS, MOST_SOLVER_STEPS = 30, 400  # of a round, and of conjugate gradients in a Newton step
NEAR = 0.05  # a round ends when the squared gradient is this share of the gap
FORCING = 0.1  # the largest residual of a Newton step, relative to the gradient; it decreases with the gradient
ENOUGH_DECREASE = 1e-4  # of what the slope promises
VALUE_ROUNDING = 1e-14  # relative: such a difference of two values is rounding
SHORTEST = 1e-6  # of a Newton step
MOST_STALLED = 3  # rounds in a row without a better gap, after which passes continue
LARGEST_BLOCKS = 2**24  # numbers of all blocks of the preconditioner, 128 MB; if there are more, only their diagonals


def ascend_by_newton_steps(model, recorder, report):
    """Improve the duals of the model round by round, until the gap is at most tol or does not improve any more."""
    problem = SmoothedMultilabel(model)
    weights, best, best_duals, stalled = problem.start(), recorder.gap, model.duals.copy(), 0
    while len(recorder.history) < model.options.max_epochs and stalled < MOST_STALLED:
        weights, duals = problem.round(weights, recorder.tol)
        model.duals = problem.centre = duals
        recorder.replace(*model.certify())
        if recorder.close_iteration(report):
            return
        stalled = 0 if recorder.gap < best else stalled + 1
        if stalled == 0:
            best, best_duals = recorder.gap, duals
        problem.gamma = max(SHRINK * problem.gamma, LEAST_GAMMA)
    model.duals = best_duals
    model.weights = model.weights_of(best_duals)


class SmoothedMultilabel:
    """1/2 |W|^2 + sum_i (r_i L_i, smoothed around the centre), as a function of the weights (d, m)."""

    def __init__(self, model):
        self.problem, self.centre, self.gamma = model.problem, model.duals, FIRST_GAMMA
        self.X = model.X if model.by_features else model.X.astype(np.float64, copy=False)
        self.memory, self.radius = memory_for(model.Y.shape[1]), float(model.radii.max())

    @property
    def sigma(self):
        return self.gamma / self.radius if self.problem.loss == HINGE else 0.0

    def start(self):
        """Returns the weights of the centre."""
        return self.X.T @ self.centre

    def at(self, weights):
        return Point(self, weights)

    def round(self, weights, tol):
        """Minimise. Returns (weights, their duals)."""
        point = self.at(weights)
        for _ in range(MOST_NEWTON_STEPS):
            if point.error <= NEAR * point.gap or point.gap <= tol / 2 * point.primal:
                break
            point, last = self._search(point, newton_direction(point)), point
            if point is last:
                break
        return point.weights, point.duals

    def _search(self, point, direction):
        """Returns a point along the direction where the value is lower by enough, or the same point."""
        slope, length = np.vdot(point.gradient, direction), 1.0
        while length > SHORTEST:
            trial = self.at(point.weights + length * direction)
            if trial.value <= point.value + ENOUGH_DECREASE * length * slope + VALUE_ROUNDING * abs(point.value):
                return trial
            new_slope = np.vdot(trial.gradient, direction)
            # The slope increases along the direction. Linear interpolation tells where it is 0.
            length *= min(max(slope / (slope - new_slope), 0.1), 0.7) if new_slope > 0 else 0.5
        return point


class Point:
    """Weights, the value and the gradient there, and the duals that belong to them."""

    def __init__(self, smoothed, weights):
        self.smoothed, self.weights, problem = smoothed, weights, smoothed.problem
        scores = np.ascontiguousarray(smoothed.X @ weights)
        self.duals = np.zeros(scores.shape)
        value, loss, gain = write_smoothed_duals(
            problem, scores, smoothed.centre, smoothed.sigma, self.duals, smoothed.memory
        )
        of_duals, square = smoothed.X.T @ self.duals, np.vdot(weights, weights) / 2
        self.value, self.gradient = square + value, weights - of_duals
        self.primal = square + loss
        self.gap = self.primal - (gain - np.vdot(of_duals, of_duals) / 2)
        self.error = np.vdot(self.gradient, self.gradient) / 2


def newton_direction(point):
    """Returns the D with (I + X' J X) D = -gradient, by preconditioned conjugate gradients."""
    smoothed, problem = point.smoothed, point.smoothed.problem
    diagonal = np.empty(point.duals.shape)
    write_diagonal(problem, point.duals, smoothed.sigma, diagonal)
    rows = np.flatnonzero(diagonal.any(axis=1))
    X, precondition = smoothed.X[rows], _preconditioner(smoothed.X, diagonal)
    curved = np.empty((len(rows), diagonal.shape[1]))

    def curvature_times(D):
        write_curved(problem, rows, point.duals, smoothed.sigma, np.ascontiguousarray(X @ D), curved)
        return D + X.T @ curved

    size = np.linalg.norm(point.gradient)
    tolerance = min(FORCING, np.sqrt(size / (1 + np.linalg.norm(point.weights)))) * size
    return _conjugate_gradients(curvature_times, -point.gradient, precondition, tolerance)


def _conjugate_gradients(times, right, precondition, tolerance):
    """Returns an approximate solution of times(D) = right, whose residual has at most this norm if few steps suffice."""
    D, residual = np.zeros(right.shape), right.copy()
    z = precondition(residual)
    direction, rho = z, np.vdot(residual, z)
    for _ in range(MOST_SOLVER_STEPS):
        image = times(direction)
        length = rho / np.vdot(direction, image)
        D += length * direction
        residual -= length * image
        if np.linalg.norm(residual) <= tolerance:
            break
        z = precondition(residual)
        last, rho = rho, np.vdot(residual, z)
        direction = z + (rho / last) * direction
    return D


def _preconditioner(X, diagonal):
    """Returns a function that solves with the blocks of the classes, I + X' diag(J_jj) X, or with their diagonals.

    The rows of the weights sum to 0, as those of the duals do, and so does each row of what it returns.
    """
    from scipy.linalg.lapack import dpotrf, dpotrs

    d, m = X.shape[1], diagonal.shape[1]
    if m * d**2 > LARGEST_BLOCKS or hasattr(X, "tocsr"):
        squares = (X.multiply(X) if hasattr(X, "tocsr") else X**2).T @ diagonal
        inverse = 1 / (1 + squares)
        return lambda R: _centred(inverse * R)
    factors = []
    for j in range(m):
        rows = np.flatnonzero(diagonal[:, j])
        scaled = X[rows] * np.sqrt(diagonal[rows, j])[:, None]
        factors.append(dpotrf(np.eye(d) + scaled.T @ scaled)[0])
    return lambda R: _centred(np.column_stack([dpotrs(factors[j], R[:, j])[0] for j in range(m)]))


def _centred(R):
    return R - R.mean(axis=1, keepdims=True)
