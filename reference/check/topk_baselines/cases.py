"""Samples for TopPush and SVMperf, flat or in the multiclass reduction.

Most instances are small enough for CVXPY, and regularized enough for every method to come near the minimum.
"""

from itertools import cycle

import numpy as np

from ..judging.case import HUGE, TINY, Case, replaced

LOSSES = ("recall", "precision")


def fit_top_push(rng, quick):
    """Yields instances of fit_top_push."""
    for label, X, relevant, options in _training_sets(rng, quick):
        yield Case(label, {"X": X, "relevant": relevant, **_options(**options)})
    X, relevant = _samples(rng, 9, 3)
    duals = np.where(relevant, 1 / relevant.sum(), -1 / (~relevant).sum())
    yield Case("duals to start from", {"X": X, "relevant": relevant, **_options(duals=duals)})
    few = _options(regularization=1e-4, tol=1e-12, max_iterations=1)
    yield Case("one iteration", {"X": X, "relevant": relevant, **few}, warns="ConvergenceWarning")
    X, relevant = _samples(rng, 24 if quick else 60, 20, classes=4)
    yield Case("random, timed", {"X": X, "relevant": relevant, **_options(tol=1e-3)}, timed=True)
    yield from _weighted(rng, quick)
    yield from _unbalanced(rng, quick, {})
    yield _unfinished(rng, {})
    yield from _uneven(rng)
    duals = (np.array([1.0, -1.0, 0.0, 1.0]), np.array([-1.0, 1.0, 0.0, 0.0]), np.array([1.0 + 1e-6, -1.0, -1.0, 1.0]))
    weights = (np.ones(3), np.zeros(4), np.array([1.0, -1, 1, 1]), np.array([1.0, 0, 0, 1]), np.full(4, np.nan))
    weights += (np.ones((4, 1)), np.array([0.0, 1, 1, 0]), np.full(4, 1e308))
    yield from _refused({"sample_weight": np.ones(4)}, {"duals": duals, "sample_weight": weights})


