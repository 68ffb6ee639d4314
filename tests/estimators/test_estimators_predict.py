"""Predictions by chunks: the k best classes are those of a stable sort, and memory does not grow with n m."""

import tracemalloc

import numpy as np
import pytest
from scipy import sparse

from fast import estimators
from fast._shared.threads import ranges
from fast.estimators import _base
from fast.estimators._base import largest
from fast.estimators._features import linear_scorer


@pytest.mark.parametrize("values", [2, 5, 10**6])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_largest_is_a_stable_sort(values, dtype):
    rng = np.random.default_rng(values)
    scores = rng.integers(0, values, (200, 12)).astype(dtype)
    scores[0], scores[1, 3] = 0, -np.inf
    for k in (1, 2, 7, 11, 12):
        expected = np.argsort(-scores, axis=1, kind="stable")[:, :k]
        assert np.array_equal(largest(scores, k), expected)


def test_chunks_do_not_change_predictions(monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 5)), rng.integers(0, 4, 60)
    for model in (
        estimators.TopKSVC(k=2), estimators.TopKSVC(kernel="rbf"), estimators.WsabieClassifier(random_state=0),
        estimators.PassiveAggressiveTopKClassifier(random_state=0),
    ):  # fmt: skip
        model.fit(X, y)
        expected, topk = model.predict(X), model.predict_topk(X, k=3)
        monkeypatch.setattr(_base, "row_blocks", lambda n, width: ranges(n, 7))
        assert np.array_equal(model.predict(X), expected) and np.array_equal(model.predict_topk(X, k=3), topk)
        monkeypatch.undo()
        assert np.array_equal(topk[:, 0], expected)


def test_predictions_take_little_memory():
    """The scores of all examples would take 96 MB, and sorting them twice as much again."""
    n, d, m = 3000, 4, 4000
    model = estimators.PassiveAggressiveTopKClassifier(max_iter=1)
    X, y = np.random.default_rng(1).standard_normal((n, d)), np.arange(n) % m
    model.partial_fit(X[:4], y[:4], classes=np.arange(m))
    for predict in (model.predict, lambda X: model.predict_topk(X, k=5)):
        tracemalloc.start()
        predict(X)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak <= 48e6, f"expected at most 48 MB, got {peak / 1e6:.0f} MB"


def test_few_entries_of_many_features():
    rng = np.random.default_rng(2)
    X = sparse.random_array((3, 400), density=0.02, rng=rng, format="csr")
    coef, intercept = rng.standard_normal((6, 400)), rng.standard_normal(6)
    assert np.allclose(linear_scorer(X, coef, intercept)(0, 3), X.toarray() @ coef.T + intercept, rtol=1e-13)
    assert np.array_equal(linear_scorer(0 * X, coef, intercept)(0, 3), np.tile(intercept, (3, 1)))
