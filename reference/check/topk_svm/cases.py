"""Instances of the top-k losses and of the top-k SVM."""

from itertools import cycle, product

import numpy as np

from ..judging.case import HUGE, TINY, Case, replaced
from ..projections.known import LEAST, SIDES
from .starts import KINDS, WEIGHTS, refused_starts, shared_duals

WRONG_LOSSES = {"k": (0, 3, 1.5), "kind": ("gamma", None), "smoothing": (-1.0, np.nan, np.inf, 1e-320)}
SMOOTHINGS = (0.1, 1e-3, 2.0, 50.0)
WRONG_FEATURES = np.zeros((0, 2)), np.zeros((4, 0)), np.zeros((2, 2, 2))


def topk_error(rng, quick):
    """Yields instances of topk_error."""
    for label, scores, y in _scores(rng, quick):
        for k in range(1, scores.shape[1] + 1):
            yield Case(label, {"scores": scores, "y": y, "k": k})
    yield Case("random, timed", {**_many_scores(rng), "k": 5}, timed=True)
    for label, scores, y in many_classes(rng):
        for k in _counts(scores):
            yield Case(label, {"scores": scores, "y": y, "k": k})
    for unit in (*LEAST, *SIDES):
        scores = np.array([[1.0, 1.0 + unit, 0.5], [unit, 0.0, -unit]])
        yield Case("almost tied", {"scores": scores, "y": np.array([0, 1]), "k": 1})
    yield from _refused_scores({"k": (0, 4, 1.5)})


def topk_hinge(rng, quick):
    """Yields instances of topk_hinge."""
    for label, scores, y in _scores(rng, quick):
        for k in range(1, scores.shape[1]):
            for kind in KINDS:
                yield Case(label, {"scores": scores, "y": y, "k": k, "kind": kind})
    for kind in KINDS:
        yield Case("random, timed", {**_many_scores(rng), "k": 5, "kind": kind}, timed=True)
    yield from _smooth_losses(rng, quick)
    yield from _many_or_close(rng)
    yield from _refused_scores(WRONG_LOSSES)


def topk_hinge_gradient(rng, quick):
    """Yields instances of topk_hinge_gradient."""
    for label, scores, y in _scores(rng, quick):
        for k in range(1, scores.shape[1]):
            for kind in KINDS:
                yield Case(label, {"scores": scores, "y": y, "k": k, "kind": kind})
    yield from _smooth_losses(rng, quick)
    yield from _many_or_close(rng)
    yield from _refused_scores(WRONG_LOSSES)


def fit_topk_svm(rng, quick):
    """Yields instances of fit_topk_svm, most with at most a dozen examples, for which CVXPY knows the optimum."""
    yield from _fits(rng, quick, lambda X: {"X": X})
    yield from _refused_fit("X", _example_features(), {"X": WRONG_FEATURES})
    X, y = rng.spawn(1)[0].normal(size=(24, 10)), np.arange(24) % 16  # too many weights for a second-order method
    for k, kind, smoothing in ((3, "alpha", 0.0), (3, "beta", 0.0), (2, "alpha_inclusive", 0.0), (2, "beta", 0.1)):
        options = _options(k=k, kind=kind, regularization=0.05, tol=1e-3, smoothing=smoothing)
        yield Case("many weights", {"X": X, "y": y, **options})
    yield Case("many weights", {"X": X.astype(np.float32), "y": y, **options, "smoothing": 0.0})


def fit_topk_svm_kernel(rng, quick):
    """Yields instances of fit_topk_svm_kernel with Gram matrices of linear and of polynomial kernels."""
    yield from _fits(rng, quick, lambda X: {"K": X @ X.T})
    X = rng.normal(size=(6, 2))
    data = {"K": (1 + X @ X.T) ** 2, "y": rng.permutation(6) % 3}
    yield Case("polynomial kernel", {**data, **_options(k=2, regularization=0.1)})
    X, skew = _example_features(), np.eye(4)
    skew[0, 1] = 1.0
    indefinite = 5 - 4 * np.eye(4)
    yield from _refused_fit("K", X @ X.T, {"K": (X, skew, -np.eye(4), indefinite)})


