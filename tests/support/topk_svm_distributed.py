"""What the tests of the top-k SVM on Dask share: examples in blocks, and the same fit within one process."""

import warnings

import dask.array as da
import numpy as np
from sklearn.exceptions import ConvergenceWarning

import fast
from fast.distributed import fit_topk_svm
from tests.support.topk_svm import instance

OBJECTIVES = ["primal", "dual", "gap"]
REPEATED = [*OBJECTIVES, "communications", "sigma", "gathered"]  # of the history: all but seconds and bytes


def examples(seed=0, n=60, d=5, m=5):
    """Examples with rows of zeros, weights of which some are 0, and a class that only the first 10 examples have."""
    X, y = instance(seed, n=n, d=d, m=m, zero_rows=4)
    y[10:][y[10:] == m - 1] = 0
    s = np.random.default_rng(seed).uniform(0.5, 2, n)
    s[[3, 30]] = 0
    return X, y, s


def sizes(n, blocks):
    """The numbers of rows of blocks that are nearly equal."""
    return tuple(map(len, np.array_split(np.arange(n), blocks)))


def chunked(X, blocks, columns=None, kind=None):
    """X as a dask array in blocks."""
    array = da.from_array(X, chunks=(sizes(len(X), blocks), columns or X.shape[1]))
    return array if kind is None else array.map_blocks(kind)


def on_parts(X, y, blocks, **options):
    """The same fit within one process, on the same parts."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return fast.fit_topk_svm_parts(X, y, np.array_split(np.arange(X.shape[0]), blocks), **options)


def fit(*arguments, **options):
    """A fit that may stop before its tolerance."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return fit_topk_svm(*arguments, **options)


def in_memory(got):
    """The fit with its duals in this process."""
    duals = got.duals.compute()
    return got._replace(duals=duals.toarray() if hasattr(duals, "tocsr") else duals)


def assert_same(got, expected):
    """Each number of two fits is the same, bit for bit."""
    for name in OBJECTIVES:
        assert getattr(got, name) == getattr(expected, name), name
    for name in REPEATED:
        np.testing.assert_array_equal(got.history[name], expected.history[name], name)
    np.testing.assert_array_equal(got.weights, expected.weights)
    np.testing.assert_array_equal(in_memory(got).duals, np.asarray(expected.duals))
    assert got.weights.dtype == expected.weights.dtype and got.duals.dtype == expected.duals.dtype
