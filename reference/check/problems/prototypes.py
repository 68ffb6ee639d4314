"""Instances of scores of prototypes, of fits side by side, of class means, of one-vs-all learners and of losses."""

from itertools import cycle, product

import numpy as np

from ...datasets import load_digits
from ...problems import checks
from ..judging.case import HUGE, TINY, Case
from .wsabie import CHOICES, in_columns, kinds_of_data, numbers, of_dtype, problem, random_fit, refused, wrong_X


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
    yield Case("a seed", {"X": X, "Y": np.arange(12) % 3, "max_norm": 0.5, "n_updates": 20, "seed": 5})
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


def prototype_scores(rng, quick):
    """Yields instances of prototype_scores."""
    for (kind, e), (n, d, m) in product(product(CHOICES[0], CHOICES[4]), ((1, 1, 2), (3, 2, 4), (5, 6, 7))):
        X, fit = rng.normal(size=(n, d)), random_fit(rng, m, d, e, kind)
        yield Case("random", {"X": X, "fit": fit})
        if not quick or n == 3:
            yield Case("float32", {"X": X.astype(np.float32), "fit": of_dtype(fit, np.float32)})
            yield Case("scale 1e-9", {"X": TINY * X, "fit": fit})
            yield Case("scale 1e9", {"X": HUGE * X, "fit": fit})
            yield Case("prototypes of scale 1e9", {"X": X, "fit": fit._replace(prototypes=HUGE * fit.prototypes)})
            yield Case("integers", {"X": rng.integers(-3, 4, size=(n, d)), "fit": fit})
            yield Case("every second element", {"X": rng.normal(size=(2 * n, 2 * d))[::2, ::2], "fit": fit})
            yield Case("Fortran order", {"X": np.asfortranarray(X), "fit": in_columns(fit)})
            yield Case("rows of zeros", {"X": 0 * X, "fit": fit})
    n, d, m, e = (100, 50, 30, 16) if quick else (200, 64, 100, 16)
    for kind in CHOICES[0]:
        yield Case("random, timed", {"X": rng.normal(size=(n, d)), "fit": random_fit(rng, m, d, e, kind)}, timed=True)
    X, fit = rng.normal(size=(3, 2)), random_fit(rng, 3, 2, 2, "linear")
    bad = [None, "fit", 1.0, fit._replace(discriminant="cosine"), fit._replace(embedding=np.eye(3)[:, :2])]
    bad += [fit._replace(**{name: np.full((3, 2), np.nan)}) for name in ("prototypes", "embedding")]
    bad += [fit._replace(prototypes=np.zeros(2)), fit._replace(embedding=np.eye(2, 3))]
    yield from refused({"X": X, "fit": fit}, {"X": (*wrong_X(X), np.ones((3, 4))), "fit": bad})
    yield Case("out of range", {"X": 1e200 * X, "fit": fit}, refuses=("X",))


def concatenate_fits(rng, quick):
    """Yields instances of concatenate_fits."""
    for kind, widths in product(CHOICES[0], ((1,), (2, 1), (1, 3, 2), (2, 2, 2, 2))):
        fits = [random_fit(rng, 3, 2, e, kind) for e in widths]
        yield Case("random", {"fits": fits})
        yield Case("float32", {"fits": [of_dtype(fit, np.float32) for fit in fits]})
        yield Case("Fortran order", {"fits": [in_columns(fit) for fit in fits]})
    m, d = (300, 50) if quick else (2000, 200)
    yield Case("random, timed", {"fits": [random_fit(rng, m, d, 16, "linear") for _ in range(4)]}, timed=True)
    one = random_fit(rng, 3, 2, 2, "linear")
    others = (
        random_fit(rng, 3, 2, None, "linear"),
        random_fit(rng, 3, 2, 2, "euclidean"),
        random_fit(rng, 4, 2, 2, "linear"),
        random_fit(rng, 3, 3, 2, "linear"),
        of_dtype(one, np.float32),
    )
    yield from refused({"fits": [one]}, {"fits": ([], [1.0], *([one, other] for other in others))})


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


# --- losses --------------------------------------------------------------------------------------------------------


