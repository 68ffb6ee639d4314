"""TopKSVC with the smooth hinges and the entropy: against the functions, softmax regression, warm starts."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from fast.estimators import TopKSVC
from fast.estimators._svc.solving import FINISHES, FINISHING_EPOCHS
from fast.estimators._svc.warm_duals import starting_duals
from reference.check import certify
from reference.problems import checks
from tests.support.estimators import digits, iris

SMOOTH = pytest.mark.parametrize("loss", ["smooth_hinge", "entropy"])
# --- what is solved ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("loss", "k", "kind", "fit_intercept"),
    [
        ("hinge", 1, "alpha", True), ("hinge", 2, "beta", False), ("smooth_hinge", 2, "alpha", False),
        ("smooth_hinge", 2, "beta", True), ("entropy", 1, "alpha", True), ("entropy", 2, "alpha", False),
    ],
)  # fmt: skip
def test_the_gap_that_is_claimed_is_that_of_the_problem_in_the_docstring(loss, k, kind, fit_intercept):
    """Of the function with lambda = 1 / (C n), on a feature of ones if there is an intercept."""
    X, y = iris()
    model = TopKSVC(loss=loss, smoothing=0.5, k=k, kind=kind, C=2.0, fit_intercept=fit_intercept, tol=1e-3)
    fitted = model.set_params(class_weight={0: 1.0, 1: 3.0, 2: 0.5}).fit(X, y)
    W, A = np.column_stack([fitted.coef_, fitted.intercept_]), fitted.dual_coef_
    X1, problem = np.column_stack([X, np.full(150, float(fit_intercept))]), {"k": k, "regularization": 1 / (2.0 * 150)}
    problem["sample_weight"] = np.array([1.0, 3.0, 0.5])[y]
    if loss == "entropy":
        proved = certify("fit_topk_entropy", A, X1, y, **problem)
    else:
        proved = certify("fit_topk_svm", A, X1, y, kind=kind, smoothing=0.5 * (loss != "hinge"), **problem)
    assert proved.value == pytest.approx(fitted.duality_gap_, rel=1e-6, abs=1e-9)
    np.testing.assert_allclose(W, A.T @ X1, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(fitted.decision_function(X), X1 @ W.T, rtol=1e-9, atol=1e-12)


def test_k_1_of_the_entropy_is_the_softmax_regression_of_scikit_learn():
    X, y = iris()
    got = TopKSVC(loss="entropy", C=0.7, fit_intercept=False, tol=1e-13).fit(X, y)
    expected = LogisticRegression(C=0.7, fit_intercept=False, tol=1e-10, max_iter=10_000).fit(X, y)
    np.testing.assert_allclose(got.coef_, expected.coef_, atol=1e-5)
    np.testing.assert_allclose(got.predict_proba(X), expected.predict_proba(X), atol=1e-5)


# --- probabilities -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("dtype", "kernel", "k"), [(np.float64, "linear", 1), (np.float32, "rbf", 2)])
def test_probabilities_are_the_softmax_of_the_scores(dtype, kernel, k):
    X, y = iris(dtype)
    fitted = TopKSVC(loss="entropy", k=k, kernel=kernel).fit(X, y)
    powers = np.exp(fitted.decision_function(X))
    got = fitted.predict_proba(X)
    np.testing.assert_allclose(got, powers / powers.sum(axis=1, keepdims=True), rtol=1e-5)
    np.testing.assert_allclose(np.exp(fitted.predict_log_proba(X)), got, rtol=1e-5)
    np.testing.assert_array_equal(fitted.classes_[got.argmax(axis=1)], fitted.predict(X))
    assert got.dtype == dtype and got.shape == (150, 3)


def test_two_classes_have_two_probabilities_and_one_score():
    X, y = iris()
    X, y = X[y > 0], np.array(["no", "yes"])[y[y > 0] - 1]
    fitted = TopKSVC(loss="entropy").fit(X, y)
    expected = 1 / (1 + np.exp(-fitted.decision_function(X)))
    np.testing.assert_allclose(fitted.predict_proba(X), np.column_stack([1 - expected, expected]), atol=1e-12)
    far = fitted.predict_log_proba(1e4 * X)
    assert np.isfinite(far).all() and far.min() < -1000


def test_the_hinges_have_no_probabilities():
    fitted = TopKSVC(loss="smooth_hinge").fit(*iris())
    for name in ("predict_proba", "predict_log_proba"):
        assert not hasattr(fitted, name) and hasattr(TopKSVC(loss="entropy"), name)
        with pytest.raises(AttributeError):
            getattr(fitted, name)


# --- small problems ------------------------------------------------------------------------------------------------


@SMOOTH
def test_a_small_problem_is_solved_within_max_iter(loss):
    X, y = iris()
    few = np.r_[0:150:5]
    fits = [TopKSVC(loss=loss, random_state=seed).fit(X[few], y[few]) for seed in (0, 1)]
    np.testing.assert_allclose(*(fitted.decision_function(X) for fitted in fits), rtol=1e-7, atol=1e-9)
    assert fits[0].duality_gap_ <= 1e-14 and fits[0].n_iter_ == len(fits[0].history_)
    assert (np.diff(fits[0].history_.seconds) >= 0).all() and fits[0].history_.gap[-1] == fits[0].duality_gap_
    assert fits[0].n_iter_ <= 1000 and FINISHES * FINISHING_EPOCHS == 90  # the docstring
    short = TopKSVC(loss=loss, random_state=0, max_iter=6).fit(X[few], y[few])
    assert short.n_iter_ <= 6 and short.duality_gap_ <= 1e-3


# --- warm starts ---------------------------------------------------------------------------------------------------


def test_hinges_start_from_each_other_and_the_entropy_from_itself():
    X, y = digits()
    smooth = TopKSVC(loss="smooth_hinge", smoothing=1e-3, tol=1e-2, warm_start=True, random_state=0).fit(X, y)
    cold = TopKSVC(tol=1e-2, random_state=0).fit(X, y)
    assert smooth.set_params(loss="hinge").fit(X, y).n_iter_ < cold.n_iter_
    expected = TopKSVC(loss="entropy", random_state=0).fit(X, y)
    got = smooth.set_params(loss="entropy", tol="auto").fit(X, y)
    np.testing.assert_array_equal(got.coef_, expected.coef_)


@pytest.mark.parametrize("k", [1, 2])
def test_duals_of_the_entropy_can_start_a_fit_at_any_weights(k):
    """Steps of a rough fit left the domain by 1e-4 of its size, where weights are small beside others."""
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(25, 2)), rng.normal(size=(25, 2)) + 0.5, rng.normal(size=(25, 2)) - 0.5])
    y = np.repeat([0, 1, 2], 25)
    for kernel in ("linear", "rbf"):
        fitted = TopKSVC(loss="entropy", k=k, kernel=kernel, tol=1e-3, random_state=0)
        fitted.set_params(class_weight={0: 1000.0, 1: 1e-4, 2: 1e-4}, warm_start=True).fit(X, y)
        boxes = fitted._solved.boxes
        assert (fitted.dual_coef_[np.arange(75), y] <= boxes * (1 + 1e-13)).all()
        options = checks.svm_options(75, 3, k, "alpha", 1 / 75, 1e-3, 10, boxes)
        checks.starting_duals(fitted.dual_coef_, y, 3, options)  # refuses what is not in the domain
        now = fitted._solved._replace(boxes=rng.uniform(0, 2, 75) * boxes)
        moved = starting_duals(fitted.dual_coef_, fitted._solved, now)
        options = options._replace(sample_weight=now.boxes)
        checks.starting_duals(moved, y, 3, options)
        fitted.set_params(class_weight=None).fit(X, y)
        assert fitted.duality_gap_ <= 1e-3


# --- out of the box ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("load", [load_digits, load_breast_cancer])
def test_defaults_are_as_good_as_softmax_regression(load):
    X, y = load(return_X_y=True)
    train, test, y_train, y_test = train_test_split(StandardScaler().fit_transform(X), y, random_state=0)
    softmax = LogisticRegression(max_iter=5000).fit(train, y_train)
    for loss in ("hinge", "smooth_hinge", "entropy"):
        fitted = TopKSVC(loss=loss, random_state=0).fit(train, y_train)
        assert fitted.score(test, y_test) >= softmax.score(test, y_test) - 0.02, loss
        assert len(np.unique(fitted.predict(test))) == len(np.unique(y))
    got, expected = (log_loss(y_test, model.predict_proba(test)) for model in (fitted, softmax))
    assert got <= expected + 0.05  # the intercept is penalised here
