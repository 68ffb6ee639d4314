"""Instances of columns to squish, of single updates, and of streams of examples."""

from itertools import chain, cycle

import numpy as np

from ...datasets import load_digits
from ...ground_truth import enumeration
from ..judging.case import HUGE, TINY, Case, replaced
from ..projections.cases import middle, small
from . import known

VARIANTS = ("pa", "pa1", "pa2")
MARGINS, AGGRESSIVENESS = (0.0, 1.0, 2.5), (TINY, 1e-3, 0.1, 1.0, 100.0, HUGE)


def squish_column(rng, quick):
    """Yields instances of squish_column."""
    several, bounds = 1 if quick else 4, _bounds(rng)
    columns = chain(small(rng), [] if quick else small(rng), middle(rng, quick), _columns(rng))
    for label, z in columns:
        unit = float(np.abs(z).max()) or 1.0
        for _ in range(several):
            yield Case(label, {"z": z, **{name: unit * bound for name, bound in next(bounds).items()}})
    for d in (3, 5) if quick else (1, 2, 3, 4, 5, 5):
        z = rng.normal(size=d)
        yield Case("feasible already", {"z": np.sort(z)[::-1].copy()})
        yield Case("projected already", {"z": enumeration.squish_column(z, -0.5, 0.5), "lower": -0.5, "upper": 0.5})
    yield from _large_columns(rng, quick)
    yield from known.columns(rng)
    right = {"z": np.arange(3.0), "lower": 0.0, "upper": 1.0}
    points = (np.array([0.0, np.nan, 1.0]), np.array([0.0, np.inf, 1.0]), np.zeros(0), np.zeros((1, 1, 3)))
    yield from replaced(right, {"z": points, "lower": (np.nan, np.inf, np.zeros(3)), "upper": (np.nan, -np.inf)})
    yield Case("lower > upper", {"z": np.arange(3.0), "lower": 1.0, "upper": 0.0}, refuses=("lower", "upper"))


