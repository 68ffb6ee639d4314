"""Instances of multilabel losses and fits."""

import numpy as np

from ..judging.case import HUGE, TINY, Case, replaced
from ..topk_svm.starts import shared_duals

SMOOTHINGS = (0.0, 0.3, 1e-3, 5.0)
# Coordinate ascent needs some hundred epochs for these examples at C = 2500, more than a second-order method is worth.
SLOW = np.array([[1.5, 0.0, 0.5], [1.0, 0.5, 1.5], [-1.0, 1.0, 0.0], [1.5, 1.5, 1.0]])
SETS_OF_SLOW = np.array([[1, 0, 0], [0, 1, 1], [0, 0, 0], [1, 1, 0]])


def multilabel_error(rng, quick):
    """Yields instances of multilabel_error."""
    yield from _losses(rng, quick, [{}])


def multilabel_hinge(rng, quick):
    """Yields instances of multilabel_hinge."""
    yield from _losses(rng, quick, [{"smoothing": gamma} for gamma in SMOOTHINGS], {"smoothing": (-1.0, np.nan)})


def multilabel_hinge_gradient(rng, quick):
    """Yields instances of multilabel_hinge_gradient."""
    yield from multilabel_hinge(rng, quick)
    kinks = {"scores": np.array([[1.0, 0.0, 0.0], [0.5, 1.5, 0.0]]), "Y": np.eye(3)[:2]}
    yield Case("the margin just met", kinks | {"smoothing": 0.0})


def multilabel_entropy(rng, quick):
    """Yields instances of multilabel_entropy."""
    yield from _losses(rng, quick, [{}])
    large = np.array([[1000.0, 0.0, -1000.0], [1000.0, 1000.0, 999.0], [-745.0, 0.0, 710.0]])
    for name, Y in (("the first", np.eye(3)[[0, 0, 0]]), ("the last", np.eye(3)[[2, 2, 2]]), ("two", 1 - np.eye(3))):
        yield Case(f"scores of 1e3, {name}", {"scores": large, "Y": Y})


def multilabel_entropy_gradient(rng, quick):
    """Yields instances of multilabel_entropy_gradient."""
    yield from multilabel_entropy(rng, quick)


def fit_multilabel(rng, quick):
    """Yields instances of fit_multilabel, most with at most a dozen examples, for which CVXPY knows the optimum."""
    for label, X, Y, options in _training_sets(rng, quick):
        yield Case(label, {"X": X, "Y": Y, **_options(**options)})
    X, Y = rng.normal(size=(6, 3)), _indicators(rng, 6, 4)
    for smoothing in (0.0, 0.5):
        once = {"order": rng.permutation(6), "max_epochs": 1, "tol": 1e-12, "smoothing": smoothing}
        options = _options(regularization=0.05, **once)
        yield Case("one epoch in a given order", {"X": X, "Y": Y, **options}, warns="ConvergenceWarning")
    orders = np.array([rng.permutation(6) for _ in range(400)])
    for loss in ("hinge", "entropy"):
        yield Case("an order for each epoch", {"X": X, "Y": Y, **_options(loss=loss, regularization=0.2, order=orders)})
    n, d, m = 40 if quick else 120, 20, 6
    X, Y = rng.normal(size=(n, d)), _indicators(rng, n, m)
    for loss, smoothing in (("hinge", 0.0), ("hinge", 0.1), ("entropy", 0.0)):
        options = _options(loss=loss, smoothing=smoothing, regularization=2 / n, tol=1e-3)
        yield Case("random, timed", {"X": X + 2 * Y @ np.eye(m, d), "Y": Y, **options}, timed=True)
    X, Y = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0], [1.0, 1.0]]), np.eye(3)[[0, 1, 2, 0]]
    broken = X.copy()
    broken[1, 1] = np.nan
    wrong = {
        "X": (broken, np.zeros((0, 2)), np.zeros((2, 2, 2))),
        "Y": (Y[:3], 2 * Y, Y / 2, np.ones((4, 3)), np.zeros((4, 3)), np.array([0, 1, 2, 0])),
        "loss": ("softmax", None),
        "smoothing": (-1.0, np.nan),
        "regularization": (0.0, -1.0, np.nan),
        "tol": (-1.0,),
        "max_epochs": (0,),
        "order": (np.array([0, 1, 2, 4]), np.array([0, 1])),
    }
    yield from replaced({"X": X, "Y": Y, **_options()}, wrong)
    entropy = {"X": X, "Y": Y, **_options(loss="entropy", smoothing=0.1)}
    yield Case("an entropy with smoothing", entropy, refuses=("smoothing",))
    wrong = {
        "sample_weight": (np.ones(3), np.array([1.0, -1, 1, 1]), np.zeros(4), np.array([1.0, np.nan, 1, 1])),
        "duals": (np.zeros((3, 3)), np.zeros(4), np.full((4, 3), np.nan)),
    }
    yield from replaced({"X": X, "Y": Y, **_options()}, wrong)
    right = 2 * shared_duals(Y.argmax(axis=1), 0.1)  # on the border of the domain
    for loss in ({}, {"smoothing": 0.1}, {"loss": "entropy"}):
        for duals in (-right, 1.001 * right, right + 1e-3 * np.eye(4, 3), right - 1e-3 * np.eye(4, 3)):
            options = _options(duals=duals, **loss)
            yield Case("duals beyond the domain", {"X": X, "Y": Y, **options}, refuses=("duals",))


