"""Newton's method for multilabel losses: it converges where passes over the examples are slow, at small regularization.

Divided by the regularization, the primal is 1/2 |W|^2 plus the sum of r_i L_i. For the entropy it is smooth. For the
hinge, each round smooths it around the duals of the round before (the proximal point method, or the method of
multipliers), ever less, so that the duals converge to an optimum. A Newton step solves (I + X' J X) D = -gradient by
conjugate gradients, where J is the curvature of the smoothed losses. The preconditioner is the inverse of the diagonal,
or, once that is slow, the inverses of the blocks of the matrix, one for each class.

Source: X. Li, D. Sun, K.-C. Toh, "A highly efficient semismooth Newton augmented Lagrangian method for solving lasso
problems", SIAM Journal on Optimization 28, 2018.
"""

import numpy as np

from reference.problems import checks

from .._shared.threads import row_blocks
from .curvature import add_curvature, write_curved, write_diagonal, write_smoothed_duals, write_softmax_duals
from .rows import ENTROPY, HINGE, work_for

# The proximity is in units of the margin. Let C be the mean of s_i |x_i|^2 / (lambda n). At a proximity of C times the
# first share, a few Newton steps suffice. Duals have rounding errors of the scores divided by the proximity, and the
# larger C is, the larger are the scores. So the proximity is at least sqrt(C) times the least share.
FIRST_SHARE, LEAST_SHARE = 0.1, 1e-5
SHRINK_SLOWLY, SHRINK_FAST, FEW_NEWTON_STEPS = 0.3, 0.1, 6
MOST_NEWTON_STEPS, MOST_PRODUCTS = 30, 400  # of an epoch, and of conjugate gradients in a Newton step
NEAR_GAP = 0.02  # a round ends when the squared gradient is this share of the gap
FORCING = 1e-2  # the largest residual of a Newton step, relative to the gradient; it decreases with the gradient
FLAT, MOST_TRIALS = 0.1, 12  # a search ends where the slope is at most this share of the first one, or after so many
# After so many epochs in a row at the least proximity without a better gap, Newton's method begins again at the best
# duals. The proximity and the least one are then these multiples of the least one. If that gives no better gap either,
# it ends.
PATIENCE, RESTART, RAISED = 5, 1e3, 10
SLOW, MOST_WEIGHTS = 100, 2000  # steps of conjugate gradients; weights, up to which the whole matrix is factored then
BLOCKS_COST = 0.25  # steps a feature: making the blocks is the work of d / 2 products, in about half their time
LARGEST_BLOCKS = 2**24  # numbers of all blocks of the preconditioner, 128 MB; if there are more, only their diagonals


@np.errstate(over="ignore", invalid="ignore", divide="ignore")  # a step that is not finite is not taken
def ascend_by_newton(model, recorder, report):
    """Improve the duals of the model, until the gap is at most tol or does not improve any more.

    An epoch is a round, or a part of one that takes many steps. The best duals so far are those of the model.
    """
    problem, stalled, before = SmoothedProblem(model), 0, np.inf
    while len(recorder.history) < model.options.max_epochs:
        duals = problem.improve(recorder.tol)
        certified = model.certify(duals)
        if not np.isfinite(certified[0] - certified[2]):  # passes take smaller steps
            break
        stalled += problem.proximity == problem.least_proximity or problem.proximity_over_radius == 0
        if checks.relative_gap(certified[0], certified[2]) < recorder.gap:
            recorder.replace(*certified)
            model.duals, stalled = duals, 0
        if recorder.close_iteration(report):
            return
        if stalled >= PATIENCE:
            if problem.proximity_over_radius == 0 or recorder.gap >= before:
                break
            before, stalled = recorder.gap, 0
            problem.begin_again(model.duals)
    model.weights = model.weights_of(model.duals)