def multiclass_update(rng, quick):
    """Yields instances of multiclass_update."""
    for label, A, x, y in chain(_models(rng, quick), [] if quick else _models(rng, quick)):
        for rule in _rules(rng, len(A), quick):
            yield Case(label, _update(A, x, y, rule))
    yield from _settled(rng, quick)
    for m, d in ((20, 10),) if quick else ((20, 10), (12, 30), (100, 30)):
        A, x, y = _model(rng, m, d)
        for rule in _rules(rng, m, quick, least=1e-3):
            yield Case("random", _update(A, x, y, rule))
    for m, d, timed in ((1000, 64, True), (5000, 8, False)):
        A, x, y = _model(rng, m, d)
        for rule in _rules(rng, m, quick, least=0.1):
            rule = {**rule, "k": min(rule["k"], m // 2), "margin": 2.5}
            yield Case("random, timed" if timed else "thousands of classes", _update(A, x, y, rule), timed=timed)
            if not quick:
                yield Case("float32", _update(A.astype(np.float32), x, y, rule))
    yield from known.updates(rng)
    yield from _refused_updates()


def fit_passive_aggressive(rng, quick):
    """Yields instances of fit_passive_aggressive. With an order, each step can be replayed."""
    for label, X, y, options in _streams(rng, quick):
        for rule in _rules(rng, options.get("n_classes", int(y.max()) + 1), quick, least=1e-3):
            warns = "UserWarning" if rule["margin"] > 0 and not X.any(axis=1).all() else ""
            yield Case(label, {"X": X, "y": y, **options, **rule}, warns=warns)
    X, y = load_digits()
    for variant, k in (("pa1", 1),) if quick else (("pa1", 1), ("pa2", 1), ("pa1", 3)):
        n = 100 if k == 1 else 40
        options = {"order": np.arange(n), "variant": variant, "aggressiveness": 0.1, "k": k, "averaged": True}
        yield Case("digits", {"X": X[:n].copy(), "y": y[:n].copy(), **options})
    n, d, m = (300, 20, 5) if quick else (2000, 50, 10)
    y = rng.integers(0, m, size=n)
    X = rng.normal(size=(n, d)) + 2 * np.eye(m, d)[y]
    for variant in VARIANTS[:2] if quick else VARIANTS:
        options = {"n_classes": m, "order": rng.permutation(n), "variant": variant, "aggressiveness": 0.01}
        yield Case("random, timed", {"X": X, "y": y, **options}, timed=True)
    own = rng.spawn(1)[0]  # so that sparse instances, drawn later, stay as they are
    for n, m, k in ((5, 67, 2), (5, 67, 33), (5, 67, 66)):
        options = {"n_classes": m, "order": own.permutation(n), "k": k, "variant": "pa1", "averaged": True}
        yield Case(f"{n} examples of {m} classes", {"X": own.normal(size=(n, 5)), "y": np.arange(n) % m, **options})
    yield from _refused_streams()


# --- columns -------------------------------------------------------------------------------------------------------


def _bounds(rng):
    """Yields bounds in units of the column: none, both, one, equal ones, and some above all of the column."""
    while True:
        low, high = np.sort(rng.normal(size=2) / 2).tolist()
        yield {}
        yield {"lower": 0.0, "upper": 1.0}
        yield {"lower": -np.inf, "upper": low}
        yield {"lower": high, "upper": np.inf}
        yield {"lower": low, "upper": high}
        yield {"lower": low, "upper": low}
        yield {"lower": 2.0, "upper": 3.0}


def _columns(rng):
    for d in (3, 5, 20):
        z = rng.normal(size=d)
        yield "descending", np.sort(z)[::-1].copy()
        yield "ascending", np.sort(z)
        yield "the first is the largest", np.append(np.abs(z).max() + 1.0, z)
        yield "the first ties with the largest", np.append(z.max(), z)
    yield "six", rng.normal(size=6)


def _large_columns(rng, quick):
    for bounds in ({}, {"lower": -0.5, "upper": 0.5}):
        yield Case("random, timed", {"z": rng.normal(size=1000), **bounds}, timed=True)
    yield Case("batch, timed", {"z": rng.normal(size=(100, 100))}, timed=True)
    yield Case("random", {"z": rng.normal(size=100_000)})
    yield Case("float32", {"z": rng.normal(size=100_000).astype(np.float32), "lower": 0.0, "upper": 1.0})
    if not quick:
        yield Case("the first is far below", {"z": np.append(-1e5, rng.normal(size=100_000))})
        yield Case("random", {"z": rng.normal(size=1_000_000)})


# --- updates -------------------------------------------------------------------------------------------------------


def _update(A, x, y, rule):
    return {"A": A, "x": x, "y": y, **rule}


def _model(rng, m, d):
    return rng.normal(size=(m, d)), rng.normal(size=d), int(rng.integers(m))


def _rules(rng, m, quick, least=TINY):
    """Yields every variant with k = 1, 2 and m - 1 (if quick, one of them), and a random margin and aggressiveness."""
    counts = sorted({1, min(2, m - 1), m - 1})
    prices = [price for price in AGGRESSIVENESS if least <= price <= 1 / least]
    for variant in VARIANTS:
        for k in [int(rng.choice(counts))] if quick else counts:
            margin, price = float(rng.choice(MARGINS)), float(rng.choice(prices))
            yield {"margin": margin, "variant": variant, "aggressiveness": price, "k": k}


def _models(rng, quick):
    """Yields (label, A, x, y), small enough for exact fractions."""
    for m, d in ((2, 1), (3, 2), (4, 3), (6, 5)):
        yield "random", *_model(rng, m, d)
    for m, d in ((3, 1), (4, 2), (5, 2)):
        yield "ties", rng.integers(-1, 2, size=(m, d)) / 2, rng.integers(1, 3, size=d) / 2, int(rng.integers(m))
    A, x, y = _model(rng, 4, 3)
    yield "zeros", np.zeros((4, 3)), x, y
    yield "one-hot", A, np.eye(3)[rng.integers(3)], y
    yield "equal rows", A[[0, 0, 1, 1]], x, y
    yield "a single rival", A[:2].copy(), x, y % 2
    yield "a class far ahead", A + HUGE * np.outer(np.arange(4) == (y + 1) % 4, x), x, y
    for unit, scale in (("1e-9", TINY), ("1e9", HUGE)):
        yield f"A of scale {unit}", scale * A, x, y
        yield f"x of scale {unit}", A, scale * x, y
        yield f"scale {unit}", scale * A, scale * x, y
        yield f"A of scale {unit}, x of its inverse", scale * A, x / scale, y
    yield "float32", A.astype(np.float32), x, y
    yield "float32, scale 1e-9", (TINY * A).astype(np.float32), x.astype(np.float32), y
    yield "integers", rng.integers(-3, 4, size=(4, 3)), rng.integers(1, 4, size=3), y
    yield "Fortran order", np.asfortranarray(A), x, y
    yield "every second element", rng.normal(size=(8, 6))[::2, ::2], rng.normal(size=6)[::2], y
    yield "backwards", A[::-1, ::-1], x[::-1], y


def _settled(rng, quick):
    """Yields instances in which the weights should not change."""
    A, x, y = _model(rng, 4, 3)
    for rule in _rules(rng, 4, quick, least=0.1):
        won = A + np.outer(np.arange(4) == y, 10 * x / (x @ x))
        yield Case("satisfied already", _update(won, x, y, rule))
        yield Case("updated already", _update(enumeration.multiclass_update(A, x, y, **rule), x, y, rule))
        exactly = np.array([[rule["margin"], 1.0], [0.0, 2.0], [0.0, -1.0], [0.0, 0.5]])
        yield Case("satisfied exactly", _update(exactly, np.array([1.0, 0.0]), 0, rule))
        warns = "UserWarning" if rule["margin"] > 0 else ""
        yield Case("x = 0", _update(A, np.zeros(3), y, rule), warns=warns)
    yield Case("x = 0", _update(A, np.zeros(3), y, {"margin": 1.0}), warns="UserWarning")
    yield Case("x = 0", _update(A, np.zeros(3), y, {"margin": 0.0}))
    yield Case("random", {"A": A, "x": x, "y": y})


def _refused_updates():
    A, x = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]), np.array([1.0, 0.5])
    nan, inf = np.where(A == 1, np.nan, A), np.where(A == 1, np.inf, A)
    bad = {
        "A": (nan, inf, A[:1], A[0], np.zeros((0, 2)), np.zeros((3, 0))),
        "x": (np.array([1.0, np.nan]), np.array([1.0, np.inf]), np.ones(3), np.ones((1, 2))),
        "y": (-1, 3, 1.5),
        **_wrong_rules(3),
    }
    yield from replaced({"A": A, "x": x, "y": 2, "variant": "pa1", "aggressiveness": 1.0, "margin": 1.0, "k": 1}, bad)


