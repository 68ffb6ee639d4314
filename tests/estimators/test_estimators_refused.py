"""Labels and options that an estimator refuses, by name and with what to do, and labels that it takes."""

import numpy as np
import pytest
from sklearn.base import clone

from fast.estimators import (
    PassiveAggressiveTopKClassifier,
    RankingSVC,
    SVMPerfClassifier,
    TopKSVC,
    TopPushClassifier,
    WsabieClassifier,
)
from tests.support.estimators import EACH_CLASSIFIER, data, exact

pytestmark = [
    pytest.mark.filterwarnings("ignore:RankingSVC got no qid:UserWarning"),
    pytest.mark.filterwarnings("ignore:grades='auto' only tells:UserWarning"),
]

# --- labels ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("labels", "got"),
    [
        ([1, "a", None], r"1 \(number\), 'a' \(text\), None \(no label\)"),
        ([1, "a", 2], r"2 \(number\), 'a' \(text\)"),
        (["a", None, "b"], r"'b' \(text\), None \(no label\)"),
        (["a", np.nan, "b"], r"'b' \(text\), nan \(no label\)"),
        ([None, None, None], r"None \(no label\)"),
        ([b"a", "b", "c"], r"b'a' \(bytes\), 'c' \(text\)"),
    ],
)
@EACH_CLASSIFIER
def test_labels_of_several_types_are_refused_with_what_to_do(estimator, labels, got):
    X = np.random.default_rng(0).normal(size=(6, 4))
    array = np.empty(6, object)
    array[:] = 2 * labels
    for y in (2 * labels, tuple(2 * labels), array):
        with pytest.raises(ValueError, match=rf"^y must hold labels of one type, got {got}: .*str\(label\)"):
            clone(estimator).fit(X, y)
    if hasattr(estimator, "partial_fit"):
        with pytest.raises(ValueError, match=rf"^classes must hold labels of one type, got {got}"):
            clone(estimator).partial_fit(X, ["a", "b"] * 3, classes=labels)
        fitted = clone(estimator).partial_fit(X, ["a", "b"] * 3, classes=["a", "b", "c"])
        with pytest.raises(ValueError, match=rf"^y must hold labels of one type, got {got}"):
            fitted.partial_fit(X, 2 * labels)


@EACH_CLASSIFIER
def test_labels_of_one_type_are_fitted_in_lists_and_arrays(estimator):
    X, y = data(estimator)
    estimator = exact(estimator)
    expected = estimator.fit(X, y).decision_function(X)
    for same in (y.tolist(), y.astype(object), tuple(y)):
        np.testing.assert_array_equal(clone(estimator).fit(X, same).decision_function(X), expected)
    numbers = [True, 2, np.int64(3)]
    fitted = clone(estimator).fit(X, [numbers[g] for g in np.unique(y, return_inverse=True)[1]])
    assert fitted.classes_.tolist() == [1, 2, 3]


@EACH_CLASSIFIER
def test_one_class_is_refused(estimator):
    with pytest.raises(ValueError, match="1 class"):
        clone(estimator).fit(np.eye(3), ["ant"] * 3)


@EACH_CLASSIFIER
def test_k_is_at_most_the_number_of_rivals_in_a_fit_and_of_classes_in_a_guess(estimator):
    X, y = data(estimator)
    if "k" in estimator.get_params():
        with pytest.raises(ValueError, match=r"k must be an integer in 1\.\.2, got 3"):
            clone(estimator).set_params(k=3).fit(X, y)
    fitted = clone(estimator).fit(X, y)
    assert fitted.predict_topk(X, k=3).shape == (150, 3)
    assert fitted.predict_topk(X).shape == (150, getattr(estimator, "k", 1))
    assert fitted.topk_score(X, y, k=3) == 1.0
    for wrong in (0, 4, 1.5):
        with pytest.raises(ValueError, match=r"k must be an integer in 1\.\.3"):
            fitted.predict_topk(X, k=wrong)
        with pytest.raises(ValueError, match=r"k must be an integer in 1\.\.3"):
            fitted.topk_score(X, y, k=wrong)


# --- options ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("C", [1e308, 1e-320])
@pytest.mark.parametrize("estimator", [TopKSVC(), TopPushClassifier(), SVMPerfClassifier(), RankingSVC()])
def test_a_C_whose_lambda_is_no_number_is_refused_by_its_name(estimator, C):
    X, y = data(estimator)
    with pytest.raises(ValueError, match="^C must be at most" if C > 1 else "^C must leave 1 / "):
        clone(estimator).set_params(C=C).fit(X, y)


# By class and by name, options that are refused.
OUT_OF_RANGE = {
    TopKSVC: {
        "C": [{"C": 0.0}, {"C": "1"}], "kind": [{"kind": "gamma"}, {"loss": "entropy", "kind": "gamma"}],
        "kernel": [{"kernel": "poly"}], "loss": [{"loss": "log_loss"}], "k": [{"loss": "entropy", "k": 3}],
        "smoothing": [{"loss": "smooth_hinge", "smoothing": 0.0}], "fit_intercept": [{"fit_intercept": 1}],
        "gamma": [{"kernel": "rbf", "gamma": gamma} for gamma in (-1.0, np.array([1.0, 2.0]))],
        "max_iter": [{"max_iter": 0}], "tol": [{"tol": -1.0}],
    },
    PassiveAggressiveTopKClassifier: {
        "C": [{"C": -1.0}], "variant": [{"variant": "pa3"}], "max_iter": [{"max_iter": 0}],
    },
    RankingSVC: {"loss": [{"loss": "map"}], "C": [{"C": 0.0}]},
    WsabieClassifier: {
        "n_ensemble": [{"n_ensemble": 2}], "n_updates": [{"n_updates": 0}], "step_size": [{"step_size": 0.0}],
        "validation_fraction": [{"patience": 2, "validation_fraction": 1.0}],
    },
    TopPushClassifier: {
        "C": [{"C": 0.0}], "multi_class": [{"multi_class": "crammer_singer"}], "fit_intercept": [{"fit_intercept": 1}],
        "warm_start": [{"warm_start": 0}], "tol": [{"tol": -1.0}],
    },
    SVMPerfClassifier: {
        "max_iter": [{"max_iter": 0}], "loss": [{"loss": "f1"}], "k": [{"k": 3}, {"k": 2, "multi_class": "ovr"}],
    },
}  # fmt: skip


@pytest.mark.parametrize("kind", OUT_OF_RANGE)
def test_options_out_of_range_are_refused_by_name(kind):
    for name, wrong in OUT_OF_RANGE[kind].items():
        for options in wrong:
            with pytest.raises(ValueError, match=rf"^{name} must"):
                kind(**options).fit(np.eye(4), [0, 0, 1, 2])
