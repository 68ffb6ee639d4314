"""Instances on which projections are examined."""

from itertools import chain

import numpy as np

from ...ground_truth import enumeration
from ..judging.case import HUGE, TINY, Case, replaced
from .known import SIDES, known
from .tenths import tenths


def project_simplex(rng, quick):
    """Instances of project_simplex."""

    def sets(a, unit):
        return [{"radius": unit * r} for r in (1.0, 30.0, 0.3, 0.0)] + [{}]

    def inside(d):
        return rng.dirichlet(np.ones(d)) * 2.0, {"radius": 2.0}

    yield from _projections("project_simplex", rng, quick, sets, inside)
    yield from known("project_simplex", rng)
    yield from _refused(a=np.arange(3.0), radius=1.0, wrong={"radius": (-1.0, np.nan, np.inf)})


def project_knapsack(rng, quick):
    """Instances of project_knapsack."""

    def sets(a, unit):
        d = a.shape[-1]
        low, high = (np.sort(rng.normal(size=(2, d)), axis=0) * unit).round(12)
        weights = rng.uniform(0.5, 2.0, size=d)
        below = (rng.random(d) < 0.5) | (np.arange(d) == 0)  # with an unbounded one, every total can be reached
        within = [_total(rng, low, high, w) for w in (np.ones(d), weights)]
        step = 2.0 ** np.round(np.log2(unit))  # the sums of its multiples are exact, so that these sets are not empty
        point = np.round(low / step * 1024) * step / 1024
        return [
            {"total": rng.uniform(0, d) * unit, "upper": unit},
            {"total": within[1], "lower": low, "upper": high, "weights": weights},
            {"total": within[0], "lower": low, "upper": high},
            {"total": rng.normal() * unit, "lower": -np.inf, "upper": np.inf, "weights": weights},
            {"total": rng.normal() * unit, "lower": np.where(below, -np.inf, low), "upper": np.inf},
            {"total": rng.uniform(0, 3) * unit, "lower": 0.0, "upper": np.inf, "weights": weights},
            {"total": 0.0, "upper": unit},
            {"total": d * step, "upper": step},
            {"total": float(point.sum()), "lower": point, "upper": point},
        ]

    def inside(d):
        x, weights = rng.uniform(0.0, 1.0, size=d), rng.uniform(0.5, 2.0, size=d)
        return x, {"total": float(weights @ x), "weights": weights}

    yield from _projections("project_knapsack", rng, quick, sets, inside)
    yield from known("project_knapsack", rng)
    wrong = {
        "total": (-0.5, 3.5, np.nan),
        "weights": (np.array([1.0, 0.0, 1.0]), np.array([1.0, -1.0, 1.0]), np.ones(2)),
        "lower": (np.nan, np.zeros(4)),
        "upper": (np.nan,),
    }
    yield from _refused(a=np.arange(3.0), total=1.0, wrong=wrong)
    crossed = {"a": np.arange(3.0), "total": 1.0, "lower": np.array([0.0, 2.0, 0.0]), "upper": 1.0}
    yield Case("lower > upper", crossed, refuses=("lower", "upper"))


def project_capped_simplex(rng, quick):
    """Instances of project_capped_simplex."""

    def sets(a, unit):
        k = int(rng.integers(1, a.shape[-1] + 1))
        return [{"cap": unit / k, "radius": unit, "bias": bias} for bias in (0.0, 1.0, 0.37)] + [
            {"cap": unit / 2, "radius": HUGE * unit, "bias": 1.0},
            {"cap": 3 * unit, "radius": unit / 2, "bias": 0.37},
            {"cap": unit / 5, "radius": 30 * unit},
            {"cap": 0.0, "radius": unit},
            {"cap": unit, "radius": 0.0, "bias": 1.0},
        ]

    def inside(d):
        x = rng.uniform(0.0, 0.5, size=d)
        return x, {"cap": 0.5, "radius": float(x.sum() * 1.1)}

    yield from _projections("project_capped_simplex", rng, quick, sets, inside)
    yield from known("project_capped_simplex", rng)
    for off in SIDES:
        a = np.array([off, -0.5, -0.6, -0.7])
        yield Case("the largest entry is almost 0", {"a": a, "cap": 1.0, "bias": 1.0})
    negative = (-1.0, np.nan)
    yield from _refused(a=np.arange(3.0), cap=1.0, wrong={"cap": negative, "radius": negative, "bias": negative})


def project_topk_cone(rng, quick):
    """Instances of project_topk_cone."""

    def sets(a, unit):
        d = a.shape[-1]
        biases = (0.0, 1.0, 0.37, 0.0, 1.0, 0.37, 1e-6, 1e-12, 1e-300)
        return [{"k": k, "bias": bias} for k, bias in zip(_counts(rng, d, 9), biases, strict=True)]

    def inside(d):
        k = int(rng.integers(1, d + 1))
        return _topk_mixture(rng, d, k), {"k": k}

    yield Case("a search must not default to zero", {"a": 1000 / 3 * np.array([0.0, 2.0, 3.0, 6.0]), "k": 3})
    yield from _projections("project_topk_cone", rng, quick, sets, inside)
    for a, k, bias in tenths(rng, quick):
        yield Case("tenths", {"a": a, "k": k, "bias": bias})
    yield from known("project_topk_cone", rng)
    for off in SIDES:
        yield Case("the sum of the largest is almost 0", {"a": np.array([0.5, off - 0.5, -0.6, -0.7]), "k": 2})
    yield from _refused(a=np.arange(3.0), k=2, wrong={"k": (0, 4, 1.5), "bias": (-1.0, np.inf)})