def _wrong_rules(m):
    return {
        "k": (0, m, 1.5),
        "variant": ("pa3", None),
        "margin": (-1.0, np.nan, np.inf),
        "aggressiveness": (0.0, -1.0, np.nan, np.inf),
    }


# --- streams -------------------------------------------------------------------------------------------------------


def _streams(rng, quick):
    """Yields (label, X, y, options) with a few examples."""
    shapes = ((3, 1, 2), (5, 2, 3), (6, 3, 4), (8, 3, 5), (10, 4, 5))
    averaged = cycle((True, False))
    for n, d, m in shapes[: 3 if quick else 5]:
        X, y = rng.normal(size=(n, d)), rng.permutation(n) % m
        yield "random", X, y, {"order": rng.permutation(n), "averaged": next(averaged)}
        orders = np.array([rng.permutation(n) for _ in range(3)])
        yield "an order for each epoch", X, y, {"epochs": 3, "order": orders, "averaged": next(averaged)}
    yield "ties", rng.integers(-1, 2, size=(n, d)) + np.eye(n, d), y, {"epochs": 2, "order": np.arange(n)}
    X, y, order = rng.normal(size=(6, 2)), rng.permutation(6) % 3, rng.permutation(6)
    hollow, start = X.copy(), rng.normal(size=(4, 2))
    hollow[::3] = 0
    yield "rows of zeros", hollow, y, {"order": order, "averaged": True}
    shares = np.array([0.0, 1.0, 1e-3, 0.5, 3.0, 100.0])
    yield "one order for all epochs", X, y, {"epochs": 2, "order": order}
    yield "weights of examples", X, y, {"epochs": 2, "order": order, "averaged": True, "sample_weight": shares}
    yield "weights of examples, float32", X.astype(np.float32), y, {"order": order, "sample_weight": shares[::-1]}
    yield "more classes than labels", X, y, {"n_classes": 5, "order": order}
    yield "a class without examples", X, np.array([0, 1, 3, 3, 1, 0]), {"order": order}
    yield "one class only", X, np.full(6, 1), {"n_classes": 3, "order": order}
    yield "weights to start from", X, y, {"order": order, "weights": start, "n_classes": 4, "averaged": True}
    yield "one example", X[:1], y[:1], {"order": np.arange(1), "weights": start, "n_classes": 4}
    yield "one example twice", X[[0, 0, 1, 1]], y[[0, 0, 1, 1]], {"n_classes": 3, "order": np.arange(4)}
    yield "float32", X.astype(np.float32), y, {"epochs": 2, "order": order, "averaged": True}
    yield "integers", rng.integers(1, 4, size=(6, 2)), y, {"order": order}
    yield "Fortran order", np.asfortranarray(X), y, {"order": order}
    yield "every second element", rng.normal(size=(12, 4))[::2, ::2], y, {"order": order}
    yield "scale 1e-9", TINY * X, y, {"order": order}
    yield "scale 1e9", HUGE * X, y, {"order": order}
    yield "a seed", X, y, {"epochs": 2, "seed": 7, "averaged": True}
    yield "a seed, float32", rng.normal(size=(4, 6)).astype(np.float32), np.arange(4), {"epochs": 3}