class SmoothedProblem:
    """1/2 |W|^2 + sum_i (r_i L_i, smoothed around the centre), as a function of the weights (d, m)."""

    def __init__(self, model):
        self.problem, self.centre = model.problem, model.duals
        self.X = model.X.astype(np.float64, copy=False)
        self.work, self.radius = work_for(model.Y.shape[1]), float(model.radii.max())
        curvatures = (model.problem.examples.squared_norms * model.radii)[model.radii > 0]
        mean = float(curvatures.sum() / max(len(curvatures), 1)) or 1.0  # if J is 0, any proximity will do
        self.proximity, self.least_proximity = FIRST_SHARE * mean, min(FIRST_SHARE * mean, LEAST_SHARE * mean**0.5)
        self.weights = self.X.T @ self.centre
        self.is_slow = self.has_blocks = False
        self.can_be_direct = self.problem.loss == HINGE and self.weights.size <= MOST_WEIGHTS and not model.by_features

    def preconditioner(self, diagonal):
        """Returns a function: the diagonals of the blocks, or the blocks once conjugate gradients have been slow."""
        d, m = self.weights.shape
        blocks_fit = m * d**2 <= LARGEST_BLOCKS and not hasattr(self.X, "tocsr")
        return (_blocks if self.has_blocks and blocks_fit else _diagonals)(self.X, diagonal)

    @property
    def proximity_over_radius(self):
        return self.proximity / self.radius if self.problem.loss == HINGE else 0.0

    def begin_again(self, duals):
        """Smooth around these duals, by more than the least."""
        self.centre, self.weights = duals, self.X.T @ duals
        self.proximity, self.least_proximity = RESTART * self.least_proximity, RAISED * self.least_proximity

    def improve(self, tol):
        """Take some Newton steps. At the end of a round, the centre moves, and the proximity decreases.

        Returns duals.
        """
        point, steps = NewtonPoint(self, self.weights, self.X @ self.weights), 0
        while steps < MOST_NEWTON_STEPS and not point.is_certified(tol / 2):
            if steps > 0 and point.error <= NEAR_GAP * point.gap:
                break
            point, last, steps = point.along(_newton_direction(point)), point, steps + 1
            if point is last:
                break
        self.weights = point.weights
        if steps < MOST_NEWTON_STEPS:
            self.centre = point.duals
            shrink = SHRINK_FAST if steps <= FEW_NEWTON_STEPS else SHRINK_SLOWLY
            self.proximity = max(shrink * self.proximity, self.least_proximity)
        return point.duals

    def duals_at(self, scores):
        """Returns the duals of the smoothed losses, the sum of r_i L_i, and the sum of what the duals give."""
        duals = np.zeros(scores.shape)
        if self.problem.loss == ENTROPY:
            return duals, *write_softmax_duals(self.problem, scores, duals)
        bend = self.proximity_over_radius
        return duals, *write_smoothed_duals(self.problem, scores, self.centre, bend, duals, self.work)


class NewtonPoint:
    """Weights, their scores, the gradient, and the duals that belong to them. `error` is half the squared gradient."""

    def __init__(self, smoothed, weights, scores):
        self.smoothed, self.weights, self.scores = smoothed, weights, scores
        self.duals, loss, gain = smoothed.duals_at(scores)
        of_duals = smoothed.X.T @ self.duals
        self.gradient = weights - of_duals
        self.primal = np.vdot(weights, weights) / 2 + loss
        self.of_duals, self.dual = of_duals, gain - np.vdot(of_duals, of_duals) / 2
        self.gap = self.primal - self.dual
        self.error = np.vdot(self.gradient, self.gradient) / 2

    def is_certified(self, tol):
        """Returns whether the duals have at most this gap. Their weights are not quite these weights."""
        if self.gap > tol * self.primal:
            return False
        _, loss, _ = self.smoothed.duals_at(self.smoothed.X @ self.of_duals)
        primal = np.vdot(self.of_duals, self.of_duals) / 2 + loss
        return primal - self.dual <= tol * primal

    def along(self, direction):
        """Returns a point along the direction where the slope is near 0, or this point if the slope does not decrease.

        The function is convex. So it decreases as long as its slope, which only needs the scores, is negative.
        """
        scores, low, high, length = self.smoothed.X @ direction, 0.0, np.inf, 1.0
        if not np.isfinite(scores).all():
            return self
        linear, square = np.vdot(self.weights, direction), np.vdot(direction, direction)
        first = slope = slope_low = np.vdot(self.gradient, direction)
        if not first < 0:
            return self
        slope_high, high_moved = 0.0, True
        for _ in range(MOST_TRIALS):
            duals, *_ = self.smoothed.duals_at(self.scores + length * scores)
            slope = linear + length * square - np.vdot(duals, scores)
            if slope <= 0 and (high == np.inf or slope >= FLAT * first):
                break
            if slope > 0:
                slope_low /= 2 if high < np.inf and high_moved else 1  # the Illinois rule: else one end would stay
                high, slope_high, high_moved = length, slope, True
            else:
                slope_high /= 2 if not high_moved else 1
                low, slope_low, high_moved = length, slope, False
            share = slope_low / (slope_low - slope_high)  # linear interpolation
            length = low + min(max(share, 0.05), 0.95) * (high - low)
        length = length if slope <= 0 else low
        if length == 0:
            return self
        return NewtonPoint(self.smoothed, self.weights + length * direction, self.scores + length * scores)


