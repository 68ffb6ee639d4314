"""Instances of scores of two classes, and of their interleavings."""

from itertools import cycle

import numpy as np

from ..judging.case import HUGE, TINY, Case, replaced
from ..projections.known import LEAST, NEAR, SIDES

LOSSES, METHODS = ("ap", "ndcg", "auc"), ("quicksort", "greedy")
TIMED = (50, 2000)
MANY = (67, 131), (131, 67), (9, 70), (70, 9)  # positives and negatives
SPACING = 2.0**-52  # of the numbers that follow 1


def ap_loss(rng, quick):
    """Yields instances of ap_loss."""
    for label, ranks, P in _interleavings(rng, quick):
        yield Case(label, {"interleaving": ranks, "n_positive": P})
    yield Case("random, timed", _ranking(rng, *TIMED), timed=True)
    for P, N in ((1000, 100_000),) if quick else ((1000, 100_000), (10_000, 1000), (1000, 1_000_000), (50, 1_000_000)):
        yield Case("random", _ranking(rng, P, N))
    for P, N in MANY:
        yield Case("many of both classes", _ranking(rng, P, N))
    yield from _refused_interleavings()


ndcg_loss = ap_loss


def rank_loss(rng, quick):
    """Yields instances of rank_loss."""
    for label, ranks, P in _interleavings(rng, quick):
        for loss in LOSSES:
            yield Case(label, {"interleaving": ranks, "n_positive": P, "loss": loss})
    yield Case("random", _ranking(rng, 4, 6))
    for loss in LOSSES[:2]:
        yield Case("random, timed", {**_ranking(rng, *TIMED), "loss": loss}, timed=True)
    for P, N in ((100, 10_000),) if quick else ((100, 100_000), (1000, 10_000), (10_000, 100)):
        for loss in LOSSES:
            yield Case("random", {**_ranking(rng, P, N), "loss": loss})
    for P, N in MANY:
        for loss in LOSSES:
            yield Case("many of both classes", {**_ranking(rng, P, N), "loss": loss})
    yield from _refused_interleavings(loss=("map", None, 1.0))


def interleaving_ranks(rng, quick):
    """Yields instances of interleaving_ranks."""
    for label, p, n in _classes(rng, quick):
        yield Case(label, _scores(p, n))
    yield Case("random, timed", _scores(*_normal(rng, *TIMED)), timed=True)
    for P, N in _large(quick):
        yield Case("random", _scores(*_normal(rng, P, N)))
        yield Case("ties", _scores(*_quarters(rng, P, N)))
    for label, p, n in _many_or_close(rng):
        yield Case(label, _scores(p, n))
    yield from _refused_scores()


def loss_augmented_inference(rng, quick):
    """Yields instances of loss_augmented_inference."""
    methods = cycle(METHODS)
    for label, p, n in _classes(rng, quick):
        for loss in LOSSES:
            for method in (next(methods),) if quick else METHODS:
                yield Case(label, {**_scores(p, n), "loss": loss, "method": method})
    yield Case("random", _scores(*_normal(rng, 3, 4)))
    for loss, method in (("ap", "quicksort"), ("ndcg", "quicksort"), ("ap", "greedy"), ("auc", "quicksort")):
        options = {"loss": loss, "method": method}
        yield Case("random, timed", {**_scores(*_normal(rng, *TIMED)), **options}, timed=True)
    for i, (P, N) in enumerate(_large(quick)):
        for loss in LOSSES[:1] if quick else LOSSES[: 3 - i]:
            yield Case("random", {**_scores(*_normal(rng, P, N)), "loss": loss})
    losses = cycle(LOSSES)
    for label, p, n in _arrangements(rng):
        yield Case(label, {**_scores(p, n), "loss": next(losses)})
    yield Case("many positives", _scores(*_normal(rng, 20_000, 300)))
    if not quick:
        yield Case("two groups", {**_scores(*_groups(rng, 1000, 100_000)), "loss": "ap"})
        yield Case("ties", {**_scores(*_quarters(rng, 1000, 100_000)), "loss": "ndcg"})
        p, n = _normal(rng, 100, 100_000)
        yield Case("float32", {**_scores(p.astype(np.float32), n.astype(np.float32)), "loss": "ap"})
    for label, p, n in _many_or_close(rng):
        for loss in LOSSES:
            yield Case(label, {**_scores(p, n), "loss": loss, "method": next(methods)})
    for loss, p, n in _almost_tied_ranks():
        yield Case("two ranks almost as good", {**_scores(p, n), "loss": loss, "method": next(methods)})
    yield from _refused_scores(loss=("map", None, 1.0), method=("bubblesort", None))


