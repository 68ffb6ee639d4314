"""Simpler instances: the steps by which a failing instance is made small enough to read, and tiny ones to try first."""

from itertools import islice

import numpy as np


def point(arguments):
    """Instances of a projection with fewer rows, fewer coordinates or rounder numbers."""
    a = arguments["a"]
    if a.ndim == 2:
        for rows in fewer(len(a)) if len(a) > 1 else ():
            yield {**arguments, "a": a[rows].copy()}
        yield {**arguments, "a": a[0].copy()}
    for kept in fewer(a.shape[-1]):
        yield _with_coordinates(arguments, kept)
    for name, value in (("weights", None), ("bias", 0.0), ("lower", 0.0), ("upper", np.inf)):
        if name in arguments and arguments[name] is not value and np.any(arguments[name] != value):
            yield {**arguments, name: value}
    if arguments.get("k", 1) > 1:
        yield {**arguments, "k": arguments["k"] - 1}
    yield from rounder(arguments, ("a", "radius", "total", "cap", "bias", "weights", "lower", "upper"))


def scores(arguments):
    """Instances of a loss with fewer examples, fewer classes or rounder numbers."""
    s, y, k = arguments["scores"], arguments["y"], arguments["k"]
    for rows in fewer(len(s)):
        yield {**arguments, "scores": s[rows].copy(), "y": y[rows].copy()}
    for j in range(s.shape[1]):
        if s.shape[1] > max(k + 1, 2) and j not in y:
            yield {**arguments, "scores": np.delete(s, j, axis=1), "y": y - (y > j).astype(y.dtype)}
    yield from rounder(arguments, ("scores",))


def training_set(arguments):
    """Instances of a fit with fewer examples, classes or features, or rounder numbers."""
    name = "K" if "K" in arguments else "X"
    data, y, m = arguments[name], arguments["y"], int(arguments["y"].max()) + 1
    for rows in fewer(len(y)):
        kept = data[np.ix_(rows, rows)] if name == "K" else data[rows].copy()
        order = {"order": ranks(arguments["order"], rows)} if np.ndim(arguments.get("order")) == 1 else {}
        labels = y[rows].copy()
        if len(set(labels)) > 1 and arguments["k"] <= labels.max():
            yield {**arguments, name: kept, "y": labels, **order}
    if m > max(2, arguments["k"] + 1):
        yield {**arguments, "y": np.minimum(y, m - 2)}
    if name == "X":
        for columns in fewer(data.shape[1]):
            yield {**arguments, "X": data[:, columns].copy()}
    for rounded in rounder(arguments, ("X", "K", "regularization")):
        if name == "X" or np.linalg.eigvalsh(rounded["K"])[0] >= 0:
            yield rounded


def tiny_points(rng, arguments):
    """Tiny instances of a projection, small first, of the dtype, shape and scale of the given ones."""
    like = arguments["a"]
    size = float(np.abs(like).max())
    unit = 1.0 if 1e-3 < size < 1e3 or size == 0 else 10.0 ** np.round(np.log10(size))
    for d in np.repeat((1, 2, 3, 4), (4, 12, 12, 12)):
        a = (unit * rng.integers(-1, 4, size=d)).astype(like.dtype)
        options = {key: value for key, value in _tiny_options(rng, d, unit).items() if key in arguments}
        yield {**arguments, **options, "a": a if like.ndim == 1 else a[None]}


def tiny_scores(rng, arguments):
    """Tiny instances of a loss, small first."""
    for m in np.repeat((2, 3, 4, 5), (4, 12, 12, 12)):
        s = rng.integers(-1, 3, size=(1, m)).astype(arguments["scores"].dtype)
        y = rng.integers(0, m, size=1).astype(arguments["y"].dtype)
        yield {**arguments, "scores": s, "y": y, "k": min(int(rng.integers(1, m)), arguments["k"])}


def tiny_training_sets(rng, arguments):
    """Tiny instances of a fit, small first."""
    name = "K" if "K" in arguments else "X"
    without = {key: value for key, value in arguments.items() if key != "order"}
    for n in np.repeat((2, 3, 4, 5), (4, 8, 8, 8)):
        X = rng.integers(-1, 2, size=(n, int(rng.integers(1, 3)))).astype(arguments[name].dtype)
        y = rng.permutation(n) % min(n, 2 + n // 3)
        k = min(arguments["k"], int(y.max()))
        yield {**without, name: X @ X.T if name == "K" else X, "y": y, "k": k}


def _tiny_options(rng, d, unit):
    """Small whole numbers for every parameter that the projection may have been given."""
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


def ranks(order, rows):
    """The order in which these rows are visited, once they are all that there is."""
    return np.argsort(np.argsort(order[np.isin(order, rows)]))


def _with_coordinates(arguments, kept):
    """The same problem on some of its coordinates; k stays in range and total stays what it was."""
    d = arguments["a"].shape[-1]
    others = {name: value for name, value in arguments.items() if name != "a"}
    smaller = {name: value[kept] if np.shape(value) == (d,) else value for name, value in others.items()}
    if "k" in smaller:
        smaller["k"] = min(smaller["k"], len(kept))
    return {"a": arguments["a"][..., kept].copy(), **smaller}


def fewer(n):
    """Index sets of less than n things: the two halves while there are many, then all but one."""
    every = np.arange(n)
    if n > 3:
        yield from (every[: n // 2], every[n // 2 :])
    if 1 < n <= 30:
        yield from (np.delete(every, i) for i in range(n - 1, -1, -1))


def rounder(arguments, names):
    """One argument at a time with fewer digits: none after its first, or one."""
    for name in names:
        value = arguments.get(name)
        if value is None or np.size(value) > 100 or not np.isfinite(value).all() or not np.any(value):
            continue
        unit = 10.0 ** np.floor(np.log10(np.abs(value).max()))
        for digits in islice((unit, unit / 10), 2):
            rounded = np.round(np.asarray(value, dtype=np.float64) / digits) * digits
            if np.any(rounded != value) and np.any(rounded):
                yield {**arguments, name: rounded.astype(value.dtype) if np.ndim(value) else float(rounded)}
                break
