"""Top-k SVMs: the memory of a fit, sparse duals, and the lists in which duals are kept while training."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

import fast
import reference
from fast._svm import dual_lists
from reference.check.certificates import svm as certificates
from reference.problems.checks import KINDS
from tests.support.topk_svm import BOTH, assert_certified, instance

ROOT = Path(__file__).parents[2]
# The peak of a first fit of a tiny problem, which compiles, and how far a large one is above it.
PROGRAM = """
import json, resource
import numpy as np
from scipy import sparse
import fast
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
rng, (n, m, d, nonzero) = np.random.default_rng(0), {shape}
y = np.append(np.arange(m), rng.integers(0, m, n - m))
columns = np.sort((y[:, None] + np.arange(nonzero) ** 2) % d, axis=1)
X = sparse.csr_matrix((rng.random(n * nonzero) + 0.5, columns.ravel(), np.arange(n + 1) * nonzero), shape=(n, d))
fast.fit_topk_svm(X[:m], y[:m], regularization=1.0, tol=0.5, sparse_duals=True)
before = peak()
fit = fast.fit_topk_svm(X, y, regularization=1 / n, tol=0.05, sparse_duals={sparse_duals})
print(json.dumps([peak() - before, float(fit.gap), int((fit.duals != 0).sum())]))
"""
FIXED = 2**26  # scores, work of a chunk and the allocator: independent of n m and d m


@pytest.mark.parametrize("sparse_duals", [True, False])
def test_a_fit_takes_no_more_memory_than_its_duals(sparse_duals):
    """Earlier versions took 20 bytes n m, whatever the number of duals that are not 0."""
    n, m, d = 20_000, 600, 1000
    program = PROGRAM.format(shape=(n, m, d, 5), sparse_duals=sparse_duals)
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    grown, gap, nonzero = json.loads(done.stdout)
    duals = 8 * n * m if not sparse_duals else 0
    assert gap <= 0.05
    assert nonzero < n * m / 20, f"expected sparse duals, got {nonzero} of {n * m} that are not 0"
    limit = duals + 3 * 8 * d * m + FIXED
    assert grown <= limit, f"expected at most {limit / 1e6:.0f} MB, got {grown / 1e6:.0f} MB"


@BOTH
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sparse_duals_are_the_same_duals(module, dtype):
    X, y = instance(1, n=40, m=7, zero_rows=2, dtype=dtype)
    options = {"k": 2, "regularization": 0.05, "tol": 1e-3}
    for function, data in ((module.fit_topk_svm, X), (module.fit_topk_svm_kernel, X @ X.T)):
        expected, got = function(data, y, **options), function(data, y, **options, sparse_duals=True)
        assert sparse.issparse(got.duals) and got.duals.format == "csr" and got.duals.dtype == dtype
        assert (got.duals.data != 0).all() and got.duals.has_sorted_indices
        assert np.array_equal(got.duals.toarray(), expected.duals) and got.gap == expected.gap
    with pytest.raises(ValueError, match="sparse_duals .*'yes'"):
        module.fit_topk_svm(X, y, regularization=0.1, sparse_duals="yes")


@BOTH
@pytest.mark.parametrize("kind", KINDS)
def test_fits_start_from_sparse_duals(module, kind):
    X, y = instance(2, n=60, m=6)
    options = {"k": 2, "kind": kind, "regularization": 0.02}
    cold = module.fit_topk_svm(X, y, **options, tol=1e-4, sparse_duals=True)
    dense, warm = (
        module.fit_topk_svm(X, y, **options, tol=1e-3, duals=duals) for duals in (cold.duals.toarray(), cold.duals)
    )
    assert warm.epochs == 1 and np.array_equal(warm.duals, dense.duals)
    assert certificates.fit_topk_svm(warm.duals, X, y, **options) <= 1.001e-3
    bad = cold.duals.copy()
    bad.data[0] += 1.0
    for wrong in (bad, cold.duals[:-1], cold.duals.tocoo()):
        with pytest.raises(ValueError, match="duals must"):
            module.fit_topk_svm(X, y, **options, duals=wrong)


def test_a_list_of_more_than_two_thirds_of_the_classes_is_complete():
    """At 12 bytes a listed dual and 8 bytes a dual of a complete list, both take the same at two thirds."""
    m, labels = 9, np.array([3, 3, 0])
    duals = np.zeros((3, m))
    duals[0, [3, 0, 1, 2, 8, 7]] = [5, -1, -1, -1, -1, -1]  # 6 of 9
    duals[1, [3, 0, 1, 2, 8, 7, 6]] = [6, -1, -1, -1, -1, -1, -1]  # 7 of 9
    lists = dual_lists.empty_lists(3, m)
    dual_lists.append_duals(lists, 0, duals, labels)
    assert lists.counts.tolist() == [6, 9, 0]
    assert lists.ends.tolist() == [6 + 9, 6], "expected no stored classes for the complete list"
    assert dual_lists.own_duals(lists).tolist() == [5, 6, 0]
    chunks = list(dual_lists.dual_rows(lists, labels, m))
    assert np.array_equal(np.concatenate([rows for _, rows in chunks]), duals)


def test_lists_are_moved_together_without_a_change():
    rng, n, m = np.random.default_rng(3), 50, 12
    labels = rng.integers(0, m, n)
    duals = np.where(rng.random((n, m)) < rng.random((n, 1)), -rng.random((n, m)), 0.0)
    lists = dual_lists.empty_lists(n, m)
    dual_lists.append_duals(lists, 0, duals, labels)
    gone = rng.random(n) < 0.5
    lists.counts[gone] = 0
    before = lists.ends.copy()
    dual_lists.pack(lists, m)
    assert (lists.ends < before).all() and len(lists.values) == lists.ends[0] + m
    got = np.concatenate([rows for _, rows in dual_lists.dual_rows(lists, labels, m)])
    assert np.array_equal(got, np.where(gone[:, None], 0.0, duals))


@pytest.mark.parametrize("kind", KINDS)
def test_rows_full_of_duals(kind):
    """With all rivals at the margin, lists are complete, dense or CSR, and the order of epochs is the reference's."""
    X, y = instance(4, n=30, d=3, m=8)
    options = {"k": 7, "kind": kind, "regularization": 0.3, "tol": 1e-7, "max_epochs": 5000}
    expected = reference.fit_topk_svm(X, y, **options)
    assert np.count_nonzero(expected.duals) > 2 / 3 * expected.duals.size
    for data in (X, sparse.csr_matrix(X)):
        got = fast.fit_topk_svm(data, y, **options)
        assert_certified(got, X, y, 1e-7, k=7, kind=kind, regularization=0.3)
