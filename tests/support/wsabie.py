"""What the tests of wsabie share."""

import itertools
import warnings

import numpy as np
import pytest
from scipy import sparse

DISCRIMINANTS = ("linear", "euclidean")
WALKS = list(
    itertools.product(DISCRIMINANTS, ("auc", "warp"), ("harmonic", "uniform"), ("constant", "adagrad"), (None, 3))
)
NAMES = ("discriminant", "sampling", "weighting", "step", "embedding_dim")
LABELS = ("labels", "indicator", "CSR indicator")
ARRAYS = ("prototypes", "embedding", "prototype_sums", "embedding_sums", "last_violators", "skipped")
SCALES = (1e-9, 1.0, 1e9)
# For walks on a few examples, some of which really end with frozen classes.
MAY_FREEZE = pytest.mark.filterwarnings("ignore:.*classes are frozen:sklearn.exceptions.ConvergenceWarning")


def place(index, count):
    """A number that stands for this of so many."""
    return (index + 0.5) / count


def labelled(seed, what="labels", n=15, d=4, m=5, dtype=np.float64, csr=False):
    """Features, some of them 0, with labels or sets of labels; some sets are empty and some are full."""
    rng = np.random.default_rng(seed)
    X = (rng.standard_normal((n, d)) * (rng.random((n, d)) < 0.7)).astype(dtype)
    Y = rng.integers(0, m, n)
    if what != "labels":
        Y = (rng.random((n, m)) < rng.choice([0.0, 0.2, 0.5, 1.0], (n, 1), p=[0.1, 0.5, 0.3, 0.1])).astype(int)
        Y[0] = np.arange(m) == 1
        Y = sparse.csr_matrix(Y) if what == "CSR indicator" else Y
    return sparse.csr_matrix(X) if csr else X, Y


def options(walk, Q=0, max_norm=None, step_size=0.1, margin=0.5):
    more = {"last_violators": Q, "max_norm": max_norm, "step_size": step_size, "margin": margin}
    return dict(zip(NAMES, walk, strict=True)) | more


def longest(rows):
    return np.linalg.norm(np.asarray(rows, dtype=float), axis=1).max() or 1.0


def assert_same(got, expected, unit=1e-9):
    """The same walk: the counts and last violators exactly, the rest up to `unit` of the longest row."""
    assert (got.steps, got.updates) == (expected.steps, expected.updates), f"expected {expected}, got {got}"
    assert got.discriminant == expected.discriminant
    for name in ARRAYS:
        one, other = getattr(got, name), getattr(expected, name)
        if other is None:
            assert one is None, f"{name}: expected None, got {one}"
            continue
        assert one.dtype == other.dtype and one.shape == other.shape, f"{name}: expected {other.dtype}, got {one.dtype}"
        if name in ("last_violators", "skipped"):
            assert (one == other).all(), f"expected {other}, got {one}"
        else:
            limit = unit * (longest(other) if one.ndim == 2 else max(other.max(), 1e-300))
            assert np.abs(one.astype(float) - other).max() <= limit, f"{name}: expected {other}, got {one}"


def with_warnings(module, *arguments, **options):
    """A walk, and the texts of the warnings that came with it."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fit = module.fit_wsabie(*arguments, **options)
    return fit, [str(warning.message) for warning in caught]


def assert_identical(got, expected):
    """Bit for bit."""
    assert_same(got, expected, unit=0.0)
