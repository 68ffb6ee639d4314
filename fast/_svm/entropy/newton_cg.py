"""The top-k entropy by Newton's method, for problems where coordinate ascent would need many passes.

For weights W let A(W) be the duals r_i (e_y - u_i in scores), where u_i are the shares at the scores of W: the gradient
of the loss. They are feasible for every W. With W(A) = X'A, the gradient of the primal is lambda (W - W(A(W))), and
    P(W) - D(A(W)) = |gradient|^2 / (2 lambda).
So a small gradient gives good duals. But the answer has the weights W(A), not W, and the primal there is larger by
about  -<g, d> + 1/2 <d, H d>  with d = g / lambda, where g is the gradient and H the Hessian. This is estimated before
a certificate is computed.

Newton's steps are truncated: a few steps of conjugate gradients with products H V, where H is never formed. An example
has the curvature r u_j [(1-sigma) a + (v_j - b)], in the differences v_j of the scores of V, with a and b the means of
v over all rivals and over the rest; the second term is for the rest only. Most examples have little curvature if they
are classified well. Those with the least, up to a small share of all curvature, are left out of the products, as a step
need not be exact. The gradient is that of all examples.

The metric of the conjugate gradients is that of one class with the mean curvature of each example, I + X' diag X, if it
is cheap to factor. This corrects for features that are correlated.
"""

import numpy as np

from ..._shared.jit import borrowing_kernel, inlined_sum
from ..sdca_step import work_for
from .shares import capped_softmax, score_differences

LEFT_OUT = 0.01  # the share of the curvature that the products leave out
TRUNCATED = 0.2  # a step ends when the norm of the residual is this share of the gradient's
SHORTENED = 1e-3  # or this share, if the answer is so near that no more is needed for the tolerance
NEAR = 1e-2  # P - D, relative, below which this is tried
LASTING = 0.5  # a metric is used again as long as the curvature is at least this share of what it was, or at most 1/it
MOST_PRODUCTS, MOST_NEWTON_STEPS = 200, 30
ENOUGH, LEAST_LENGTH = 1e-4, 1e-10  # share of the promised decrease that is enough, and the least length of a step
ROUNDING = 8 * float(np.finfo(np.float64).eps)  # an increase of the primal by at most this share may be one by rounding
PRODUCTS_OF_POINT = 2  # which take as long as a point
REACHED, STUCK, INTERRUPTED = "reached", "stuck", "interrupted"
MARGIN_OF_GAP = 0.8  # a certificate is computed when the estimated gap is at most this share of the tolerance
FEATURES_PER_CLASS = 20  # more features make the metric cost more than it saves


class NewtonPoint:
    """Weights W (m, d), their primal, the dual of A(W), and the gradient."""

    def __init__(self, problem, weights):
        self.weights, n, m = weights, problem.n, problem.m
        scores = problem.X @ weights.T
        self.duals, self.curvature = np.ascontiguousarray(scores), np.empty(n)
        problem_of_rows = problem.labels, problem.radius, problem.k
        loss, entropy = gradient_duals(self.duals, *problem_of_rows, self.curvature, work_for(m))
        image = np.ascontiguousarray((problem.X.T @ self.duals).T)
        self.gradient = weights - image  # in units of lambda, as are primal and dual
        self.primal = loss + np.vdot(weights, weights) / 2
        self.dual = entropy - np.vdot(image, image) / 2


class NewtonProblem:
    """The examples of a model, and the options, in the form that the products need."""

    def __init__(self, model, options, dtype):
        self.X = model.features().astype(np.float64, copy=False)
        self.factors = model.features().astype(dtype, copy=False)  # for the products with the Hessian
        self.left_out, self.is_exact, self.products = LEFT_OUT, False, 0
        self.n, self.d, self.m = *self.X.shape, model.m
        self.labels, self.norms, self.k = model.examples.labels, model.examples.squared_norms, options.k
        self.radius = options.radius * options.sample_weight

    def make_exact(self):
        """Compute products of all examples in float64 from now on."""
        self.factors, self.left_out, self.is_exact = self.X, 0.0, True

    def active(self, point):
        """Returns the examples that make up nearly all curvature."""
        weight = point.curvature * self.norms
        order = np.argsort(weight)
        total = np.cumsum(weight[order])
        return np.sort(order[np.searchsorted(total, self.left_out * total[-1]) :]) if total[-1] > 0 else order[:0]


