"""The top-k SVM by Newton's method: for few weights, many examples, and classes that overlap.

Coordinate ascent crawls if most examples are near the margin of several classes: it moves the duals of one example at
a time, and the optimum balances all of them. But there are only d m weights. This module finds them by Newton's method,
and keeps feasible duals all the time, so that the certificate is the same as that of coordinate ascent.

Units. Let r = 1 / (lambda n), and let u be a power of two near sqrt(r), so that products with it are exact. Here x_i is
row i of u X, and duals are divided by u^2. Then the dual domain of example i has a radius w_i = s_i r / u^2, which is
near s_i. Primal and dual, divided by lambda u^2, are
    P(W) = 1/2 |W|^2 + sum_i w_i loss(W' x_i, y_i),    D(A) = sum_i A[i, y_i] - 1/2 |W(A)|^2,    W(A) = sum_i x_i a_i'.

The proximal point method (Rockafellar 1976) replaces the problem by a sequence of easier ones. It maximises
    D(A) - proximity/2 sum_i |a_i - c_i|^2 / w_i
over the dual domain, for a given centre C of feasible duals, then makes the maximiser the new centre, and so on. C
converges to an optimum. The smaller the proximity, the fewer steps it takes, but the harder is each of them.

The primal of such a step has no constraints, and is smooth:
    min over W of  phi(W) = 1/2 |W|^2 + sum_i smoothed loss_i(W' x_i),
where the smoothed loss is that of `faces`, with its centre c_i. Let A(W) be its maximisers. They are feasible duals for
any W, and the gradient of phi is W - W(A(W)). So at the minimum of phi the weights are those of the duals, and these
are the answer to the proximal step. phi is quadratic as long as all a_i stay in their faces, with the Hessian
    H = I + 1/proximity sum_i w_i J_i (x) x_i x_i',
a matrix of order d m. J_i = 0 for all examples whose duals are in a vertex. Newton's step is -H^-1 times the gradient
(semismooth Newton). Its length is halved, or better, until phi decreases enough.

The answer is the duals A = A(W) and their weights W(A), not W. So a minimisation ends when P(W(A)) must be near P(W),
measured by the gap P(W) - D(A). With the gradient G = W - W(A), phi(W(A)) is about phi(W) + q for q = 1/2 G' H G. P has
kinks where phi is smooth: there the margins of an example change by some t, q contains w_i t^2 / (2 proximity), and P
may increase by w_i |t|. In sum over these examples that is at most sqrt(2 q proximity sum w_i), by Cauchy-Schwarz. Each
proximal step ends with a certificate, the gap P(W(A)) - D(A).

A smooth loss has its own term -smoothing/2 sum_i |x_i|^2 / w_i in D, for the duals x_i of the rivals. Then P has no
kinks, and the proximity is what its schedule exceeds the smoothing by. Once it is 0, phi is P, and Newton's method
alone finishes the work.

Source: X. Li, D. Sun, K.-C. Toh, "A highly efficient semismooth Newton augmented Lagrangian method for solving Lasso
problems", SIAM J. Optimization 28, 2018, whose structure this is; R. T. Rockafellar, "Monotone operators and the
proximal point algorithm", SIAM J. Control and Optimization 14, 1976.
"""

from contextlib import suppress
from typing import NamedTuple

import numpy as np

from .faces import add_curvature, total_loss, unpack_curvature, write_smoothed_duals
from .hinge import KIND_NUMBERS

