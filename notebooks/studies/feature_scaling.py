"""Time and memory of a top-k SVM on as many features and classes as Places 205 has, for up to 8000 examples.

    make study STUDY=feature_scaling          or          python -m notebooks.studies.feature_scaling

Places 205 has n = 2 448 873 examples to train, d = 4096 features and m = 205 classes (004, section 6.2). The features
cannot be had here. Made-up ones have the same d and m, are float32, non-negative, and half of them are zero, as after a
ReLU. For each n a new process makes them, fits a top-5 SVM at C = 1 (lambda = 1/n) to a duality gap of 1e-3, and notes
the CPU time, the epochs, and how far its memory rose above that before the features were made. One thread, two minutes.
"""

import json
import time
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from .memory import begin_peak, peak_above

RESULTS = Path(__file__).parents[1] / "results" / "feature_scaling.json"
SIZES = (1000, 2000, 4000, 8000)
FEATURES, CLASSES = 4096, 205
K, TOL = 5, 1e-3
NOISE = 20.0  # standard deviation of a feature about its class's mean; means have deviation 1


def made_up(n, n_features=FEATURES, n_classes=CLASSES, seed=0, noise=NOISE):
    """float32 features as after a ReLU, about a mean for each class, made in place: no larger array is needed."""
    random = np.random.default_rng(seed)
    y = random.permutation(np.arange(n) % n_classes)
    X = random.standard_normal((n, n_features), dtype=np.float32)
    X *= np.float32(noise)
    means = random.standard_normal((n_classes, n_features), dtype=np.float32)
    for row, label in zip(X, y, strict=True):
        row += means[label]
    np.maximum(X, 0, out=X)
    X /= np.float32(noise)
    return X, y


def measure(n, n_features=FEATURES, n_classes=CLASSES):
    """One size, in a process of its own: what was compiled before does not count."""
    import fast

    few = made_up(2 * n_classes, 8, n_classes)
    fast.fit_topk_svm(*few, k=K, regularization=1.0, max_epochs=2)  # compiles
    before = begin_peak()
    X, y = made_up(n, n_features, n_classes)
    began = time.process_time()
    fit = fast.fit_topk_svm(X, y, k=K, regularization=1 / n, tol=TOL)
    seconds = time.process_time() - began
    return {"n": n, "seconds": round(seconds, 3), "epochs": int(fit.epochs), "gap": float(f"{fit.gap:.1e}"),
            "bytes": peak_above(before)}  # fmt: skip


def growth(sizes, values):
    """The exponent g of values ~ sizes^g, by least squares on logarithms.

    >>> print(f"{growth([1, 2, 4], [3, 12, 48]):.2f}")
    2.00
    """
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


def stored():
    return json.loads(RESULTS.read_text()) if RESULTS.is_file() else []


def main():
    rows = stored()
    for n in SIZES:
        if n not in [row["n"] for row in rows]:
            with get_context("spawn").Pool(1) as pool:
                rows.append(pool.apply(measure, (n,)))
            RESULTS.write_text("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n")
        print(rows[[row["n"] for row in rows].index(n)], flush=True)


if __name__ == "__main__":
    main()
