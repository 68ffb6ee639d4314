"""What the tests of ranking svm share."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import fast
import reference
from reference import ranking
from reference.problems.checks import QSLoss

BOTH = pytest.mark.parametrize("module", [reference, fast], ids=["reference", "fast"])
LATE = QSLoss("late", lambda j, i: i / (j + 0.0 * i), lambda P, N: P * N * P)  # of nobody's making but ours
EACH_LOSS = pytest.mark.parametrize(
    "loss", ["ap", "ndcg", "auc", LATE, "zero_one"], ids=lambda loss: getattr(loss, "name", loss)
)
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


def fit(function, *arguments, **options):
    """A fit that may stop before its tolerance."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return function(*arguments, **options)


def members(relevant, groups):
    """(positives, negatives) of each group that has both."""
    groups = np.zeros(len(relevant)) if groups is None else np.asarray(groups)
    parts = [(np.flatnonzero((groups == g) & relevant), np.flatnonzero((groups == g) & ~relevant)) for g in set(groups)]
    return [(p, n) for p, n in parts if len(p) and len(n)]


def primal_of(weights, X, relevant, groups, loss, regularization):
    """The objective in float64, by inference in one group after another."""
    X = (X.toarray() if hasattr(X, "toarray") else X).astype(np.float64)
    weights, hinges = weights.astype(np.float64), []
    scores = X @ weights
    for p, n in members(relevant, groups):
        if loss == "zero_one":
            slack = np.append(1 - scores[p], 1 + scores[n])
            hinges.append(np.maximum(slack, 0).mean())
        else:
            best = ranking.loss_augmented_inference(scores[p], scores[n], loss).objective
            hinges.append(best - scores[p].mean() + scores[n].mean())
    return regularization / 2 * (weights @ weights) + np.mean(hinges)


def assert_optimal(got, weights, minimum, tol, regularization):
    assert minimum * (1 - SOLVED) <= got.primal <= minimum * (1 + SOLVED) / (1 - tol), (minimum, got.primal)
    assert got.dual <= minimum * (1 + SOLVED), f"expected at most {minimum}, got {got.dual}"
    distance = ((got.weights - weights) ** 2).sum()  # the objective is strongly convex
    limit = 2 * (max(got.primal - minimum, 0) + 2 * SOLVED * minimum) / regularization
    assert distance <= 2 * limit, f"expected {weights}, got {got.weights}"