# The proximity of the first step, in units of the margin, and by which factor it changes from step to step, down to the
# least. A larger first one needs more steps, a smaller one more of Newton's. At the least, rounding errors begin to
# matter.
FIRST_PROXIMITY, SHRINK, LEAST_PROXIMITY = 0.1, 0.7, 1e-6
# A minimisation ends when P(W(A)) - P(W) is estimated as at most NEAR_GAP of the gap of W and A, or when the gap would
# be at most tol even if that was SAFETY times as much.
NEAR_GAP, SAFETY = 0.3, 3
MOST_NEWTON_STEPS = 30  # in a proximal step: a bound that is reached only where rounding errors prevail
ENOUGH = 1e-4  # which share of the decrease that the slope promises is enough for a step of Newton's
LEAST_LENGTH = 1e-9  # of a step of Newton's: below it, rounding errors prevail
ROUNDING = 8 * np.finfo(np.float64).eps  # an increase of phi by at most this share may be one by rounding
PATIENCE = 5  # proximal steps without a new lowest gap: after that, this method has no more to give
# The rule that chooses this method. To factor H takes (d m)^3 / 3 operations and 12 (d m)^2 bytes, and a pass over the
# examples takes 4 n d m operations and more, so that (d m)^2 / n must not be large. FEW_WEIGHTS are factored in 0.3 ms.
FEW_WEIGHTS, MOST_WEIGHTS, SQUARED_WEIGHTS_PER_EXAMPLE, LEAST_REACH = 150, 2000, 100, 0.1
CHUNK = 2**15  # 256 kB: the scores of these examples stay in the cache
# The start is the answer for one of SAMPLED examples, with a larger proximity, if they are enough for the weights.
SAMPLED, SAMPLE_PER_WEIGHT, SAMPLE_PROXIMITY, SAMPLE_STEPS = 8, 3, 1.0, 4
START_FACTORS = 2.0 ** np.arange(8)  # of the weights of least squares, whose scores differ by less than the margin
START_ROWS = 2000  # at least, to choose among these factors


class NewtonPoint(NamedTuple):
    """Weights W (m, d), and what belongs to them: phi, its gradient and Hessian, P(W) and D(A(W))."""

    weights: np.ndarray
    value: float
    gradient: np.ndarray  # (m, d)
    hessian: np.ndarray  # (m d, m d), of which only the lower triangle is to be read
    primal: float
    dual: float
    blur: float  # proximity + smoothing times the weight of the examples whose duals are in no vertex; 0 if phi is P

    def gap(self):
        return self.primal - self.dual

    def increase(self):
        """Returns an estimate of P(W(A)) - P(W)."""
        from scipy.linalg.blas import dsymv  # here, because other fits need not wait for the import

        gradient = self.gradient.ravel()
        smooth = gradient @ dsymv(1.0, self.hessian.T, gradient) / 2
        return smooth + np.sqrt(2 * self.blur * smooth)