def fit_topk_svm_parts(rng, quick):
    """Yields instances of fit_topk_svm_parts: rounds that are known, and those of fit_topk_svm."""
    yield from _known_rounds(rng)
    ways = cycle(({}, {"gather": 0}, {"combine": "line_search", "tol": 1e-3}, {"gather": 0, "local_epochs": 2}))
    for label, X, y, options in _training_sets(rng, quick):
        K = int(rng.integers(1, len(y) + 1))
        yield Case(label, {"X": X, "y": y, "parts": K, **_of_parts(**{**options, **next(ways)})})
    X, y = rng.normal(size=(9, 4)), np.arange(9) % 3
    for label, parts in (
        ("a class a part", [np.flatnonzero(y == j) for j in range(3)]),
        ("a part with one example", [np.array([4]), np.delete(np.arange(9), 4)]),
        ("one example a part", list(rng.permutation(9)[:, None])),
    ):
        for way in ({}, {"gather": 0}, {"combine": "line_search", "tol": 1e-3}, {"combine": "adding", "tol": 1e-2}):
            yield Case(label, {"X": X, "y": y, "parts": parts, **_of_parts(k=2, **way)})
    copies = np.tile(X, (2, 1)), np.tile(y, 2), [np.arange(9), np.arange(9, 18)]
    yield Case("equal parts", {**dict(zip(("X", "y", "parts"), copies, strict=True)), **_of_parts(sigma=1.0)})
    X, y = np.array([[1.0, 0.2], [0.9, 0.3], [-1.0, 0.5], [-0.8, 0.4]]), np.array([0, 1, 0, 1])
    many = _of_parts(regularization=0.01, tol=1e-6, combine="adding", max_rounds=1000)
    yield Case("hundreds of rounds", {"X": X, "y": y, "parts": 4, **many})
    X, y = rng.normal(size=(40, 20)), rng.permutation(40) % 6
    for kind in ("alpha", "beta"):
        options = _of_parts(k=3, kind=kind, regularization=0.05, tol=1e-3)
        yield Case("random, timed", {"X": X + 2 * np.eye(6, 20)[y], "y": y, "parts": 4, **options}, timed=True)
    wrong = {
        "X": WRONG_FEATURES,
        "parts": (0, 5, 1.5, [[0, 1, 2]], [[0, 1], [1, 2]], [[0, 1], [2, 4]], [[0, 1], [2, 3], []], [[0, 1], [2, -1]]),
        "max_rounds": (0,), "local_epochs": (0,),
        "sigma": (0.0, np.inf),
        "combine": ("averaging",),
        "gather": (-1, np.nan),
    }
    yield from _refused_fit("X", _example_features(), wrong, parts=2)
    options = _of_parts(k=2, kind="beta", gather=0, tol=1e-5, sample_weight=np.append(WEIGHTS, (1.0, 0, 2)))
    yield Case("weights of examples", {"X": copies[0][:9], "y": copies[1][:9], "parts": 3, **options})
    options = _of_parts(k=2, regularization=0.3, sparse_duals=True)
    yield Case("sparse duals", {"X": copies[0][:9], "y": copies[1][:9], "parts": 3, **options})


# --- scores --------------------------------------------------------------------------------------------------------


def _scores(rng, quick):
    for n, m in ((1, 2), (1, 3), (2, 3), (3, 4)) if quick else ((1, 2), (1, 3), (2, 3), (3, 4), (5, 6), (20, 9)):
        y = rng.integers(0, m, size=n)
        yield "random", rng.normal(size=(n, m)), y
        yield "ties", rng.integers(-1, 2, size=(n, m)) / 2, y
    y = rng.integers(0, 4, size=3)
    yield "constant", np.full((3, 4), 0.3), y
    yield "float32", rng.normal(size=(3, 4)).astype(np.float32), y
    yield "scale 1e-9", TINY * rng.normal(size=(3, 4)), y
    yield "scale 1e9", HUGE * rng.normal(size=(3, 4)), y
    yield "integers", rng.integers(-3, 4, size=(3, 4)), y
    yield "Fortran order", np.asfortranarray(rng.normal(size=(3, 4))), y
    yield "every second class", rng.normal(size=(3, 8))[:, ::2], y
    yield "labels of another type", rng.normal(size=(3, 4)), y.astype(np.int32)


