"""Instances of the top-k entropy losses and of their fits."""

import numpy as np

from ..judging.case import Case, replaced
from ..topk_svm.cases import _counts, _example_features, _many_scores, _refused_scores, _scores, many_classes
from ..topk_svm.starts import WEIGHTS, shared_duals


def topk_entropy(rng, quick):
    """Yields instances of topk_entropy."""
    for label, scores, y in (*_scores(rng, quick), *_traps(rng)):
        for k in range(1, scores.shape[1]):
            yield Case(label, {"scores": scores, "y": y, "k": k})
    for k in (1, 3):
        yield Case("random, timed", {**_many_scores(rng), "k": k}, timed=True)
    scores, y = rng.integers(-2, 3, size=(3, 10)) / 2, rng.integers(0, 10, size=3)
    for k in (1, 4, 9):
        yield Case("many classes with ties", {"scores": scores, "y": y, "k": k})
    for label, scores, y in many_classes(rng):
        for k in _counts(scores):
            yield Case(label, {"scores": scores, "y": y, "k": k})
    yield from _refused_scores({"k": (0, 3, 1.5)})


topk_entropy_gradient = truncated_topk_entropy = truncated_topk_entropy_gradient = topk_entropy


def fit_topk_entropy(rng, quick):
    """Yields instances of fit_topk_entropy, most with at most a dozen examples, for which CVXPY knows the optimum."""
    yield from _fits(rng, quick, lambda X: {"X": X})
    yield from _refused_fit("X", _example_features(), {"X": (np.zeros((0, 2)), np.zeros((2, 2, 2)))})


def fit_topk_entropy_kernel(rng, quick):
    """Yields instances of fit_topk_entropy_kernel with Gram matrices of linear and of polynomial kernels."""
    yield from _fits(rng, quick, lambda X: {"K": X @ X.T})
    X = rng.normal(size=(6, 2))
    data = {"K": (1 + X @ X.T) ** 2, "y": rng.permutation(6) % 3}
    yield Case("polynomial kernel", {**data, **_options(k=2, regularization=0.1)})
    X, skew = _example_features(), np.eye(4)
    skew[0, 1] = 1.0
    yield from _refused_fit("K", X @ X.T, {"K": (X, skew, -np.eye(4))})


def fit_truncated_topk_entropy(rng, quick):
    """Yields instances of fit_truncated_topk_entropy. Examples of random classes need strong regularization."""
    for n, d, m in ((4, 2, 3), (9, 3, 4), (12, 4, 6))[: 2 if quick else 3]:
        X, y = rng.normal(size=(n, d)), rng.permutation(n) % m
        for k in sorted({1, 2, m - 1}):
            yield Case("random", {"X": X, "y": y, **_stationary(k=k)})
    X, y = rng.normal(size=(6, 2)), rng.permutation(6) % 3
    yield Case("rows of zeros", {"X": X * (np.arange(6) % 3 > 0)[:, None], "y": y, **_stationary(k=2)})
    yield Case("float32", {"X": X.astype(np.float32), "y": y, **_stationary(k=2, tol=1e-4)})
    yield Case("another start", {"X": X, "y": y, **_stationary(k=2, weights=rng.normal(size=(2, 3)))})
    yield Case("weights of examples", {"X": X, "y": y, **_stationary(k=2, sample_weight=WEIGHTS)})
    few = _stationary(k=2, max_iterations=1, tol=1e-12)
    yield Case("one iteration", {"X": X, "y": y, **few}, warns="ConvergenceWarning")
    yield Case("random, timed", {"X": X, "y": y, **_stationary(k=2)}, timed=True)
    right = {"X": _example_features(), "y": np.array([0, 1, 2, 0]), **_stationary(k=1)}
    yield from replaced(right, {**_wrong(right["X"]), "max_iterations": (0,), "weights": (np.zeros((3, 2)),)})


def _traps(rng):
    """Logits of 1e3, and an example that is classified so well, or so badly, that a probability rounds to 1."""
    yield "logits of 1e3", 1e3 * rng.normal(size=(3, 4)), rng.integers(0, 4, size=3)
    yield "almost certain", np.array([[60.0, 0.0, 1.0, 2.0], [0.0, 60.0, 1.0, 2.0]]), np.array([0, 0])


