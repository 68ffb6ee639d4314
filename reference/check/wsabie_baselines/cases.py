"""Instances of class means and of one-vs-all learners."""

from itertools import product

import numpy as np

from ...datasets import load_digits
from ..judging.case import HUGE, Case
from ..wsabie.data import kinds_of_data, numbers, problem, refused, wrong_X


def fit_one_vs_all(rng, quick):
    """Yields instances of fit_one_vs_all."""
    norms, counts = (None, 1.0), (1, 3)
    for step, norm, negatives in product(("constant", "adagrad"), norms, counts):
        X, Y = problem(rng, 6, 3, 4, several=bool(negatives > 1))
        ball = {} if norm is None else {"max_norm": norm}
        options = {"negatives": negatives, "step": step, "margin": float(rng.choice((0.0, 0.5, 1.0))), **ball}
        for n_updates in (1, 20):
            yield Case("random", {"X": X, "Y": Y, **options, **numbers(rng, n_updates, 4 + negatives)})
    for label, X, Y, unit in kinds_of_data(rng):
        options = {"negatives": 2, "margin": unit, "step_size": 0.5}
        yield Case(label, {"X": X, "Y": Y, **options, **numbers(rng, 12, 6)})
    X, Y = rng.integers(-1, 2, size=(6, 2)).astype(float), np.arange(6) % 3
    exact = {"step": "constant", "step_size": 1.0, "negatives": 2}
    for margin in (0.0, 1.0, 2.0):
        yield Case("exact ties", {"X": X, "Y": Y, "margin": margin, **exact, **numbers(rng, 12, 6)})
    yield Case("more classes than labels", {"X": X, "Y": Y, "n_classes": 5, "negatives": 3, **numbers(rng, 12, 7)})
    X = rng.normal(size=(12, 3)) + 2 * np.eye(3)[np.arange(12) % 3]
    for tried in ([1, 2, 4], [5, 1]):
        both = {"negatives": tried, "validation": (X[::2].copy(), np.arange(12)[::2] % 3)}
        yield Case("chosen by validation", {"X": X, "Y": np.arange(12) % 3, **both, **numbers(rng, 10, 9)})
    yield Case("a seed", {"X": X, "Y": np.arange(12) % 3, "max_norm": 0.5, "n_updates": 300, "seed": 5})
    n, d, m = (200, 50, 30) if quick else (500, 64, 50)
    X, Y = problem(rng, n, d, m)
    yield Case("random, timed", {"X": X, "Y": Y, "negatives": 5, **numbers(rng, 200, 9)}, timed=True)
    X, y = load_digits()
    yield Case("digits", {"X": X[:100] / 16, "Y": y[:100], "negatives": 3, "margin": 0.5, **numbers(rng, 100, 7)})
    yield from _refused_learners()


def fit_nearest_means(rng, quick):
    """Yields instances of fit_nearest_means."""
    for n, d, m in ((2, 1, 2), (5, 2, 3), (9, 4, 4), (30, 10, 6))[: 3 if quick else 4]:
        X = rng.normal(size=(n, d))
        yield Case("random", {"X": X, "Y": rng.permutation(n) % m})
        sets = np.maximum(rng.random((n, m)) < 0.3, np.eye(m)[np.arange(n) % m])
        sets[0, 1:] = 0  # some examples have no label
        yield Case("several labels", {"X": X, "Y": sets})
        yield Case("random", {"X": X, "Y": sets, "sample_weight": 10.0 ** rng.uniform(-9, 9, size=n)})
    for label, X, Y, _ in kinds_of_data(rng):
        if Y.any(axis=0).all() if Y.ndim == 2 else len(np.unique(Y)) == Y.max() + 1:  # no class without examples
            yield Case(label, {"X": X, "Y": Y})
    X = rng.normal(size=(40, 2)) + HUGE
    yield Case("1e9 + noise", {"X": X, "Y": np.arange(40) % 3})
    yield from _weighted_means(rng)
    X, Y = rng.normal(size=(500 if quick else 3000, 64)), rng.permutation(500 if quick else 3000) % 20
    yield Case("random, timed", {"X": X, "Y": Y}, timed=True)
    yield Case("float32", {"X": X.astype(np.float32), "Y": Y})
    yield Case("as many classes as labels", {"X": X, "Y": Y, "n_classes": 20})
    X, y = load_digits()
    yield Case("digits", {"X": X, "Y": y})
    X, Y = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]), np.array([0, 1, 0])
    wrong = (
        Y[:2],
        np.array([0, -1, 1]),
        np.array([0, 2, 0]),
        np.array([0.5, 1.0, 0.0]),
        np.eye(3)[:, [0, 1, 1, 1]] * 0.5,
    )
    yield from refused({"X": X, "Y": Y}, {"X": wrong_X(X), "Y": wrong})
    ones = np.ones(3)
    wrong = (ones[:2], ones[:, None], -ones, np.full(3, np.nan), np.zeros(3), np.array([1.0, 0.0, 2.0]))
    yield from refused({"X": X, "Y": Y, "sample_weight": ones}, {"sample_weight": wrong})
    yield Case("n_classes = 3", {"X": X, "Y": Y, "n_classes": 3}, refuses=("Y", "n_classes"))
    yield Case("n_classes = 1.5", {"X": X, "Y": Y, "n_classes": 1.5}, refuses=("n_classes",))


def _weighted_means(rng):
    """Yields instances of fit_nearest_means with weights of many sizes, zeros, and one or several labels."""
    X, Y = rng.normal(size=(12, 3)), rng.permutation(12) % 3
    sets = np.maximum(rng.random((12, 3)) < 0.3, np.eye(3)[Y])
    zeros = np.where(np.unique(Y, return_index=True)[1][Y] == np.arange(12), 2, rng.integers(0, 3, size=12))
    for label, weights in (("integer weights", zeros), ("weights", 10.0 ** rng.uniform(-9, 9, size=12))):
        yield Case(label, {"X": X, "Y": Y, "sample_weight": weights})
        yield Case(label + ", several labels", {"X": X, "Y": sets, "sample_weight": weights})
    yield Case("weights, float32", {"X": X.astype(np.float32), "Y": Y, "sample_weight": zeros.astype(np.float32)})
    yield Case("the smallest weights", {"X": X, "Y": Y, "sample_weight": np.full(12, 5e-324)})
    yield Case("large weights", {"X": X, "Y": Y, "sample_weight": np.where(zeros, 1e140, 1e132)})


def _refused_learners():
    X, Y = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0], [1.0, 1.0]]), np.array([0, 1, 2, 0])
    right = {"X": X, "Y": Y, "negatives": 2, "n_updates": 3, "n_classes": 3, "draws": np.full(40, 0.3)}
    wrong = {
        "X": wrong_X(X), "Y": (Y[:3], np.array([0, 1, -1, 0]), np.ones((4, 3))), "negatives": (0, 1.5, [1, 2], []),
        "step": ("adam",), "margin": (-1.0, np.nan), "step_size": (0.0, np.inf), "n_updates": (0, 2.5),
        "max_norm": (0.0,), "n_classes": (1, 2.5), "draws": (np.full(3, 0.3), np.full(40, 1.0)),
        "validation": (1.0, (X[:, :1], Y), (X,), (X * np.nan, Y), (X, Y[:3]), (X, Y + 1)),
    }  # fmt: skip
    yield from refused(right, wrong)