def semigradient(rng, quick):
    """Yields instances of semigradient."""
    for label, p, n in _classes(rng, quick):
        yield Case(label, {**_scores(p, n), "interleaving": rng.integers(1, len(p) + 2, size=len(n))})
    p, n = _normal(rng, 4, 3)
    for label, rank in (("worst", 1), ("perfect", 5)):
        yield Case(label, {**_scores(p, n), "interleaving": np.full(3, rank)})
    yield Case("int32", {**_scores(p, n), "interleaving": np.array([2, 5, 1], dtype=np.int32)})
    ranks = rng.integers(1, TIMED[0] + 2, size=TIMED[1])
    yield Case("random, timed", {**_scores(*_normal(rng, *TIMED)), "interleaving": ranks}, timed=True)
    for P, N in _large(quick):
        yield Case("random", {**_scores(*_normal(rng, P, N)), "interleaving": rng.integers(1, P + 2, size=N)})
    for label, p, n in _many_or_close(rng):
        yield Case(label, {**_scores(p, n), "interleaving": rng.integers(1, len(p) + 2, size=len(n))})
    yield from _refused_scores(interleaving=_wrong_ranks(2, 3) + (np.array([1, 2]), np.array([1, 2, 3, 1])))


# --- scores --------------------------------------------------------------------------------------------------------


def _scores(p, n):
    return {"positive_scores": p, "negative_scores": n}


def _normal(rng, P, N):
    """Returns random scores. Those of the positives are higher by 0.5 on average."""
    return rng.normal(size=P) + 0.5, rng.normal(size=N)


def _quarters(rng, P, N):
    return rng.integers(-3, 5, size=P) / 4, rng.integers(-4, 4, size=N) / 4


def _groups(rng, P, N):
    """Returns scores with half of the positives far above and half far below: most negatives share few ranks."""
    return np.where(np.arange(P) % 2, 50.0, -50.0) + rng.normal(size=P), 10 * rng.normal(size=N)


def _large(quick):
    return ((100, 100_000),) if quick else ((1000, 100_000), (50, 1_000_000))


def _classes(rng, quick):
    """Yields (label, positives, negatives), the small ones first."""
    for _ in range(1 if quick else 3):
        for P, N in ((1, 1), (1, 4), (4, 1), (2, 3), (3, 2), (5, 5)):
            yield "random", *_normal(rng, P, N)
        # With scores around 1, F and the loss both matter. Far apart, F decides; close together, the loss does.
        yield "far apart", *(5 * scores for scores in _normal(rng, 4, 4))
        yield "close together", *(0.1 * scores for scores in _normal(rng, 4, 4))
        for P, N in ((1, 1), (1, 2), (2, 1), (2, 2), (2, 4), (4, 2), (4, 4), (3, 5), (5, 3)):
            yield "ties", *_quarters(rng, P, N)
        yield from _exact_ties(rng)
        yield from _shapes(rng)
        yield from _layouts(rng)
    for P, N in ((20, 50), (50, 20), (100, 5), (1, 500), (500, 1), (200, 300)):
        yield "random", *_normal(rng, P, N)
        yield "ties", *_quarters(rng, P, N)


def _exact_ties(rng):
    """Yields scores for which two ranks have exactly the same objective, in numbers without rounding."""
    for N in (1, 2, 4):
        negative = float(rng.integers(-4, 5)) / 4
        yield "exact ties", np.array([negative + N / 4]), np.append(negative, negative - rng.integers(0, 9, N - 1) / 4)
    for P, N in ((1, 1), (2, 2), (4, 2), (2, 4)):
        n = rng.integers(-4, 5, size=N) / 2
        yield "exact ties", n[rng.integers(N, size=P)] + 0.5, n


def _many_or_close(rng):
    """Yields (label, positives, negatives): many of both, on tiny scales, and scores that are almost equal."""
    for P, N in MANY:
        yield "many of both classes", *_normal(rng, P, N)
    for unit in LEAST:
        yield f"scale {unit:.0e}", *(unit * scores for scores in _normal(rng, 9, 12))
    yield "float32, scale 1e-30", *((LEAST[-1] * scores).astype(np.float32) for scores in _normal(rng, 9, 12))
    for near in NEAR:
        p, n = _quarters(rng, 12, 20)
        yield "almost tied", p + near * rng.integers(-1, 2, size=12), n + near * rng.integers(-1, 2, size=20)


def _almost_tied_ranks():
    """Yields (loss, positives, negatives) for which two ranks have almost the same objective."""
    for off in SIDES:
        for loss, apart in (("ap", 0.25), ("ndcg", (1 - np.log(2) / np.log(3)) / 2), ("auc", 0.5)):
            yield loss, np.array([apart + off]), np.array([0.0])
        yield "auc", np.full(9, 0.5), off * np.linspace(1.0, 1.1, 12)


