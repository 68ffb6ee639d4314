"""The top-k SVM for growing numbers of examples, features and classes, compared with one product of matrices, X @ W.

There are two costs. That of a fit to a certified gap of 1e-3 depends on the algorithm and the data. That of an epoch in
which all examples are visited depends on the algorithm alone.
"""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

import fast
from tests.benchmarks.scaling import point

SWEEPS = {
    "n": (500, 1000, 2000, 4000, 8000, 16_000, 32_000),
    "d": (16, 32, 64, 128, 256, 512, 1024, 2048),
    "m": (8, 16, 32, 64, 128, 256, 512, 1024),
}
QUICK = {"n": (100, 200), "d": (16, 32), "m": (8, 16)}
USUAL = {"n": 2000, "d": 128, "m": 32}
GAP, SEPARATION = 1e-3, 3.0


def cases(quick=False):
    for along, sizes in (QUICK if quick else SWEEPS).items():
        for size in sizes:
            X, y = _mixture(**{**USUAL, along: size})
            for k in (1, 5):
                yield _fit(X, y, k, (along, size), 1 if quick else 3)
            yield _epoch(X, y, (along, size), 1 if quick else 5)


def _mixture(n, d, m):
    """Returns Gaussian classes with rows of length about 1. The distance of their centres does not depend on d."""
    rng = np.random.default_rng(0)
    y = np.concatenate([np.arange(m), rng.integers(0, m, n - m)])
    return (rng.standard_normal((n, d)) + SEPARATION / np.sqrt(d) * rng.standard_normal((m, d))[y]) / np.sqrt(d), y


def _fit(X, y, k, size, repeats):
    options, W = {"k": k, "regularization": 1 / len(y), "tol": GAP}, np.ones((X.shape[1], y.max() + 1))

    def fit():
        case["sweep"]["epochs"] = fast.fit_topk_svm(X, y, **options).epochs

    case = point("topk_svm", f"fit_topk_svm, k = {k}, to gap 1e-3", size, "X @ W", fit, lambda: X @ W, repeats)
    return case


def _epoch(X, y, size, repeats):
    W, order = np.ones((X.shape[1], y.max() + 1)), np.random.default_rng(1).permutation(len(y))
    options = {"regularization": 1 / len(y), "tol": 0.0, "max_epochs": 1, "order": order}

    def one_epoch():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            fast.fit_topk_svm(X, y, **options)

    name = "fit_topk_svm, k = 1, an epoch of all examples"
    return point("topk_svm", name, size, "X @ W", one_epoch, lambda: X @ W, repeats)
