"""The truncated top-k entropy by L-BFGS: the objective and its gradient, which SciPy's method asks for."""

import numpy as np

from reference.problems import checks

from ..._shared.jit import kernel
from ..._shared.threads import one_blas_thread
from .shares import score_differences, truncated_softmax


class TruncatedObjective:
    """regularization/2 |W|^2 + 1/n sum_i s_i loss(W' x_i, y_i), as a function of the entries of W (d, m)."""

    def __init__(self, problem):
        self.problem, X = problem, problem.X
        is_sparse = hasattr(X, "tocsr")
        squares = X.multiply(X).sum(axis=1) if is_sparse else np.einsum("ij,ij->i", X, X, dtype=np.float64)
        self.unit = float(np.mean(problem.sample_weight * np.sqrt(np.ravel(squares)))) or 1.0
        self.products = X.astype(np.float64, copy=False)

    def __call__(self, flat):
        """Returns the value and the gradient."""
        problem, n = self.problem, len(self.problem.y)
        weights = flat.reshape(-1, problem.m)
        rows = np.ascontiguousarray(self.products @ weights)
        loss = slopes_in_place(rows, problem.y, problem.sample_weight / n, problem.k)
        gradient = problem.regularization * weights + self.products.T @ rows
        return problem.regularization / 2 * np.vdot(weights, weights) + loss, np.ravel(gradient)


def descend(objective, start):
    """Returns the TruncatedEntropyFit that L-BFGS finds from weights (d, m)."""
    from scipy.optimize import minimize

    problem = objective.problem
    limits = {"maxiter": problem.max_iterations, "ftol": 0.0, "gtol": problem.tol * objective.unit / start.size**0.5}
    with checks.progress_bar(problem.progress, problem.max_iterations, "gradient") as report, one_blas_thread():

        def show(flat):
            report(np.linalg.norm(objective(flat)[1]) / objective.unit)

        callback = show if problem.progress else None
        found = minimize(objective, start.ravel(), jac=True, method="L-BFGS-B", callback=callback, options=limits)
        weights = found.x.reshape(start.shape).astype(problem.X.dtype)
        primal, gradient = objective(weights.astype(np.float64).ravel())
    norm, reached = (np.linalg.norm(slopes) / objective.unit for slopes in (gradient, found.jac))
    return problem.fit(weights, primal, norm, found.nit, reached)


@kernel
def slopes_in_place(scores, labels, sample_weight, k):
    """Replace the scores by the gradients of the losses, times the weights. Returns the sum of the weighted losses."""
    n, m = scores.shape
    total, h, work = 0.0, np.empty(m), np.empty(m)
    for i in range(n):
        label, u, own = labels[i], scores[i], 0.0
        score_differences(u, label, h)
        total += sample_weight[i] * truncated_softmax(h, m - 1, k, work, u)
        for j in range(m - 1, -1, -1):
            if j != label:
                u[j] = sample_weight[i] * u[j - (j > label)]
                own -= u[j]
        u[label] = own
    return total
