"""TopPush and SVMperf by the multiclass reduction: time to a gap, against their papers' algorithms and L-BFGS."""

import warnings

import numpy as np
from scipy.optimize import minimize
from scipy.special import logsumexp, softmax
from sklearn.datasets import load_digits

import fast
import reference
from fast.estimators import TopPushClassifier

TEMPERATURES = (1.0, 0.1, 0.03)


def cases(quick=False):
    X, y = load_digits(return_X_y=True)
    yield from _certified(X[: 200 if quick else 500] / 16, y[: 200 if quick else 500], 1 if quick else 3)
    yield _at_defaults("digits", X[::8] if quick else X, y[::8] if quick else y)
    rng, n = np.random.default_rng(0), 1000 if quick else 20_000
    centres, y = 1.2 * rng.normal(size=(26, 16)), rng.integers(0, 26, n)
    yield _at_defaults("mixture", centres[y] + rng.normal(size=(n, 16)), y)


def _certified(X, y, repeats):
    relevant = np.eye(10, dtype=bool)[y]
    options = {"regularization": 1.0, "tol": 1e-2, "max_iterations": 5000}
    sizes = f"digits {len(X)} x {X.shape[1]} x 10, to gap 1e-2, against reference"
    yield {
        "work": f"fit_top_push, {sizes}",
        "ours": lambda: fast.fit_top_push(X, relevant, **options),
        "theirs": lambda: reference.fit_top_push(X, relevant, **options),
        "aim": 1,
        "repeats": repeats,
    }
    yield {
        "work": f"fit_svm_perf, recall, k = n, {sizes}",
        "ours": lambda: fast.fit_svm_perf(X, relevant, k=len(X), **options),
        "theirs": lambda: reference.fit_svm_perf(X, relevant, k=len(X), **options),
        "aim": 1,
        "repeats": repeats,
    }


def _at_defaults(name, X, y):
    classes = len(np.unique(y))
    return {
        "work": f"TopPushClassifier at defaults, {name} {len(X)} x {X.shape[1]} x {classes}, against L-BFGS",
        "ours": lambda: TopPushClassifier().fit(X, y),
        "theirs": lambda: smoothed(X, y, np.eye(classes, dtype=bool)[y]),
        "aim": 1,
        "repeats": 1,
    }


def smoothed(X, y, positive):
    """L-BFGS for the objective of C = 1, its maximum over the negatives replaced by log-sum-exp, ever less smooth."""
    n, m = positive.shape
    rows, weights = np.arange(n), np.zeros(m * X.shape[1])

    def objective(w, temperature):
        scores = X @ w.reshape(m, -1).T
        negatives = np.where(positive, -np.inf, scores / temperature).ravel()
        losses = np.maximum(0, 1 + temperature * logsumexp(negatives) - scores[rows, y])
        slopes = softmax(negatives).reshape(n, m) * 2 * losses.sum()
        slopes[rows, y] = -2 * losses
        return w @ w / 2 + losses @ losses, w + (slopes.T @ X).ravel()

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for temperature in TEMPERATURES:
            weights = minimize(objective, weights, (temperature,), "L-BFGS-B", jac=True, options={"maxiter": 200}).x
    return weights
