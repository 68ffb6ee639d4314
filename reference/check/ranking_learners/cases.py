"""Instances of direct loss minimisation, and of bags of windows for latent ranking."""

from itertools import product

import numpy as np

from ..judging.case import HUGE, TINY, Case, replaced
from ..ranking_svm.cases import FITTED, LOSSES, options_of_fit, random_samples, wrong_flags


def fit_direct_loss(rng, quick):
    """Yields instances of fit_direct_loss. They have few steps, because rounding decides after many."""
    for label, X, relevant, groups, options in _direct(rng, quick):
        yield Case(label, {"X": X, "relevant": relevant, "groups": groups, **_steps(**options)})
    _, relevant, groups = random_samples(rng, (4, 3, 3))
    X = rng.normal(size=(10, 3))
    lonely = {"X": X, "relevant": relevant | (groups == groups[0]), "groups": groups}
    yield Case("a group with one class", {**lonely, **_steps()}, warns="UserWarning")
    yield Case("no groups", {"X": X, "relevant": np.arange(10) % 3 == 1, "groups": None, **_steps()})
    for loss in LOSSES[:2]:
        _, relevant, groups = random_samples(rng, rng.integers(5, 20, size=10 if quick else 40))
        X = rng.normal(size=(len(groups), 8))
        options = _steps(loss=loss, max_iterations=10)
        yield Case("random, timed", {"X": X, "relevant": relevant, "groups": groups, **options}, timed=True)
    _, relevant, groups = random_samples(rng, (400, 5) if quick else (5000, 5, 300), share=0.1)
    X = rng.normal(size=(len(groups), 5)) + relevant[:, None]
    yield Case("large groups", {"X": X, "relevant": relevant, "groups": groups, **_steps(max_iterations=2)})
    still = {"X": np.zeros((4, 2)), "relevant": np.arange(4) % 2, "groups": None}
    yield Case("hundreds of steps", {**still, **_steps(max_iterations=300)})
    yield from _refused_steps()


def fit_latent_ranking_svm(rng, quick):
    """Yields instances of fit_latent_ranking_svm, most with so few windows that CVXPY can replay each round."""
    for label, X, bags, relevant, options in _latent(rng, quick):
        yield Case(label, {"X": X, "bags": bags, "relevant": relevant, **_rounds(**options)})
    X, bags, relevant = _windows(rng, (2, 1), (1, 1))
    few = _rounds(regularization=1e-3, tol=1e-12, max_iterations=2, max_rounds=1)
    yield Case("two planes", {"X": X, "bags": bags, "relevant": relevant, **few}, warns="ConvergenceWarning")
    for loss in FITTED[:2]:
        X, bags, relevant = _windows(rng, rng.integers(1, 5, size=6), rng.integers(1, 5, size=6 if quick else 20), 6)
        options = _rounds(loss=loss, regularization=0.1, tol=1e-3)
        yield Case("random, timed", {"X": X, "bags": bags, "relevant": relevant, **options}, timed=True)
    yield from _refused_rounds()


# --- direct loss minimisation --------------------------------------------------------------------------------------


def _direct(rng, quick):
    """Yields (label, X, relevant, groups, options)."""
    for sizes in ((2,), (3, 3), (5, 4, 2)) if quick else ((2,), (3, 3), (5, 4, 2), (6, 2, 6), (12, 20)):
        _, relevant, groups = random_samples(rng, sizes)
        X = rng.normal(size=(len(groups), min(len(groups) - 1, 3)))
        for loss in LOSSES:
            yield "random", X, relevant, groups, {"loss": loss, "epsilon": float(rng.choice((0.03, 0.3, 2.0)))}
    start = rng.normal(size=X.shape[1])
    for loss in LOSSES:
        yield "weights to start from", X, relevant, groups, {"loss": loss, "weights": start, "step_size": 0.3}
        yield "one step", X, relevant, groups, {"loss": loss, "max_iterations": 1, "step_size": 3.0}
        yield "many steps", X, relevant, groups, {"loss": loss, "max_iterations": 30}
    for loss in LOSSES:
        whole = rng.integers(-2, 3, size=X.shape).astype(float)
        exact = {"loss": loss, "weights": rng.integers(-1, 2, size=X.shape[1]).astype(float), "max_iterations": 1}
        yield "exact ties", whole, relevant, groups, exact
    yield "all zeros", 0 * X, relevant, groups, {"max_iterations": 2}
    yield from _several_losses(rng)
    yield "float32", X.astype(np.float32), relevant, groups, {"loss": "ndcg"}
    yield "integers", rng.integers(-3, 4, size=X.shape), relevant, groups, {"weights": start}
    yield "scale 1e-9", TINY * X, relevant, groups, {"step_size": 1 / TINY**2, "epsilon": 1.0}
    yield "scale 1e9", HUGE * X, relevant, groups, {"step_size": 1 / HUGE**2, "epsilon": 1.0}
    yield "Fortran order", np.asfortranarray(X), relevant, groups, {"loss": "auc"}
    yield "every second column", np.repeat(X, 2, axis=1)[:, ::2], relevant, groups, {}
    yield "flags of another type", X, relevant.astype(np.int32), groups.astype(np.int16), {}


def _several_losses(rng):
    """Yields enough samples for each step to change the loss: down from bad weights, up from good ones if long."""
    _, relevant, groups = random_samples(rng, (20, 12, 8))
    X = rng.normal(size=(40, 3)) + 1.5 * np.outer(relevant, np.eye(3)[0])
    for loss, (label, side) in product(LOSSES, (("good weights", 2.0), ("bad weights", -0.5))):
        start = side * np.eye(3)[0] + 0.1 * rng.normal(size=3)
        for step_size in (0.1, 3.0):
            yield label, X, relevant, groups, {"loss": loss, "weights": start, "step_size": step_size}


