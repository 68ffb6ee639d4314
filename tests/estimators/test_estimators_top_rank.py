"""TopPushClassifier and SVMPerfClassifier: against the functions, against scikit-learn, certificates, warm starts."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

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


def test_svm_perf_for_each_class_is_half_of_a_binary_svm_of_2_C():
    X, y = iris()
    got = SVMPerfClassifier(C=0.1, multi_class="ovr", fit_intercept=True, tol=1e-8).fit(X, y)
    for g in range(3):
        expected = SVC(kernel="linear", C=0.2, tol=1e-8).fit(X, y == g)
        np.testing.assert_allclose(2 * got.coef_[g], expected.coef_[0], atol=1e-3)
        np.testing.assert_allclose(2 * got.intercept_[g], expected.intercept_[0], atol=1e-3)


def push_bounds(w, duals, X, flags, C):
    scores, a = X @ w, duals[flags]
    losses = np.maximum(0, 1 + scores[~flags].max() - scores[flags]) ** 2
    assert (a >= 0).all() and (duals[~flags] <= 0).all() and abs(duals.sum()) < 1e-9
    return np.sum(w**2) / 2 + C * losses.sum(), C * np.sum(a - a**2 / 4) - C**2 / 2 * np.sum((X.T @ duals) ** 2)


def perf_bounds(w, duals, X, flags, C, k, loss):
    scores, P = X @ w, np.count_nonzero(flags)
    margin, k = (1.0 if loss == "recall" else 1 / k), k * P
    best = np.sort((scores - margin * flags).ravel())[-k:].sum() / P + 1 - scores[flags].mean()
    total = duals.sum() / k
    g = np.where(flags, total - duals, -duals)
    mean_loss = g[flags].sum() / P if loss == "recall" else duals[~flags].sum() / k
    assert duals.min() > -1e-9 and duals.max() < total + 1e-9 and total < 1 + 1e-9
    return np.sum(w**2) / 2 + C * P * max(0, best), C * P * mean_loss - C**2 / 2 * np.sum((X.T @ g) ** 2)


@EACH
@EACH_MODE
@pytest.mark.parametrize("C", [0.01, 0.05])
def test_the_gap_that_is_claimed_is_that_of_the_primal_and_dual_in_the_docstring(estimator, multi_class, C):
    X, y = iris()
    fitted = clone(estimator).set_params(multi_class=multi_class, C=C, tol=1e-2).fit(X, y)
    flags = y[:, None] == np.arange(3)
    W, duals = fitted.coef_.T, fitted.duals_
    columns = [(W, duals, flags)] if multi_class == "reduction" else zip(W.T, duals.T, flags.T, strict=True)
    gaps = []
    for w, a, relevant in columns:
        bounds, more = push_bounds, ()
        if isinstance(fitted, SVMPerfClassifier):
            bounds, more = perf_bounds, (fitted.k, fitted.loss)
        primal, dual = bounds(w, a, X, relevant, C, *more)
        gaps.append((primal - dual) / primal)
    np.testing.assert_allclose(fitted.duality_gap_, max(gaps), rtol=1e-6, atol=1e-12)


def test_two_classes_have_one_score():
    X, y = iris()
    X, y = X[y > 0], np.array(["no", "yes"])[y[y > 0] - 1]
    for estimator in (TopPushClassifier(C=0.05), SVMPerfClassifier(C=0.05)):
        for multi_class in MODES:
            fitted = clone(estimator).set_params(multi_class=multi_class, fit_intercept=True).fit(X, y)
            scores = fitted.decision_function(X)
            assert scores.shape == (75,) and fitted.coef_.shape == (2, 4) and fitted.intercept_.shape == (2,)
            np.testing.assert_array_equal(fitted.predict(X), np.where(scores > 0, "yes", "no"))
            assert fitted.score(X, y) > 0.8


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


def test_a_feature_of_ones_would_have_no_weight_in_ovr():
    X, y = iris()
    ones = np.column_stack([X, np.ones(len(X))])
    for estimator in (TopPushClassifier(C=0.05, tol=1e-6), SVMPerfClassifier(C=0.05, tol=1e-6)):
        fitted = estimator.set_params(multi_class="ovr").fit(ones, y)
        np.testing.assert_allclose(fitted.coef_[:, 4], 0, atol=1e-6)


@EACH_MODE
@pytest.mark.parametrize("estimator", [TopPushClassifier(C=0.1), SVMPerfClassifier()], ids=["push", "perf"])
def test_digits_are_told_apart(estimator, multi_class):
    X, y = load_digits(return_X_y=True)
    X, new, y, truth = train_test_split(X[:900] / 16, y[:900], random_state=0, stratify=y[:900])
    plain = clone(estimator).set_params(multi_class=multi_class).fit(X, y)
    with_intercepts = clone(plain).set_params(fit_intercept=True).fit(X, y)
    for fitted in (plain, with_intercepts) if multi_class == "reduction" else (with_intercepts,):
        assert fitted.score(new, truth) > 0.9
        assert fitted.topk_score(new, truth, k=3) > 0.97
    if multi_class == "ovr":  # the features are not centred
        assert plain.score(new, truth) < with_intercepts.score(new, truth) - 0.03


# --- labels, guesses, kinds of arrays ------------------------------------------------------------------------------


@EACH_MODE
@pytest.mark.parametrize("labels", [["ant", "bee", "cow"], [-5, 0, 7], [0.0, 1.0, 2.0]])
def test_labels_of_any_type_come_back(labels, multi_class):
    X, y = iris()
    fitted = SVMPerfClassifier(multi_class=multi_class, fit_intercept=True).fit(X, np.array(labels)[y])
    assert fitted.classes_.tolist() == labels
    assert set(fitted.predict(X)) == set(labels) and set(fitted.predict_topk(X, 2).ravel()) == set(labels)
    assert fitted.score(X, np.array(labels)[y]) > 0.7


def test_guesses_are_the_best_scores_and_as_many_as_k():
    X, y = digits()
    for estimator, k in ((SVMPerfClassifier(k=3, C=0.01), 3), (TopPushClassifier(C=0.01), 1)):
        fitted = estimator.fit(X, y)
        expected = np.argsort(-fitted.decision_function(X), axis=1, kind="stable")
        np.testing.assert_array_equal(fitted.predict_topk(X), expected[:, :k])
        np.testing.assert_array_equal(fitted.predict_topk(X, k=4), expected[:, :4])
        share = (expected[:, :k] == y[:, None]).any(axis=1).mean()
        np.testing.assert_allclose(fitted.topk_score(X, y), share, atol=1e-12)


@EACH
@EACH_MODE
def test_sparse_features_and_float32_are_the_same_features(estimator, multi_class):
    X, y = iris()
    X[np.abs(X) < 0.5] = 0
    # Planes depend on rounding, steps do not. In float32, duals are rounded to a gap of about 1e-6.
    tol, tol_of_float32 = (1e-3, 1e-3) if isinstance(estimator, TopPushClassifier) else (1e-6, 1e-5)
    estimator = clone(estimator).set_params(multi_class=multi_class, fit_intercept=True, tol=tol)
    expected = clone(estimator).fit(X, y)
    on_sparse = clone(estimator).fit(sparse.csr_array(X), y)
    small = clone(estimator).set_params(tol=tol_of_float32).fit(X.astype(np.float32), y)
    for got, atol in ((on_sparse, 1e-3), (small, 2e-3)):
        np.testing.assert_allclose(got.coef_, expected.coef_, atol=atol)
        np.testing.assert_allclose(got.intercept_, expected.intercept_, atol=5 * atol)
    np.testing.assert_allclose(on_sparse.decision_function(sparse.csr_array(X)), on_sparse.decision_function(X))
    for array in (small.coef_, small.intercept_, small.duals_, small.decision_function(X.astype(np.float32))):
        assert array.dtype == np.float32
    assert expected.coef_.dtype == expected.duals_.dtype == np.float64


def test_grid_search_over_options_of_the_problem():
    X, y = digits()
    options = {"multi_class": MODES, "k": [1, 2], "C": [1e-3, 1e-2]}
    grid = GridSearchCV(SVMPerfClassifier(fit_intercept=True), options, cv=2).fit(X, y)
    assert grid.best_params_.keys() == options.keys() and grid.best_score_ > 0.8
    assert np.isfinite(grid.cv_results_["mean_test_score"]).all()


@EACH_MODE
def test_each_problem_has_a_progress_bar(multi_class, capsys):
    X, y = iris()
    TopPushClassifier(C=0.01, verbose=1, multi_class=multi_class).fit(X, y)
    assert capsys.readouterr().out.count("gap") >= (3 if multi_class == "ovr" else 1)


def test_svm_perf_is_visited_in_random_order_where_features_are_many():
    X, y = digits()
    one, same, other = (SVMPerfClassifier(random_state=seed).fit(X, y).coef_ for seed in (0, 0, 1))
    np.testing.assert_array_equal(one, same)
    assert (one != other).any()


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
    assert warm.n_iter_ < cold.n_iter_
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


@pytest.mark.parametrize("classifier", [TopPushClassifier, SVMPerfClassifier])
def test_problems_of_single_classes_are_solved_alike_by_any_number_of_threads(classifier):
    rng = np.random.default_rng(0)
    y = np.arange(120) % 4
    X = rng.standard_normal((120, 6)) + np.eye(6)[y]
    for multi_class in ("ovr", "reduction"):
        expected = classifier(multi_class=multi_class, random_state=0).fit(X, y)
        for n_jobs in (1, 2, -1):
            got = classifier(multi_class=multi_class, random_state=0, n_jobs=n_jobs).fit(X, y)
            assert (got.coef_ == expected.coef_).all() and (got.duals_ == expected.duals_).all()
    with pytest.raises(ValueError, match="n_jobs must be"):
        classifier(n_jobs=0).fit(X, y)


# --- weights -------------------------------------------------------------------------------------------------------


WEIGHTED = {
    "push": TopPushClassifier(C=0.05, max_iter=20_000, random_state=0),
    "perf": SVMPerfClassifier(C=0.05, random_state=0),
    "perf, precision of 2": SVMPerfClassifier(C=0.05, k=2, loss="precision"),
}
EACH_WEIGHTED = pytest.mark.parametrize("first", WEIGHTED.values(), ids=WEIGHTED)


def solved(first, X, y, s=None, **options):
    return clone(first).set_params(**{"tol": 1e-9} | options).fit(X, y, s)


@EACH_WEIGHTED
@EACH_MODE
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_a_weight_is_the_number_of_copies(first, multi_class, fit_intercept):
    X, y = iris()
    X, y = X[::3], y[::3]
    s = np.random.default_rng(0).integers(0, 3, size=len(y))
    options = {"multi_class": multi_class, "fit_intercept": fit_intercept}
    if multi_class == "ovr" and "k" in first.get_params():
        options["k"] = 1  # with these weights a class may be more than half of all
    rows = np.repeat(np.arange(len(y)), s)
    expected, got = solved(first, X[rows], y[rows], **options), solved(first, X, y, s, **options)
    np.testing.assert_allclose(got.coef_, expected.coef_, atol=1e-3)
    np.testing.assert_allclose(got.intercept_, expected.intercept_, atol=1e-3)
    assert np.abs(got.coef_ - solved(first, X, y, **options).coef_).max() > 0.01
    assert not got.duals_[s == 0].any() and got.duals_.shape == (len(y), 3)


@EACH_WEIGHTED
@EACH_MODE
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_an_example_of_weight_0_is_absent_and_all_weights_together_are_C(first, multi_class, dtype):
    X, y = iris()
    X = X.astype(dtype)
    s = np.random.default_rng(0).integers(1, 4, size=len(y)) / 2.0
    s[5::7] = 0
    far = np.where(s[:, None] == 0, 100 * X, X)
    options = {"multi_class": multi_class, "fit_intercept": True, "tol": 1e-4}
    got, expected = solved(first, far, y, s, **options), solved(first, X[s > 0], y[s > 0], s[s > 0], **options)
    np.testing.assert_allclose(got.coef_, expected.coef_, rtol=1e-6)
    np.testing.assert_allclose(got.intercept_, expected.intercept_, rtol=1e-5)
    scaled = solved(first, far, y, 4 * s, C=0.05 / 4, **options)
    np.testing.assert_array_equal(scaled.coef_, got.coef_)
    ones = solved(first, X, y, np.ones(len(y)), **options)
    np.testing.assert_array_equal(ones.coef_, solved(first, X, y, **options).coef_)


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
