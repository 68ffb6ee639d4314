"""Simpler and tiny instances of columns to squish, of updates and of streams."""

import numpy as np

from ..judging.simplify import fewer, ranks, rounder, unit_of

PLAIN = {"margin": 1.0, "aggressiveness": 1.0, "epochs": 1, "averaged": False}


def column(arguments):
    """Yields instances of squish_column with fewer rows, coordinates or bounds, or rounder numbers."""
    z = arguments["z"]
    if z.ndim == 2:
        for rows in fewer(len(z)) if len(z) > 1 else ():
            yield {**arguments, "z": z[rows].copy()}
        yield {**arguments, "z": z[0].copy()}
    for kept in fewer(z.shape[-1]):
        yield {**arguments, "z": z[..., kept].copy()}
    for name in ("lower", "upper"):
        if name in arguments:
            yield {key: value for key, value in arguments.items() if key != name}
    yield from rounder(arguments, ("z", "lower", "upper"))


def update(arguments):
    """Yields instances of multiclass_update with fewer rivals or features, a smaller k, or rounder numbers."""
    A, x, y = (arguments[name] for name in ("A", "x", "y"))
    for kept in fewer(len(A)):
        if y in kept and len(kept) >= 2:
            k = {"k": min(arguments["k"], len(kept) - 1)} if "k" in arguments else {}
            yield {**arguments, "A": A[kept].copy(), "y": int(np.flatnonzero(kept == y)[0]), **k}
    for kept in fewer(len(x)):
        yield {**arguments, "A": A[:, kept].copy(), "x": x[kept].copy()}
    yield from _plainer(arguments)
    yield from rounder(arguments, ("A", "x", "margin", "aggressiveness"))


def stream(arguments):
    """Yields instances of fit_passive_aggressive with fewer examples, epochs, classes or features, and so on."""
    X, y, order, weights = arguments["X"], arguments["y"], arguments.get("order"), arguments.get("weights")
    m, shares = arguments.get("n_classes") or (int(y.max()) + 1 if weights is None else len(weights)), "sample_weight"
    if shares in arguments:
        yield {name: value for name, value in arguments.items() if name != shares}
    for kept in fewer(len(y)):
        by_epoch = [] if order is None else [ranks(row, kept) for row in np.atleast_2d(order)]
        visited = {} if order is None else {"order": np.array(by_epoch) if order.ndim == 2 else by_epoch[0]}
        visited |= {shares: arguments[shares][kept].copy()} if shares in arguments else {}
        yield {**arguments, "X": X[kept].copy(), "y": y[kept].copy(), "n_classes": m, **visited}
    if np.ndim(order) == 2:
        yield {**arguments, "order": order[0].copy()}
    if m > max(2, arguments.get("k", 1) + 1):
        start = {} if weights is None else {"weights": weights[: m - 1].copy()}
        yield {**arguments, "y": np.minimum(y, m - 2), "n_classes": m - 1, **start}
    for kept in fewer(X.shape[1]):
        start = {} if weights is None else {"weights": weights[:, kept].copy()}
        yield {**arguments, "X": X[:, kept].copy(), **start}
    if weights is not None:
        yield {**{name: value for name, value in arguments.items() if name != "weights"}, "n_classes": m}
    yield from _plainer(arguments)
    yield from rounder(arguments, ("X", "weights", "margin", "aggressiveness"))


def tiny_columns(rng, arguments):
    """Yields tiny instances of squish_column, the smallest first, of the same dtype, number of dimensions and scale."""
    like = arguments["z"]
    unit = unit_of(like)
    for d in np.repeat((1, 2, 3, 4), (4, 12, 12, 12)):
        z = (unit * rng.integers(-1, 4, size=d)).astype(like.dtype)
        low = unit * float(rng.integers(-1, 2))
        bounds = {"lower": low, "upper": low + unit * float(rng.integers(0, 3))}
        bounds = {name: bounds[name] for name in bounds if name in arguments}
        yield {**arguments, "z": z if like.ndim == 1 else z[None], **bounds}


def tiny_updates(rng, arguments):
    """Yields tiny instances of multiclass_update, the smallest first, of the same dtype and scale."""
    like, k = arguments["A"], arguments.get("k", 1)
    units = unit_of(like), unit_of(arguments["x"])
    for m in np.repeat((2, 3, 4), (8, 20, 20)):
        d = int(rng.integers(1, 3))
        A = (units[0] * rng.integers(-1, 2, size=(m, d))).astype(like.dtype)
        x = (units[1] * rng.integers(-1, 3, size=d)).astype(arguments["x"].dtype)
        if m > k:
            yield {**arguments, "A": A, "x": x, "y": int(rng.integers(m))}


def tiny_streams(rng, arguments):
    """Yields tiny instances of fit_passive_aggressive, the smallest first, of the same dtype and scale."""
    like, k = arguments["X"], arguments.get("k", 1)
    without = {name: value for name, value in arguments.items() if name not in ("weights", "sample_weight")}
    for n in np.repeat((1, 2, 3, 4), (12, 12, 12, 12)):
        m, d = int(rng.integers(k + 1, k + 3)), int(rng.integers(1, 3))
        X = (unit_of(like) * rng.integers(-1, 3, size=(n, d))).astype(like.dtype)
        order = {"order": np.arange(n)} if "order" in arguments else {}
        start = {"weights": rng.integers(-1, 2, size=(m, d)).astype(float)} if "weights" in arguments else {}
        start |= {"sample_weight": rng.integers(0, 3, size=n).astype(float)} if "sample_weight" in arguments else {}
        yield {**without, "X": X, "y": rng.integers(0, m, size=n), "n_classes": m, **order, **start}


def _plainer(arguments):
    """Yields instances with one option at its default, or with a smaller k."""
    by_epoch = np.ndim(arguments.get("order")) == 2
    for name, plain in PLAIN.items():
        if name in arguments and arguments[name] != plain and not (name == "epochs" and by_epoch):
            yield {**arguments, name: plain}
    if arguments.get("k", 1) > 1:
        yield {**arguments, "k": arguments["k"] - 1}