def _smooth_losses(rng, quick):
    """Yields smooth losses of the same kinds of scores, with the smoothings in turn.

    Huge scores have a huge smoothing. With a small one, the quadratic programme cannot tell their loss from the hinge.
    """
    smoothings = cycle(SMOOTHINGS)
    for label, scores, y in _scores(rng, quick):
        unit = HUGE if label == "scale 1e9" else 1.0
        for k in sorted({1, 2, scores.shape[1] - 1} - {scores.shape[1]}):
            for kind in KINDS:
                options = {"k": k, "kind": kind, "smoothing": unit * next(smoothings)}
                yield Case(f"smooth, {label}", {"scores": scores, "y": y, **options})
    options = {"k": 5, "kind": "alpha", "smoothing": 0.1}
    yield Case("smooth, random, timed", {**_many_scores(rng), **options}, timed=True)


def many_classes(rng):
    """Yields (label, scores, y) of more than 64 classes, or of more than 64 examples."""
    scores = rng.normal(size=(3, 67))
    scores[:2].sort(axis=1)  # the last classes decide about these
    yield "many classes", scores, np.array([33, 65, int(rng.integers(67))])
    yield "many classes, ties", rng.integers(-1, 2, size=(3, 67)) / 2, rng.integers(0, 67, size=3)
    yield "many examples", rng.normal(size=(131, 3)), rng.integers(0, 3, size=131)


