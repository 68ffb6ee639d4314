"""What the tests of ranking svm share."""

import numpy as np

from reference.problems.checks import QSLoss

LATE = QSLoss("late", lambda j, i: i / (j + 0.0 * i), lambda P, N: P * N * P)  # of nobody's making but ours
SOLVED = 1e-7  # how well CVXPY knows a minimum, relative


def instance(seed=0, sizes=(5, 4, 5), d=4, dtype=np.float64, signal=0.5):
    """(X, relevant, groups), shuffled; each group has both classes, and the groups' numbers are not 0, 1, 2."""
    rng = np.random.default_rng(seed)
    X, groups, relevant = rng.standard_normal((sum(sizes), d)), np.repeat(7 - 3 * np.arange(len(sizes)), sizes), []
    for size in sizes:
        relevant += list(np.arange(size) < rng.integers(1, size))
    X[:, 0] += signal * np.array(relevant)
    order = rng.permutation(len(X))
    return X[order].astype(dtype), np.array(relevant)[order], groups[order]


def assert_optimal(got, weights, minimum, tol, regularization):
    assert minimum * (1 - SOLVED) <= got.primal <= minimum * (1 + SOLVED) / (1 - tol), (minimum, got.primal)
    assert got.dual <= minimum * (1 + SOLVED), f"expected at most {minimum}, got {got.dual}"
    distance = ((got.weights - weights) ** 2).sum()  # the objective is strongly convex
    limit = 2 * (max(got.primal - minimum, 0) + 2 * SOLVED * minimum) / regularization
    assert distance <= 2 * limit, f"expected {weights}, got {got.weights}"
