"""partial_fit of the passive-aggressive classifier changes its weights in place."""

import copy
import pickle
import tracemalloc

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

import fast
from fast.estimators import PassiveAggressiveTopKClassifier


def stream(n=60, d=12, m=5, seed=0):
    rng = np.random.default_rng(seed)
    X = sparse.random_array((n, d), density=0.3, rng=rng, format="csr")
    return X, np.append(np.arange(m), rng.integers(0, m, n - m))


@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("dense", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_one_by_one_are_one_pass(average, fit_intercept, dense, dtype):
    X, y = stream()
    X = (X.toarray() if dense else X).astype(dtype)
    model = PassiveAggressiveTopKClassifier(k=2, average=average, fit_intercept=fit_intercept)
    expected = clone(model).partial_fit(X, y, classes=np.arange(5))
    for i in range(len(y)):
        model.partial_fit(X[i : i + 1] if dense else X[[i]], y[i : i + 1], classes=np.arange(5))
    rounding = {"rtol": 1e-12, "atol": 1e-13} if dtype == np.float64 else {"rtol": 2e-6, "atol": 1e-6}
    np.testing.assert_allclose(model.coef_, expected.coef_, **rounding)
    np.testing.assert_allclose(model.intercept_, expected.intercept_, **rounding)
    assert model.coef_.dtype == model.intercept_.dtype == model.decision_function(X).dtype == dtype
    np.testing.assert_allclose(model.decision_function(X), X @ model.coef_.T + model.intercept_, **rounding)
    assert (model.t_, model.updates_, model.mistakes_[-1]) == (len(y), expected.updates_, expected.mistakes_[-1])
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.decision_function(X), model.decision_function(X))


@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_what_was_read_before_does_not_change(average, dtype):
    X, y = stream()
    X = X.astype(dtype)
    for fit_intercept in (False, True):
        model = PassiveAggressiveTopKClassifier(average=average, fit_intercept=fit_intercept)
        model.partial_fit(X[:30], y[:30], classes=np.arange(5)).partial_fit(X[30:40], y[30:40])
        read, kept, stored = model.coef_, model.coef_.copy(), pickle.dumps(model)
        copied, unfitted = copy.deepcopy(model), clone(model)
        model.partial_fit(X[40:], y[40:])
        assert np.array_equal(read, kept) and not np.array_equal(model.coef_, kept)
        for old in (copied, pickle.loads(stored)):
            assert np.array_equal(old.coef_, kept) and not hasattr(unfitted, "coef_")
            assert np.array_equal(old.partial_fit(X[40:], y[40:]).coef_, model.coef_)


def test_the_dtype_is_that_of_the_last_batch():
    X, y = stream()
    model = PassiveAggressiveTopKClassifier().partial_fit(X, y, classes=np.arange(5))
    for dtype in (np.float32, np.float64, np.float32):
        model.partial_fit(X[:9].astype(dtype), y[:9])
        assert model.coef_.dtype == model.decision_function(X.astype(np.float32)).dtype == dtype
    rounded = model.coef_
    model.partial_fit(X[:9], y[:9])
    assert model.coef_.dtype == np.float64 and rounded.dtype == np.float32


@pytest.mark.parametrize("average", [False, True])
def test_small_steps_are_not_lost_in_float32(average):
    """A step of 1e-8 is below the rounding of weights near 1. Earlier versions rounded the weights after each row."""
    X, y = np.ones((1, 1), np.float32), np.zeros(1, int)
    model = PassiveAggressiveTopKClassifier(C=1.0, margin=4.0, fit_intercept=False, average=average)
    model.partial_fit(X, y, classes=[0, 1]).set_params(C=1e-8)
    for _ in range(100):
        model.partial_fit(X, y)
    np.testing.assert_allclose(model._weights[0, 0], 1 + 100e-8, rtol=1e-12)


def test_weights_beyond_float32_are_refused():
    X, y = np.full((1, 2), 1e-25, np.float32), np.zeros(1, int)
    model = PassiveAggressiveTopKClassifier(variant="pa", fit_intercept=False)
    model.partial_fit(X, y, classes=[0, 1])
    before = model.coef_.copy()
    with pytest.raises(ValueError, match="within the range of float32"):
        model.set_params(margin=1e20).partial_fit(X, y)
    assert np.array_equal(model.coef_, before) and np.array_equal(model._weights, before)


@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize("dense", [False, True])
def test_a_refused_batch_changes_nothing(average, dense):
    """The first row moves the weights before the second overflows."""
    X, y = stream()
    model = PassiveAggressiveTopKClassifier(average=average, margin=100.0, variant="pa", fit_intercept=False)
    model.partial_fit(X, y, classes=np.arange(5)).partial_fit(X[:9], y[:9])
    model.set_params(margin=1e139)
    before, coef, scores = pickle.dumps(model), model.coef_.copy(), model.decision_function(X)
    bad = np.zeros((2, 12))
    bad[0, 0], bad[1, 0] = 1e-60, 1e139  # the weights become 5e198, and the score of the second row inf
    with pytest.raises(ValueError, match="within the range of float64"):
        model.partial_fit(bad if dense else sparse.csr_array(bad), np.array([0, 1]))
    assert np.array_equal(model.coef_, coef) and np.array_equal(model.decision_function(X), scores)
    later = pickle.loads(before).partial_fit(X[:5], y[:5])
    assert np.array_equal(model.partial_fit(X[:5], y[:5]).coef_, later.coef_)


@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_one_row_takes_no_copy_of_the_weights(average, dtype):
    """The weights take 29 MB. Earlier versions copied them several times for each row."""
    d, m = 12_000, 300
    X, y = stream(n=m, d=d, m=m)
    X = sparse.csr_matrix((np.ones(3 * m), (np.arange(3 * m) * 7 % d), np.arange(0, 3 * m + 1, 3)), shape=(m, d))
    X = X.astype(dtype)
    model = PassiveAggressiveTopKClassifier(average=average).partial_fit(X[:8], y[:8], classes=np.arange(m))
    model.partial_fit(X[8:9], y[8:9])
    tracemalloc.start()
    model.partial_fit(X[9:10], y[9:10])
    if not average:
        model.predict(X[9:10])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak <= 3e6, f"expected at most 3 MB, got {peak / 1e6:.0f} MB"
    assert fast.topk_error(model.decision_function(X[9:10]), y[9:10]).shape == (1,)
