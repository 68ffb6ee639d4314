"""`topk_scorer`: what it counts, where it goes, and the grid search that it is for."""

import pickle

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import top_k_accuracy_score
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from fast.estimators import (
    PassiveAggressiveTopKClassifier,
    SVMPerfClassifier,
    TopKSVC,
    TopPushClassifier,
    WsabieClassifier,
    topk_scorer,
)
from tests.support.estimators import digits

CLASSIFIERS = [
    TopKSVC(k=2, tol=1e-2),
    PassiveAggressiveTopKClassifier(k=2),
    WsabieClassifier(margin=0.1),
    TopPushClassifier(C=0.01, max_iter=5),
    SVMPerfClassifier(C=0.01),
]
EACH_CLASSIFIER = pytest.mark.parametrize("estimator", CLASSIFIERS, ids=lambda estimator: type(estimator).__name__)


class Scores(ClassifierMixin, BaseEstimator):
    """Scores that are given instead of X."""

    classes_ = np.array(["ant", "bee", "cow"])

    def decision_function(self, X):
        return np.asarray(X)


def neighbours(seed, n=150, families=4, siblings=3, noise=0.7):
    """Classes on a circle, in families that overlap, with two features: one guess cannot be right, three can."""
    random = np.random.default_rng(seed)
    y = random.integers(families * siblings, size=n)
    angle = 2 * np.pi * (y // siblings) / families
    X = np.column_stack([np.cos(angle), np.sin(angle)])
    return X + noise / 4 * random.normal(size=X.shape), y


# --- what it counts --------------------------------------------------------------------------------------------------


@EACH_CLASSIFIER
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_it_counts_what_predict_topk_gets_right(estimator):
    X, y = digits(600)
    fitted = clone(estimator).set_params(random_state=0).fit(X[:300], y[:300])
    for k in (1, 2, 5):
        expected = np.mean((fitted.predict_topk(X[300:], k) == y[300:, None]).any(axis=1))
        assert topk_scorer(k)(fitted, X[300:], y[300:]) == pytest.approx(expected)
    assert topk_scorer(1)(fitted, X[300:], y[300:]) == fitted.score(X[300:], y[300:])


def test_of_tied_classes_the_first_is_guessed_first():
    scores = [[1.0, 1.0, 0.0], [0.0, 1.0, 1.0], [2.0, 2.0, 2.0]]
    for labels, expected in ((["ant", "bee", "ant"], (1, 1, 1)), (["bee", "cow", "cow"], (0, 0, 0))):
        got = [topk_scorer(1)(Scores(), [row], [label]) for row, label in zip(scores, labels, strict=True)]
        assert got == list(expected)
    assert [topk_scorer(k)(Scores(), scores, ["bee", "cow", "cow"]) for k in (1, 2, 3)] == [0, 2 / 3, 1]
    assert topk_scorer(2)(Scores(), scores, ["bee", "cow", "cow"], sample_weight=[1, 1, 2]) == 1 / 2


def test_two_classes_have_one_column():
    X, y = digits(600)
    names = np.array(["even", "odd"])[y % 2]
    for estimator in (TopKSVC(), LogisticRegression(max_iter=1000)):
        fitted = estimator.fit(X[:300], names[:300])
        assert topk_scorer(1)(fitted, X[300:], names[300:]) == fitted.score(X[300:], names[300:])
        assert topk_scorer(2)(fitted, X[300:], names[300:]) == 1


def test_classes_that_the_fit_or_the_test_misses():
    X, y = digits(600)
    fitted = TopKSVC(tol=1e-2, random_state=0).fit(X[:300][y[:300] < 8], y[:300][y[:300] < 8])
    scorer, new = topk_scorer(8), slice(300, None)
    assert scorer(fitted, X[new], y[new]) == pytest.approx(np.mean(y[new] < 8))  # 8 and 9 are errors
    assert topk_scorer(10**6)(fitted, X[new], y[new]) == pytest.approx(np.mean(y[new] < 8))
    few = y[new] < 3
    expected = np.mean((fitted.predict_topk(X[new][few], 3) == y[new][few, None]).any(axis=1))
    assert topk_scorer(3)(fitted, X[new][few], y[new][few]) == pytest.approx(expected)
    with pytest.raises(ValueError):  # why scikit-learn's own measure does not do
        top_k_accuracy_score(y[new], fitted.decision_function(X[new]), k=3)


def test_an_indicator_is_right_if_one_of_its_labels_is_guessed():
    random = np.random.default_rng(0)
    X, Y = random.normal(size=(60, 4)), (random.random((60, 5)) < 0.4).astype(int)
    fitted = WsabieClassifier(random_state=0, margin=0.1).fit(X, Y)
    for k in (1, 2):
        expected = np.mean([row[guesses].any() for row, guesses in zip(Y, fitted.predict_topk(X, k), strict=True)])
        assert topk_scorer(k)(fitted, X, Y) == pytest.approx(expected)


def test_what_it_refuses():
    for wrong in (0, 1.5, None, "3"):
        with pytest.raises(ValueError, match="k must be an integer in 1"):
            topk_scorer(wrong)
    X, y = digits(100)
    with pytest.raises(ValueError, match="one score for each of the 10 classes, got 45 from SVC"):
        topk_scorer(2)(SVC(decision_function_shape="ovo").fit(X, y), X, y)

    class Silent(ClassifierMixin, BaseEstimator):
        classes_ = np.arange(10)

    with pytest.raises(ValueError, match="decision_function or predict_proba, got Silent"):
        topk_scorer(2)(Silent(), X, y)
    with pytest.raises(ValueError, match="inconsistent numbers"):
        topk_scorer(2)(LogisticRegression(max_iter=1000).fit(X, y), X, y[:50])


def test_two_of_one_k_are_equal_and_can_be_sent_to_another_process():
    assert topk_scorer(5) == pickle.loads(pickle.dumps(topk_scorer(5))) != topk_scorer(3)
    assert repr(topk_scorer(5)) == "topk_scorer(5)" and len({topk_scorer(5), topk_scorer(5), topk_scorer(3)}) == 2


# --- where it goes ---------------------------------------------------------------------------------------------------


def test_a_grid_search_for_more_guesses_chooses_a_loss_for_more_guesses():
    search = GridSearchCV(
        TopKSVC(tol=1e-4, random_state=0), {"k": [1, 3], "C": [0.1, 1.0, 10.0]}, scoring=topk_scorer(3), cv=3
    ).fit(*neighbours(0))
    assert search.best_params_["k"] == 3
    by_k = {k: search.cv_results_["mean_test_score"][search.cv_results_["param_k"] == k].max() for k in (1, 3)}
    assert by_k[3] > by_k[1] + 0.02, by_k


def test_pipelines_and_several_scorers():
    X, y = digits(300)
    pipeline = make_pipeline(StandardScaler(), TopKSVC(tol=1e-2, random_state=0))
    scoring = {"one": topk_scorer(1), "three": topk_scorer(3), "accuracy": "accuracy"}
    found = cross_validate(pipeline, X, y, scoring=scoring, cv=3)
    np.testing.assert_array_equal(found["test_one"], found["test_accuracy"])
    assert (found["test_three"] >= found["test_one"]).all() and found["test_three"].mean() > found["test_one"].mean()
    assert cross_val_score(KNeighborsClassifier(), X, y, scoring=topk_scorer(1), cv=3).min() > 0.7


def test_folds_that_miss_a_class():
    X, y = digits(60)
    y[0] = 99  # one example: whatever fold it is in, the fit has not seen it
    with pytest.warns(UserWarning, match="least populated class"):
        scores = cross_val_score(TopKSVC(tol=1e-2), X, y, scoring=topk_scorer(3), cv=3)
    assert np.isfinite(scores).all() and 0.5 < scores.mean() < 1


def test_weights_are_routed():
    X, y = digits(300)
    weights = np.random.default_rng(0).random(300)
    estimator = LogisticRegression(max_iter=1000)
    with config_context(enable_metadata_routing=True):
        model = clone(estimator).set_fit_request(sample_weight=False)
        search = GridSearchCV(model, {"C": [1.0]}, scoring=topk_scorer(2).set_score_request(sample_weight=True), cv=3)
        got = search.fit(X, y, sample_weight=weights).cv_results_
        with pytest.raises(TypeError, match="sample_weight"):  # nobody has asked for them
            search.set_params(scoring=topk_scorer(2).set_score_request(sample_weight=False))
            search.fit(X, y, sample_weight=weights)
        unweighted = search.fit(X, y).cv_results_
    for name in ("split0_test_score", "split2_test_score"):
        assert got[name] != unweighted[name]
    fitted = clone(estimator).fit(X, y)
    counted = (np.argsort(-fitted.decision_function(X), axis=1, kind="stable")[:, :2] == y[:, None]).any(axis=1)
    assert topk_scorer(2)(fitted, X, y, sample_weight=weights) == pytest.approx(np.average(counted, weights=weights))
