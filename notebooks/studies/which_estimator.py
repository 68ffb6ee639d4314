"""Which estimator when? The numbers behind the tables of the book: our estimators beside those of scikit-learn.

Run from the top of the checkout:

    make study STUDY=which_estimator            or            python -m notebooks.studies.which_estimator

Two data sets. The digits come with scikit-learn: 1797 images, 64 pixels, 10 classes. The text is made by
`reference.datasets.make_documents`: 5000 documents of 60 words out of 20 000, 50 classes in families of five, with
tf-idf of the training part. Each is split three times at random with equal shares of the classes, and 40 % are for the
test. The strength of the penalty (and what else GRIDS lists) is chosen by threefold cross-validation in the training
part of the first split, once for the accuracy of one guess and once for that of five, and used for all splits. All
other parameters have their default values. Accuracies are those of `topk_scorer`.

The time is CPU seconds of one fit with the choice for one guess: the median of the three splits, with one thread, in a
new process that has fitted a few examples before, so that nothing is compiled or imported. The memory is the peak of
that process during the first fit less what it held before. Both need Linux. A row is stored when it is done, and is not
computed again. Rows with costs must be of one machine; one that was added on another has none. Ten minutes.
"""

import json
import multiprocessing
import platform
import time
import warnings
from functools import cache
from importlib.metadata import version
from itertools import product
from pathlib import Path

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.model_selection import StratifiedShuffleSplit, cross_validate
from sklearn.svm import LinearSVC

from fast.estimators import (
    PassiveAggressiveTopKClassifier,
    SVMPerfClassifier,
    TopKSVC,
    TopPushClassifier,
    WsabieClassifier,
    topk_scorer,
)
from reference import datasets

from .memory import MEGABYTE, begin_peak, peak_above

RESULTS = Path(__file__).parents[1] / "results" / "which_estimator.json"
DATA = ("digits", "text")
GUESSES = (1, 5)
SPLITS, TEST_SHARE, FOLDS = 3, 0.4, 3
WARM_UP = 4  # examples of each class in the fit that compiles

C = {"C": [10.0**v for v in range(-3, 3)]}
GRIDS = {
    "TopKSVC(k=1)": (TopKSVC(k=1, random_state=0), C),
    "TopKSVC(k=5)": (TopKSVC(k=5, random_state=0), C),
    "TopKSVC(k=10)": (TopKSVC(k=10, random_state=0), C),
    "PassiveAggressiveTopKClassifier(average=True)": (
        PassiveAggressiveTopKClassifier(average=True, random_state=0), {"C": [10.0**v for v in range(-4, 2)]}
    ),
    "PassiveAggressiveTopKClassifier(k=5, average=True)": (
        PassiveAggressiveTopKClassifier(k=5, average=True, random_state=0), {"C": [10.0**v for v in range(-4, 2)]}
    ),
    'WsabieClassifier(discriminant="linear", epochs=30)': (
        WsabieClassifier(discriminant="linear", epochs=30, random_state=0),
        {"margin": [0.01, 0.1, 1.0, 10.0], "step_size": [0.01, 0.1, 1.0]},
    ),
    "TopPushClassifier()": (TopPushClassifier(random_state=0), C),
    "SVMPerfClassifier()": (SVMPerfClassifier(random_state=0), C),
    "LogisticRegression()": (LogisticRegression(max_iter=1000), {"C": [10.0**v for v in range(-1, 5)]}),
    "LinearSVC()": (LinearSVC(random_state=0), C),
    'LinearSVC(multi_class="crammer_singer")': (LinearSVC(multi_class="crammer_singer", random_state=0), C),
    "SGDClassifier()": (SGDClassifier(random_state=0), {"alpha": [10.0**v for v in range(-6, 0)]}),
    'SGDClassifier(loss="log_loss")': (
        SGDClassifier(loss="log_loss", random_state=0), {"alpha": [10.0**v for v in range(-7, -1)]}
    ),
}  # fmt: skip
MORE_CLASSES = "TopKSVC(k=10)"  # the digits have too few
OURS = [name for name in GRIDS if not name.startswith(("LogisticRegression", "LinearSVC", "SGDClassifier"))]