class SmoothedProblem:
    """The problem of one proximal step, for the rows of X and the duals `centre`, which it owns and changes."""

    def __init__(self, X, y, centre, options, scheduled):
        self.X, self.y, self.centre, self.unit = X, y, centre, _unit(options)
        self.weights = options.sample_weight * (options.radius / self.unit**2)
        self.kind, self.k, self.smoothing = KIND_NUMBERS[options.kind], options.k, options.smoothing
        self.set_proximity(scheduled)
        (n, m), d = centre.shape, X.shape[1]
        self.packed, self.hessian = np.empty((m * (m + 1) // 2, d * (d + 1) // 2)), np.empty((m, d, m, d))
        size = max(CHUNK // max(m, d), 1)
        self.chunks = [slice(first, min(first + size, n)) for first in range(0, n, size)]

    def set_proximity(self, scheduled):
        """Let the proximity be what the scheduled one exceeds the smoothing of the loss by."""
        self.proximity = max(scheduled - self.smoothing, 0.0)

    def features(self, rows):
        """Returns some rows of X, dense and in float64. What is computed from them is multiplied by u afterwards."""
        X = self.X[rows]
        return (X.toarray() if hasattr(X, "tocsr") else X).astype(np.float64, copy=False)

    def scores(self, X, weights):
        """Returns the scores of some rows of X."""
        return X @ (self.unit * weights).T

    def at(self, weights):
        """Returns the NewtonPoint of these weights. It is valid until the next one is asked for."""
        duals, image = np.empty((self.chunks[0].stop, len(weights))), np.zeros_like(weights)
        scaled, sums, movable = self.unit * weights, np.zeros(3), 0.0
        self.packed[:] = 0.0
        for rows in self.chunks:
            X, y, s, a = self.features(rows), self.y[rows], self.weights[rows], duals[: rows.stop - rows.start]
            a[:] = 0.0
            sums += write_smoothed_duals(X @ scaled.T, y, s, self.centre[rows], *self.bends(), self.kind, self.k, a)
            factor = self.unit**2 / sum(self.bends())
            movable += add_curvature(X, y, s, a, factor, *self.bends(), self.kind, self.k, self.packed)
            image += a.T @ X
        image *= self.unit
        unpack_curvature(self.packed, self.hessian)
        loss, smoothed, total = sums
        square = np.vdot(weights, weights) / 2
        blur = sum(self.bends()) * movable if self.proximity > 0 else 0.0
        hessian, dual = self.hessian.reshape(weights.size, -1), total - np.vdot(image, image) / 2
        return NewtonPoint(weights, square + smoothed, weights - image, hessian, square + loss, dual, blur)

    def bends(self):
        """Returns the proximity and the smoothing."""
        return self.proximity, self.smoothing

    def move_centre(self, weights):
        """Make A(W) the centre."""
        for rows in self.chunks:
            scores, centre = self.scores(self.features(rows), weights), self.centre[rows]
            write_smoothed_duals(
                scores, self.y[rows], self.weights[rows], centre, *self.bends(), self.kind, self.k, centre
            )

    def weights_of(self, duals):
        """Returns W(A)."""
        return self.unit * sum(duals[rows].T.astype(np.float64) @ self.features(rows) for rows in self.chunks)

    def loss(self, weights):
        """Returns sum_i w_i loss(W' x_i, y_i)."""
        total = 0.0
        for rows in self.chunks:
            scores = self.scores(self.features(rows), weights)
            total += total_loss(scores, self.y[rows], self.weights[rows], 1.0, self.kind, self.k, self.smoothing)
        return total

    def least_squares(self):
        """Returns weights to start from: least squares for the indicators of the classes, times the best factor."""
        (n, m), d = self.centre.shape, self.X.shape[1]
        gram, targets = np.eye(d), np.zeros((d, m))
        for rows in self.chunks:
            X, y, s = self.unit * self.features(rows), self.y[rows], self.weights[rows]
            gram += (s * X.T) @ X
            targets += (s * X.T) @ ((np.arange(m) == y[:, None]) - 1 / m)
        weights = np.linalg.solve(gram, targets).T
        rows = slice(0, None, max(n // START_ROWS, 1))
        scores, y, s = self.scores(self.features(rows), weights), self.y[rows], self.weights[rows]
        kind, k, smoothing = self.kind, self.k, self.smoothing
        losses = [total_loss(scores, y, s, factor, kind, k, smoothing) * n / len(y) for factor in START_FACTORS]
        return weights * START_FACTORS[np.argmin(losses + START_FACTORS**2 * np.vdot(weights, weights) / 2)]


def newton_pays(squared_norms, d, m, options):
    """Whether this method is chosen for examples with these |x_i|^2, of d features and m classes.

    It is chosen for few weights. If the regularization is strong, a few passes of coordinate ascent take less time:
    r s_i |x_i|^2 is by how much the duals of example i alone can change its own margins.
    """
    most = max(SQUARED_WEIGHTS_PER_EXAMPLE * len(squared_norms), FEW_WEIGHTS**2)
    if d * m > MOST_WEIGHTS or (d * m) ** 2 > most:
        return False
    with np.errstate(over="ignore"):
        return bool(options.radius * np.mean(options.sample_weight * squared_norms) >= LEAST_REACH)


def ascend_by_newton(X, y, duals, options, seed, recorder, report):
    """Change the duals (n, m) in place until their certified gap is at most tol, or does not decrease any more.

    Each proximal step is one iteration of the recorder, whose answer is the weights (m, d).
    """
    duals /= _unit(options) ** 2
    problem = SmoothedProblem(X, y, duals, options, FIRST_PROXIMITY)
    lowest, last, scheduled = np.inf, len(recorder.history), FIRST_PROXIMITY
    with np.errstate(over="ignore", invalid="ignore"):  # a step that overflows does not decrease phi
        weights = np.zeros((duals.shape[1], X.shape[1]))
        with suppress(np.linalg.LinAlgError):  # squares out of range
            generator = np.random.default_rng(seed)
            weights = problem.weights_of(duals) if duals.any() else _start(problem, options, generator)
        while len(recorder.history) < min(options.max_epochs, last + PATIENCE):
            weights = _minimise(problem, weights, options.tol)
            problem.move_centre(weights)
            recorder.replace(*_certify(problem, options))
            if recorder.close_iteration(report):
                break
            if recorder.gap < lowest:
                lowest, last = recorder.gap, len(recorder.history)
            scheduled = max(SHRINK * scheduled, LEAST_PROXIMITY)
            problem.set_proximity(scheduled)
    duals *= problem.unit**2


def _unit(options):
    """Returns u."""
    return 2.0 ** round(np.log2(options.radius) / 2)


def _start(problem, options, generator):
    """Returns weights to start from: those of a random sample of the examples, or of least squares if they are few."""
    (n, m), d = problem.centre.shape, problem.X.shape[1]
    size = n // SAMPLED
    if size < SAMPLE_PER_WEIGHT * d * m:
        return problem.least_squares()
    rows = np.sort(generator.choice(n, size, replace=False))
    options = options._replace(radius=options.radius * n / size, sample_weight=options.sample_weight[rows])
    sample = SmoothedProblem(problem.X[rows], problem.y[rows], np.zeros((size, m)), options, SAMPLE_PROXIMITY)
    weights = _minimise(sample, _start(sample, options, generator), 0.0, SAMPLE_STEPS)
    return weights * (sample.unit / problem.unit)  # W is this times the unit


def _minimise(problem, weights, tol, most_steps=MOST_NEWTON_STEPS):
    """Returns weights near the minimum of phi: near enough for the gap of their duals."""
    point, near = problem.at(weights), NEAR_GAP if problem.proximity > 0 else 0.0
    for _ in range(most_steps):
        increase, gap = point.increase(), point.gap()
        if increase <= near * gap or gap + SAFETY * increase <= tol * point.primal:
            break
        try:
            direction = _newton_direction(point)
        except np.linalg.LinAlgError:
            break
        point = _search(problem, point, direction)
        if point.weights is weights:
            break
        weights = point.weights
    return weights


def _newton_direction(point):
    """Returns -H^-1 times the gradient. A ridge as small as the rounding errors of H keeps it positive definite."""
    from scipy.linalg.lapack import dpotrf, dpotrs

    hessian, order = point.hessian, len(point.hessian)
    diagonal = hessian.reshape(-1)[:: order + 1]
    diagonal += order * np.finfo(np.float64).eps * diagonal.max()
    factor, failed = dpotrf(hessian.T, clean=False, overwrite_a=True)
    if failed:
        raise np.linalg.LinAlgError("the Hessian is not positive definite in floating-point arithmetic")
    return -dpotrs(factor, point.gradient.ravel())[0].reshape(point.gradient.shape)


def _search(problem, point, direction):
    """Returns a point along the direction where phi is lower by enough, or the same weights if there is none."""
    slope, length = np.vdot(point.gradient, direction), 1.0
    while length > LEAST_LENGTH:
        trial = problem.at(point.weights + length * direction)
        if trial.value <= point.value + ENOUGH * length * slope + ROUNDING * point.value:
            return trial
        new_slope = np.vdot(trial.gradient, direction)
        # The slope increases along the direction. Linear interpolation tells where it is 0.
        length *= min(max(slope / (slope - new_slope), 0.1), 0.7) if new_slope > 0 else 0.5
    return point


def _certify(problem, options):
    """Returns (primal, weights, dual) of the duals as they are returned: rounded to the dtype of X."""
    scale, dtype, returned = problem.unit**2, problem.X.dtype, problem.centre
    if dtype != returned.dtype:
        returned = (returned * scale).astype(dtype) / np.float64(scale)
    weights = problem.weights_of(returned)
    square = np.vdot(weights, weights) / 2
    own = np.arange(len(returned)), problem.y
    dual = returned[own].sum() - square
    if problem.smoothing > 0:
        u = np.divide(returned, problem.weights[:, None], out=np.zeros_like(returned), where=returned != 0)
        u[own] = 0.0
        dual -= problem.smoothing / 2 * (problem.weights @ (u**2).sum(axis=1))
    scale *= options.regularization
    return float(scale * (square + problem.loss(weights))), problem.unit * weights, float(scale * dual)
