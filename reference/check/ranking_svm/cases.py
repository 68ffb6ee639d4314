"""Instances of scores of samples in groups, and of features of such samples."""

import numpy as np

from ..judging.case import HUGE, TINY, Case, replaced
from ..projections.known import LEAST, NEAR

LOSSES = ("ap", "ndcg", "auc")
FITTED = (*LOSSES, "zero_one")


def grouped_inference(rng, quick):
    """Yields instances of grouped_inference."""
    for label, scores, relevant, groups in _grouped_scores(rng, quick):
        for loss in LOSSES:
            yield Case(label, {"scores": scores, "relevant": relevant, "groups": groups, "loss": loss})
    scores, relevant, groups = random_samples(rng, (4, 3, 3))
    lonely = {"scores": scores, "relevant": relevant | (groups == groups[0]), "groups": groups, "loss": "ap"}
    yield Case("a group with one class", lonely, warns="UserWarning")
    lonely = {**lonely, "relevant": relevant & (groups != groups[0])}
    yield Case("a group of negatives", lonely, warns="UserWarning")
    yield Case("no groups", {"scores": scores, "relevant": relevant, "groups": None, "loss": "ndcg"})
    for loss in LOSSES[:2]:
        scores, relevant, groups = random_samples(rng, rng.integers(5, 40, size=100))
        arguments = {"scores": scores, "relevant": relevant, "groups": groups, "loss": loss}
        yield Case("random, timed", arguments, timed=True)
    scores, relevant, groups = random_samples(rng, (70, 3, 300))
    samples = {"relevant": relevant, "groups": groups, "loss": "auc"}
    for label, values in (("random", scores), ("ties", np.round(2 * scores) / 2), ("descending", -np.arange(373.0))):
        yield Case(f"groups of any size, {label}", {"scores": values, **samples})
    sizes = (20_000, 3, 300) if quick else (100_000, 3, 2000, 50_000)
    for loss in LOSSES[:2]:
        scores, relevant, groups = random_samples(rng, sizes, share=0.02)
        yield Case("large groups", {"scores": scores, "relevant": relevant, "groups": groups, "loss": loss})
    for label, scores, relevant, groups in _many_or_close(rng):
        for loss in LOSSES:
            yield Case(label, {"scores": scores, "relevant": relevant, "groups": groups, "loss": loss})
    right = {"scores": np.arange(5.0), "relevant": np.array([1, 0, 0, 1, 0]), "groups": np.array([0, 0, 1, 1, 1])}
    bad = {"scores": (np.array([0.0, np.nan, 1.0, 0.0, 1.0]), np.zeros((5, 1)))}
    yield from replaced({**right, "loss": "ap"}, {**bad, **wrong_flags(5), "loss": ("map", "zero_one", None)})


