"""The methods of the papers that followed the top-k SVM, for the table of notebook 14.

Smooth top-k hinges, softmax, the top-k entropies and the truncated ones (Lapin, Hein and Schiele, CVPR 2016 and TPAMI
2018). A method learns W from (X, y) at one lambda, and may start from what the last fit left behind, one at a larger
lambda. It returns (weights, gap, state), where gap bounds (objective - minimum) / objective, or is None.
"""

import numpy as np
from scipy.optimize import minimize

import fast

SMOOTHING = 1.0  # gamma of the smooth hinges
KS_SMOOTH = (1, 3, 5, 10)
KS_ENTROPY, KS_TRUNCATED = (2, 3, 4, 5, 10), (3, 5, 10)  # k = 1 is softmax
TOL, MOST_EPOCHS = 1e-3, 15  # of the smooth hinges
TOL_ENTROPY = 5e-3  # of a bound that is larger than the gap
TOL_TRUNCATED = 1e-3  # of the gradient's norm
MOST_ITERATIONS, MEMORY = 300, 20  # of L-BFGS


def smooth_hinge(X, y, regularization, state, k):
    """The smooth top-k hinge alpha, by dual ascent. gap is the relative duality gap."""
    options = {"k": k, "smoothing": SMOOTHING, "regularization": regularization, "tol": TOL, "max_epochs": MOST_EPOCHS}
    fit = fast.fit_topk_svm(X, y, duals=state, **options)
    return fit.weights, fit.gap, fit.duals


def entropy(X, y, regularization, state, k):
    """The top-k entropy (softmax for k = 1), by L-BFGS in float32.

    The objective P is strongly convex with modulus lambda, so P(W) - min P <= |grad P(W)|^2 / (2 lambda). L-BFGS stops
    when this bound is at most TOL_ENTROPY P(W). At small lambda this is faster than the dual ascent of `fast`, and the
    bound is as good a proof as a duality gap.
    """
    problem = EntropyObjective(X, y, regularization, k)
    start = np.zeros(problem.shape) if state is None else state
    options = {"maxiter": MOST_ITERATIONS, "maxcor": MEMORY, "gtol": 0.0, "ftol": 0.0}
    found = minimize(problem, start.ravel(), jac=True, method="L-BFGS-B", callback=problem.stop, options=options)
    weights = found.x.reshape(problem.shape)
    problem(found.x)
    return weights, problem.gap, weights


class EntropyObjective:
    """lambda/2 |W|^2 + the mean top-k entropy, and its gradient, as functions of W.ravel()."""

    def __init__(self, X, y, regularization, k):
        self.X, self.y, self.k, self.regularization = X.astype(np.float32), y, k, regularization
        self.shape, self.gap = (X.shape[1], int(y.max()) + 1), np.inf

    def __call__(self, flat):
        W = flat.reshape(self.shape)
        scores = self.X @ W.astype(np.float32)
        value = fast.topk_entropy(scores, self.y, self.k).mean(dtype=np.float64)
        value += self.regularization / 2 * (W**2).sum()
        gradient = self.X.T @ fast.topk_entropy_gradient(scores, self.y, self.k) / np.float32(len(self.y))
        gradient = gradient + self.regularization * W
        self.gap = (gradient**2).sum() / (2 * self.regularization * value)
        return value, gradient.ravel()

    def stop(self, _):
        if self.gap <= TOL_ENTROPY:
            raise StopIteration


def truncated(X, y, regularization, state, k):
    """The truncated top-k entropy, by L-BFGS. It is not convex, has several local minima, and no gap.

    Each fit starts from the top-k entropy's solution at its own lambda, which is the state: a path from the truncated
    fits of larger lambdas ends in local minima that are much worse for one guess.
    """
    start, _, state = entropy(X, y, regularization, state, k)
    options = {"k": k, "regularization": regularization, "tol": TOL_TRUNCATED, "max_iterations": MOST_ITERATIONS}
    fit = fast.fit_truncated_topk_entropy(X.astype(np.float32), y, weights=start, **options)
    return fit.weights, None, state