def project_topk_simplex(rng, quick):
    """Instances of project_topk_simplex."""

    def sets(a, unit):
        counts = iter(_counts(rng, a.shape[-1], 11))
        sums = [{"radius": unit * r, "bias": bias} for r in (1.0, 0.3) for bias in (1.0, 0.0, 0.37)]
        sums += [{"radius": HUGE * unit, "bias": bias} for bias in (1.0, 1e-12, 0.37)]
        return [{"k": next(counts), **s} for s in [*sums, {"radius": 0.0, "bias": 1.0}, {}]]

    def inside(d):
        k = int(rng.integers(1, d + 1))
        return _topk_mixture(rng, d, k), {"k": k, "radius": 1.0}

    trap = {"a": 1000 / 3 * np.array([0.0, 2.0, 3.0, 6.0]), "k": 3, "radius": 5000.0}
    yield Case("a search must not default to zero", trap)
    yield from _projections("project_topk_simplex", rng, quick, sets, inside)
    for a, k, bias in tenths(rng, quick):
        yield Case("tenths", {"a": a, "k": k, "radius": 3.0 * len(a), "bias": bias})
    yield from known("project_topk_simplex", rng)
    for off in SIDES:
        yield Case("the sum of the largest is almost 0", {"a": np.array([0.5, off - 0.5, -0.6, -0.7]), "k": 2})
    yield from _refused(
        a=np.arange(3.0), k=2, wrong={"k": (0, 4, 1.5), "radius": (-1.0, np.nan, np.inf), "bias": (-1.0, np.nan)}
    )


