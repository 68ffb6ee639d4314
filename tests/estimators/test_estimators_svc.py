"""TopKSVC: against the functions, against scikit-learn, kernels against each other, weights, guesses, warm starts."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from fast.estimators import TopKSVC
from fast.estimators._svc.solving import EXACT_EPOCHS
from fast.estimators._svc.warm_duals import starting_duals
from reference.problems import checks
from tests.support.estimators import digits, iris

# --- what is solved ------------------------------------------------------------------------------------------------


def test_two_classes_have_one_score():
    X, y = iris()
    X, y = X[y > 0], np.array(["no", "yes"])[y[y > 0] - 1]
    fitted = TopKSVC(tol=1e-10).fit(X, y)
    scores = fitted.decision_function(X)
    assert scores.shape == (100,) and fitted.coef_.shape == (2, 4) and fitted.intercept_.shape == (2,)
    np.testing.assert_allclose(scores, X @ (fitted.coef_[1] - fitted.coef_[0]) + np.diff(fitted.intercept_), atol=1e-12)
    np.testing.assert_array_equal(fitted.predict(X), np.where(scores > 0, "yes", "no"))
    # 1/2 (|v|^2 + |-v|^2) with scores -v'x and v'x, u = 2v: 1/4 |u|^2 + C sum hinge(u'x) is the binary SVM of 2C.
    binary = LinearSVC(C=2.0, loss="hinge", tol=1e-10, max_iter=1_000_000, random_state=0, intercept_scaling=1.0)
    np.testing.assert_allclose(scores, binary.fit(X, y).decision_function(X), atol=1e-4)


# --- kernels -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("loss", "fit_intercept", "tol", "atol"),
    [("hinge", True, 1e-10, 1e-5), ("smooth_hinge", False, 1e-12, 1e-4), ("entropy", True, 1e-12, 1e-4)],
)
def test_a_linear_kernel_is_linear_however_it_is_given(loss, fit_intercept, tol, atol):
    X, y = iris()
    new = np.random.default_rng(0).normal(size=(7, 4))
    options = {"k": 2, "loss": loss, "fit_intercept": fit_intercept, "tol": tol, "random_state": 0}
    linear = TopKSVC(**options).fit(X, y)
    called = TopKSVC(kernel=lambda A, B: A @ B.T, **options).fit(X, y)
    precomputed = TopKSVC(kernel="precomputed", **options).fit(X @ X.T, y)
    expected = linear.decision_function(new)
    np.testing.assert_allclose(called.decision_function(new), expected, atol=atol)
    np.testing.assert_allclose(precomputed.decision_function(new @ X.T), expected, atol=atol)
    np.testing.assert_allclose(called.intercept_, linear.intercept_, atol=atol)
    assert not hasattr(called, "coef_") and hasattr(linear, "coef_")
    assert np.flatnonzero(called.dual_coef_.any(axis=1)).tolist() == list(called.support_)
    assert len(called.support_) < 150 or loss != "hinge"


def test_rbf_is_the_kernel_that_it_says():
    X, y = iris()
    squares = ((X[:, None] - X) ** 2).sum(axis=2)
    for gamma, value in (("scale", 1 / (4 * X.var())), ("auto", 0.25), (0.7, 0.7)):
        got = TopKSVC(kernel="rbf", gamma=gamma, tol=1e-9, random_state=0).fit(X, y)
        expected = TopKSVC(kernel="precomputed", tol=1e-9, random_state=0).fit(np.exp(-value * squares), y)
        np.testing.assert_allclose(
            got.decision_function(X), expected.decision_function(np.exp(-value * squares)), atol=1e-4
        )
    X = X + 1  # a mean that is not 0
    on_sparse = TopKSVC(kernel="rbf", tol=1e-9, random_state=0).fit(sparse.csr_array(X), y)
    on_dense = TopKSVC(kernel="rbf", tol=1e-9, random_state=0).fit(X, y)
    np.testing.assert_allclose(
        on_sparse.decision_function(sparse.csr_array(X)), on_dense.decision_function(X), atol=1e-4
    )


def test_what_is_no_kernel_is_refused():
    X, y = iris()
    with pytest.raises(ValueError, match="X must be square"):
        TopKSVC(kernel="precomputed").fit(X, y)
    with pytest.raises(ValueError, match="kernel must return"):
        TopKSVC(kernel=lambda A, B: A).fit(X, y)
    with pytest.raises(ValueError, match="K must be symmetric"):
        TopKSVC(kernel="precomputed").fit(np.triu(np.ones((150, 150))), y)


def test_a_fit_with_another_kernel_leaves_nothing_of_the_first():
    X, y = iris()
    fitted = TopKSVC().fit(X, y)
    fitted.set_params(kernel="rbf").fit(X, y)
    assert not hasattr(fitted, "coef_") and fitted.score(X, y) > 0.9


# --- weights -------------------------------------------------------------------------------------------------------


def test_class_weights_are_weights_of_examples():
    X, y = iris()
    s = np.random.default_rng(0).uniform(0, 2, 150)
    by_class = {"ant": 0.5, "bee": 2.0, "cow": 1.0}
    labels = np.array(list(by_class))[y]
    got = TopKSVC(k=2, tol=1e-10, class_weight=by_class).fit(X, labels, sample_weight=s)
    expected = TopKSVC(k=2, tol=1e-10).fit(X, labels, sample_weight=s * np.array([0.5, 2.0, 1.0])[y])
    np.testing.assert_allclose(got.decision_function(X), expected.decision_function(X), atol=1e-4)


def test_weights_that_leave_less_than_two_classes_are_refused():
    X, y = iris()
    with pytest.raises(ValueError, match="sample_weight must leave at least two classes"):
        TopKSVC().fit(X, y, sample_weight=(y == 1).astype(float))
    with pytest.raises(ValueError, match="class_weight must leave at least two classes"):
        TopKSVC(class_weight={0: 0.0, 1: 0.0}).fit(X, y)
    with pytest.raises(ValueError, match="sample_weight must be >= 0"):
        TopKSVC().fit(X, y, sample_weight=np.where(y == 1, -1.0, 1.0))
    with pytest.raises(ValueError, match="class_weight must be finite and >= 0"):
        TopKSVC(class_weight={0: -1.0}).fit(X, y)


# --- guesses -------------------------------------------------------------------------------------------------------


class Scores(TopKSVC):
    """Scores that are given instead of X."""

    def _checked(self, X):
        return np.asarray(X, dtype=np.float64)

    def _scorer(self, X):
        return lambda first, last: X[first:last]


def test_guesses_and_their_score_by_hand():
    model = Scores(k=2)
    model.classes_ = np.array(["ant", "bee", "cow"])
    scores = [[3.0, 2.0, 1.0], [1.0, 2.0, 2.0], [0.0, 0.0, 0.0]]
    assert model.predict(scores).tolist() == ["ant", "bee", "ant"]
    assert model.predict_topk(scores).tolist() == [["ant", "bee"], ["bee", "cow"], ["ant", "bee"]]
    assert model.predict_topk(scores, 3)[1].tolist() == ["bee", "cow", "ant"]
    # Right: bee has one rival before it. Right: cow has one as good. Wrong: ant has two as good.
    assert model.topk_score(scores, ["bee", "cow", "ant"]) == pytest.approx(2 / 3)
    assert model.topk_score(scores, ["bee", "cow", "ant"], sample_weight=[0, 1, 3]) == pytest.approx(1 / 4)
    assert model.topk_score(scores, ["ant", "cow", "ant"], k=1) == pytest.approx(1 / 3)  # ties count against
    assert model.topk_score(scores, ["bee", "dog", "ant"], k=3) == pytest.approx(2 / 3)  # no such class
    model.classes_ = np.arange(50)
    assert model.predict_topk(np.arange(50)[None] % 2, 50)[0].tolist() == [*range(1, 50, 2), *range(0, 50, 2)]
    model.classes_ = np.array(["ant", "bee", "cow"])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.topk_score(scores, ["bee", "cow"])


# --- warm starts ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("loss", "kind", "kernel", "dtype"),
    [
        ("hinge", "alpha", "linear", np.float32), ("hinge", "beta", "linear", np.float64),
        ("hinge", "beta", "rbf", np.float32), ("smooth_hinge", "alpha", "linear", np.float32),
        ("smooth_hinge", "beta", "rbf", np.float64), ("entropy", "alpha", "linear", np.float32),
        ("entropy", "alpha", "rbf", np.float64),
    ],
)  # fmt: skip
def test_a_path_of_C_is_certified_and_short_steps_take_fewer_epochs(loss, kind, kernel, dtype):
    X, y = digits(200)
    X, epochs = X.astype(dtype), np.zeros(2, int)
    options = {"loss": loss, "k": 2, "kind": kind, "kernel": kernel, "tol": 1e-3, "random_state": 0}
    warm = TopKSVC(warm_start=True, **options)
    for C in (0.1, 0.12, 0.15, 0.12) if loss == "hinge" else (0.1, 30.0, 0.5):
        cold = TopKSVC(C=C, **options).fit(X, y)
        warm.set_params(C=C).fit(X, y)
        epochs += warm.n_iter_, cold.n_iter_
        assert warm.duality_gap_ <= 1e-3
        optimum = cold.history_.dual[-1]
        assert optimum * (1 - 1e-6) <= warm.history_.primal[-1] <= optimum / (1 - 2e-3)
    assert epochs[0] < epochs[1] or loss != "hinge"


@pytest.mark.parametrize(
    ("kind", "k", "dtype"),
    [("alpha", 1, np.float64), ("alpha", 3, np.float32), ("beta", 2, np.float64), ("beta", 3, np.float32)],
)
def test_duals_are_moved_into_their_domains_and_no_further(kind, k, dtype):
    X, y = digits(200)
    rng = np.random.default_rng(0)
    s, t = rng.uniform(0, 2, (2, 200)) * (rng.uniform(size=(2, 200)) > 0.1)
    t[:20] = s[:20]
    fitted = TopKSVC(k=k, kind=kind, C=0.05).fit(X.astype(dtype), y, sample_weight=s)
    assert fitted.dual_coef_.dtype == dtype
    last = fitted._solved
    now = last._replace(boxes=t * 0.05, labels=np.where(np.arange(200) < 190, y, 9 - y))
    duals = starting_duals(fitted.dual_coef_, last, now)
    options = checks.svm_options(200, 10, k, kind, 1 / (0.05 * 200), 1e-3, 10, t)
    checks.starting_duals(duals, now.labels, 10, options)  # refuses what is not in the domain
    np.testing.assert_array_equal(duals[:20], fitted.dual_coef_[:20])
    assert not duals[190:].any() and not duals[s == 0].any() and not duals[t == 0].any()
    free = (duals == fitted.dual_coef_).all(axis=1) & duals.any(axis=1)
    assert free[20:].any() and (duals[:190] != fitted.dual_coef_[:190]).any()


def test_a_warm_start_scales_with_weights_and_passes_over_changed_rows():
    X, y = iris()
    rng = np.random.default_rng(0)
    s, t = rng.uniform(0, 2, (2, 150))
    s[:10], t[5:15] = 0, 0
    moved = y.copy()
    moved[20:25] = 2
    warm = TopKSVC(k=2, tol=1e-9, warm_start=True).fit(X, y, sample_weight=s)
    for labels, weights in ((y, t), (moved, s), (y, None)):
        warm.fit(X, labels, sample_weight=weights)
        cold = TopKSVC(k=2, tol=1e-9).fit(X, labels, sample_weight=weights)
        np.testing.assert_allclose(warm.decision_function(X), cold.decision_function(X), atol=1e-3)


def test_a_warm_start_from_something_else_is_a_cold_one():
    X, y = iris()
    for change in ({"k": 1}, {"kind": "beta"}, {"warm_start": False}):
        got = TopKSVC(k=2, warm_start=True, random_state=0).fit(X, y).set_params(**change).fit(X, y)
        expected = TopKSVC(**{"k": 2, "random_state": 0} | change).fit(X, y)
        np.testing.assert_array_equal(got.coef_, expected.coef_)
    other = TopKSVC(k=1, warm_start=True, random_state=0).fit(X, y)
    for rows in (slice(0, 149), slice(0, 100)):
        expected = TopKSVC(k=1, random_state=0).fit(X[rows], y[rows])
        np.testing.assert_array_equal(other.fit(X[rows], y[rows]).coef_, expected.coef_)


def test_verdicts_of_predictions_do_not_need_the_training_data():
    X, y = digits(200)
    fitted = TopKSVC(kernel="rbf", C=1.0).fit(X, y)
    expected = fitted.decision_function(X)
    X[:] = 0
    assert (fitted.decision_function(digits(200)[0]) == expected).all()


def test_small_problems_are_fitted_to_the_last_digits_and_others_to_the_usual_gap():
    X, y = iris()
    rows = np.random.default_rng(0).permutation(150)
    few, many = rows[:100], rows[:101]
    assert TopKSVC().fit(X[few], y[few]).duality_gap_ <= 1e-12
    digits, labels = load_digits(return_X_y=True)
    for data in ((X[many], y[many]), (digits[:100], labels[:100])):
        got, usual = (TopKSVC(tol=tol, random_state=0).fit(*data) for tol in ("auto", 1e-3))
        np.testing.assert_array_equal(got.coef_, usual.coef_)
        assert got.duality_gap_ > 1e-12
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        slow = TopKSVC(max_iter=7, random_state=0).fit(X[few], y[few])  # not as near, but near enough
    assert 1e-12 < slow.duality_gap_ <= 1e-3
    with pytest.warns(ConvergenceWarning, match="gap"):
        TopKSVC(C=1e4, max_iter=1).fit(X[few], y[few])
    alike, labels = np.random.default_rng(0).integers(0, 2, (40, 3)) / 2, np.arange(40) % 4  # of 8 rows, labels differ
    usual = TopKSVC(kernel="rbf", tol=1e-3, random_state=0).fit(alike, labels)
    slow = TopKSVC(kernel="rbf", random_state=0).fit(alike, labels)
    assert usual.n_iter_ < slow.n_iter_ <= EXACT_EPOCHS == 100  # the docstring; it would take a second to get there
    # The last digits are given up, the usual gap is not.
    hard = TopKSVC(C=1e6, kernel="rbf", random_state=0).fit(X[few], y[few])
    assert EXACT_EPOCHS < hard.n_iter_ == len(hard.history_) and hard.duality_gap_ <= 1e-3
    with pytest.raises(ValueError, match="tol must be"):
        TopKSVC(tol="small").fit(X, y)