def _fits(rng, quick, data):
    """Yields the instances that both fits share. `data(X)` is the argument for the features X: X itself, or K."""
    for label, X, y, options in _training_sets(rng, quick):
        yield Case(label, {**data(X), "y": y, **_options(**options)})
    X, y = rng.normal(size=(4, 3)), rng.permutation(4)  # few, as the judge takes long for a step
    for k in (1, 2, 3):
        once = {"order": rng.permutation(4), "max_epochs": 1, "tol": 1e-12}
        options = _options(k=k, regularization=0.05, **once)
        yield Case("one epoch in a given order", {**data(X), "y": y, **options}, warns="ConvergenceWarning")
    X, y = rng.normal(size=(6, 3)), rng.permutation(6) % 4
    orders = np.array([rng.permutation(6) for _ in range(400)])
    yield Case("an order for each epoch", {**data(X), "y": y, **_options(k=2, regularization=0.2, order=orders)})
    X, y = rng.normal(size=(9, 3)), rng.permutation(9)
    for k, regularization in ((4, 0.3), (6, 0.01)):
        yield Case("many classes", {**data(X), "y": y, **_options(k=k, regularization=regularization)})
    n, d, m = 40 if quick else 120, 20, 6
    X, y = rng.normal(size=(n, d)), rng.permutation(n) % m
    for k in (1, 3):
        options = _options(k=k, regularization=2 / n, tol=1e-3)
        yield Case("random, timed", {**data(X + 2 * np.eye(m, d)[y]), "y": y, **options}, timed=True)


def _training_sets(rng, quick):
    for n, d, m in ((3, 2, 2), (4, 2, 3), (6, 3, 4), (2, 1, 2), (9, 3, 5), (12, 4, 6))[: 3 if quick else 6]:
        X, y = rng.normal(size=(n, d)), rng.permutation(n) % m
        for k in sorted({1, min(2, m - 1), m - 1}):
            yield "random", X, y, {"k": k, "regularization": 0.5 / n}
    X, y = rng.normal(size=(6, 2)), rng.permutation(6) % 3
    hollow, other = X.copy(), np.array([0, 1, 3, 3, 1, 0])
    hollow[::3] = 0
    for k in (1, 2):
        yield "rows of zeros", hollow, y, {"k": k}
        yield "strong regularization", X, y, {"k": k, "regularization": 10.0}
        yield "hardly any slope", 1e-3 * X, y, {"k": k, "regularization": 1e3}
        yield "weak regularization", X, y, {"k": k, "regularization": 1e-3}
        yield "scale 1e-3", 1e-3 * X, y, {"k": k, "regularization": 1e-6}
        yield "float32", X.astype(np.float32), y, {"k": k, "tol": 1e-3}
    yield "all zeros", np.zeros((4, 2)), np.array([0, 1, 2, 0]), {"k": 2}
    yield "one example twice", X[[0, 0, 1, 2]], np.array([0, 1, 2, 0]), {"k": 1}
    yield "a class without examples", X, other, {"k": 2}
    yield "Fortran order", np.asfortranarray(X), y, {"k": 1}
    yield "every second column", np.repeat(X, 2, axis=1)[:, ::2], y, {"k": 2}
    yield "another seed", X, y, {"k": 2, "seed": 7}
    yield "small tolerance", X, y, {"k": 2, "tol": 1e-9}
    yield "strong regularization, small tolerance", X, y, {"k": 2, "regularization": 10.0, "tol": 1e-9}
    for k in (1, 2):
        yield "weights of examples", X, y, {"k": k, "sample_weight": WEIGHTS}
        yield "duals to start from", X, y, {"k": k, "duals": shared_duals(y, 0.1)}
    yield "a probability of 0", np.array([[1.0], [2000.0], [-1.0]]), np.array([0, 0, 1]), {"regularization": 0.01}


def _options(**options):
    return {"k": 1, "regularization": 0.1, "tol": 1e-5, "max_epochs": 10_000, **options}


def _stationary(**options):
    return {"k": 1, "regularization": 0.3, "tol": 1e-6, **options}


def _wrong(data):
    broken = data.copy()
    broken[1, 1] = np.nan
    return {
        "X": (broken, np.zeros((0, 2))),
        "y": (np.array([0, 1, 2]), np.array([0, 1, -1, 0]), np.array([1, 1, 1, 1]), np.array([0.0, 1.5, 2.0, 0.0])),
        "k": (0, 3, 1.5),
        "regularization": (0.0, -1.0, np.nan),
        "tol": (-1.0,),
        "sample_weight": (np.ones(3), -np.ones(4)),
    }


def _refused_fit(name, data, wrong):
    right = {name: data, "y": np.array([0, 1, 2, 0]), **_options()}
    bad = {**_wrong(data), "max_epochs": (0,), "order": (np.array([0, 1, 2, 4]), np.array([0, 1]))}
    bad |= {"duals": (np.zeros((4, 2)), -np.eye(4, 3)), "n_jobs": (0,)}
    bad[name] = (*bad.pop("X")[:1], *wrong[name])
    yield from replaced(right, bad)