def _indicators(rng, n, m):
    """Returns random label sets. The first two examples have one label, and all but one."""
    Y = (rng.random((n, m)) < rng.choice((0.2, 0.5))).astype(float)
    Y[:2] = np.eye(m)[0], 1 - np.eye(m)[0]
    return Y


def _losses(rng, quick, options, wrong=None):
    for label, scores, Y in _scores(rng, quick):
        for option in options:
            yield Case(label, {"scores": scores, "Y": Y, **option})
    for option in options:
        many = {"scores": rng.normal(size=(200, 12)), "Y": _indicators(rng, 200, 12)}
        yield Case("random, timed", {**many, **option}, timed=True)
    right = {"scores": np.arange(6.0).reshape(2, 3), "Y": np.eye(3)[:2], **options[0]}
    bad = {
        "scores": (np.array([[0.0, np.nan, 0.0], [0.0, 1.0, 0.0]]), np.zeros((0, 3)), np.zeros(3)),
        "Y": (np.eye(3), np.eye(2), 2 * np.eye(3)[:2], np.array([0, 1])),
    }
    yield from replaced(right, bad | (wrong or {}))


def _scores(rng, quick):
    for n, m in ((2, 2), (2, 3), (3, 4)) if quick else ((2, 2), (2, 3), (3, 4), (5, 6), (20, 9)):
        Y = _indicators(rng, n, m)
        yield "random", rng.normal(size=(n, m)), Y
        yield "ties", rng.integers(-1, 2, size=(n, m)) / 2, Y
    scores, Y = rng.normal(size=(3, 4)), _indicators(rng, 3, 4)
    yield "none and all", scores, np.array([[0, 0, 0, 0], [1, 1, 1, 1], [0, 1, 0, 1]])
    yield "one class", scores[:, :1], Y[:, :1]
    yield "constant", np.full((3, 4), 0.3), Y
    yield "booleans", scores, Y == 1
    yield "float32", scores.astype(np.float32), Y
    yield "scale 1e-9", TINY * scores, Y
    yield "scale 1e9", HUGE * scores, Y
    yield "far from 0", 1e6 + scores, Y
    yield "integers", rng.integers(-3, 4, size=(3, 4)), Y
    yield "Fortran order", np.asfortranarray(scores), np.asfortranarray(Y)
    yield "every second class", rng.normal(size=(3, 8))[:, ::2], np.repeat(Y, 2, axis=1)[:, ::2]


def _training_sets(rng, quick):
    losses = [{"smoothing": gamma} for gamma in (0.0, 0.1, 1.0)] + [{"loss": "entropy"}]
    for n, d, m in ((3, 2, 2), (4, 2, 3), (6, 3, 4), (9, 3, 5), (12, 4, 6))[: 3 if quick else 5]:
        X, Y = rng.normal(size=(n, d)), _indicators(rng, n, m)
        for loss in losses:
            yield "random", X, Y, {"regularization": 0.5 / n, **loss}
    X, Y = rng.normal(size=(6, 2)), _indicators(rng, 6, 3)
    hollow, single, ends = X.copy(), np.eye(3)[rng.permutation(6) % 3], Y.copy()
    hollow[::3] = 0
    ends[2:4] = np.zeros(3), np.ones(3)
    for loss in losses:
        yield "rows of zeros", hollow, Y, loss
        yield "one positive each", X, single, loss
        yield "none and all", X, ends, loss
        yield "strong regularization", X, Y, {"regularization": 10.0, **loss}
        yield "hardly any slope", 1e-3 * X, Y, {"regularization": 1e3, **loss}
        yield "weak regularization", X, Y, {"regularization": 1e-3, "tol": 1e-2, **loss}
        yield "weights of examples", X, Y, {"sample_weight": rng.integers(0, 3, size=6) + np.eye(6)[0], **loss}
        yield "duals to start from", X, single, {"duals": shared_duals(single.argmax(axis=1), 0.1), **loss}
        yield "float32", X.astype(np.float32), Y, {"tol": 1e-3, **loss}
        if loss.get("smoothing") != 1.0:
            yield "slow for coordinate ascent", SLOW, SETS_OF_SLOW, {"regularization": 1e-4, "tol": 1e-6, **loss}
    yield "scale 1e-3", 1e-3 * X, Y, {"regularization": 1e-6}
    yield "all zeros", np.zeros((4, 2)), Y[:4], {}
    yield "all zeros", np.zeros((4, 2)), Y[:4], {"loss": "entropy"}
    yield "booleans", X, Y == 1, {}
    yield "one example twice", X[[0, 0, 1, 2]], Y[:4], {"regularization": 0.25}  # so that 1 / (lambda n) = 1
    yield "one example", X[:1], Y[:1], {}
    yield "Fortran order", np.asfortranarray(X), np.asfortranarray(Y), {}
    yield "every second column", np.repeat(X, 2, axis=1)[:, ::2], Y, {"loss": "entropy"}
    yield "another seed", X, Y, {"seed": 7}
    yield "a probability of 0", np.array([[1.0], [2000.0]]), np.eye(2)[[0, 0]], {"loss": "entropy"}


def _options(**options):
    # Coordinate ascent may need thousands of epochs for a few examples without being wrong.
    return {"loss": "hinge", "smoothing": 0.0, "regularization": 0.1, "tol": 1e-4, "max_epochs": 10_000, **options}
