"""What the tests of the top-k SVM on parts share: the twins, ways to combine, and examples whose parts are coupled."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import fast
import reference

TWINS = [reference, fast]
BOTH = pytest.mark.parametrize("module", TWINS, ids=lambda module: module.__name__)
EACH_WAY = pytest.mark.parametrize("combine", reference.problems.checks.COMBINATIONS)


def fit(module, *arguments, **options):
    """A fit on parts that may stop before its tolerance."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return module.fit_topk_svm_parts(*arguments, **options)


def some_rounds(module, *arguments, rounds=6, **options):
    """A fit of so many rounds."""
    return fit(module, *arguments, tol=0, max_rounds=rounds, **options)


def orders(n, rounds, seed=0, local_epochs=1, part=0):
    """The visiting orders that the documentation of `seed` promises, one row a pass."""
    numbers = [(t, q) for t in range(rounds) for q in range(local_epochs)]
    return np.array([np.random.default_rng([seed, t, q, part]).permutation(n) for t, q in numbers])


def copies(K, m=3):
    """Returns (X, y, parts): the same m orthogonal examples in each of K parts, which all make the same change."""
    X, y = np.tile(np.eye(m), (K, 1)), np.tile(np.arange(m), K)
    return X, y, [np.arange(m) + m * p for p in range(K)]


def increases(got):
    """Whether the dual never decreases, up to rounding, from round to round."""
    return np.diff(got.history.dual).min(initial=0) >= -1e-12 * got.history.primal.max()