def _steps(**options):
    return {"loss": "ap", "epsilon": 0.3, "step_size": 0.1, "max_iterations": 5, **options}


def _refused_steps():
    X = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0], [1.0, 1.0], [0.0, 2.0]])
    right = {"X": X, "relevant": np.array([1, 0, 0, 1, 0]), "groups": np.array([0, 0, 1, 1, 1]), **_steps()}
    bad = {
        "X": _wrong_features(X),
        **wrong_flags(5),
        "loss": ("map", "zero_one", None),
        "epsilon": (0.0, -1.0, np.nan),
        "step_size": (0.0, np.inf),
        "max_iterations": (0, 1.5),
        "weights": (np.zeros(3), np.array([0.0, np.nan]), np.zeros((2, 1))),
    }
    yield from replaced({**right, "weights": np.ones(2)}, bad)


# --- latent windows ------------------------------------------------------------------------------------------------


def _latent(rng, quick):
    """Yields (label, X, bags, relevant, options). All but the last few have at most five samples in each round."""
    shapes = [((2,), (1,)), ((3, 2), (1, 1)), ((2, 2), (2, 1)), ((4,), (2, 1)), ((3, 1, 2), (1, 1))]
    for positive, negative in shapes[: 3 if quick else 5]:
        X, bags, relevant = _windows(rng, positive, negative)
        for loss in FITTED:
            yield "random", X, bags, relevant, {"loss": loss, "regularization": float(rng.choice((0.03, 0.3)))}
    X, bags, relevant = _windows(rng, (3, 3), (2, 1))
    for loss in FITTED[:: 3 if quick else 1]:
        yield "weights to start from", X, bags, relevant, {"loss": loss, "weights": rng.normal(size=X.shape[1])}
        yield "one round", X, bags, relevant, {"loss": loss, "max_rounds": 1}
        yield "strong regularization", X, bags, relevant, {"loss": loss, "regularization": 10.0}
    yield "single windows", X, np.arange(len(X)), relevant, {"loss": "auc"}
    first = rng.permutation(np.repeat(np.arange(3), 2))  # each window comes twice
    twice = X[:3][first], np.array([0, 0, 1])[first], np.array([True, True, False])[first]
    yield "equal windows", *twice, {"weights": np.ones(X.shape[1])}
    yield "all zeros", 0 * X, bags, relevant, {}
    loose = _windows(np.random.default_rng(4), (5, 5, 4), (2, 1, 1), 6)  # windows change after a round that settles
    yield "loose tolerance", *loose, {"tol": 0.3, "regularization": 0.3}
    yield "float32", X.astype(np.float32), bags, relevant, {"tol": 1e-3}
    yield "scale 1e-3", 1e-3 * X, bags, relevant, {"regularization": 1e-7}
    yield "one feature", X[:, :1].copy(), bags, relevant, {"loss": "ndcg"}
    yield "Fortran order", np.asfortranarray(X), bags, relevant, {"loss": "auc"}
    yield "every second column", np.repeat(X, 2, axis=1)[:, ::2], bags, relevant, {}
    yield "flags of another type", X, bags.astype(np.int16), relevant.astype(np.int32), {}
    for loss in FITTED[: 1 if quick else 4]:
        yield "planted windows", *_planted(rng, 6, 4), {"loss": loss, "tol": 1e-3}


def _windows(rng, positive, negative, d=3):
    """Returns (X, bags, relevant) in a random order. `positive` and `negative` list the sizes of the bags."""
    sizes = (*positive, *negative)
    order = rng.permutation(int(np.sum(sizes)))
    bags = np.repeat(rng.permutation(2 * len(sizes))[: len(sizes)], sizes)
    relevant = np.repeat(np.arange(len(sizes)) < len(positive), sizes)
    return (rng.normal(size=(len(order), d)) + relevant[:, None] / 2)[order], bags[order], relevant[order]


def _planted(rng, bags, windows):
    """Returns (X, bags, relevant). One window of each positive bag has a large first feature."""
    X, numbers = rng.normal(size=(bags * windows, 4)), np.repeat(np.arange(bags), windows)
    X[np.arange(bags // 2) * windows + rng.integers(windows, size=bags // 2), 0] += 8
    return X, numbers, numbers < bags // 2


def _rounds(**options):
    return {**options_of_fit(), "max_rounds": 20, **options}


def _refused_rounds():
    X = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0], [1.0, 1.0], [0.0, 2.0]])
    bags, flags = np.array([0, 0, 1, 1, 2]), np.array([1, 1, 0, 0, 0])
    right = {"X": X, "bags": bags, "relevant": flags, **_rounds(weights=np.ones(2))}
    bad = {
        "X": _wrong_features(X),
        "bags": (np.zeros(4, int), 0.5 * np.ones(5)),
        "relevant": (flags[:-1], 2 * flags, np.zeros(5), np.array([1, 0, 0, 0, 0])),
        "loss": ("map", None),
        "regularization": (0.0, -1.0, np.nan),
        "tol": (-1.0,),
        "max_iterations": (0, 1.5),
        "max_rounds": (0, 1.5),
        "weights": (np.zeros(3), np.array([0.0, np.nan]), np.zeros((2, 1))),
    }
    yield from replaced(right, bad)


def _wrong_features(X):
    broken = X.copy()
    broken[1, 1] = np.nan
    return broken, np.zeros((0, 2)), np.zeros((5, 2, 2)), np.zeros(5)