def fit_ranking_svm(rng, quick):
    """Yields instances of fit_ranking_svm, most with groups of five samples at most, whose optimum CVXPY knows."""
    for label, X, relevant, groups, options in _training_sets(rng, quick):
        yield Case(label, {"X": X, "relevant": relevant, "groups": groups, **options_of_fit(**options)})
    _, relevant, groups = random_samples(rng, (4, 3, 3))
    X = rng.normal(size=(10, 3))
    lonely = {"X": X, "relevant": relevant | (groups == groups[0]), "groups": groups}
    yield Case("a group with one class", {**lonely, **options_of_fit()}, warns="UserWarning")
    yield Case("no groups", {"X": X[:5], "relevant": np.arange(5) % 3 == 1, "groups": None, **options_of_fit()})
    data = {"X": X, "relevant": relevant, "groups": groups}
    for weights in ((1.0, 2.0, 0.3), (0.0, 1.0, 5.0)):
        of_samples = np.array(weights)[np.searchsorted(np.unique(groups), groups)]
        for loss in FITTED[:: 3 if quick else 1]:
            yield Case("weights of groups", {**data, "group_weight": of_samples, **options_of_fit(loss=loss)})
    for weights in ((1e-6, 1.0, 1e-3), (1e140, 1e-300, 1e140)):
        of_samples = np.array(weights)[np.searchsorted(np.unique(groups), groups)]
        yield Case("weights far apart", {**data, "group_weight": of_samples, **options_of_fit()})
    lonely["group_weight"] = np.where(groups == groups[0], np.arange(10.0), 1.0)
    yield Case("weights of a group with one class", {**lonely, **options_of_fit()}, warns="UserWarning")
    few = options_of_fit(regularization=1e-3, tol=1e-12, max_iterations=3)
    yield Case("three planes", {**data, **few}, warns="ConvergenceWarning")
    few = options_of_fit(regularization=1e-8, tol=1e-12, max_iterations=1)
    yield Case("one plane", {**data, **few}, warns="ConvergenceWarning")
    n = 60 if quick else 200
    for loss in FITTED[:2] if quick else FITTED:
        _, relevant, groups = random_samples(rng, [n // 10] * 10)
        X = rng.normal(size=(n, 8))
        X[relevant, 0] += 1
        options = options_of_fit(loss=loss, regularization=0.05, tol=1e-3)
        yield Case("random, timed", {"X": X, "relevant": relevant, "groups": groups, **options}, timed=True)
    _, relevant, groups = random_samples(rng, (300, 50) if quick else (3000, 200, 50), share=0.1)
    X = rng.normal(size=(len(groups), 10))
    X[relevant, 0] += 1
    large = {
        "X": X,
        "relevant": relevant,
        "groups": groups,
        **options_of_fit(loss="ndcg", regularization=0.05, tol=1e-3),
    }
    yield Case("large groups", large)
    yield from _refused_fits()


def _grouped_scores(rng, quick):
    shapes = ((2,), (3, 2), (4, 3, 5)) if quick else ((2,), (3, 2), (4, 3, 5), (5, 5, 5, 5), (2, 2, 9, 2), (30, 12))
    for sizes in shapes:
        scores, relevant, groups = random_samples(rng, sizes)
        yield "random", scores, relevant, groups
        yield "ties", np.round(2 * scores) / 2, relevant, groups
    scores, relevant, groups = random_samples(rng, (4, 3, 5))
    yield "constant", np.full(12, 0.3), relevant, groups
    yield "float32", scores.astype(np.float32), relevant, groups
    yield "scale 1e-9", TINY * scores, relevant, groups
    yield "scale 1e9", HUGE * scores, relevant, groups
    yield "integers", rng.integers(-3, 4, size=12), relevant, groups
    yield "every second sample", np.repeat(scores, 2)[::2], relevant, groups
    yield "flags of another type", scores, relevant.astype(np.int32), groups.astype(np.int16)


def _many_or_close(rng):
    """Yields groups with many samples of both classes, tiny scores, and scores that are almost equal."""
    yield "many of both classes", *random_samples(rng, (150, 30, 3), share=0.5)
    scores, relevant, groups = random_samples(rng, (20, 9, 3))
    yield "scale 1e-30", LEAST[-1] * scores, relevant, groups
    for near in NEAR:
        yield "almost tied", np.round(2 * scores) / 2 + near * rng.integers(-1, 2, size=32), relevant, groups


def _training_sets(rng, quick):
    shapes = ((2,), (3, 3), (5, 4)) if quick else ((2,), (3, 3), (5, 4), (5, 2, 3), (4, 4, 4, 4), (12, 20))
    for sizes in shapes:
        _, relevant, groups = random_samples(rng, sizes)
        X = rng.normal(size=(len(groups), min(len(groups) - 1, 3)))
        for loss in FITTED:
            yield "random", X, relevant, groups, {"loss": loss}
    _, relevant, groups = random_samples(rng, (4, 2, 3))
    X = rng.normal(size=(9, 2))
    for loss in FITTED[:: 3 if quick else 1]:
        yield "strong regularization", X, relevant, groups, {"loss": loss, "regularization": 10.0}
        yield "weak regularization", X, relevant, groups, {"loss": loss, "regularization": 1e-2}
        yield "scale 1e-3", 1e-3 * X, relevant, groups, {"loss": loss, "regularization": 1e-7}
        yield "float32", X.astype(np.float32), relevant, groups, {"loss": loss, "tol": 1e-3}
        yield "small gap", X, relevant, groups, {"loss": loss, "tol": 1e-7}
    for scale in (1e-100, TINY, HUGE, 1e60):
        yield f"scale {scale:.0e}", scale * X, relevant, groups, {"regularization": 0.1 * scale**2}
    yield "very strong regularization", X, relevant, groups, {"regularization": 1e4}
    yield "contradictions", np.repeat(X[:4], 2, axis=0), np.arange(8) % 2, np.arange(8) // 4, {}
    yield "one positive", X[:5], np.arange(5) == 3, np.zeros(5, int), {}
    yield "one negative", X[:5], np.arange(5) != 3, np.zeros(5, int), {"loss": "ndcg"}
    yield "all zeros", np.zeros((9, 2)), relevant, groups, {}
    yield "ties", np.round(X), relevant, groups, {}
    yield "one feature", X[:, :1].copy(), relevant, groups, {"loss": "ndcg"}
    yield "Fortran order", np.asfortranarray(X), relevant, groups, {"loss": "auc"}
    yield "every second column", np.repeat(X, 2, axis=1)[:, ::2], relevant, groups, {}
    yield "flags of another type", X, relevant.astype(np.int32), groups.astype(np.int16), {}


def random_samples(rng, sizes, share=None):
    """Returns (scores, relevant, groups) in a random order. Group numbers have gaps; each group has both classes."""
    relevant = []
    for size in sizes:
        positives = rng.integers(1, size) if share is None else max(1, int(share * size))
        relevant.extend(np.arange(size) < positives)
    groups, order = np.repeat(5 - 2 * np.arange(len(sizes)), sizes), rng.permutation(int(np.sum(sizes)))
    return rng.normal(size=len(order)), np.array(relevant)[order], groups[order]


def options_of_fit(**options):
    """Returns the options of an instance of fit_ranking_svm: these, and defaults for the others."""
    return {"loss": "ap", "regularization": 0.1, "tol": 1e-5, "max_iterations": 1000, **options}


def wrong_flags(n):
    """Returns wrong values of `relevant` and `groups` for n samples."""
    flags = np.arange(n) % 2
    return {"relevant": (flags[:-1], 2 * flags, np.zeros(n)), "groups": (np.zeros(n - 1, int), 0.5 * np.ones(n))}


def _refused_fits():
    X = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0], [1.0, 1.0], [0.0, 2.0]])
    broken = X.copy()
    broken[1, 1] = np.nan
    right = {"X": X, "relevant": np.array([1, 0, 0, 1, 0]), "groups": np.array([0, 0, 1, 1, 1]), **options_of_fit()}
    bad = {
        "X": (broken, np.zeros((0, 2)), np.zeros((5, 2, 2)), np.zeros(5)),
        **wrong_flags(5),
        "loss": ("map", None),
        "regularization": (0.0, -1.0, np.nan),
        "tol": (-1.0,),
        "max_iterations": (0, 1.5),
        "group_weight": (np.ones(4), np.arange(5.0), -np.ones(5), np.zeros(5)),
    }
    yield from replaced(right, bad)
