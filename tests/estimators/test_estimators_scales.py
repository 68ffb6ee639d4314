"""A fit that does not converge says so, and names the scales of the features where they are a cause."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, StandardScaler

import fast
import reference
from fast.estimators import MultilabelSVC, RankingSVC, SVMPerfClassifier, TopKSVC, TopPushClassifier

# Wine is measured in thirteen units: the largest feature is 300 times the median one.
ADVICE = r"gap .* > tol .* different scales.* is (\d+) times the median one .*StandardScaler.*MaxAbsScaler"
UNSCALED = [
    SVMPerfClassifier(max_iter=100),
    MultilabelSVC(max_iter=5),
]


def warnings_of(model, X, y, **options):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        clone(model).fit(X, y, **options)
    return [str(warning.message) for warning in caught if warning.category is ConvergenceWarning]


@pytest.mark.parametrize(
    ("model", "made"),
    [*((model, np.asarray) for model in UNSCALED), (UNSCALED[0], np.float32), (UNSCALED[1], sparse.csr_array)],
)  # fmt: skip
def test_the_advice_is_given_for_raw_wine_and_it_helps(model, made):
    X, y = load_wine(return_X_y=True)
    with pytest.warns(ConvergenceWarning, match=ADVICE):
        clone(model).set_params(random_state=0).fit(made(X), y)
    for scaler in (StandardScaler(), MaxAbsScaler()):
        assert warnings_of(make_pipeline(scaler, clone(model)), X, y) == []


@pytest.mark.parametrize("load", [load_wine, load_iris, load_breast_cancer, load_digits])
@pytest.mark.parametrize("multi_class", ["reduction", "ovr"])
def test_top_push_needs_no_scaling(load, multi_class):
    X, y = load(return_X_y=True)
    for C in (1.0, 100.0):
        model = TopPushClassifier(C=C, multi_class=multi_class).fit(X, y)
        assert model.duality_gap_ <= 1e-3 and model.n_iter_ <= 50


@pytest.mark.parametrize("load", [load_wine, load_iris, load_breast_cancer])
def test_few_weights_need_no_scaling(load):
    X, y = load(return_X_y=True)
    for options in ({}, {"C": 100.0}, {"loss": "smooth_hinge"}):
        model = TopKSVC(random_state=0, **options).fit(X, y)
        assert model.duality_gap_ <= 1e-3 and model.n_iter_ <= 10


def test_the_number_is_the_ratio_of_root_mean_squares():
    X, y = load_wine(return_X_y=True)
    sizes = np.sort(np.sqrt((X**2).mean(axis=0)))
    for module, made in ((fast, np.asarray), (reference, np.asarray), (fast, sparse.csr_matrix)):
        with pytest.warns(ConvergenceWarning, match=rf"is {sizes[-1] / sizes[6]:.0f} times the median one"):
            module.fit_topk_svm(made(X), y, regularization=1e-3, max_epochs=2)


def test_rankings_say_so_too():
    X, y = load_wine(return_X_y=True)
    for module in (fast, reference):
        with pytest.warns(ConvergenceWarning, match=ADVICE):
            module.fit_ranking_svm(X, y == 0, regularization=1e-3, max_iterations=2)
    with pytest.warns(ConvergenceWarning, match=ADVICE):
        RankingSVC(max_iter=2).fit(X, y, np.zeros(len(y)))


@pytest.mark.parametrize(
    "X",
    [
        load_iris().data,  # centimetres
        1e6 * load_iris().data,  # nanometres: large, but all alike
        np.abs(load_iris().data) * (np.arange(150)[:, None] % 50 == np.arange(4)),  # a word is rare, not small
    ],
)
def test_a_fit_that_is_slow_for_another_reason_gets_no_advice(X):
    y = load_iris().target
    for features in (X, sparse.csr_array(X)):
        model = TopKSVC(C=1e3, max_iter=1, tol=0.0, fit_intercept=False)
        (message,) = warnings_of(model, features, y)
        assert message.endswith("after 1 epochs")


def test_a_kernel_gets_no_advice():
    X, y = load_wine(return_X_y=True)
    (message,) = warnings_of(TopKSVC(kernel="precomputed", max_iter=2, tol=0.0), X @ X.T, y)
    assert message.endswith("after 2 epochs")
