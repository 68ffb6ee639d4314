"""What the tests of topk svm share."""

import numpy as np
import pytest

from reference.check import certify
from reference.problems.checks import KINDS

EACH_KIND = pytest.mark.parametrize("kind", KINDS)

# What the reported gap, the certificate and the twins may differ by, in roundings of the sums of n m terms.
ROUNDINGS = 64


def instance(seed=0, n=24, d=4, m=5, zero_rows=0, dtype=np.float64):
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((n, d)), rng.integers(0, m, n)
    y[:m] = np.arange(m)
    X[rng.permutation(n)[:zero_rows]] = 0
    return X.astype(dtype), y


def assert_certified(got, X, y, tol, **options):
    """The gap is what it says, the duals are feasible, and the weights are theirs."""
    assert_proved(certify("fit_topk_svm", got.duals, X, y, **options).value, got, X, tol)


def assert_proved(certificate, got, X, tol):
    """The gap is at most tol, the certificate is that but for the largest rounding of its sums, the weights are X'A."""
    eps, sizes = np.finfo(got.duals.dtype).eps, abs(X).astype(np.float64)
    products = (sizes @ (sizes.T @ np.abs(got.duals))).max(axis=1).mean()
    own = ROUNDINGS * (np.sqrt(got.duals.size) + 4 * got.duals.shape[1]) / min(got.primal, 1)
    limit = got.gap + eps * (own + 4 * sum(X.shape) * products / got.primal)
    assert got.gap <= tol, f"expected a gap <= {tol}, got {got.gap}"
    assert certificate <= limit, f"expected a certificate <= {limit}, got {certificate}"
    expected, size = X.T.astype(np.float64) @ got.duals, (sizes.T @ np.abs(got.duals)).max()
    assert np.abs(got.weights - expected).max() <= ROUNDINGS * eps * size