def _counts(scores):
    """Returns 1, 2, half of the rivals and all of them."""
    rivals = scores.shape[1] - 1
    return sorted({1, 2, rivals // 2, rivals})


def _many_or_close(rng):
    """Yields losses of many classes, some of them smooth, and margins that are just met."""
    for label, scores, y in many_classes(rng):
        for k in _counts(scores):
            for kind in KINDS:
                yield Case(label, {"scores": scores, "y": y, "k": k, "kind": kind})
            if scores.shape[1] > 20:  # no programme is solved for these
                smooth = {"k": k, "kind": kind, "smoothing": 0.1}
                yield Case(f"smooth, {label}", {"scores": scores, "y": y, **smooth})
    for off in SIDES:
        scores = np.array([[1.0, off, off], [1.0, off, -0.5]])
        for k, kind in ((1, "alpha"), (2, "alpha"), (2, "beta"), (2, "alpha_inclusive")):
            yield Case("the margin just met", {"scores": scores, "y": np.zeros(2, int), "k": k, "kind": kind})
    scores, y = np.vstack([rng.normal(size=(2, 67)), rng.integers(-1, 2, size=67) / 2]), np.array([0, 33, 66])
    for dtype, gamma, kind, k in product((np.float64, np.float32), (0.0, *SMOOTHINGS), KINDS, (2, 33)):
        yield Case("67 classes", {"scores": scores.astype(dtype), "y": y, "k": k, "kind": kind, "smoothing": gamma})


def _many_scores(rng):
    return {"scores": rng.normal(size=(200, 12)), "y": rng.integers(0, 12, size=200)}


def _refused_scores(wrong):
    right = {"scores": np.arange(6.0).reshape(2, 3), "y": np.array([0, 2]), "k": 1}
    bad = {
        "scores": (np.array([[0.0, np.nan], [0.0, 1.0]]), np.zeros((0, 3)), np.zeros(3)),
        "y": (np.array([0, 3]), np.array([-1, 0]), np.array([0, 1, 2]), np.array([0.5, 1.0])),
    }
    yield from replaced(right, {**bad, **wrong})


# --- fits ----------------------------------------------------------------------------------------------------------


def _fits(rng, quick, data):
    """Yields the instances that both fits share. `data(X)` is the argument for the features X: X itself, or K."""
    for label, X, y, options in _training_sets(rng, quick):
        yield Case(label, {**data(X), "y": y, **_options(**options)})
    X, y = rng.normal(size=(6, 3)), rng.permutation(6) % 4
    for kind, k in (("alpha", 2), ("beta", 2)) if quick else (("alpha", 1), ("alpha", 2), ("alpha", 3), ("beta", 2)):
        once = {"order": rng.permutation(6), "max_epochs": 1, "tol": 1e-12}
        options = _options(k=k, kind=kind, regularization=0.05, **once)
        yield Case("one epoch in a given order", {**data(X), "y": y, **options}, warns="ConvergenceWarning")
    orders = np.array([rng.permutation(6) for _ in range(400)])
    yield Case("an order for each epoch", {**data(X), "y": y, **_options(k=2, regularization=0.2, order=orders)})
    n, d, m = 40 if quick else 120, 20, 6
    X, y = rng.normal(size=(n, d)), rng.permutation(n) % m
    for kind in ("alpha", "beta"):
        options = _options(k=3, kind=kind, regularization=2 / n, tol=1e-3)
        yield Case("random, timed", {**data(X + 2 * np.eye(m, d)[y]), "y": y, **options}, timed=True)
    yield from _smooth_fits(rng, quick, data)
    own = rng.spawn(1)[0]  # so that what is drawn later stays as it is
    for n, m, k, kind in ((70, 66, 1, "alpha"), (70, 66, 65, "beta")):
        options = _options(k=k, kind=kind, regularization=1.0, tol=1e-3)
        yield Case(f"{n} examples of {m} classes", {**data(own.normal(size=(n, 3))), "y": np.arange(n) % m, **options})
    six = {**data(own.normal(size=(6, 3))), "y": np.arange(6) % 4}
    for kind in KINDS:
        yield Case("smooth, weights of examples", six | _options(k=2, kind=kind, smoothing=0.1, sample_weight=WEIGHTS))
    yield Case("sparse duals", six | _options(k=2, regularization=0.3, sparse_duals=True))


def _smooth_fits(rng, quick, data):
    """Yields instances with smoothing. An example with x = 0 has the curvature of the smoothing only."""
    smoothings, (X, y) = cycle(SMOOTHINGS), (rng.normal(size=(6, 3)), rng.permutation(6) % 4)
    hollow, short = X.copy(), 1e-3 * X
    hollow[::3] = 0
    for kind, k in (("alpha", 1), ("alpha", 2), ("beta", 2)):
        once = {"order": rng.permutation(6), "max_epochs": 1, "tol": 1e-12, "smoothing": next(smoothings)}
        options = _options(k=k, kind=kind, regularization=0.05, **once)
        yield Case("smooth, one epoch in a given order", {**data(X), "y": y, **options}, warns="ConvergenceWarning")
    for label, features in (("random", X), ("rows of zeros", hollow), ("scale 1e-3", short), ("all zeros", 0 * X)):
        for kind in KINDS:
            for k in (1, 2, 3):
                options = _options(k=k, kind=kind, smoothing=next(smoothings), max_epochs=1000)
                yield Case(f"smooth, {label}", {**data(features), "y": y, **options})
    single = _options(k=2, smoothing=0.1, tol=1e-3)
    yield Case("smooth, float32", {**data(X.astype(np.float32)), "y": y, **single})
    yield Case("smooth, two classes", {**data(X), "y": y % 2, **_options(smoothing=0.1)})
    n, d, m = 40 if quick else 120, 20, 6
    X, y = rng.normal(size=(n, d)), rng.permutation(n) % m
    options = _options(k=3, smoothing=0.1, regularization=2 / n, tol=1e-3)
    yield Case("smooth, random, timed", {**data(X + 2 * np.eye(m, d)[y]), "y": y, **options}, timed=True)


def _training_sets(rng, quick):
    shapes = ((3, 2, 2), (4, 2, 3), (6, 3, 4), (2, 1, 2), (9, 3, 5), (12, 4, 6))
    for n, d, m in shapes[: 3 if quick else 6]:
        X, y = rng.normal(size=(n, d)), rng.permutation(n) % m
        for kind in KINDS:
            for k in sorted({1, min(2, m - 1), m - 1}):
                yield "random", X, y, {"k": k, "kind": kind, "regularization": 0.5 / n}
    X, y = rng.normal(size=(6, 2)), rng.permutation(6) % 3
    hollow, other = X.copy(), np.array([0, 1, 3, 3, 1, 0])
    hollow[::3] = 0
    for kind in KINDS:
        yield "rows of zeros", hollow, y, {"k": 2, "kind": kind}
        yield "strong regularization", X, y, {"k": 2, "kind": kind, "regularization": 10.0}
        yield "scale 1e-3", 1e-3 * X, y, {"k": 2, "kind": kind, "regularization": 1e-6}
        yield "float32", X.astype(np.float32), y, {"k": 2, "kind": kind, "tol": 1e-3}
    yield "all zeros", np.zeros((4, 2)), np.array([0, 1, 2, 0]), {"k": 2}
    yield "one example twice", X[[0, 0, 1, 2]], np.array([0, 1, 2, 0]), {"k": 1}
    yield "a class without examples", X, other, {"k": 2}
    yield "Fortran order", np.asfortranarray(X), y, {"k": 1}
    yield "every second column", np.repeat(X, 2, axis=1)[:, ::2], y, {"k": 2, "kind": "beta"}
    yield "another seed", X, y, {"k": 2, "seed": 7}
    for kind in KINDS:
        yield "weights of examples", X, y, {"k": 2, "kind": kind, "sample_weight": WEIGHTS}
        yield "duals to start from", X, y, {"k": 2, "kind": kind, "duals": shared_duals(y, 0.1)}


def _known_rounds(rng):
    """One round of "adding", whose duals follow from algorithm 1 for each part alone."""
    X, y = rng.normal(size=(8, 3)), rng.permutation(8) % 4
    halves = [np.arange(0, 8, 2), np.arange(1, 8, 2)]
    for parts, options in ((1, {}), (3, {}), (8, {}), (halves, {"kind": "beta"}), (2, {"sigma": 0.5, "seed": 7})):
        once = {"combine": "adding", "max_rounds": 1, "tol": 1e-12, "regularization": 0.05}
        arguments = {"X": X, "y": y, "parts": parts, **_of_parts(k=2, **once, **options)}
        yield Case("one round of adding", arguments, warns="ConvergenceWarning")


def _of_parts(max_rounds=3000, **options):
    options = _options(**options, max_rounds=max_rounds)
    return {name: value for name, value in options.items() if name != "max_epochs"}


def _options(**options):
    # Coordinate ascent may need thousands of epochs for a few examples without being wrong.
    return {"k": 1, "kind": "alpha", "regularization": 0.1, "tol": 1e-4, "max_epochs": 10_000, **options}


def _example_features():
    return np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0], [1.0, 1.0]])


def _refused_fit(name, data, wrong, **parts):
    broken = data.copy()
    broken[1, 1] = np.nan
    right = {name: data, "y": np.array([0, 1, 2, 0]), **parts, **(_of_parts() if parts else _options())}
    bad = {
        **wrong,
        name: (broken, *wrong[name]),
        "y": (np.array([0, 1, 2]), np.array([0, 1, -1, 0]), np.array([1, 1, 1, 1]), np.array([0.0, 1.5, 2.0, 0.0])),
        "k": (0, 3, 1.5),
        "kind": ("gamma",),
        "regularization": (0.0, -1.0, np.nan),
        "tol": (-1.0,),
        "seed": (-1,),
        "sample_weight": (np.ones(3), np.array([1.0, -1, 1, 1]), np.zeros(4), np.array([1.0, np.nan, 1, 1])),
        "duals": (np.zeros((3, 3)), np.zeros(4), np.full((4, 3), np.nan)),
    }
    if not parts:
        bad |= {"max_epochs": (0,), "order": (np.array([0, 1, 2, 4]), np.array([0, 1])), "smoothing": (-1.0, np.inf)}
    yield from replaced(right, bad)
    yield from refused_starts({**right, "k": 2})