def fit_svm_perf(rng, quick):
    """Yields instances of fit_svm_perf. k is the number of positives, less, more, 1, or all."""
    for label, X, relevant, options in _training_sets(rng, quick):
        n_positive, n = int(relevant.sum()), relevant.size
        counts = sorted({1, max(1, n_positive // 2), n_positive, (n_positive + n) // 2, n})
        for k in counts if label == "random" else rng.choice(counts, size=1):
            for loss in LOSSES if label == "random" else rng.choice(LOSSES, size=1).tolist():
                few = {"k": int(k), "loss": loss, **_options(**options)}
                yield Case(label, {"X": X, "relevant": relevant, **few})
    X, relevant = _samples(rng, 9, 3)
    data = {"X": X, "relevant": relevant, "k": 3, "loss": "precision"}
    yield Case("duals to start from", {**data, **_options(duals=np.full(9, 1 / 6))})
    few = _options(regularization=1e-3, tol=1e-12, max_iterations=2)
    yield Case("two planes", {**data, **few}, warns="ConvergenceWarning")
    X, relevant = _samples(rng, 24 if quick else 60, 20, classes=4)
    timed = {"k": int(relevant.sum()), "loss": "recall", **_options(tol=1e-3)}
    yield Case("random, timed", {"X": X, "relevant": relevant, **timed}, timed=True)
    wide = np.hstack([X, rng.normal(size=(len(X), 30))])  # more than a hundred weights
    yield Case("more features", {"X": wide, "relevant": relevant, **timed})
    yield from _unbalanced(rng, quick, {"k": 3, "loss": "precision"})
    yield _unfinished(rng, {"k": 30, "loss": "recall"})
    yield from _weighted_selections(rng, quick)
    yield from _many_weights(rng)
    duals = (np.full(4, 2.0), np.array([1.0, -1.0, 1.0, 1.0]), np.array([1.1, 1.1, 0.0, 0.0]), np.array([1, 0.9, 0, 0]))
    wrong = {"k": (0, -1, 5, 1.5, 2.0, True), "loss": ("accuracy", None, 1, ["recall"]), "duals": duals}
    yield from _refused({"k": 2, "loss": "recall"}, wrong)
    duals = (np.array([0.0, 0.5, 0.0, 1.5]), np.array([1.0, 0.5, 0.5, -0.5]), np.array([2.0, 0.5, 1.0, 0.5]))
    wrong = {"k": (0.0, -1.0, 4.01, np.nan, 1e-310, True), "duals": duals}
    wrong["sample_weight"] = (np.ones(3), np.zeros(4), np.array([2.0, -1, 1, 2]), np.array([1.0, 0, 0, 1]))
    wrong["sample_weight"] += (np.full(4, 7e307), np.array([1e-300, 1e140, 1e140, 1e-300]))
    yield from _refused({"k": 1.5, "loss": "precision", "sample_weight": np.array([2.0, 0.5, 1, 0.5])}, wrong)


def _training_sets(rng, quick):
    shapes = ((2, 1, 0), (5, 2, 0), (4, 3, 3)) if quick else ((2, 1, 0), (5, 2, 0), (9, 3, 0), (2, 2, 2), (6, 3, 3))
    for n, d, classes in shapes:
        yield "random", *_samples(rng, n, d, classes), {}
    X, relevant = _samples(rng, 8, 2)
    hollow = X.copy()
    hollow[::3] = 0
    yield "rows of zeros", hollow, relevant, {}
    yield "all zeros", np.zeros((8, 2)), relevant, {}
    yield "ties", np.round(X), relevant, {}
    yield "one sample twice", X[[0, 0, *range(1, 7)]], relevant, {}
    yield "strong regularization", X, relevant, {"regularization": 10.0}
    yield "weak regularization", X, relevant, {"regularization": 0.02, "tol": 1e-2}
    yield "scale 1e-9", TINY * X, relevant, {"regularization": 0.1 * TINY**2}
    yield "scale 1e9", HUGE * X, relevant, {"regularization": 0.1 * HUGE**2}
    yield "float32", X.astype(np.float32), relevant, {"tol": 1e-3}
    yield "one feature", X[:, :1].copy(), relevant, {}
    yield "Fortran order", np.asfortranarray(X), relevant, {}
    yield "every second column", np.repeat(X, 2, axis=1)[:, ::2], relevant, {}
    yield "flags of another type", X, relevant.astype(np.int32), {}
    yield "another seed", X, relevant, {"seed": 7}
    X, relevant = _samples(rng, 5, 2, 3)
    relevant = rng.permutation(15).reshape(5, 3) % 4 == 0  # some rows have no class or several
    yield "several classes a row", X, relevant, {}
    X, relevant = _samples(rng, 5, 2)
    yield "contradictions", np.vstack([X, X]), np.append(relevant, ~relevant), {}
    yield "one column of flags", X, relevant[:, None], {}
    yield "scale 1e-100", 1e-100 * X, relevant, {"regularization": 1e-201}
    yield "scale 1e60", 1e60 * X, relevant, {"regularization": 1e119}


def _many_weights(rng):
    """Yields instances of fit_svm_perf with more than a hundred weights and k = P, which `fast` fits by ascent.

    They are copies of the features of others.
    """
    for (label, X, relevant, options), loss in zip(_training_sets(rng, True), cycle(LOSSES)):
        if label in ("flags of another type", "several classes a row"):
            continue  # CVXPY takes seconds for these classes and weights
        copies = 1 + 100 // (X.shape[1] * relevant[0].size)
        wide = (np.tile(X, (1, copies)) / np.sqrt(copies)).astype(X.dtype)
        more = {"k": int(relevant.sum()), "loss": loss, **_options(**options)}
        yield Case(f"many weights, {label}", {"X": wide, "relevant": relevant, **more})
    for classes in (0, 3):
        X, relevant = _samples(rng, 12, 2, classes)
        shares, wide = 10.0 ** rng.uniform(-2, 1, size=12), np.tile(X, (1, 60)) / np.sqrt(60)
        k = float(np.broadcast_to(shares.reshape(-1, *[1] * (relevant.ndim - 1)), relevant.shape)[relevant].sum())
        for loss in LOSSES:
            more = {"k": k, "loss": loss, **_options(sample_weight=shares)}
            yield Case("many weights, weights of rows", {"X": wide, "relevant": relevant, **more})


def _uneven(rng):
    """Yields instances of fit_top_push with weights so small that they hardly count, or that only signs count."""
    X, relevant = _samples(rng, 9, 2)
    for label, weights in (
        ("a positive of tiny weight", np.where(np.arange(9) == np.flatnonzero(relevant)[0], 5e-324, 1.0)),
        ("negatives of tiny weight", np.where(relevant, 1.0, 1e-300)),
        ("negatives of large weight", np.where(relevant, 1.0, 1e140)),
        ("tiny weights", np.full(9, 1e-270)),
    ):
        yield Case(label, {"X": X, "relevant": relevant, **_options(sample_weight=weights)})


def _weighted(rng, quick):
    """Yields instances of fit_top_push with weights: many sizes, zeros, integers, and weights that are all large."""
    for classes in (0, 3):
        n = 6 if quick else 12
        X, relevant = _samples(rng, n, 3, classes)
        weights = 10.0 ** rng.uniform(-3, 1, size=n)
        yield Case("weights", {"X": X, "relevant": relevant, **_options(sample_weight=weights)})
        yield Case("large weights", {"X": X, "relevant": relevant, **_options(sample_weight=1e20 * weights)})
    X, relevant = _samples(rng, 12, 2)
    integers = np.where(np.flatnonzero(relevant)[0] == np.arange(12), 3, rng.integers(0, 3, size=12))
    integers[np.flatnonzero(~relevant)[0]] = 1
    yield Case("integer weights", {"X": X, "relevant": relevant, **_options(sample_weight=integers)})
    zeros = np.ones(12)  # the highest negative and a positive, by the sum of their features, do not count
    order = np.argsort(X.sum(axis=1))
    zeros[[order[~relevant[order]][-1], order[relevant[order]][0]]] = 0
    yield Case("weights of 0", {"X": X, "relevant": relevant, **_options(sample_weight=zeros)})
    few = X.astype(np.float32)
    yield Case("weights, float32", {"X": few, "relevant": relevant, **_options(sample_weight=integers, tol=1e-3)})


def _weighted_selections(rng, quick):
    """Yields instances of fit_svm_perf with weights: real and integer, with zeros, few and many features."""
    for classes, d in ((0, 3), (3, 3), (0, 110)):  # with more than a hundred weights and k = P, fast ascends
        n = 6 if quick else 12
        X, relevant = _samples(rng, n, d, classes)
        weights = 10.0 ** rng.uniform(-2, 1, size=n)
        weights[np.flatnonzero(weights != weights[np.nonzero(relevant)[0][0]])[0]] = 0
        if not (relevant[weights > 0].any() and (~relevant[weights > 0]).any()):
            weights[weights == 0] = 0.1
        shares = np.broadcast_to(weights.reshape(-1, *[1] * (relevant.ndim - 1)), relevant.shape)
        total, everything = float(shares[relevant].sum()), float(shares.sum())
        for k in (0.3 * total, total, (total + everything) / 2, everything):
            more = {"k": k, "loss": str(rng.choice(LOSSES)), **_options(sample_weight=weights)}
            yield Case("weights", {"X": X, "relevant": relevant, **more})
        more["k"] = 1e20 * total
        large = {**more, **_options(sample_weight=1e20 * weights)}
        yield Case("large weights", {"X": X, "relevant": relevant, **large})
    X, relevant = _samples(rng, 12, 2)
    integers = np.where(relevant, 2, rng.integers(0, 4, size=12))
    integers[np.flatnonzero(~relevant)[0]] = 1
    for loss in LOSSES:
        more = {"k": int(integers[relevant].sum()) + 1, "loss": loss, **_options(sample_weight=integers)}
        yield Case("integer weights", {"X": X, "relevant": relevant, **more})
    more["tol"] = 1e-3
    yield Case("weights, float32", {"X": X.astype(np.float32), "relevant": relevant, **more})


def _samples(rng, n, d, classes=0):
    """Returns (X, relevant): a third of the samples is relevant, or one class a row. The features depend on it."""
    if classes:
        relevant = np.eye(classes, dtype=bool)[rng.permutation(n) % classes]
        return rng.normal(size=(n, d)) + np.eye(classes, d)[relevant.argmax(axis=1)], relevant
    relevant = rng.permutation(n) < max(1, n // 3)
    return rng.normal(size=(n, d)) + relevant[:, None], relevant


def _unbalanced(rng, quick, more):
    """Yields instances with a single positive or a single negative, too large for CVXPY."""
    n = 100 if quick else 400
    X = rng.normal(size=(n, 5))
    for label, relevant in (("one positive", np.arange(n) == 7), ("one negative", np.arange(n) != 7)):
        yield Case(label, {"X": X, "relevant": relevant, **more, **_options(regularization=1.0, tol=1e-2)})


def _unfinished(rng, more):
    """Returns an instance with badly scaled features and little penalty, which five iterations do not solve."""
    relevant, scales = rng.permutation(100) < 30, 10.0 ** np.arange(-2, 3)
    few = _options(regularization=1e-5, tol=1e-12, max_iterations=5)
    X = rng.normal(size=(100, 5)) * scales
    return Case("unfinished", {"X": X, "relevant": relevant, **more, **few}, warns="ConvergenceWarning")


def _options(**options):
    return {"regularization": 0.1, "tol": 1e-4, "max_iterations": 20_000, **options}


def _refused(more, wrong):
    X = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0], [1.0, 1.0]])
    broken, endless = X.copy(), X.copy()
    broken[1, 1], endless[2, 0] = np.nan, np.inf
    flags = np.array([1, 0, 0, 1])
    right = {"X": X, "relevant": flags, **more, **_options(seed=0, duals=np.zeros(4))}
    bad = {
        "X": (broken, endless, np.zeros((0, 2)), np.zeros((4, 0)), np.zeros((4, 2, 2)), np.zeros(4)),
        "relevant": (
            *(flags[:-1], 2 * flags, np.zeros(4, int), np.ones(4, int), np.zeros((4, 2, 2), int), flags[None]),
            *(0.5 * flags, np.where(flags, np.nan, 0), np.eye(4)[:3], np.zeros((4, 0)), np.ones((4, 3), int), None, 1),
        ),
        "regularization": (0.0, -1.0, np.nan, np.inf, "a"),
        "tol": (-1.0, np.nan),
        "max_iterations": (0, 1.5),
        "seed": (-1, "a", 1.5),
        **wrong,
    }
    duals = (*bad["duals"], np.zeros(3), np.zeros((4, 1)), np.full(4, np.nan), np.full(4, np.inf), 0.0, "ab")
    yield from replaced(right, {**bad, "duals": duals})
