"""What the tests of all families share: both packages, and a fit that may end early."""

import warnings

import pytest
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