@cache
def splits(data):
    """[(training X, y, test X, y), ...]"""
    X, y = datasets.load_digits() if data == "digits" else datasets.make_documents()[:2]
    cut = StratifiedShuffleSplit(SPLITS, test_size=TEST_SHARE, random_state=0)
    found = []
    for train, test in cut.split(X, y):
        parts = [X[train], X[test]]
        if data == "text":
            weighting = TfidfTransformer(sublinear_tf=True).fit(parts[0])
            parts = [weighting.transform(part) for part in parts]
        found.append((parts[0], y[train], parts[1], y[test]))
    return found


def estimators(data):
    """The names of the estimators that are fitted to a data set."""
    return [name for name in GRIDS if data == "text" or name != MORE_CLASSES]


def candidates(grid):
    return [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]


def choose(data, name):
    """{guesses: (parameters, accuracy in cross-validation)} in the training part of the first split."""
    X, y, _, _ = splits(data)[0]
    estimator, grid = GRIDS[name]
    scoring = {str(k): topk_scorer(k) for k in GUESSES}
    tried = []
    for parameters in candidates(grid):
        scores = cross_validate(estimator.set_params(**parameters), X, y, scoring=scoring, cv=FOLDS)
        tried.append((parameters, {k: float(scores[f"test_{k}"].mean()) for k in GUESSES}))
    best = {k: max(tried, key=lambda pair, k=k: pair[1][k]) for k in GUESSES}
    return {k: (parameters, round(accuracy[k], 4)) for k, (parameters, accuracy) in best.items()}


def accuracies(data, name, k, parameters):
    """The share of the test examples of each split whose class is among k guesses."""
    estimator = GRIDS[name][0].set_params(**parameters)
    return [round(topk_scorer(k)(estimator.fit(X, y), Z, t), 4) for X, y, Z, t in splits(data)]


def cost(data, name, parameters):
    """{"seconds": median CPU seconds of a fit, "megabytes": peak memory of a fit}; for a process of its own."""
    estimator, parts = GRIDS[name][0].set_params(**parameters), splits(data)
    X, y = parts[0][:2]
    few = np.argsort(y, kind="stable").reshape(-1)[:: max(1, len(y) // (WARM_UP * len(np.unique(y))))]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        estimator.fit(X[few], y[few])
        before = begin_peak()
        estimator.fit(X, y)
        megabytes = peak_above(before) / MEGABYTE  # 0 if the small fit has left enough
        seconds = []
        for X, y, _, _ in parts:
            start = time.process_time()
            estimator.fit(X, y)
            seconds.append(time.process_time() - start)
    return {"seconds": round(float(np.median(seconds)), 3), "megabytes": round(megabytes, 1)}


def row_of(data, name):
    """What is stored of an estimator on a data set."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        chosen = choose(data, name)
        row = {
            str(k): {"parameters": parameters, "validation": value, "test": accuracies(data, name, k, parameters)}
            for k, (parameters, value) in chosen.items()
        }
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return row | pool.apply(cost, (data, name, chosen[GUESSES[0]][0])) | {"machine": machine()}


def machine():
    """The processor and the versions that the costs depend on."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    processor = next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    libraries = ", ".join(f"{name} {version(name)}" for name in ("numpy", "numba", "scikit-learn"))
    return f"{processor}; Python {platform.python_version()}, {libraries}"


def stored():
    """{"digits": {"TopKSVC(k=1)": row, ...}, "text": {...}}"""
    return json.loads(RESULTS.read_text()) if RESULTS.is_file() else {}


def main():
    for data, name in ((one, name) for one in DATA for name in estimators(one)):
        found = stored()
        if name not in found.setdefault(data, {}):
            found[data][name] = row_of(data, name)
            RESULTS.write_text(json.dumps(found, indent=1) + "\n")
            row = found[data][name]
            right = "  ".join(f"top-{k} {100 * np.mean(row[str(k)]['test']):5.1f} %" for k in GUESSES)
            print(f"{data:8}{name:52}{right}  {row['seconds']:7.2f} s  {row['megabytes']:6.1f} MB", flush=True)


if __name__ == "__main__":
    main()
