"""TopKSVC keeps the duals of large problems sparsely: the same model, in less memory."""

import json
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from fast.estimators import TopKSVC, topk_svc
from fast.estimators._svc.warm_duals import starting_duals
from tests.support.estimators import digits

ROOT = Path(__file__).parents[2]
# The peak of a first fit of a tiny problem, which compiles, and how far a large one is above it.
PROGRAM = """
import json, resource
import numpy as np
from scipy import sparse
from fast.estimators import TopKSVC
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
rng, (n, m, d, nonzero) = np.random.default_rng(0), {shape}
y = np.append(np.arange(m), rng.integers(0, m, n - m))
columns = np.sort((y[:, None] + np.arange(nonzero) ** 2) % d, axis=1)
X = sparse.csr_matrix((rng.random(n * nonzero) + 0.5, columns.ravel(), np.arange(n + 1) * nonzero), shape=(n, d))
TopKSVC(tol=0.05).fit(X[:m], y[:m])
before = peak()
svc = TopKSVC(tol=0.05).fit(X, y)
print(json.dumps([peak() - before, svc.duality_gap_]))
"""
FIXED = 3 * 2**23  # scores, work of a chunk and the allocator: independent of n m and d m


def fits(monkeypatch, X, y, **options):
    """Returns the fit with dense duals, and that with sparse ones."""
    model = TopKSVC(random_state=0, **options)
    dense = clone(model).fit(X, y)
    monkeypatch.setattr(topk_svc, "MOST_DENSE_DUALS", len(y) * len(np.unique(y)) - 1)
    return dense, clone(model).fit(X, y)


def test_duals_are_sparse_from_a_size_on():
    """The size is the number of all duals, so that their type is known before the fit."""
    m = 512
    for n, is_sparse in ((2048, False), (2049, True)):
        X, y = np.eye(m)[np.arange(n) % m, :8] + 1, np.arange(n) % m
        svc = TopKSVC(tol=1.0).fit(X, y)
        assert sparse.issparse(svc.dual_coef_) == is_sparse and svc.dual_coef_.shape == (n, m)
    assert svc.dual_coef_.format == "csr" and (svc.dual_coef_.data != 0).all()


@pytest.mark.parametrize(
    ("kernel", "dtype"),
    [("linear", np.float32), ("linear", np.float64), ("rbf", np.float32), ("precomputed", float)],
)
def test_sparse_duals_are_the_same_model(monkeypatch, kernel, dtype):
    X, y = digits(dtype=dtype)
    X = X @ X.T if kernel == "precomputed" else X
    expected, got = fits(monkeypatch, X, y, kernel=kernel, C=10.0)
    assert got.dual_coef_.dtype == dtype and got.duality_gap_ == expected.duality_gap_
    np.testing.assert_array_equal(got.dual_coef_.toarray(), expected.dual_coef_)
    np.testing.assert_array_equal(got.support_, expected.support_)
    assert len(got.support_) < len(y)
    again = pickle.loads(pickle.dumps(got))
    for fitted in (got, again):
        scores = fitted.decision_function(X)
        assert scores.dtype == dtype and isinstance(scores, np.ndarray)
        rounding = {"rtol": 1e-5, "atol": 1e-5} if dtype == np.float32 else {"rtol": 1e-12, "atol": 1e-12}
        np.testing.assert_allclose(scores, expected.decision_function(X), **rounding)
        np.testing.assert_array_equal(fitted.predict(X), expected.predict(X))


@pytest.mark.parametrize(("kind", "k", "dtype"), [("alpha", 1, np.float32), ("beta", 3, np.float64)])
def test_fits_start_from_sparse_duals_as_from_dense_ones(monkeypatch, kind, k, dtype):
    X, y = digits(dtype=dtype)
    dense, model = fits(monkeypatch, X, y, kind=kind, k=k, C=0.05, warm_start=True)
    rng = np.random.default_rng(0)
    now = dense._solved._replace(boxes=rng.uniform(0, 0.1, 200), labels=np.where(np.arange(200) < 190, y, 9 - y))
    expected, got = (starting_duals(fitted.dual_coef_, dense._solved, now) for fitted in (dense, model))
    assert sparse.issparse(got) and got.dtype == dtype and expected.any()
    np.testing.assert_array_equal(got.toarray(), expected)
    cold = clone(model).set_params(C=0.06).fit(X, y)
    model.set_params(C=0.06).fit(X, y)
    assert model.n_iter_ <= cold.n_iter_ and model.duality_gap_ <= 1e-3
    dense.set_params(C=0.06).fit(X, y)
    assert dense.n_iter_ == model.n_iter_
    np.testing.assert_array_equal(model.coef_, dense.coef_)


def test_a_fit_takes_no_memory_for_duals_that_are_zero():
    """Earlier versions kept 8 bytes n m: 48 MB here."""
    n, m, d = 10_000, 600, 1000
    program = PROGRAM.format(shape=(n, m, d, 5))
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    grown, gap = json.loads(done.stdout)
    assert gap <= 0.05
    limit = 3 * 8 * d * m + FIXED
    assert grown <= limit, f"expected at most {limit / 1e6:.0f} MB, got {grown / 1e6:.0f} MB"
