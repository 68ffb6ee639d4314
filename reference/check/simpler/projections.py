"""Simpler and tiny instances of projections."""

import numpy as np

from ._base import fewer, rounder, unit_of


def point(arguments):
    """Yields instances with fewer rows, fewer coordinates or rounder numbers."""
    a = arguments["a"]
    if a.ndim == 2:
        for rows in fewer(len(a)) if len(a) > 1 else ():
            yield {**arguments, "a": a[rows].copy()}
        yield {**arguments, "a": a[0].copy()}
    for kept in fewer(a.shape[-1]):
        yield _on_coordinates(arguments, kept)
    for name, value in (("weights", None), ("bias", 0.0), ("lower", 0.0), ("upper", np.inf)):
        if name in arguments and arguments[name] is not value and np.any(arguments[name] != value):
            yield {**arguments, name: value}
    if arguments.get("k", 1) > 1:
        yield {**arguments, "k": arguments["k"] - 1}
    yield from rounder(arguments, ("a", "radius", "total", "cap", "bias", "weights", "lower", "upper"))


def tiny_points(rng, arguments):
    """Yields tiny instances, the smallest first, of the same dtype, number of dimensions and scale."""
    like = arguments["a"]
    unit = unit_of(like)
    for d in np.repeat((1, 2, 3, 4), (4, 12, 12, 12)):
        a = (unit * rng.integers(-1, 4, size=d)).astype(like.dtype)
        options = {key: value for key, value in _tiny_options(rng, d, unit).items() if key in arguments}
        yield {**arguments, **options, "a": a if like.ndim == 1 else a[None]}


def pair(arguments):
    """Yields instances of project_bipartite_simplex with fewer rows, fewer coordinates or rounder numbers."""
    b, c = arguments["b"], arguments["c"]
    if b.ndim == 2:
        for rows in fewer(len(b)) if len(b) > 1 else ():
            yield {**arguments, "b": b[rows].copy(), "c": c[rows].copy()}
        yield {**arguments, "b": b[0].copy(), "c": c[0].copy()}
    for name in ("b", "c"):
        for kept in fewer(arguments[name].shape[-1]):
            yield {**arguments, name: arguments[name][..., kept].copy()}
    yield from rounder(arguments, ("b", "c", "radius"))


def tiny_pairs(rng, arguments):
    """Yields tiny instances of project_bipartite_simplex, the smallest first."""
    unit = unit_of(np.concatenate([arguments["b"].ravel(), arguments["c"].ravel()]))
    for d in np.repeat((1, 2, 3), (8, 16, 16)):
        tiny = {}
        for name in ("b", "c"):
            a = (unit * rng.integers(-1, 4, size=int(rng.integers(1, d + 1)))).astype(arguments[name].dtype)
            tiny[name] = a if arguments[name].ndim == 1 else a[None]
        yield {**arguments, **tiny, "radius": unit * float(rng.integers(1, 4))}


def _on_coordinates(arguments, kept):
    """Returns the same problem on some of its coordinates. k is clipped to its range; total stays as it is."""
    d = arguments["a"].shape[-1]
    others = {name: value for name, value in arguments.items() if name != "a"}
    smaller = {name: value[kept] if np.shape(value) == (d,) else value for name, value in others.items()}
    if "k" in smaller:
        smaller["k"] = min(smaller["k"], len(kept))
    return {"a": arguments["a"][..., kept].copy(), **smaller}


def _tiny_options(rng, d, unit):
    """Returns small whole numbers for all parameters of the projections."""
    low = unit * float(rng.integers(0, 2))
    return {
        "k": int(rng.integers(1, d + 1)),
        "radius": unit * float(rng.integers(1, 4)),
        "cap": unit * float(rng.integers(1, 3)),
        "bias": float(rng.integers(0, 2)),
        "lower": 0.0,
        "upper": 2 * unit,
        "weights": rng.integers(1, 3, size=d).astype(float),
        "total": low + unit * float(rng.integers(0, d + 1)),
    }
