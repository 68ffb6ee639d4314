"""Simpler instances: the steps by which a failing instance is made small enough to read, and tiny ones to try first."""

from itertools import islice

import numpy as np


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
