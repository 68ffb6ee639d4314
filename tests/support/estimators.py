"""Real data of the size that tests of estimators need."""

import numpy as np
from sklearn.datasets import load_digits, load_iris
from sklearn.preprocessing import StandardScaler


def iris(dtype=np.float64):
    X, y = load_iris(return_X_y=True)
    return StandardScaler().fit_transform(X).astype(dtype), y


def digits(n=200):
    X, y = load_digits(return_X_y=True)
    return X[:n] / 16, y[:n]
