"""Top-k SVMs: sparse duals, and the lists in which duals are kept while training."""

import numpy as np
import pytest
from scipy import sparse

import fast
import reference
from fast._svm import ascent, dual_lists
from tests.support.topk_svm import EACH_KIND, assert_certified, instance
from tests.support.twins import BOTH


@BOTH
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sparse_duals_are_the_same_duals(module, dtype):
    X, y = instance(1, n=40, m=7, zero_rows=2, dtype=dtype)
    options = {"k": 2, "regularization": 0.05, "tol": 1e-3}
    for name, *data in (("fit_topk_svm", X, y), ("fit_topk_svm_kernel", X @ X.T, y), ("fit_topk_svm_parts", X, y, 3)):
        function = getattr(module, name)
        expected, got = function(*data, **options), function(*data, **options, sparse_duals=True)
        assert sparse.issparse(got.duals) and got.duals.format == "csr" and got.duals.dtype == dtype
        assert (got.duals.data != 0).all() and got.duals.has_sorted_indices
        assert np.array_equal(got.duals.toarray(), expected.duals) and got.gap == expected.gap


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


@EACH_KIND
def test_rows_full_of_duals(kind, monkeypatch):
    """With all rivals at the margin, lists are complete, dense or CSR, and coordinate ascent visits them."""
    monkeypatch.setattr(ascent, "newton_pays", lambda *problem: False)
    complete, visit_listed = [], ascent.visit_listed

    def watched(model, *rest):
        complete.append(np.count_nonzero(model.lists.counts == model.m))
        visit_listed(model, *rest)

    monkeypatch.setattr(ascent, "visit_listed", watched)
    X, y = instance(4, n=30, d=3, m=8)
    options = {"k": 7, "kind": kind, "regularization": 0.3, "tol": 1e-7, "max_epochs": 5000}
    expected = reference.fit_topk_svm(X, y, **options)
    assert np.count_nonzero(expected.duals) > 2 / 3 * expected.duals.size
    for data in (X, sparse.csr_matrix(X)):
        got = fast.fit_topk_svm(data, y, **options)
        assert_certified(got, X, y, 1e-7, k=7, kind=kind, regularization=0.3)
        assert max(complete) > 15, "few lists were complete"
        complete.clear()
