"""What the tests of topk svm share."""

import numpy as np
import pytest

import fast
import reference
from reference.check.certificates import svm as certificates

TWINS = [reference, fast]
BOTH = pytest.mark.parametrize("module", TWINS, ids=lambda module: module.__name__)
# What the reported gap, the certificate and the twins may differ by, in roundings of the sums of n m terms.
ROUNDINGS = 64


def instance(seed=0, n=24, d=4, m=5, zero_rows=0, dtype=np.float64):
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((n, d)), rng.integers(0, m, n)
    y[:m] = np.arange(m)
    X[rng.permutation(n)[:zero_rows]] = 0
    return X.astype(dtype), y


def assert_certified(got, X, y, tol, **options):
    """The gap is what it says, the duals are feasible, and the weights are theirs.

    The certificate contains the largest rounding errors of sums of n and of d terms.
    """
    certificate = certificates.fit_topk_svm(got.duals, X, y, **options)
    eps, sizes = np.finfo(got.duals.dtype).eps, np.abs(X).astype(np.float64)
    terms = (sizes @ (sizes.T @ np.abs(got.duals))).max(axis=1).mean()
    own = ROUNDINGS * (np.sqrt(got.duals.size) + got.duals.shape[1]) / min(got.primal, 1)
    limit = got.gap + eps * (own + 4 * sum(X.shape) * terms / got.primal)
    assert got.gap <= tol, f"expected a gap <= {tol}, got {got.gap}"
    assert certificate <= limit, f"expected a certificate <= {limit}, got {certificate}"
    expected = X.T.astype(np.float64) @ got.duals
    size = (np.abs(X).T.astype(np.float64) @ np.abs(got.duals)).max()
    assert np.abs(got.weights - expected).max() <= ROUNDINGS * eps * size
