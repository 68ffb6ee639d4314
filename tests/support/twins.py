"""What the tests of all families share: both packages, and a fit that may end early."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

import fast
import reference

TWINS = [reference, fast]
BOTH = pytest.mark.parametrize("module", TWINS, ids=lambda module: module.__name__)


def fit(function, *arguments, **options):
    """A fit that may stop before its tolerance."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return function(*arguments, **options)


def assert_equal(got, expected):
    """Asserts that two answers are equal but for their times: arrays, numbers, sparse duals, and tuples of these."""
    if isinstance(expected, tuple):
        for one, other in zip(got, expected, strict=True):
            assert_equal(one, other)
    elif isinstance(expected, np.recarray):
        for field in set(expected.dtype.names) - {"seconds"}:
            np.testing.assert_array_equal(got[field], expected[field])
    elif sparse.issparse(expected):
        np.testing.assert_array_equal(got.toarray(), expected.toarray())
    else:
        np.testing.assert_array_equal(got, expected, strict=isinstance(expected, np.ndarray))
