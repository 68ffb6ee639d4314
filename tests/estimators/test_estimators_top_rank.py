"""TopPushClassifier and SVMPerfClassifier: against the functions, certificates, intercepts, warm starts."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler

import fast
from fast.estimators import SVMPerfClassifier, TopPushClassifier
from fast.estimators._options import draw_seeds

MODES = ("reduction", "ovr")
EACH_MODE = pytest.mark.parametrize("multi_class", MODES)
EACH = pytest.mark.parametrize(
    "estimator",
    [
        TopPushClassifier(C=0.05, tol=1e-3, random_state=0),
        SVMPerfClassifier(C=0.05, tol=1e-3, random_state=0),
        SVMPerfClassifier(C=0.05, tol=1e-3, k=2, loss="precision"),
    ],
    ids=["push", "perf", "precision"],
)


def iris(dtype=np.float64):
    """Classes of 25, 32 and 43 examples: not of one size, and no two of them more than a half."""
    X, y = load_iris(return_X_y=True)
    few = np.r_[0:25, 50:82, 100:143]
    return StandardScaler().fit_transform(X)[few].astype(dtype), y[few]


def digits(n=200):
    X, y = load_digits(return_X_y=True)
    return StandardScaler().fit_transform(X[:n]), y[:n]


def fit_directly(estimator, X, relevant):
    """One problem, with the function itself."""
    P = np.count_nonzero(relevant)
    options = {"regularization": 1 / (estimator.C * P), "tol": estimator.tol, "seed": int(draw_seeds(0))}
    if isinstance(estimator, TopPushClassifier):
        return fast.fit_top_push(X, relevant, **options)
    return fast.fit_svm_perf(X, relevant, k=estimator.k * P, loss=estimator.loss, **options)


# --- what is solved ------------------------------------------------------------------------------------------------


@EACH
@pytest.mark.parametrize("data", [iris, digits])
def test_a_reduction_is_one_problem_with_a_flag_for_each_example_and_class(estimator, data):
    X, y = data()
    got = clone(estimator).fit(X, y)
    expected = fit_directly(estimator, X, np.eye(y.max() + 1)[y])
    np.testing.assert_array_equal(got.coef_, expected.weights.T)
    np.testing.assert_array_equal(got.duals_, expected.duals)
    np.testing.assert_array_equal(got.history_.gap, expected.history.gap)
    np.testing.assert_array_equal(got.decision_function(X), X @ expected.weights)
    assert got.duality_gap_ == expected.gap <= 1e-3 and got.n_iter_ == expected.iterations
    assert not got.intercept_.any() and got.n_features_in_ == X.shape[1]


@EACH
def test_ovr_is_one_problem_a_class(estimator):
    X, y = iris()
    got = clone(estimator).set_params(multi_class="ovr").fit(X, y)
    expected = [fit_directly(estimator, X, y == g) for g in range(3)]
    np.testing.assert_array_equal(got.coef_, [fit.weights for fit in expected])
    np.testing.assert_array_equal(got.duals_.T, [fit.duals for fit in expected])
    assert got.duality_gap_ == max(fit.gap for fit in expected)
    assert got.n_iter_ == max(fit.iterations for fit in expected)
    assert [len(history) for history in got.history_] == [fit.iterations for fit in expected]
    assert not got.intercept_.any()


# --- intercepts ----------------------------------------------------------------------------------------------------


@EACH
def test_the_intercept_of_a_reduction_is_the_weight_of_a_feature_of_ones(estimator):
    X, y = iris()
    got = clone(estimator).set_params(fit_intercept=True).fit(X, y)
    expected = clone(estimator).fit(np.column_stack([X, np.ones(len(X))]), y)
    np.testing.assert_array_equal(np.column_stack([got.coef_, got.intercept_]), expected.coef_)
    np.testing.assert_array_equal(got.decision_function(X), X @ expected.coef_[:, :4].T + expected.coef_[:, 4])
    assert np.abs(got.intercept_).min() > 1e-4


@EACH
def test_intercepts_of_ovr_are_in_the_middle_of_the_margin_and_leave_the_weights_alone(estimator):
    X, y = iris()
    plain = clone(estimator).set_params(multi_class="ovr").fit(X, y)
    fitted = clone(plain).set_params(fit_intercept=True).fit(X, y)
    np.testing.assert_array_equal(fitted.coef_, plain.coef_)
    scores = fitted.decision_function(X)
    for g in range(3):
        if isinstance(estimator, TopPushClassifier):
            np.testing.assert_allclose(scores[y != g, g].max(), -0.5, atol=1e-12)
        else:  # those above the margin if loss is added are k P, as the others that are selected
            margin = 1 / estimator.k
            augmented = scores[:, g] - margin * (y == g) + margin / 2
            assert np.count_nonzero(augmented > -1e-12) == estimator.k * np.count_nonzero(y == g)


# --- labels, guesses, kinds of arrays ------------------------------------------------------------------------------


@EACH
def test_sparse_features_and_float32_are_the_same_features(estimator):
    X, y = iris()
    X[np.abs(X) < 0.5] = 0
    # Planes depend on rounding, steps do not. In float32, weights are rounded to a gap of about 1e-6.
    tol, tol_of_float32 = (1e-3, 1e-3) if isinstance(estimator, TopPushClassifier) else (1e-6, 1e-5)
    estimator = clone(estimator).set_params(multi_class="ovr", fit_intercept=True, tol=tol)
    expected = clone(estimator).fit(X, y)
    on_sparse = clone(estimator).fit(sparse.csr_array(X), y)
    small = clone(estimator).set_params(tol=tol_of_float32).fit(X.astype(np.float32), y)
    for got, atol in ((on_sparse, 1e-3), (small, 2e-3)):
        np.testing.assert_allclose(got.coef_, expected.coef_, atol=atol)
        np.testing.assert_allclose(got.intercept_, expected.intercept_, atol=5 * atol)
    np.testing.assert_allclose(on_sparse.decision_function(sparse.csr_array(X)), on_sparse.decision_function(X))
    for array in (small.coef_, small.intercept_, small.decision_function(X.astype(np.float32))):
        assert array.dtype == np.float32
    assert expected.coef_.dtype == expected.duals_.dtype == small.duals_.dtype == np.float64


def test_k_samples_must_leave_others():
    X, y = iris()
    for multi_class in MODES:
        with pytest.raises(ValueError, match=r"^k must be an integer in 1\.\.2, got 3"):
            SVMPerfClassifier(k=3, multi_class=multi_class).fit(X, y)
    X, y = X[:90], y[:90]  # 25, 32 and 33
    SVMPerfClassifier(k=2, multi_class="ovr").fit(X, y)
    X, y = np.delete(X, range(24), axis=0), np.delete(y, range(24))
    with pytest.raises(ValueError, match=r"^k must be below n / size of a class .* got 2 with 33 of 66 examples"):
        SVMPerfClassifier(k=2, multi_class="ovr").fit(X, y)
    SVMPerfClassifier(k=1, multi_class="ovr").fit(X, y)
    SVMPerfClassifier(k=2).fit(X, y)


# --- warm starts ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "estimator",
    [TopPushClassifier(), TopPushClassifier(multi_class="ovr"), SVMPerfClassifier()],
    ids=["push", "push-ovr", "perf"],
)
def test_a_warm_start_takes_fewer_iterations_to_the_same_optimum(estimator):
    X, y = digits()
    warm = clone(estimator).set_params(warm_start=True, tol=1e-5, C=0.05, random_state=0).fit(X, y)
    assert warm.fit(X, y).n_iter_ < clone(warm).fit(X, y).n_iter_
    warm.set_params(C=0.06).fit(X, y)
    cold = clone(warm).fit(X, y)
    # TopPush goes on by an interior-point method, which starts anew wherever the first passes end.
    assert warm.n_iter_ < cold.n_iter_ + isinstance(estimator, TopPushClassifier)
    np.testing.assert_allclose(warm.decision_function(X), cold.decision_function(X), atol=0.02)


@pytest.mark.parametrize(
    "first", [TopPushClassifier(C=0.01, random_state=0), SVMPerfClassifier(C=0.01, k=2, random_state=0)]
)
def test_a_warm_start_from_something_else_is_a_cold_one(first):
    X, y = digits(150)
    first = clone(first).set_params(warm_start=True)
    changes = [
        ({"multi_class": "ovr"}, y),
        ({"warm_start": False}, y),
        ({}, y[::-1]),
        ({}, y[:100]),
        ({}, y.astype(str)),
    ]
    changes += [({"k": 1}, y)] * hasattr(first, "k")
    for change, labels in changes:
        rows = X[: len(labels)]
        got = clone(first).fit(X, y).set_params(**change).fit(rows, labels)
        expected = clone(first).set_params(**change).fit(rows, labels)
        np.testing.assert_array_equal(got.coef_, expected.coef_)


def test_a_warm_start_takes_other_features_losses_and_float32():
    X, y = digits()
    for change in ({"loss": "precision"}, {"fit_intercept": True}, {"C": 0.02}):
        for rows in (X[:, :30], X.astype(np.float32)):
            warm = SVMPerfClassifier(C=0.01, warm_start=True, k=2).fit(rows, y).set_params(**change).fit(X, y)
            assert warm.duality_gap_ <= 1e-3


# --- weights -------------------------------------------------------------------------------------------------------


WEIGHTED = {
    "push": TopPushClassifier(C=0.05, max_iter=20_000, random_state=0),
    "perf": SVMPerfClassifier(C=0.05, random_state=0),
    "perf, precision of 2": SVMPerfClassifier(C=0.05, k=2, loss="precision"),
}
EACH_WEIGHTED = pytest.mark.parametrize("first", WEIGHTED.values(), ids=WEIGHTED)


def solved(first, X, y, s=None, **options):
    return clone(first).set_params(**{"tol": 1e-9} | options).fit(X, y, s)


def test_a_weight_is_the_number_of_copies_with_two_guesses():
    """scikit-learn's checks say so for one."""
    X, y = (array[::3] for array in iris())
    s, first = np.random.default_rng(0).integers(0, 3, size=len(y)), WEIGHTED["perf, precision of 2"]
    expected, got = solved(first, np.repeat(X, s, axis=0), np.repeat(y, s)), solved(first, X, y, s)
    np.testing.assert_allclose(got.coef_, expected.coef_, atol=1e-3)
    assert not got.duals_[s == 0].any() and got.duals_.shape == (len(y), 3)


