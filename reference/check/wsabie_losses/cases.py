"""Instances of the losses of class confusion, of pairs, and of WARP."""

from itertools import cycle, product

import numpy as np

from ...problems import checks
from ..judging.case import HUGE, TINY, Case
from ..wsabie.data import problem, refused, wrong_X


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
    m = 260  # class g is confused with g + 1 alone, and the last example, of class 0, with the end of the chain
    chain, last = np.eye(m, dtype=np.int8) + np.eye(m, k=1, dtype=np.int8), np.eye(m, dtype=np.int8)[0]
    chain[-1] = last + last[::-1]
    long = {"scores": 2 * chain - 2, "Y": np.append(np.arange(m - 1), 0)}
    yield Case("a long chain", {**long, "margin": 1.0, "weighting": "uniform", "last_violators": m - 1})
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
