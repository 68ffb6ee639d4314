"""What instances of the Wsabie family are made of: examples and labels of all kinds, random fits, wrong arguments."""

import numpy as np

from ...problems import checks
from .. import report
from ..judging.case import HUGE, TINY, replaced


class Planted(checks.WsabieFit):
    """A WsabieFit whose repr is the Python text that makes it."""

    def __repr__(self):
        given = [(name, value) for name, value in zip(self._fields, self, strict=True) if value is not None]
        parts = (f"{name}={report.readable(value)}" for name, value in given if not (name == "steps" and value == 0))
        return f"WsabieFit({', '.join(parts)})".replace(", updates=0", "")


def kinds_of_data(rng):
    """Yields (label, X, Y, scale) for all kinds of arrays and of labels."""
    X, Y = problem(rng, 6, 3, 3)
    sets = np.array([[1, 0, 0, 0], [0, 1, 1, 0], [0, 0, 0, 0], [1, 1, 1, 1], [0, 1, 1, 1], [1, 0, 0, 1]])
    yield "several labels", X, sets, 1.0
    yield "several labels, of another type", X, sets.astype(bool), 1.0
    yield "several labels, Fortran order", X, np.asfortranarray(sets.astype(np.float64)), 1.0
    yield "no label or all", X, sets[[2, 3, 2, 3, 1, 0]], 1.0
    yield "labels of another type", X, Y.astype(np.int16), 1.0
    yield "two classes", X, np.arange(6) % 2, 1.0
    yield "one example", X[:1], sets[1:2], 1.0
    yield "one example twice", X[[0, 0, 1, 1]], np.array([0, 1, 0, 1]), 1.0
    yield "rows of zeros", X * np.array([1.0, 0.0, 1.0, 0.0, 1.0, 1.0])[:, None], Y, 1.0
    yield "float32", X.astype(np.float32), Y, 1.0
    yield "integers", rng.integers(-2, 3, size=(6, 3)), Y, 0.7
    yield "Fortran order", np.asfortranarray(X), Y, 1.0
    yield "every second element", rng.normal(size=(12, 6))[::2, ::2], np.repeat(Y, 2)[::2], 1.0
    yield "backwards", X[::-1, ::-1], Y[::-1], 1.0
    yield "scale 1e-9", TINY * X, Y, TINY
    yield "scale 1e9", HUGE * X, Y, HUGE


def problem(rng, n, d, m, several=False):
    """Returns examples around one point a class, and their labels: integers, or an indicator if `several`."""
    y = rng.permutation(n) % m
    y[: min(n, 2)] = (m - 1, 0)[: min(n, 2)]
    X = rng.normal(size=(n, d)) + rng.normal(size=(m, d))[y]
    if not several:
        return X, y
    Y = np.eye(m, dtype=np.int64)[y] | (rng.random((n, m)) < 0.2)
    Y[0], Y[-1] = np.arange(m) == 0, 0
    return X, Y


def numbers(rng, n_updates, width, signs=0):
    """Returns the arguments n_updates and draws, with enough random numbers for all updates."""
    return {"n_updates": n_updates, "draws": rng.random(signs + n_updates * width)}


def random_fit(rng, m, d, e, discriminant, walked=False):
    """Returns a WsabieFit of random numbers. If `walked`, it has sums of adagrad and last violators."""
    W, memory = None if e is None else rng.normal(size=(e, d)), {}
    if walked:
        memory = {"prototype_sums": rng.random(m), "last_violators": (np.arange(m) + rng.integers(1, m, size=m)) % m}
        memory["last_violators"][rng.random(m) < 0.3] = checks.NONE
        memory["embedding_sums"] = None if e is None else rng.random(e)
    return Planted(rng.normal(size=(m, e or d)), W, discriminant, **memory)


def of_dtype(fit, dtype):
    """Returns the fit in another dtype."""
    W = None if fit.embedding is None else fit.embedding.astype(dtype)
    return fit._replace(prototypes=fit.prototypes.astype(dtype), embedding=W)


def in_columns(fit):
    """Returns the fit in Fortran order."""
    W = None if fit.embedding is None else np.asfortranarray(fit.embedding)
    return fit._replace(prototypes=np.asfortranarray(fit.prototypes), embedding=W)


def refused(right, bad):
    """Yields what `replaced` does. The bad values may also be fits or lists of them."""
    for name, values in bad.items():
        for value in values:
            (case,) = replaced(right, {name: (0.0,)})
            label = f"{name} = {value}" if value is None or isinstance(value, (int, float, str)) else f"wrong {name}"
            yield case._replace(label=label, arguments={**right, name: value})


def wrong_X(X):
    """Returns features that are not finite, empty, or of a wrong shape."""
    first = np.arange(X.size).reshape(X.shape) == 0
    return np.where(first, np.nan, X), np.where(first, np.inf, X), np.zeros((0, X.shape[1])), X[0], np.zeros((2, 2, 2))
