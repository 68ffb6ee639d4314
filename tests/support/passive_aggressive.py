"""What the tests of passive aggressive share."""

import numpy as np
import pytest

import fast
import reference
from reference.problems.checks import VARIANTS

BOTH = pytest.mark.parametrize("module", [reference, fast], ids=lambda module: module.__name__)
EACH_VARIANT = pytest.mark.parametrize("variant", VARIANTS)
ROUNDINGS = 16  # of the longest row, old or new; more where many classes move together
INSTANCES = ("normal", "ties", "one-hot", "zeros", "satisfied", "twice")


def instance(seed, what="normal", m=4, d=3):
    """Weights, an example and its label."""
    rng = np.random.default_rng(seed)
    A, x, y = rng.standard_normal((m, d)), rng.standard_normal(d), int(rng.integers(m))
    if what == "ties":
        A, x = rng.integers(-1, 2, (m, d)) / 2, np.round(x)
    elif what == "one-hot":
        x = 1.0 * (np.arange(d) == rng.integers(d))
    elif what == "zeros":
        A[:] = 0
    elif what == "satisfied":
        A[y] += 100 * x
    elif what == "twice":
        A = reference.multiclass_update(A, x, y)
    return A, x if x.any() else np.ones(d), y


def options(seed, m):
    rng = np.random.default_rng(seed)
    return {
        "margin": float(rng.choice([0.0, 1.0, 2.5])),
        "variant": str(rng.choice(VARIANTS)),
        "aggressiveness": float(10.0 ** rng.integers(-3, 4)),
        "k": int(rng.integers(1, m)),
    }


def size(*matrices):
    """The length of the longest row."""
    return max(np.linalg.norm(np.asarray(matrix, float), axis=1).max() for matrix in matrices) or 1.0


def assert_equal(got, expected, A, roundings=ROUNDINGS):
    """Equal up to some roundings of the longest row."""
    assert got.dtype == expected.dtype and got.shape == expected.shape
    error = np.abs(got.astype(float) - expected).max() / size(A, expected)
    assert error <= roundings * np.finfo(got.dtype).eps, f"expected {expected}, got {got}"
