"""libsdca: its solver for features, in double precision, by ../libsdca_solver.cpp. It has an order of its own.

Its objective is ours divided by the regularization, so its C is 1 / (regularization n), and the duals are the same.
"""

import ctypes
from pathlib import Path

import numpy as np

LIBRARY = ctypes.CDLL(Path(__file__).parents[4] / "build" / "others-source" / "libsdca_solver.so")
NUMBER, COUNT = ctypes.c_double, ctypes.c_long


def fit_topk_svm(
    X, y, *, k=1, kind="alpha", smoothing=0.0, regularization, tol=1e-3, max_epochs=1000, order=None, seed=0
):
    X, y = np.ascontiguousarray(X, dtype=np.float64), np.ascontiguousarray(y, dtype=COUNT)
    (n, d), m = X.shape, int(y.max()) + 1
    duals, weights = np.zeros((n, m)), np.zeros((m, d))
    data, start = [[part.ctypes.data_as(ctypes.c_void_p) for part in pair] for pair in ((X, y), (duals, weights))]
    numbers = NUMBER(1 / (regularization * n)), NUMBER(smoothing), NUMBER(tol)
    LIBRARY.topk_svm(*data, *map(COUNT, (n, d, m, k)), kind == "beta", *numbers, COUNT(max_epochs), *start)
    return {"duals": duals, "weights": weights.T}
