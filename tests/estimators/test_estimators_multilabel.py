"""MultilabelSVC: against the function, the threshold, indicators dense and sparse, labels, weights, what it learns."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris, load_wine, make_multilabel_classification
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, f1_score, label_ranking_average_precision_score
from sklearn.model_selection import train_test_split
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import StandardScaler

import fast
from fast._shared import threads
from fast.estimators import MultilabelSVC, TopKSVC, topk_scorer
from fast.estimators._svc.thresholds import best_thresholds, fit_threshold

LOSSES = [{"smoothing": 0.0}, {"smoothing": 0.5}, {"loss": "entropy"}]
EACH_LOSS = pytest.mark.parametrize("options", LOSSES, ids=["hinge", "smooth", "entropy"])


def labelled(n=200, dtype=np.float64):
    X, Y = make_multilabel_classification(n_samples=n, n_features=6, n_classes=5, n_labels=2, random_state=0)
    return StandardScaler().fit_transform(X).astype(dtype), Y


def digit_properties():
    X, y = load_digits(return_X_y=True)
    columns = [y % 2 == 0, y >= 5, np.isin(y, [2, 3, 5, 7]), np.isin(y, [0, 6, 8, 9]), np.isin(y, [0, 3, 6, 9])]
    return X, np.column_stack(columns).astype(int)


def wine_groups():
    X, y = load_wine(return_X_y=True)
    return X, np.column_stack([y == 0, y <= 1, y >= 1]).astype(int)


# --- what is solved ------------------------------------------------------------------------------------------------


@EACH_LOSS
def test_scores_are_those_of_the_function_less_one_number_for_each_example(options):
    X, Y = labelled()
    got = MultilabelSVC(C=0.05, fit_intercept=False, tol=1e-9, **options).fit(X, Y)
    expected = fast.fit_multilabel(X, Y, regularization=1 / (0.05 * 200), tol=1e-9, **options).weights
    np.testing.assert_allclose(got.coef_ + got.threshold_coef_, expected.T, atol=1e-4)
    difference = X @ expected - got.decision_function(X)
    np.testing.assert_allclose(difference, (X @ got.threshold_coef_)[:, None] + np.zeros(5), atol=1e-3)
    assert got.threshold_intercept_ == 0 and got.duality_gap_ <= 1e-9


def test_one_label_of_each_example_is_the_multiclass_classifier():
    X, y = load_iris(return_X_y=True)
    X, names = StandardScaler().fit_transform(X), np.array(["ant", "bee", "cow"])[y]
    for options, same in (({"smoothing": 0.0}, {"loss": "hinge"}), ({"loss": "entropy"}, {"loss": "entropy"})):
        got = MultilabelSVC(tol=1e-10, **options).fit(X, names)
        expected = TopKSVC(tol=1e-10, **same).fit(X, names)
        np.testing.assert_allclose(got.decision_function(X), expected.decision_function(X), atol=1e-3)
        np.testing.assert_array_equal(got.predict(X), expected.predict(X))
        assert got.classes_.tolist() == ["ant", "bee", "cow"] and not got.multilabel_ and not got.threshold_coef_.any()
        of_indicator = MultilabelSVC(tol=1e-10, **options).fit(X, np.eye(3, dtype=int)[y])
        np.testing.assert_array_equal(got.classes_[of_indicator.predict_topk(X, 1)[:, 0]], got.predict(X))


# --- the threshold -------------------------------------------------------------------------------------------------


def test_best_thresholds_by_hand():
    scores = np.array([[3.0, 1.0, 0.0], [3.0, 1.0, 0.0], [3.0, 1.0, 0.0], [0.0, 3.0, 1.0], [2.0, 2.0, 2.0]])
    Y = np.array([[1, 0, 0], [0, 0, 0], [1, 1, 1], [1, 1, 0], [1, 0, 1]], bool)
    # Between 3 and 1; half of 3/2 above 3; as much below 0; between 3 and 1: one error, as below 0; one value only.
    assert best_thresholds(scores, Y).tolist() == [2.0, 3.75, -0.75, 2.0, 2.0]
    tied, one, two = np.array([[2.0, 2.0, 0.0]]), np.array([[1, 0, 0]], bool), np.array([[1, 0, 1]], bool)
    assert best_thresholds(tied, one).tolist() == [2.5] and best_thresholds(tied, two).tolist() == [-0.5]
    # One error with one, two or three of four classes; two of them are labels.
    assert best_thresholds(np.array([[4.0, 3.0, 2.0, 0.0]]), np.array([[0, 1, 1, 0]], bool)).tolist() == [1.0]
    assert best_thresholds(np.array([[4.0, 3.0, 2.0, 0.0]]), np.array([[1, 0, 1, 0]], bool)).tolist() == [3.5]


@pytest.mark.parametrize("m", [2, 3, 6])
def test_no_threshold_makes_fewer_errors_than_the_best(m):
    rng = np.random.default_rng(m)
    scores, Y = rng.normal(size=(50, m)), rng.integers(0, 2, (50, m)) > 0
    scores[25:] = rng.integers(0, 2, (25, m)) + (np.arange(m) == 0) * 1.5  # ties
    got = ((scores > best_thresholds(scores, Y)[:, None]) != Y).sum(axis=1)
    tried = np.sort(np.hstack([scores, scores.min(axis=1, keepdims=True) - 1]), axis=1)
    expected = np.array([((scores > tried[:, [j]]) != Y).sum(axis=1) for j in range(m + 1)]).min(axis=0)
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("fit_intercept", [False, True])
def test_the_threshold_is_the_regularised_least_squares_that_it_says(fit_intercept):
    X, Y = labelled()
    rng = np.random.default_rng(0)
    scores, s, C = rng.normal(size=Y.shape), rng.uniform(0, 2, 200), 0.3
    targets = best_thresholds(scores, Y > 0)
    for layout in (np.asarray, sparse.csr_array):
        v, t = fit_threshold(layout(X), scores, Y > 0, C, s, fit_intercept)
        residual = s * (X @ v + t - targets)
        np.testing.assert_allclose(v + C * X.T @ residual, 0, atol=1e-5)
        assert abs(residual.sum()) <= 1e-5 if fit_intercept else t == 0


def test_labels_are_those_with_a_decision_above_zero():
    X, Y = labelled()
    fitted = MultilabelSVC().fit(X, Y)
    np.testing.assert_array_equal(fitted.predict(X), fitted.decision_function(X) > 0)
    assert fitted.predict(X).dtype == Y.dtype and fitted.score(X, Y) == accuracy_score(Y, fitted.predict(X))
    s = np.arange(200.0)
    assert fitted.score(X, Y, s) == accuracy_score(Y, fitted.predict(X), sample_weight=s)
    assert not hasattr(fitted, "predict_proba")


def test_scores_of_another_scale_have_the_same_labels():
    rng = np.random.default_rng(0)
    scores, Y = rng.normal(size=(50, 4)), rng.integers(0, 2, (50, 4)) > 0
    np.testing.assert_allclose(best_thresholds(1e-6 * scores, Y), 1e-6 * best_thresholds(scores, Y), rtol=1e-12)


# --- targets -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("made", "dtype"), [(sparse.csc_array, np.float32), (sparse.coo_matrix, np.float64)])
def test_sparse_indicators_give_sparse_predictions(made, dtype):
    X, Y = labelled(dtype=dtype)
    dense = MultilabelSVC(random_state=0).fit(X, Y)
    got = MultilabelSVC(random_state=0).fit(X, made(Y))
    np.testing.assert_array_equal(got.coef_, dense.coef_)
    assert got.coef_.dtype == got.intercept_.dtype == got.decision_function(X).dtype == dtype
    predicted = got.predict(X)
    assert sparse.issparse(predicted) and predicted.format == "csr" and predicted.dtype == Y.dtype
    np.testing.assert_array_equal(predicted.toarray(), dense.predict(X))
    assert got.score(X, made(Y)) == dense.score(X, Y) == got.score(X, Y)


def test_indicators_of_every_type():
    X, Y = labelled()
    expected = MultilabelSVC(random_state=0).fit(X, Y)
    for given in (Y.astype(bool), Y.astype(float), Y.tolist()):
        got = MultilabelSVC(random_state=0).fit(X, given)
        np.testing.assert_array_equal(got.coef_, expected.coef_)
        assert got.predict(X).dtype == np.asarray(given).dtype


def test_guesses_do_not_need_the_threshold():
    X, Y = labelled()
    fitted = MultilabelSVC().fit(X, Y)
    scores = fitted.decision_function(X)
    np.testing.assert_array_equal(fitted.predict_topk(X, 2), np.argsort(-scores, axis=1, kind="stable")[:, :2])
    expected = (Y[np.arange(200), scores.argmax(axis=1)] > 0).mean()
    assert topk_scorer(1)(fitted, X, Y) == pytest.approx(expected) == fitted.topk_score(X, Y)


def test_examples_without_or_with_all_labels_have_no_duals():
    X, Y = labelled()
    Y[:10], Y[10:20] = 0, 1
    fitted = MultilabelSVC(C=0.1).fit(X, Y)
    assert not fitted.dual_coef_[:20].any() and fitted.dual_coef_[20:].any()
    none = MultilabelSVC(C=0.1).fit(X, np.where(np.arange(200)[:, None] < 100, 0, Y))
    assert none.predict(X).sum() < fitted.predict(X).sum()  # they count for the threshold


# --- weights, layouts, threads -------------------------------------------------------------------------------------


def test_weights_repeat_examples_and_sparse_features_are_the_same():
    X, Y = labelled()
    times = np.random.default_rng(0).integers(0, 4, 200)
    model = MultilabelSVC(C=0.05, tol=1e-10, random_state=0)
    got = clone(model).fit(X, Y, sample_weight=times).decision_function(X)
    repeated = clone(model).fit(np.repeat(X, times, axis=0), np.repeat(Y, times, axis=0)).decision_function(X)
    np.testing.assert_allclose(got, repeated, atol=1e-3)
    on_sparse = clone(model).fit(sparse.csc_array(X), Y, sample_weight=times).decision_function(sparse.csr_array(X))
    np.testing.assert_allclose(on_sparse, got, atol=1e-3)


@pytest.mark.parametrize("made", [np.asarray, sparse.csr_array])
def test_threads_and_blocks_change_nothing(monkeypatch, made):
    X, Y = labelled()
    expected = MultilabelSVC(random_state=0).fit(X, made(Y))
    first = expected.predict(X)
    monkeypatch.setattr(threads, "NUMBERS", 200)
    monkeypatch.setattr(threads, "LEAST_ROWS", 16)
    got = expected.set_params(n_jobs=2).predict(X)
    assert type(got) is type(first) and (got != first).sum() == 0
    assert (MultilabelSVC(random_state=0, n_jobs=2).fit(X, made(Y)).predict(X) != first).sum() == 0


# --- what is refused -----------------------------------------------------------------------------------------------


def test_wrong_arguments_are_refused_by_name():
    X, Y = labelled()
    with pytest.raises(NotFittedError):
        MultilabelSVC().predict(X)
    for options, name in (({"loss": "log"}, "loss"), ({"smoothing": -1.0}, "smoothing"), ({"C": 0.0}, "C")):
        with pytest.raises(ValueError, match=f"^{name} must be"):
            MultilabelSVC(**options).fit(X, Y)
    for wrong in (np.zeros_like(Y), np.ones_like(Y)):
        with pytest.raises(ValueError, match="y must hold an example"):
            MultilabelSVC().fit(X, wrong)
    alone = np.zeros_like(Y)
    alone[0, 0] = 1
    with pytest.raises(ValueError, match="y must hold an example, with a weight above zero"):
        MultilabelSVC().fit(X, alone, sample_weight=np.arange(200) > 0)
    with pytest.raises(ValueError, match="Unknown label type"):
        MultilabelSVC().fit(X, Y + np.arange(5))
    for wrong in (3 * Y, 2 * Y - 1, sparse.csr_array(3 * Y)):
        with pytest.raises(ValueError, match="^y must be an indicator of 0 and 1, got"):
            MultilabelSVC().fit(X, wrong)


# --- out of the box ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("load", "least", "loss"),
    [(labelled, 0.5, "entropy"), (digit_properties, 0.8, "hinge"), (wine_groups, 0.95, "entropy")],
)
def test_defaults_find_the_labels_about_as_well_as_one_classifier_for_each(load, least, loss):
    X, Y = load()
    train, test, Y_train, Y_test = train_test_split(StandardScaler().fit_transform(X), Y, random_state=0)
    fitted = MultilabelSVC(loss=loss, random_state=0).fit(train, Y_train)
    predicted = fitted.predict(test)
    of_each = OneVsRestClassifier(LogisticRegression()).fit(train, Y_train).predict(test)
    got, expected = (f1_score(Y_test, Y, average="samples", zero_division=1.0) for Y in (predicted, of_each))
    assert got >= max(least, expected - 0.1)
    assert label_ranking_average_precision_score(Y_test, fitted.decision_function(test)) >= 0.8
    assert 0.8 * of_each.mean() <= predicted.mean() <= 1.2 * of_each.mean()