@pytest.mark.parametrize("first", [WEIGHTED["push"], WEIGHTED["perf"]], ids=["push", "perf"])
def test_weights_of_whole_classes(first):
    X, y = iris()
    reduced = solved(first, X, y, (y != 1).astype(float), tol=1e-3)
    assert reduced.classes_.tolist() == [0, 1, 2] and not (reduced.predict(X) == 1).any()
    with pytest.raises(ValueError, match=r"sample_weight must be above zero in each class .* for class \[1\]"):
        solved(first, X, y, (y != 1).astype(float), multi_class="ovr")
    with pytest.raises(ValueError, match="sample_weight must leave at least two classes"):
        solved(first, X, y, (y == 1).astype(float))


@EACH_WEIGHTED
@EACH_MODE
def test_a_warm_start_with_other_weights(first, multi_class):
    X, y = iris()
    s = np.random.default_rng(0).uniform(0.5, 2, size=len(y))
    options = {"multi_class": multi_class, "warm_start": True, "tol": 1e-6}
    warm = solved(first, X, y, s, **options)
    cold = warm.n_iter_
    assert warm.fit(X, y, s).n_iter_ < cold or first.get_params().get("k", 1) == 2  # by cutting planes
    for weights in (s[::-1], np.where(np.arange(100) % 4 == 0, 0, s), None):  # some of these are cold starts
        warm.fit(X, y, weights)
        np.testing.assert_allclose(warm.coef_, solved(first, X, y, weights, **options).coef_, atol=1e-3)


@EACH_MODE
def test_the_tolerance_that_auto_stands_for(multi_class):
    """Small problems are solved to 1e-12, and a gap of 1e-3 is enough to give no warning."""
    X, y = iris()
    small, large = ((X[rows], y[rows]) for rows in (slice(None), np.arange(101) % 100))
    auto = TopPushClassifier(C=0.01, multi_class=multi_class, max_iter=20_000, random_state=0)
    assert auto.fit(*small).duality_gap_ <= 1e-12 < auto.fit(*large).duality_gap_ <= 1e-3
    few = clone(auto).set_params(max_iter=auto.n_iter_ + 1).fit(*small)
    assert 1e-12 < few.duality_gap_
    with pytest.warns(ConvergenceWarning, match="gap"):
        clone(auto).set_params(C=100.0, max_iter=1).fit(*small)