def _refused_streams():
    X, y = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0], [1.0, 1.0]]), np.array([0, 1, 2, 0])
    start, order = np.ones((3, 2)), np.array([3, 1, 0, 2])
    bad = {
        "X": (np.where(X == 1, np.nan, X), np.where(X == 1, np.inf, X), np.zeros((0, 2)), X[0], np.zeros((2, 2, 2))),
        "y": (y[:3], np.array([0, 1, -1, 0]), np.array([0, 1, 3, 0]), np.array([0.0, 1.5, 2.0, 0.0])),
        "epochs": (0, 1.5),
        "order": (np.array([0, 1, 2, 4]), np.array([0, 1]), np.array([order, order, order])),
        "weights": (np.ones((3, 3)), np.ones((2, 2)), np.ones(2), np.where(start, np.nan, 0.0)),
        "sample_weight": (np.ones(3), np.ones((4, 1)), 1.0, -np.eye(4)[1], np.zeros(4), np.array([1.0, np.nan, 1, 1])),
        **_wrong_rules(3),
    }
    yield from replaced({"X": X, "y": y, "n_classes": 3, "epochs": 2, "order": order, "weights": start, "k": 2}, bad)
    yield from replaced({"X": X, "y": y, "n_classes": 3}, {"n_classes": (1, 0, 2.5)})
    yield Case("n_classes = 2", {"X": X, "y": y, "n_classes": 2}, refuses=("y", "n_classes"))