class Curvature:
    """Products with the Hessian at a point, divided by lambda."""

    def __init__(self, problem, point, last):
        rows = problem.active(point)
        self.X, self.duals = problem.factors[rows], point.duals[rows]
        self.labels, self.radius, self.k = problem.labels[rows], problem.radius[rows], problem.k
        self.trace = point.curvature[rows].sum()
        if last is not None and LASTING <= self.trace / last.trace <= 1 / LASTING:
            self.metric, self.trace = last.metric, last.trace
        elif problem.d <= FEATURES_PER_CLASS * problem.m and not hasattr(self.X, "tocsr"):
            self.metric = _inverse_gram(self.X, point.curvature[rows] / (problem.m - 1))
        else:
            self.metric = None

    def product(self, V):
        """Returns H V for V (m, d)."""
        T = np.ascontiguousarray(self.X @ V.T.astype(self.X.dtype), np.float64)
        bend_in_place(T, self.duals, self.labels, self.radius, self.k)
        return V + (self.X.T @ T.astype(self.X.dtype, copy=False)).T

    def conditioned(self, R):
        """Returns R in the metric."""
        return R if self.metric is None else R @ self.metric

    def step(self, gradient, enough, most):
        """Returns (about -H^-1 times the gradient, the number of products), by conjugate gradients.

        The squared residual has to be at most `enough`, if that is in reach, or else a share of the gradient in the
        metric. At most `most` products are made.
        """
        V, R = np.zeros(gradient.shape), -gradient
        Z = direction = self.conditioned(R)
        rz = np.vdot(R, Z)
        loose, tight = TRUNCATED**2 * rz, SHORTENED**2 * rz
        most, products = min(most, MOST_PRODUCTS), 0
        while True:
            products += 1
            image = self.product(direction)
            length = rz / np.vdot(direction, image)
            V += length * direction
            R -= length * image
            Z = self.conditioned(R)
            last, rz = rz, np.vdot(R, Z)
            if rz <= tight or (rz <= loose and np.vdot(R, R) <= enough) or products >= most:
                return V, products
            direction = Z + (rz / last) * direction


def _inverse_gram(X, weights):
    """Returns the inverse of I + X' diag(weights) X, or None if rounding leaves none."""
    gram = (X.T * weights.astype(X.dtype)) @ X
    gram.reshape(-1)[:: len(gram) + 1] += 1.0
    try:
        return np.linalg.inv(gram).astype(np.float64)
    except np.linalg.LinAlgError:  # beside the curvature, 1 is nothing
        return None


class NewtonMethod:
    """Newton's method for a model. It can be interrupted, and goes on from the weights where it was."""

    def __init__(self, model, options, dtype):
        self.model, self.options, self.dtype = model, options, dtype
        self.problem, self.point = None, None

    def descend(self, most):
        """Change the duals of the model to A(W), with W near the optimum: near enough for the gap that is asked for.

        Returns (REACHED, STUCK or INTERRUPTED, the number of products). It is STUCK if the method cannot decrease the
        estimated gap any more, and INTERRUPTED after `most` products. Then the duals of the model are not changed.
        """
        if self.problem is None:
            self.problem = NewtonProblem(self.model, self.options, self.dtype)
        self.problem.products = 0
        point, interrupted = NewtonPoint(self.problem, self.model.weights_of_features()), self.point
        if interrupted is not None and interrupted.primal < point.primal:
            point = interrupted
        state, point = _descend_from(point, self.problem, self.options.tol, most)
        products = self.problem.products
        if state == INTERRUPTED:
            self.point = point
        else:
            self.problem, self.point = None, None
            self.model.duals.rows[:] = point.duals
            self.model.duals.thresholds[:] = np.nan
        return state, products