def _shapes(rng):
    p, n = _normal(rng, 4, 3)
    yield "all equal", np.full(3, 0.7), np.full(4, 0.7)
    yield "zeros", np.zeros(2), np.zeros(3)
    yield "equal positives", np.full(4, 0.3), n
    yield "equal negatives", p, np.full(4, 0.3)
    yield "the same scores", p, p.copy()
    yield "perfect", p - p.min() + n.max() + 0.1, n
    yield "perfect by far", p + 100.0, n
    yield "worst", p - p.max() + n.min() - 0.1, n
    yield "worst by far", p - 100.0, n
    yield "scale 1e9", HUGE * p, HUGE * n
    yield "scale 1e-9", TINY * p, TINY * n
    yield "1e9 + noise", HUGE + p, HUGE + n
    yield "one positive far above", np.append(p, HUGE), n
    yield "one positive far below", np.append(p, -HUGE), n
    yield "one negative far above", p, np.append(n, HUGE)
    yield "one negative far below", p, np.append(n, -HUGE)


def _arrangements(rng):
    """Yields many negatives for each positive, whose order or crowding decides how they are ranked fastest."""
    for N in (300, 5000):
        p, n = _normal(rng, 20, N)
        yield "negatives ascending", p, np.sort(n)
        yield "negatives descending", p, np.sort(n)[::-1]
        yield "equal negatives", p, np.full(N, 0.3)
        yield "many negatives", p, n
        yield "many negatives", *_normal(rng, 20, N)
        yield "many magnitudes", np.exp(10 * p), np.exp(10 * n)
        yield "mostly zeros", p, np.where(rng.random(N) < 0.9, 0.0, n)
        yield "one far above", p, np.append(n, HUGE)
        yield "last digits", 1 + SPACING * rng.integers(0, 50, 20), 1 + SPACING * rng.integers(0, 200, N)
        yield "subnormal", 1e-310 * p, 1e-310 * n


def _layouts(rng):
    p, n = _normal(rng, 4, 3)
    yield "float32", p.astype(np.float32), n.astype(np.float32)
    yield "float32, scale 1e9", (HUGE * p).astype(np.float32), (HUGE * n).astype(np.float32)
    yield "float32 and float64", p.astype(np.float32), n
    yield "float64 and float32", p, n.astype(np.float32)
    yield "integers", rng.integers(-1, 3, size=4), rng.integers(-2, 2, size=4)
    yield "every second element", rng.normal(size=8)[::2], rng.normal(size=8)[::2]
    yield "backwards", p[::-1], n[::-1]
    yield "ascending", np.sort(p), np.sort(n)
    yield "descending", np.sort(p)[::-1].copy(), np.sort(n)[::-1].copy()


def _refused_scores(**wrong):
    p, n = np.array([0.5, -0.5]), np.array([0.0, 1.0, -1.0])
    arrays = (np.zeros(0), np.array([0.0, np.nan, 1.0]), np.array([0.0, np.inf, 1.0]), np.zeros((1, 3)))
    right = {**_scores(p, n), **({"interleaving": np.array([1, 3, 2])} if "interleaving" in wrong else {})}
    yield from replaced(right, {"positive_scores": arrays, "negative_scores": arrays, **wrong})


# --- interleavings -------------------------------------------------------------------------------------------------


def _ranking(rng, P, N):
    return {"interleaving": rng.integers(1, P + 2, size=N), "n_positive": P}


def _interleavings(rng, quick):
    """Yields (label, interleaving, number of positives)."""
    for _ in range(1 if quick else 5):
        for P, N in ((1, 1), (1, 4), (4, 1), (2, 3), (3, 2), (5, 5), (20, 50), (50, 20)):
            yield "random", *_ranking(rng, P, N).values()
    for P, N in ((1, 1), (4, 3), (3, 20), (100, 5)):
        yield "perfect", np.full(N, P + 1), P
        yield "worst", np.ones(N, dtype=np.int64), P
        yield "each rank once", rng.permutation(P + 1) + 1, P
    yield "one of many is first", np.append(1, np.full(99, 11)), 10
    for dtype in (np.int32, np.int8, np.uint16):
        yield np.dtype(dtype).name, rng.integers(1, 6, size=6).astype(dtype), 4
    yield "every second element", rng.integers(1, 6, size=8)[::2], 4
    yield "backwards", rng.integers(1, 6, size=4)[::-1], 4


def _wrong_ranks(P, N):
    right = np.arange(N) % (P + 1) + 1
    zero, beyond = np.append(0, right[1:]), np.append(P + 2, right[1:])
    return zero, beyond, right.astype(np.float64), right[:0], right[None]


def _refused_interleavings(**wrong):
    right = {"interleaving": np.array([1, 3, 2]), "n_positive": 2, **{name: "ap" for name in wrong}}
    yield from replaced(right, {"interleaving": _wrong_ranks(2, 3), "n_positive": (0, -1, 1.5), **wrong})
    beyond = {**right, "n_positive": 1}
    yield Case("n_positive too small", beyond, refuses=("interleaving", "n_positive"))