def _newton_direction(point):
    """Returns the D with (I + X' J X) D = -gradient: by conjugate gradients, or directly if these have been slow."""
    smoothed, problem = point.smoothed, point.smoothed.problem
    diagonal = np.empty(point.duals.shape)
    write_diagonal(problem, point.duals, smoothed.proximity_over_radius, diagonal)
    rows = np.flatnonzero(diagonal.any(axis=1))
    X = smoothed.X[rows] if len(rows) < len(diagonal) else smoothed.X
    if smoothed.is_slow:
        return _direct_solution(point, X, rows)
    parts = [(rows[block], features) for block, features in _parts(X, diagonal.shape[1])]

    def curvature_times(D):
        image = D.copy()
        for some, features in parts:
            changes = features @ D
            curved = np.empty_like(changes)
            write_curved(problem, some, point.duals, smoothed.proximity_over_radius, changes, curved)
            image += features.T @ curved
        return image

    size, precondition = np.linalg.norm(point.gradient), smoothed.preconditioner(diagonal)
    tolerance = min(FORCING, np.sqrt(size / (1 + np.linalg.norm(point.weights)))) * size
    D, steps = _conjugate_gradients(curvature_times, -point.gradient, precondition, tolerance)
    smoothed.has_blocks |= steps > BLOCKS_COST * X.shape[1]
    smoothed.is_slow = smoothed.can_be_direct and steps > SLOW
    return D


def _parts(X, m):
    """Returns pairs of a slice of the rows and their features: one pair if X is CSR, as each image is dense (d, m)."""
    if hasattr(X, "tocsr"):
        return [(slice(None), X)]
    return [(slice(*block), X[slice(*block)]) for block in row_blocks(len(X), max(X.shape[1], m))]


def _direct_solution(point, X, rows):
    """Returns the same D for the hinge, by a Cholesky factor of the matrix."""
    from scipy.linalg.lapack import dpotrf, dpotrs

    smoothed, (d, m) = point.smoothed, point.gradient.shape
    hessian, size = np.zeros((m, d, m, d)), m * d
    add_curvature(
        smoothed.problem, X, rows, point.duals, smoothed.proximity_over_radius, np.empty(m, np.int64), hessian
    )  # fmt: skip
    hessian = hessian.reshape(size, size)
    hessian.reshape(-1)[:: size + 1] += 1
    factor, _ = dpotrf(hessian.T, lower=False, clean=False, overwrite_a=True)
    return -dpotrs(factor, point.gradient.T.ravel(), lower=False)[0].reshape(m, d).T


def _conjugate_gradients(times, right, precondition, tolerance):
    """Returns (an approximate solution of times(D) = right, the number of steps).

    Its residual has at most the tolerance as its norm, if few steps suffice.
    """
    D, residual, steps = np.zeros(right.shape), right.copy(), 0
    z = precondition(residual)
    direction, rho = z, np.vdot(residual, z)
    while rho > 0 and steps < MOST_PRODUCTS:  # a residual of roundings can give any sign
        image = times(direction)
        length = rho / np.vdot(direction, image)
        D += length * direction
        residual -= length * image
        z = precondition(residual)
        last, rho = rho, np.vdot(residual, z)
        steps += 1
        if np.linalg.norm(residual) <= tolerance:
            break
        direction = z + (rho / last) * direction
    return D, steps


def _diagonals(X, diagonal):
    """Returns a function that solves with the diagonals of the blocks of the classes.

    The rows of the weights sum to 0, as those of the duals do, and so does each row of what it returns.
    """
    squares = np.zeros((X.shape[1], diagonal.shape[1]))
    for block, part in _parts(X, diagonal.shape[1]):
        squares += (part.multiply(part) if hasattr(X, "tocsr") else part**2).T @ diagonal[block]
    return lambda R: _centred(R / (1 + squares))


def _blocks(X, diagonal):
    """Returns a function that solves with the blocks of the classes, I + X' diag(J_jj) X."""
    from scipy.linalg.lapack import dpotrf, dpotrs

    d, m, factors = X.shape[1], diagonal.shape[1], []
    for j in range(m):
        rows = np.flatnonzero(diagonal[:, j])
        scaled = X[rows] * np.sqrt(diagonal[rows, j])[:, None]
        factors.append(dpotrf(np.eye(d) + scaled.T @ scaled)[0])
    return lambda R: _centred(np.column_stack([dpotrs(factors[j], R[:, j])[0] for j in range(m)]))


def _centred(R):
    return R - R.mean(axis=1, keepdims=True)