@np.errstate(over="ignore", invalid="ignore")  # a point that is not finite is not taken
def _descend_from(point, problem, tol, most):
    """Returns (REACHED, STUCK or INTERRUPTED, the last point)."""
    curvature = None
    for _ in range(MOST_NEWTON_STEPS):
        curvature, gradient = Curvature(problem, point, curvature), point.gradient
        square, wanted = np.vdot(gradient, gradient), MARGIN_OF_GAP * tol * point.primal
        bend = np.vdot(gradient, curvature.product(gradient))
        if point.primal - point.dual + max(bend / 2 - square, 0.0) <= wanted:
            return REACHED, point
        if problem.products >= most:
            return INTERRUPTED, point
        # A residual like this gradient has a gap of (bend - square) / 2, which is proportional to its square.
        enough = wanted * square / bend if 0 <= point.primal - point.dual <= NEAR * point.primal else np.inf
        step, products = curvature.step(gradient, enough, most - problem.products)
        problem.products += products + 1
        better = _search(problem, point, step)
        if better is point:
            if problem.is_exact:
                break
            curvature = problem.make_exact()  # it may have been the rough products that led nowhere
        point = better
    return STUCK, point


def _search(problem, point, step):
    """Returns a point along the step where the primal is lower by enough, or the same point if there is none."""
    slope, length = np.vdot(point.gradient, step), 1.0
    while length >= LEAST_LENGTH:
        problem.products += PRODUCTS_OF_POINT
        trial = NewtonPoint(problem, point.weights + length * step)
        if trial.primal <= point.primal + ENOUGH * length * slope + ROUNDING * point.primal:
            return trial
        length /= 2
    return point


@borrowing_kernel
def gradient_duals(scores, labels, radius, k, curvature, work):
    """Replace the scores by the duals A(W). Write the trace of the curvature of each example to `curvature`.

    Returns the sums of radius times loss, and of radius times the entropy of the shares.
    """
    total, entropy, m = 0.0, 0.0, scores.shape[1]
    for i in range(len(scores)):
        row, r, label, u, h = scores[i], radius[i], labels[i], work.changes, work.b
        score_differences(row, label, h)
        loss = capped_softmax(h, m - 1, k, work.candidates, u)
        own, product, bend = _sums_of_shares(u, h, m - 1)
        for j in range(label):
            row[j] = -r * u[j]
        row[label] = r * own
        for j in range(label + 1, m):
            row[j] = -r * u[j - 1]
        curvature[i] = r * bend
        total += r * loss
        entropy += r * (loss - product)
    return total, entropy


@inlined_sum
def _sums_of_shares(u, h, n):
    """Returns the sums of u, of u h and of u (1 - u)."""
    own, product, bend = 0.0, 0.0, 0.0
    for c in range(n):
        own += u[c]
        product += u[c] * h[c]
        bend += u[c] * (1 - u[c])
    return own, product, bend


@inlined_sum
def _bend_softmax(row, dual, label, radius):
    """Bend one row for k = 1, where no share is at its cap. Returns the entry of the label. The duals sum to 0."""
    mean, own = 0.0, 0.0
    for j in range(len(row)):
        mean -= dual[j] * row[j]
    middle = row[label] + mean / radius
    for j in range(len(row)):
        row[j] = dual[j] * (middle - row[j])
        own -= row[j]
    return own + row[label]


@borrowing_kernel
def bend_in_place(scores, duals, labels, radius, k):
    """Replace the scores of a direction by the curvature of the losses along it, times the radius."""
    m = scores.shape[1]
    for i in range(len(scores)):
        row, dual, label = scores[i], duals[i], labels[i]
        total, cap, v = dual[label], dual[label] / k * (1 - 1e-12), row[label]
        if total <= 0:
            for j in range(m):
                row[j] = 0.0
            continue
        if k == 1:
            row[label] = _bend_softmax(row, dual, label, radius[i])
            continue
        mean, rest, share = 0.0, 0.0, 0.0
        for j in range(m):
            if j != label:
                x = -dual[j]
                mean += x * (row[j] - v)
                if x < cap:
                    rest += x * (row[j] - v)
                    share += x
        slope = mean / total * (1 - total / radius[i]) if total < radius[i] else 0.0
        middle = rest / share if share > 0 else 0.0
        own = 0.0
        for j in range(m):
            if j != label:
                x = -dual[j]
                bent = x * (slope + (row[j] - v - middle if x < cap else 0.0))
                row[j] = bent
                own -= bent
        row[label] = own
