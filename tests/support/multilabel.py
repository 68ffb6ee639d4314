"""What the tests of multilabel losses and fits share."""

import numpy as np
import pytest

from reference.check import certify

from .topk_svm import assert_proved

# The losses of a fit: the hinge with and without smoothing, and the entropy.
LOSSES = [
    {"loss": "hinge", "smoothing": 0.0},
    {"loss": "hinge", "smoothing": 0.01},
    {"loss": "hinge", "smoothing": 1.0},
    {"loss": "entropy"},
]
EACH_LOSS = pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: "-".join(map(str, loss.values())))


def instance(seed=0, n=24, d=4, m=5, zero_rows=0, dtype=np.float64):
    """Features and an indicator. One example has no positive, one has no negative, one has a single positive."""
    rng = np.random.default_rng(seed)
    X, Y = rng.standard_normal((n, d)), rng.random((n, m)) < 0.4
    Y[:3] = np.zeros(m, bool), np.ones(m, bool), np.arange(m) == m - 1
    X[rng.permutation(n)[:zero_rows]] = 0
    return X.astype(dtype), Y


def assert_certified(got, X, Y, tol, **problem):
    """The gap is what it says, the duals are feasible, and the weights are theirs."""
    assert_proved(certify("fit_multilabel", got.duals, X, Y, **problem).value, got, X, tol)
