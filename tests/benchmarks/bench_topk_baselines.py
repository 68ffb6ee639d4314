"""TopPush and SVMperf on digits, by the multiclass reduction: time to a gap, compared with their papers' algorithms."""

import numpy as np
from sklearn.datasets import load_digits

import fast
import reference


def cases(quick=False):
    X, y = load_digits(return_X_y=True)
    X, y = X[: 200 if quick else 500] / 16, y[: 200 if quick else 500]
    relevant = np.eye(10, dtype=bool)[y]
    options = {"regularization": 1.0, "tol": 1e-2, "max_iterations": 5000}
    sizes = f"digits {len(X)} x {X.shape[1]} x 10, to gap 1e-2, against reference"
    yield {
        "work": f"fit_top_push, {sizes}",
        "ours": lambda: fast.fit_top_push(X, relevant, **options),
        "theirs": lambda: reference.fit_top_push(X, relevant, **options),
        "aim": 1,
        "repeats": 1 if quick else 3,
    }
    yield {
        "work": f"fit_svm_perf, recall, k = n, {sizes}",
        "ours": lambda: fast.fit_svm_perf(X, relevant, k=len(X), **options),
        "theirs": lambda: reference.fit_svm_perf(X, relevant, k=len(X), **options),
        "aim": 1,
        "repeats": 1 if quick else 3,
    }
