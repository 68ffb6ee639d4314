"""PassiveAggressiveTopKClassifier: streams, means of weights, going on."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits

import fast
from fast.estimators import PassiveAggressiveTopKClassifier as PATopK


def digits(n=300):
    X, y = load_digits(return_X_y=True)
    return X[:n] / 16, y[:n]


def ones(X):
    return np.hstack([X, np.ones((len(X), 1))])


@pytest.mark.parametrize("variant", ["pa", "pa1", "pa2"])
@pytest.mark.parametrize("k", [1, 3])
def test_a_fit_in_order_is_the_function(variant, k):
    X, y = digits()
    got = PATopK(k=k, C=0.1, variant=variant, margin=0.5, shuffle=False, max_iter=2).fit(X, y)
    expected = fast.fit_passive_aggressive(
        ones(X), y, k=k, aggressiveness=0.1, variant=variant, margin=0.5, epochs=2, order=np.arange(300)
    )
    np.testing.assert_array_equal(got.coef_, expected.weights[:, :-1])
    np.testing.assert_array_equal(got.intercept_, expected.weights[:, -1])
    np.testing.assert_array_equal(got.mistakes_, expected.mistakes)
    assert (got.updates_, got.t_, got.n_iter_) == (expected.updates, 600, 2)
    np.testing.assert_allclose(got.decision_function(X), ones(X) @ expected.weights.T, atol=1e-12)


@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("made", [np.asarray, sparse.csr_array])
def test_a_stream_in_parts_is_one_pass_in_order(average, fit_intercept, made):
    X, y = digits()
    names = np.array(list("abcdefghij"))
    options = {"average": average, "fit_intercept": fit_intercept, "k": 2}
    expected = PATopK(shuffle=False, max_iter=1, **options).fit(made(X), names[y])
    stream = PATopK(**options)
    for rows in np.split(np.arange(300), [1, 2, 50, 180]):
        stream.partial_fit(made(X[rows]), names[y[rows]], classes=names)
    np.testing.assert_allclose(stream.coef_, expected.coef_, atol=1e-12)
    np.testing.assert_allclose(stream.intercept_, expected.intercept_, atol=1e-12)
    np.testing.assert_array_equal(stream.mistakes_, expected.mistakes_[180:])
    assert (stream.t_, stream.updates_) == (expected.t_, expected.updates_)


def test_the_mean_is_over_all_steps():
    X, y = digits(60)
    got = PATopK(average=True, shuffle=False, max_iter=2, fit_intercept=False).fit(X, y)
    weights, total = np.zeros((10, 64)), np.zeros((10, 64))
    for t in [*range(60), *range(60)]:
        weights = fast.multiclass_update(weights, X[t], int(y[t]), variant="pa1")
        total += weights
    np.testing.assert_allclose(got.coef_, total / 120, atol=1e-12)


def test_a_mean_begins_where_it_is_asked_for():
    X, y = digits(60)
    both = PATopK(shuffle=False, max_iter=1).fit(X[:30], y[:30])
    both.set_params(average=True).partial_fit(X[30:], y[30:])
    start = PATopK(shuffle=False, max_iter=1).fit(X[:30], y[:30])
    weights = np.column_stack([start.coef_, start.intercept_])
    expected = fast.fit_passive_aggressive(
        ones(X[30:]), y[30:], variant="pa1", weights=weights, order=np.arange(30), averaged=True
    )
    np.testing.assert_allclose(both.coef_, expected.averaged[:, :-1], atol=1e-12)
    assert both.t_ == 60
    again = PATopK(shuffle=False, max_iter=1, average=True).fit(X[:30], y[:30])
    again.set_params(average=False).partial_fit(X[30:50], y[30:50])
    last = fast.fit_passive_aggressive(ones(X[:50]), y[:50], variant="pa1", order=np.arange(50)).weights
    np.testing.assert_allclose(again.coef_, last[:, :-1], atol=1e-12)
    again.set_params(average=True).partial_fit(X[50:], y[50:])
    expected = fast.fit_passive_aggressive(
        ones(X[50:]), y[50:], variant="pa1", weights=last, order=np.arange(10), averaged=True
    )
    np.testing.assert_allclose(again.coef_, expected.averaged[:, :-1], atol=1e-12)


def test_a_warm_start_goes_on_and_a_cold_one_does_not():
    X, y = digits()
    twice = PATopK(shuffle=False, max_iter=2).fit(X, y)
    warm = PATopK(shuffle=False, max_iter=1, warm_start=True).fit(X, y).fit(X, y)
    np.testing.assert_allclose(warm.coef_, twice.coef_, atol=1e-12)
    assert warm.t_ == 600 and warm.mistakes_[-1] == twice.mistakes_[-1] and warm.updates_ == twice.updates_
    cold = PATopK(shuffle=False, max_iter=2).fit(X, y).fit(X, y)
    np.testing.assert_array_equal(cold.coef_, twice.coef_)
    assert cold.t_ == 600
    other = warm.fit(X, y % 5)
    assert other.t_ == 300 and other.coef_.shape == (5, 64)


def test_what_a_stream_must_not_do():
    X, y = digits()
    with pytest.raises(ValueError, match="classes must be passed"):
        PATopK().partial_fit(X, y)
    with pytest.raises(ValueError, match="1 class"):
        PATopK().partial_fit(X, np.zeros(300), classes=[0])
    stream = PATopK().partial_fit(X, y % 5, classes=range(5))
    with pytest.raises(ValueError, match="y must hold the classes given at first, got 9"):
        stream.partial_fit(X[y == 9], y[y == 9])
    with pytest.raises(ValueError, match="features"):
        stream.partial_fit(X[:, :3], y % 5)


def test_examples_that_are_zero_are_warned_of():
    X, y = digits()
    X[3] = 0
    with pytest.warns(UserWarning, match="1 of the 300 examples are 0"):
        PATopK(fit_intercept=False, max_iter=1).fit(X, y)
    PATopK(fit_intercept=True, max_iter=1).fit(X, y)
