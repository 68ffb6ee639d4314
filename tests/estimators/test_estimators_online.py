"""PassiveAggressiveTopKClassifier: streams, means of weights, going on, weights of examples and of classes."""

import numpy as np
import pytest
from sklearn.base import clone

import fast
from fast.estimators import PassiveAggressiveTopKClassifier as PATopK
from tests.support.estimators import digits


def ones(X):
    return np.hstack([X, np.ones((len(X), 1))])


@pytest.mark.parametrize(("variant", "k"), [("pa", 1), ("pa1", 3), ("pa2", 1)])
def test_a_fit_in_order_is_the_function(variant, k):
    X, y = digits(300)
    got = PATopK(k=k, C=0.1, variant=variant, margin=0.5, shuffle=False, max_iter=2).fit(X, y)
    mean = clone(got).set_params(average=True).fit(X, y)
    expected = fast.fit_passive_aggressive(
        ones(X), y, k=k, aggressiveness=0.1, variant=variant, margin=0.5, epochs=2, order=np.arange(300),
        averaged=True,
    )  # fmt: skip
    np.testing.assert_array_equal(got.coef_, expected.weights[:, :-1])
    np.testing.assert_array_equal(got.intercept_, expected.weights[:, -1])
    np.testing.assert_array_equal(np.column_stack([mean.coef_, mean.intercept_]), expected.averaged)
    np.testing.assert_array_equal(got.mistakes_, expected.mistakes)
    assert (got.updates_, got.t_, got.n_iter_) == (expected.updates, 600, 2)
    np.testing.assert_allclose(got.decision_function(X), ones(X) @ expected.weights.T, atol=1e-12)


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
    X, y = digits(300)
    twice = PATopK(shuffle=False, max_iter=2).fit(X, y)
    warm = PATopK(shuffle=False, max_iter=1, warm_start=True).fit(X, y).fit(X, y)
    np.testing.assert_allclose(warm.coef_, twice.coef_, atol=1e-12)
    assert warm.t_ == 600 and warm.mistakes_[-1] == twice.mistakes_[-1] and warm.updates_ == twice.updates_
    cold = PATopK(shuffle=False, max_iter=2).fit(X, y).fit(X, y)
    np.testing.assert_array_equal(cold.coef_, twice.coef_)
    assert cold.t_ == 600
    other = warm.fit(X, y % 5)
    assert other.t_ == 300 and other.coef_.shape == (5, 64)


# --- weights -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("variant", "k"), [("pa", 1), ("pa1", 3), ("pa2", 1)])
def test_weights_of_examples_and_classes_are_those_of_the_function(variant, k):
    X, y = digits(300)
    names, s = np.array(list("abcdefghij")), np.random.default_rng(0).permutation(300) % 4 / 2.0
    by_class = dict(zip(names.tolist(), [0.0, 0.25, 1.0, 2.0, 3.0, 1.0, 0.5, 1e-3, 1e3, 7.0], strict=True))
    options = {"k": k, "C": 0.1, "variant": variant, "class_weight": by_class}
    of_class, chosen = np.array(list(by_class.values()))[y], {"k": k, "aggressiveness": 0.1, "variant": variant}
    got, stream = PATopK(shuffle=False, max_iter=1, **options).fit(X, names[y]), PATopK(**options)
    for rows in np.split(np.arange(300), [5, 11, 180]):
        stream.partial_fit(X[rows], names[y[rows]], classes=names, sample_weight=s[rows])
    for fitted, weights in ((got, of_class), (stream, s * of_class)):
        expected = fast.fit_passive_aggressive(ones(X), y, order=np.arange(300), sample_weight=weights, **chosen)
        np.testing.assert_array_equal(fitted.coef_, expected.weights[:, :-1])
        np.testing.assert_array_equal(fitted.intercept_, expected.weights[:, -1])
        assert (fitted.updates_, fitted.t_) == (expected.updates, 300)
        assert fitted.mistakes_[-1] == expected.mistakes[-1]
    plain = PATopK(shuffle=False, max_iter=1, **options | {"class_weight": None}).fit(X, names[y])
    assert np.abs(plain.coef_ - got.coef_).max() > 1e-3


def test_balanced_weights_are_counted_over_all_examples():
    X, y = digits(300)
    rare = np.r_[np.flatnonzero(y == 0)[:3], np.flatnonzero(y == 1), np.flatnonzero(y == 2)]
    X, y = X[rare], y[rare]
    by_hand = dict(enumerate(len(y) / 3 / np.bincount(y)))
    expected = PATopK(C=0.01, random_state=0, class_weight=by_hand).fit(X, y)
    got = PATopK(C=0.01, random_state=0, class_weight="balanced").fit(X, y)
    np.testing.assert_allclose(got.coef_, expected.coef_, atol=1e-12)
    with pytest.raises(ValueError, match="class_weight must be a dict or None for partial_fit"):
        PATopK(class_weight="balanced").partial_fit(X, y, classes=range(3))
    with pytest.raises(ValueError, match="class_weight must be a dict or None for partial_fit"):
        got.partial_fit(X, y)


def test_weights_that_are_refused():
    X, y = digits(300)
    for wrong, names in (
        (-np.ones(300), "sample_weight must be >= 0"), (np.zeros(300), "zero"), (np.full(300, np.nan), "NaN"),
        (np.ones(299), "shape"), (np.ones((300, 1)), "1D array"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=names):
            PATopK().partial_fit(X, y, classes=range(10), sample_weight=wrong)
    for by_class in ({0: -1.0}, {0: np.nan}, {0: np.inf}):
        for fit in (PATopK.fit, lambda model, *data: model.partial_fit(*data, classes=range(10))):
            with pytest.raises(ValueError, match="class_weight must be finite and >= 0"):
                fit(PATopK(class_weight=by_class), X, y)
    with pytest.raises(ValueError, match="class_weight must leave at least two classes"):
        PATopK(class_weight=dict.fromkeys(range(9), 0.0)).fit(X, y)
    stream = PATopK(class_weight={3: 0.0})
    stream.partial_fit(X[y == 4], y[y == 4], classes=range(10), sample_weight=np.ones((y == 4).sum()))
    with pytest.raises(ValueError, match="class_weight must leave some example of a batch"):
        stream.partial_fit(X[y == 3], y[y == 3])


# --- what goes wrong -----------------------------------------------------------------------------------------------


def test_examples_that_are_zero_are_warned_of():
    X, y = digits(300)
    X[3] = 0
    with pytest.warns(UserWarning, match="1 of the 300 examples are 0"):
        PATopK(fit_intercept=False, max_iter=1).fit(X, y)
    PATopK(fit_intercept=True, max_iter=1).fit(X, y)
