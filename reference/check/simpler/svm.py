"""Simpler and tiny instances of the top-k losses and of the top-k SVM."""

import numpy as np

from ._base import fewer, ranks, rounder


def scores(arguments):
    """Yields instances of a loss with fewer examples, fewer classes or rounder numbers."""
    s, y, k = arguments["scores"], arguments["y"], arguments["k"]
    for rows in fewer(len(s)):
        yield {**arguments, "scores": s[rows].copy(), "y": y[rows].copy()}
    for j in range(s.shape[1]):
        if s.shape[1] > max(k + 1, 2) and j not in y:
            yield {**arguments, "scores": np.delete(s, j, axis=1), "y": y - (y > j).astype(y.dtype)}
    yield from rounder(arguments, ("scores", "smoothing"))


def training_set(arguments):
    """Yields instances of a fit with fewer examples, classes or features, or rounder numbers."""
    name = "K" if "K" in arguments else "X"
    data, y, m = arguments[name], arguments["y"], int(arguments["y"].max()) + 1
    for rows in fewer(len(y)):
        kept = data[np.ix_(rows, rows)] if name == "K" else data[rows].copy()
        order = {"order": ranks(arguments["order"], rows)} if np.ndim(arguments.get("order")) == 1 else {}
        labels = y[rows].copy()
        if len(set(labels)) > 1 and arguments["k"] <= labels.max():
            yield {**arguments, name: kept, "y": labels, **order, **_fewer_parts(arguments, rows)}
    if m > max(2, arguments["k"] + 1):
        yield {**arguments, "y": np.minimum(y, m - 2)}
    if name == "X":
        for columns in fewer(data.shape[1]):
            yield {**arguments, "X": data[:, columns].copy()}
    for rounded in rounder(arguments, ("X", "K", "regularization", "smoothing")):
        if name == "X" or np.linalg.eigvalsh(rounded["K"])[0] >= 0:
            yield rounded


def _fewer_parts(arguments, rows):
    """Returns the parts of the examples `rows` alone, numbered anew, if there are parts."""
    parts = arguments.get("parts")
    if not isinstance(parts, list):
        return {} if parts is None else {"parts": min(parts, len(rows))}
    places = [np.flatnonzero(np.isin(rows, part)) for part in parts]
    return {"parts": [part for part in places if part.size]}


def tiny_scores(rng, arguments):
    """Yields tiny instances of a loss, the smallest first."""
    for m in np.repeat((2, 3, 4, 5), (4, 12, 12, 12)):
        s = rng.integers(-1, 3, size=(1, m)).astype(arguments["scores"].dtype)
        y = rng.integers(0, m, size=1).astype(arguments["y"].dtype)
        yield {**arguments, "scores": s, "y": y, "k": min(int(rng.integers(1, m)), arguments["k"])}


def tiny_training_sets(rng, arguments):
    """Yields tiny instances of a fit, the smallest first."""
    name = "K" if "K" in arguments else "X"
    without = {key: value for key, value in arguments.items() if key != "order"}
    for n in np.repeat((2, 3, 4, 5), (4, 8, 8, 8)):
        X = rng.integers(-1, 2, size=(n, int(rng.integers(1, 3)))).astype(arguments[name].dtype)
        y = rng.permutation(n) % min(n, 2 + n // 3)
        k = min(arguments["k"], int(y.max()))
        parts = {"parts": min(n, 2)} if "parts" in arguments else {}
        yield {**without, name: X @ X.T if name == "K" else X, "y": y, **parts, "k": k}