def class_confusion_loss(rng, quick):
    """Yields instances of class_confusion_loss."""
    for n, m in ((1, 2), (4, 2), (8, 3), (20, 5), (60, 4))[: 4 if quick else 5]:
        for _ in range(2):
            y, predicted = rng.integers(0, m, size=(2, n))
            yield Case("random", {"predicted": predicted, "y": y})
        yield Case("all right", {"predicted": y, "y": y})
        yield Case("a class for another", {"predicted": (y + 1) % m, "y": y})
        yield Case("all of one class", {"predicted": predicted, "y": np.full(n, m - 1)})
        yield Case("classes that no example has", {"predicted": predicted + m, "y": y})
    yield Case("one of eleven", {"predicted": np.array([1] + 10 * [3]), "y": np.full(11, 3)})
    yield Case("int32", {"predicted": predicted.astype(np.int32), "y": y.astype(np.uint8)})
    yield Case("every second element", {"predicted": predicted[::2], "y": y[::-2]})
    y, predicted = rng.integers(0, 10, size=(2, 1000))
    yield Case("random, timed", {"predicted": predicted, "y": y}, timed=True)
    bad = (predicted[:5], predicted - 5, predicted[None], np.zeros(0, int), predicted + 0.5)
    yield from refused({"predicted": predicted, "y": y}, {"predicted": bad, "y": (y - 5, y[None], y[:0], y + 0.5)})
    yield Case("float32", {"predicted": predicted.astype(np.float32), "y": y}, refuses=("predicted",))


def pairwise_loss(rng, quick):
    """Yields instances of pairwise_loss."""
    for label, scores, Y, unit in _scored(rng, quick):
        for margin in (0.0, 1.0, 2.0):
            yield Case(label, {"scores": scores, "Y": Y, "margin": unit * margin})
    yield from _last_losses(rng, quick, {"margin": 0.5})


def warp_loss(rng, quick):
    """Yields instances of warp_loss."""
    links = cycle((0, 1, 2, 3, 10, 1000))
    for label, scores, Y, unit in _scored(rng, quick):
        for margin, weighting in product((0.0, 1.0, 2.0), checks.WEIGHTINGS):
            asked = {"margin": unit * margin, "weighting": weighting, "last_violators": next(links)}
            yield Case(label, {"scores": scores, "Y": Y, **asked})
    yield from _last_losses(rng, quick, {"margin": 0.5, "weighting": "harmonic", "last_violators": 2})


def _scored(rng, quick):
    """Yields (label, scores, labels, scale of the scores)."""
    for n, m in ((1, 2), (4, 3), (8, 4), (15, 6), (40, 12))[: 4 if quick else 5]:
        for several in (False, True):
            _, Y = problem(rng, n, 1, m, several and n > 1)
            yield "random", rng.normal(size=(n, m)), Y if several else rng.integers(0, m, size=n), 1.0
            yield "ties", rng.integers(-1, 2, size=(n, m)).astype(float), Y if several else Y % m, 1.0
    scores, Y = rng.normal(size=(6, 4)), rng.integers(0, 4, size=6)
    yield "all equal", np.ones((6, 4)), Y, 1.0
    yield "no label or all", scores, np.array([4 * [0], 4 * [1], [1, 0, 0, 1], [0, 1, 1, 1], 4 * [1], 4 * [0]]), 1.0
    yield "float32", scores.astype(np.float32), Y, 1.0
    yield "integers", rng.integers(-2, 3, size=(6, 4)), Y, 1.0
    yield "Fortran order", np.asfortranarray(scores), Y, 1.0
    yield "every second element", rng.normal(size=(12, 8))[::2, ::2], Y, 1.0
    yield "scale 1e-9", TINY * scores, Y, TINY
    yield "scale 1e9", HUGE * scores, Y, HUGE
    yield "one label again and again", rng.normal(size=(12, 5)), np.full(12, 2), 1.0
    for _ in range(3 if quick else 10):  # chains: few classes, of which each is confused with one other
        yield "chains", rng.integers(-2, 1, size=(14, 5)) + 1.5 * np.eye(5)[np.arange(14) % 5], np.arange(14) % 5, 1.0


def _last_losses(rng, quick, options):
    n, m = (100, 20) if quick else (500, 30)
    scores, Y = rng.normal(size=(n, m)), rng.integers(0, m, size=n)
    yield Case("random, timed", {"scores": scores, "Y": Y, **options}, timed=True)
    yield Case("random", {"scores": scores, "Y": Y})
    scores, Y = np.array([[2.0, 1.5, 0.0], [0.0, 1.0, 0.5]]), np.array([0, 1])
    wrong = {
        "scores": (*wrong_X(scores)[:2], scores[0], scores[:, :1]),
        "Y": (Y[:1], np.array([0, 3]), np.array([0, -1]), np.array([0.5, 1.0]), np.ones((2, 3)), np.zeros((2, 3)),
              np.eye(2), 2.0 * np.eye(2, 3)),
        "margin": (-1.0, np.nan), "weighting": ("rank", None), "last_violators": (-1, 1.5),
    }  # fmt: skip
    wrong = {name: values for name, values in wrong.items() if name in ("scores", "Y", *options)}
    yield from refused({"scores": scores, "Y": Y, **options}, wrong)