def project_bipartite_simplex(rng, quick):
    """Instances of project_bipartite_simplex: pairs of the points of the other projections."""
    radii = (1.0, 0.3, 30.0, 0.0, HUGE)
    for i, (label, b) in enumerate(chain(small(rng), [] if quick else small(rng), middle(rng, quick))):
        unit = float(np.abs(b).max()) or 1.0
        c = rng.normal(size=b.shape[:-1] + (int(rng.integers(1, 5)),)).astype(np.result_type(b, np.float32)) * unit
        c = c.astype(b.dtype) if b.dtype == np.float32 else c
        for j in range(1 if quick else 3):
            pair = (b, c) if (i + j) % 2 else (c, b)
            yield Case(label, {**dict(zip("bc", pair, strict=True)), "radius": unit * radii[(i + 2 * j) % len(radii)]})
    for d in (3, 5) if quick else (1, 2, 3, 5, 50):
        yield Case("feasible already", {"b": rng.dirichlet(np.ones(d)), "c": rng.dirichlet(np.ones(4)), "radius": 1.5})
        b, c = rng.normal(size=d), rng.normal(size=3)
        u, v = enumeration.project_bipartite_simplex(b, c)
        yield Case("projected already", {"b": u, "c": v})
    for offset in (1e6, -1e6):
        b, c = rng.normal(size=3), rng.normal(size=2)
        yield Case("opposite offsets", {"b": b + offset, "c": c - offset, "radius": 1.0})
        yield Case("both far below 0", {"b": b - abs(offset), "c": c - abs(offset)})
    for timed in (True,) if quick else (True, True, True):
        yield Case("random, timed", {"b": rng.normal(size=1000), "c": rng.normal(size=600)}, timed=timed)
    yield Case("batch, timed", {"b": rng.normal(size=(100, 100)), "c": rng.normal(size=(100, 60))}, timed=True)
    for d in (100_000,) if quick else (100_000, 1_000_000):
        for dtype in (np.float64, np.float32):
            for radius in (1.0, 1e3, 1e6)[: 1 if quick else 3]:
                b, c = (rng.normal(size=size).astype(dtype) for size in (d, d // 3))
                yield Case("random", {"b": b, "c": c, "radius": radius})
    yield from known("project_bipartite_simplex", rng)
    for off in SIDES:
        b, c = np.array([0.5, -0.6]), np.array([off - 0.5, -0.6, -0.7])
        yield Case("the sum of the largest is almost 0", {"b": b, "c": c})
    bad = (np.array([0.0, np.nan, 1.0]), np.array([0.0, np.inf, 1.0]), np.zeros(0), np.zeros((1, 1, 3)))
    wrong = {"b": bad, "c": (*bad, np.zeros((2, 3))), "radius": (-1.0, np.nan, np.inf)}
    yield from replaced({"b": np.arange(3.0), "c": np.arange(2.0), "radius": 1.0}, wrong)


def _projections(name, rng, quick, sets, inside):
    """Yields the instances that all projections share. `sets(a, unit)` lists sets of that size to project onto."""
    several = 1 if quick else 3
    for i, (label, a) in enumerate(chain(small(rng), [] if quick else small(rng), middle(rng, quick))):
        unit = float(np.abs(a).max()) or 1.0
        onto = sets(a, unit)
        for j in range(min(several, len(onto))):
            yield Case(label, {"a": a, **onto[(several * i + j) % len(onto)]})
    for d in (3, 5) if quick else (1, 2, 3, 4, 5, 5, 10, 50):
        a, onto = inside(d)
        yield Case("feasible already", {"a": a, **onto})
    for d in ((3,) if quick else (2, 3, 4, 5)) if hasattr(enumeration, name) else ():
        for onto in sets(a := rng.normal(size=d), 1.0)[:4]:
            projected = getattr(enumeration, name)(a, **onto)
            if not onto.get("bias"):
                yield Case("projected already", {"a": projected, **onto})
    yield from _large(rng, quick, sets)


def small(rng):
    """Yields (label, point) with few coordinates: ties, zeros, other scales, types and layouts."""
    for d in (1, 2, 3, 5):
        yield "random", rng.normal(size=d)
    for d in (2, 3, 4, 5):
        yield "ties", rng.integers(-1, 3, size=d) / 2
    yield "constant", np.full(3, 0.7)
    yield "constant, negative", np.full(3, -0.7)
    yield "zeros", np.zeros(3)
    yield "one-hot", np.eye(4)[rng.integers(4)]
    yield "all negative", -rng.uniform(0.1, 2.0, size=4)
    yield "scale 1e-9", TINY * rng.normal(size=4)
    yield "scale 1e9", HUGE * rng.normal(size=4)
    yield "far from 0", 1e6 + rng.normal(size=4)
    yield "one far above", rng.normal(size=4) + 1e6 * np.eye(4)[rng.integers(4)]
    yield "float32", rng.normal(size=4).astype(np.float32)
    yield "float32, scale 1e-9", (TINY * rng.normal(size=4)).astype(np.float32)
    yield "integers", rng.integers(-3, 5, size=4)
    yield "every second element", rng.normal(size=8)[::2]
    yield "backwards", rng.normal(size=4)[::-1]
    yield "batch", rng.normal(size=(2, 3))
    yield "batch, float32", rng.normal(size=(3, 4)).astype(np.float32)
    yield "batch, Fortran order", np.asfortranarray(rng.normal(size=(3, 4)))
    yield "batch, every second row and column", rng.normal(size=(4, 8))[::2, ::2]
    yield "batch of one", rng.normal(size=(1, 5))


def middle(rng, quick):
    """Yields (label, point) with at most a hundred coordinates, for which CVXPY knows the answer."""
    for d in (10, 100) if quick else (10, 20, 100):
        yield "random", rng.normal(size=d)
    yield "dense answer", 1e-3 * rng.normal(size=30) + 1.0
    yield "ties", rng.integers(-1, 3, size=20) / 2
    yield "float32", rng.normal(size=30).astype(np.float32)
    yield "scale 1e9", HUGE * rng.normal(size=20)
    yield "scale 1e-9", TINY * rng.normal(size=20)
    yield "batch", rng.normal(size=(5, 10))


def _large(rng, quick, sets):
    """Yields instances that are too large for a QP solver, and judged by a certificate. A few are timed."""
    for timed in (True,) if quick else (True, True, True):
        a = rng.normal(size=1000)
        yield Case("random, timed", {"a": a, **sets(a, 1.0)[2 * int(rng.integers(2))]}, timed=timed)
    a = rng.normal(size=(100, 100))
    yield Case("batch, timed", {"a": a, **sets(a, 1.0)[0]}, timed=True)
    for d in (100_000,) if quick else (100_000, 1_000_000):
        for dtype in (np.float64, np.float32):
            onto = sets(a := rng.normal(size=d).astype(dtype), 1.0)[:3]
            for chosen in [onto[0] if dtype is np.float64 else onto[-1]] if quick else onto:
                yield Case("random", {"a": a, **chosen})


def _refused(wrong, **right):
    bad = {"a": (np.array([0.0, np.nan, 1.0]), np.array([0.0, np.inf, 1.0]), np.zeros(0), np.zeros((1, 1, 3)))}
    yield from replaced(right, {**bad, **wrong})


def _counts(rng, d, n):
    """Returns n values of k: 1, d, and others between them."""
    return [1, d, min(2, d), *(int(k) for k in rng.integers(1, min(d, 10) + 1, size=n - 3))]


def _topk_mixture(rng, d, k):
    """Returns a point of the top-k simplex with sum 0.8, a mixture of its vertices."""
    vertices = [np.isin(np.arange(d), rng.permutation(d)[:k]) / k for _ in range(3)]
    return 0.8 * rng.dirichlet(np.ones(3)) @ np.array(vertices)


def _total(rng, low, high, weights):
    share = rng.uniform()
    return float(weights @ ((1 - share) * low + share * high))
