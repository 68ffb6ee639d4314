"""The contract of scikit-learn: its own checks of every estimator, and the tools that the estimators go into."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils import validation
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.validation import has_fit_parameter

from fast.estimators import (
    MultilabelSVC,
    PassiveAggressiveTopKClassifier,
    RankingSVC,
    SVMPerfClassifier,
    TopKSVC,
    TopPushClassifier,
    WsabieClassifier,
)
from tests.support.estimators import EACH, EACH_CLASSIFIER, data, exact

# scikit-learn's checks know no queries, and rank real numbers.
pytestmark = [
    pytest.mark.filterwarnings("ignore:RankingSVC got no qid:UserWarning"),
    pytest.mark.filterwarnings("ignore:grades='auto' only tells:UserWarning"),
]

# Some checks compare two fits to seven digits, which says something about optima only: hence the small tolerances,
# which "auto" has for a few examples.
CHECKED = [
    TopKSVC(), TopKSVC(kernel="rbf"), TopKSVC(max_iter=20, kernel="precomputed"),
    TopKSVC(loss="smooth_hinge", kind="beta", kernel="rbf", class_weight="balanced"),
    TopKSVC(loss="entropy"), TopKSVC(loss="entropy", kernel="rbf"),
    MultilabelSVC(), MultilabelSVC(loss="entropy"),
    PassiveAggressiveTopKClassifier(),
    PassiveAggressiveTopKClassifier(variant="pa2", average=True, fit_intercept=False),
    RankingSVC(), RankingSVC(loss="ndcg", grades="thresholds"),
    WsabieClassifier(), WsabieClassifier(embedding_dim=4, n_ensemble=2),
    WsabieClassifier.from_preset("WARP", patience=3, step_size=0.01),
    WsabieClassifier(last_violators=8, step_size=1.0),
    TopPushClassifier(max_iter=100), TopPushClassifier(multi_class="ovr", fit_intercept=True, max_iter=100),
    SVMPerfClassifier(multi_class="ovr", fit_intercept=True), SVMPerfClassifier(loss="precision", fit_intercept=True),
]  # fmt: skip


def impossible(estimator):
    """The checks whose data no such estimator can fit, and why."""
    if getattr(estimator, "kernel", None) == "precomputed":
        return {
            "check_positive_only_tag_during_fit": "a Gram matrix minus its mean is not positive semidefinite",
            "check_estimators_dtypes": "a Gram matrix cut to integers is not positive semidefinite",
        }
    if isinstance(estimator, PassiveAggressiveTopKClassifier) and not estimator.fit_intercept:
        return {"check_class_weight_classifiers": "no line through 0 leaves 0.87 of the points on one side"}
    return {}


CHECKS = parametrize_with_checks(CHECKED, expected_failed_checks=impossible)
# A list, because scikit-learn 1.8 has a generator there, of which pytest 9 warns.
EACH_CHECK = pytest.mark.parametrize(CHECKS.args[0], list(CHECKS.args[1]), **CHECKS.kwargs)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore:.*no update can help:UserWarning")  # rows of zeros, without an intercept
@EACH_CHECK
def test_scikit_learn_finds_nothing(estimator, check):
    check(estimator)


@pytest.mark.parametrize("estimator", [PassiveAggressiveTopKClassifier(), WsabieClassifier()])
def test_a_first_batch_that_is_refused_leaves_no_trace(estimator):
    X, y = np.eye(3), ["ant", "bee", "cow"]
    expected = clone(estimator).set_params(random_state=0).partial_fit(X, y, classes=y)
    got = clone(estimator).set_params(random_state=0)
    unknown, single, missing = "y must hold the classes given at first, got", "1 class", "classes must be passed"
    for wrong, says in (({"classes": y[:2]}, unknown), ({"classes": ["ant"]}, single), ({}, missing)):
        with pytest.raises(ValueError, match=says):
            got.partial_fit(X, y, **wrong)
        with pytest.raises(NotFittedError):
            got.predict(X)
    got.partial_fit(X, y, classes=y)
    np.testing.assert_array_equal(got.decision_function(X), expected.decision_function(X))
    state = vars(got).copy()
    with pytest.raises(ValueError, match=f"{unknown} .*dog"):
        got.partial_fit(X, ["ant", "bee", "dog"])
    assert vars(got).keys() == state.keys() and all(vars(got)[name] is value for name, value in state.items())


# --- life cycle ----------------------------------------------------------------------------------------------------


@EACH
def test_float32_stays_float32(estimator):
    X, y = data(estimator, np.float32)
    fitted = clone(estimator).fit(X, y)
    for got in (getattr(fitted, name, None) for name in ("coef_", "prototypes_", "embedding_", "intercept_")):
        assert got is None or got.dtype == np.float32
    scores = fitted.predict(X) if isinstance(fitted, RankingSVC) else fitted.decision_function(X)
    assert scores.dtype == np.float32


@EACH
def test_sparse_features_are_the_same_features(estimator):
    X, y = data(estimator)
    X[np.abs(X) < 0.5] = 0
    estimator = exact(estimator)
    expected = estimator.fit(X, y).predict(X)
    for made in (sparse.csr_array, sparse.csc_matrix, sparse.coo_array):
        got = clone(estimator).fit(made(X), y).predict(made(X))
        if isinstance(estimator, RankingSVC):
            np.testing.assert_allclose(got, expected, atol=1e-3)
        else:
            np.testing.assert_array_equal(got, expected)


@EACH_CLASSIFIER
def test_random_state_decides_what_is_drawn(estimator):
    clean, y = data(estimator)
    noise = np.random.default_rng(0).normal(size=(len(clean), 200))
    X = np.hstack([clean + noise[:, : clean.shape[1]], noise])  # for few features, some solvers leave nothing to chance
    one, same, other = (clone(estimator).set_params(random_state=seed).fit(X, y) for seed in (0, 0, 1))
    np.testing.assert_array_equal(one.decision_function(X), same.decision_function(X))
    for made in (np.random.RandomState, np.random.default_rng):
        fits = [clone(estimator).set_params(random_state=made(0)).fit(X, y).decision_function(X) for _ in range(2)]
        np.testing.assert_array_equal(*fits)
    if not isinstance(estimator, (TopPushClassifier, SVMPerfClassifier)):  # an interior point, or cutting planes
        assert (one.decision_function(X) != other.decision_function(X)).any()
    # None draws anew in each run: the classes are found whatever is drawn (400 seeds of each: at least 0.67).
    assert clone(estimator).set_params(random_state=None).fit(clean, y).score(clean, y) > 0.5


@EACH_CLASSIFIER
def test_a_generator_is_cloned_pickled_and_searched_like_other_options(estimator):
    X, y = data(estimator)
    generator = np.random.default_rng(0)
    given = clone(estimator).set_params(random_state=generator)
    assert given.get_params()["random_state"] is generator
    copy = clone(given)
    assert copy.random_state is not generator
    expected = given.fit(X, y).decision_function(X)
    np.testing.assert_array_equal(copy.fit(X, y).decision_function(X), expected)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(given)).decision_function(X), expected)
    drawn = generator.bit_generator.state
    assert drawn != np.random.default_rng(0).bit_generator.state  # it has moved on, as a RandomState does
    assert cross_val_score(given, X, y, cv=3).min() > 0.5


@pytest.mark.parametrize("wrong", ["0", -1, 1.5, np.random.PCG64(0)])
@EACH_CLASSIFIER
def test_a_random_state_that_is_none_is_refused_by_name(estimator, wrong):
    with pytest.raises(ValueError, match="^random_state must be an int in .*, a RandomState, a Generator or None, got"):
        clone(estimator).set_params(random_state=wrong).fit(*data(estimator))


def test_a_random_state_moves_on():
    X, y = data(WsabieClassifier())
    estimator = WsabieClassifier(random_state=np.random.RandomState(0))
    assert (estimator.fit(X, y).decision_function(X) != estimator.fit(X, y).decision_function(X)).any()


@EACH
def test_fit_takes_sample_weight_or_the_documentation_and_the_error_say_why_not(estimator):
    if has_fit_parameter(estimator, "sample_weight"):
        return
    notes = " ".join(type(estimator).__doc__.split())
    assert "here is no sample_weight" in notes or "`fit` accepts no sample_weight" in notes
    X, y = data(estimator)
    name = type(estimator).__name__
    for steps in (estimator, make_pipeline(estimator)):
        given = "sample_weight" if steps is estimator else f"{name.lower()}__sample_weight"
        with pytest.raises(TypeError, match=f"^{name} takes no sample_weight: .{{60}}"):
            clone(steps).fit(X, y, **{given: np.ones(len(y))})
    with pytest.raises(TypeError, match=f"^{name} takes no weights$"):
        clone(estimator).fit(X, y, weights=np.ones(len(y)))


@EACH
def test_progress_is_shown_on_request_only(estimator, capsys):
    X, y = data(estimator)
    clone(estimator).fit(X, y)
    assert capsys.readouterr().out == ""
    clone(estimator).set_params(verbose=1).fit(X, y)
    assert "%" in capsys.readouterr().out


# --- what they go into ---------------------------------------------------------------------------------------------


def test_grid_search_slices_both_sides_of_a_precomputed_kernel():
    X, y = data(TopKSVC())
    expected = cross_val_score(TopKSVC(tol=1e-6, random_state=0), X, y, cv=3)
    got = cross_val_score(TopKSVC(kernel="precomputed", tol=1e-6, random_state=0), X @ X.T, y, cv=3)
    np.testing.assert_array_equal(got, expected)


@EACH
def test_names_of_features_are_kept_and_held_against_those_of_the_fit(estimator, monkeypatch):
    class Frame(np.ndarray):
        """As much of a data frame as is needed to have names."""

    def frame(X, names):
        framed = np.asarray(X).view(Frame)
        framed.columns = np.array(list(names), dtype=object)
        return framed

    monkeypatch.setattr(validation, "_get_feature_names", lambda X: getattr(X, "columns", None))
    X, y = data(estimator)
    fitted = clone(estimator).fit(frame(X, "abcd"), y)
    assert fitted.feature_names_in_.tolist() == list("abcd") and fitted.n_features_in_ == 4
    fitted.predict(frame(X, "abcd"))
    with pytest.raises(ValueError, match="feature names"):
        fitted.predict(frame(X, "abce"))


# --- weights and warnings ------------------------------------------------------------------------------------------


def test_balanced_classes_without_weight_are_not_counted():
    X, y = data(TopKSVC())
    estimator, s = exact(TopKSVC()), np.select([y == "ant", y == "bee"], [1.0, 2.0], 0.0)
    by_hand = clone(estimator).set_params(class_weight={"ant": 1.5, "bee": 0.75, "cow": 1.0}).fit(X, y, s)
    balanced = clone(estimator).set_params(class_weight="balanced").fit(X, y, s)
    np.testing.assert_array_equal(balanced.decision_function(X), by_hand.decision_function(X))
