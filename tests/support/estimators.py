"""What the tests of estimators share: one of each kind, and real data of the size that they need."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris
from sklearn.preprocessing import StandardScaler

from fast.estimators import (
    MultilabelSVC,
    PassiveAggressiveTopKClassifier,
    RankingSVC,
    SVMPerfClassifier,
    TopKSVC,
    TopPushClassifier,
    WsabieClassifier,
)

CLASSIFIERS = [
    TopKSVC(k=2), TopKSVC(k=2, loss="smooth_hinge"), TopKSVC(loss="entropy"), MultilabelSVC(),
    PassiveAggressiveTopKClassifier(k=2), WsabieClassifier(embedding_dim=16, margin=0.1),
    TopPushClassifier(C=0.01), SVMPerfClassifier(k=2, C=0.01),
]  # fmt: skip
EACH = pytest.mark.parametrize("estimator", [*CLASSIFIERS, RankingSVC()], ids=lambda one: type(one).__name__)
EACH_CLASSIFIER = pytest.mark.parametrize("estimator", CLASSIFIERS, ids=lambda one: type(one).__name__)


def iris(dtype=np.float64):
    X, y = load_iris(return_X_y=True)
    return StandardScaler().fit_transform(X).astype(dtype), y


def digits(n=200, dtype=np.float64):
    X, y = load_digits(return_X_y=True)
    return (X[:n] / 16).astype(dtype), y[:n]


def data(estimator, dtype=np.float64):
    X, y = iris(dtype)
    return (X, y) if isinstance(estimator, RankingSVC) else (X, np.array(["ant", "bee", "cow"])[y])


def exact(estimator):
    """The estimator without chance, and near its optimum if it has one."""
    options = estimator.get_params()
    wanted = {"random_state": 0, "tol": 1e-9}
    return clone(estimator).set_params(**{name: value for name, value in wanted.items() if name in options})
