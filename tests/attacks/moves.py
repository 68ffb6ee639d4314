"""Wrong answers: ways to move the duals of a fit, so that a careless certificate passes them.

A move has a Field and returns duals (n, m). Those that gain most leave the domain where the features are large: a small
step there changes the weights much, and so the dual objective.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np


class Field(NamedTuple):
    """What a move may use."""

    rng: np.random.Generator
    X: np.ndarray  # (n, d) in float64, or a root of the Gram matrix
    radius: np.ndarray  # (n,), the size of a row of duals
    duals: np.ndarray  # (n, m), of an accurate fit
    corner: Callable  # () -> duals (n, m) at random corners of the domain
    other: Callable  # () -> duals (n, m) of another problem, of a solver stopped early, ...


def size(field):
    return 10.0 ** field.rng.uniform(-12, -2)


def start(field):
    """Returns the duals of the fit, corners, or a point between them."""
    kind, corner = field.rng.integers(4), field.corner()
    share = [0.0, 1.0, 1.0, field.rng.random()][kind]
    return (1 - share) * field.duals + share * corner


def outside(field):
    """Some rows are moved out of their domain, in a random direction."""
    A, step = start(field), field.rng.normal(size=field.duals.shape)
    if field.rng.random() < 0.7:
        step -= step.mean(axis=int(step.shape[1] > 1), keepdims=True)
    return A + size(field) * step * field.radius[:, None] * (field.rng.random(len(A)) < 0.5)[:, None]


def cancel(field):
    """The rows with the largest features move so that X'A becomes a multiple of itself, often 0: the norm vanishes."""
    A = start(field)
    lengths = np.linalg.norm(field.X, axis=1) * field.radius
    rows = np.argsort(-lengths)[: field.rng.integers(1, len(A) + 1)]
    share = field.rng.choice([1.0, 0.5, 0.1, -0.1])
    scaled = field.X[rows] * field.radius[rows, None]
    step = np.linalg.lstsq(scaled.T, field.X.T @ A, rcond=1e-13)[0]
    A = A.copy()
    A[rows] -= share * field.radius[rows, None] * step
    return A


def shorten(field):
    """One row moves between two classes to where |X'A| is smallest, but by a small share of its radius at most."""
    A, i = start(field).copy(), field.rng.integers(len(field.X))
    W, x, most = field.X.T @ A, field.X[i], size(field) * field.radius[i]
    a, b = (0, 0) if A.shape[1] == 1 else field.rng.permutation(A.shape[1])[:2]
    step = np.clip(-(W[:, a] - W[:, b] * (a != b)) @ x / (2 * (x @ x) or 1.0), -most, most)
    A[i, a] += step
    A[i, b] -= step * (a != b)
    return A


def raise_gain(field):
    """Rows are longer than allowed, or the dual of one class alone is moved."""
    A, eps = start(field), size(field) * field.rng.choice([-1.0, 1.0], p=[0.2, 0.8])
    if field.rng.random() < 0.5:
        return A * (1 + eps * (field.rng.random(len(A)) < 0.6)[:, None])
    return A + eps * field.radius[:, None] * (np.arange(A.shape[1]) == field.rng.integers(A.shape[1]))


def scale(field):
    return field.duals * (1 + field.rng.choice([-1, 1]) * 10.0 ** field.rng.uniform(-6, -1))


def shift(field):
    A = field.duals.copy()
    A[field.rng.integers(len(A))] += field.rng.choice([-1, 1]) * size(field) * field.radius.max()
    return A


def swap(field):
    """Two rows or two classes are exchanged, or all rows are set to 0."""
    A, axis = field.duals.copy(), field.rng.integers(3)
    if axis == 2:
        return 0 * A
    order = np.arange(A.shape[axis])
    pair = field.rng.permutation(len(order))[:2]
    order[pair] = order[pair[::-1]]
    return np.take(A, order, axis=axis)


def other(field):
    return field.other()


MOVES = (outside, cancel, cancel, shorten, raise_gain, raise_gain, scale, shift, swap, other, other, other)


def weights(rng, W, elsewhere):
    """Returns weights beside right duals: scaled, with noise, or those of another problem."""
    kind = rng.integers(4)
    if kind == 0:
        return W * (1 + rng.choice([-1, 1]) * 10.0 ** rng.uniform(-12, 0))
    if kind == 1:
        return W + 10.0 ** rng.uniform(-12, -1) * np.abs(W).max(initial=1e-300) * rng.normal(size=W.shape)
    return elsewhere() if kind == 2 else 0 * W
