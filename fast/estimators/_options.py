"""Scikit-learn's options C and random_state as the regularization and the seeds of this package's functions."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from reference.problems import checks

ClassWeight = Mapping[Any, float] | str | None
RandomSource = int | np.random.RandomState | np.random.Generator | None

# The gaps that tol="auto" stands for. A small problem is solved to EXACT_GAP, which takes little time there: two fits
# that should be equal then agree to seven digits, which is what scikit-learn's own checks demand.
USUAL_GAP, EXACT_GAP = 1e-3, 1e-12
SMALL_N, SMALL_NDM = 100, 10_000  # a problem is small with at most so many examples, and at most so many numbers n d m
LARGEST_SEED = np.iinfo(np.int32).max  # the seeds drawn are below it: an int of any platform holds them


def regularization_of(C, n, name="C n"):
    """Returns lambda = 1 / (C n). ValueError if it is not a finite number above 0; `name` is C n in the message."""
    product = float(C) * float(n)
    regularization = 1 / product if product > 0 else np.inf
    if not 0 < regularization < np.inf:
        raise ValueError(f"C must leave 1 / ({name}) a finite number above 0, got C = {C!r}")
    return regularization


def is_auto(tol):
    """Returns whether the tolerance is to be chosen by `tolerance_of`."""
    return isinstance(tol, str) and tol == "auto"


def tolerance_of(tol, n, d, m):
    """Returns the gap that `tol` stands for, with n examples, d features and m classes."""
    if not is_auto(tol):
        return tol
    return EXACT_GAP if n <= SMALL_N and n * d * m <= SMALL_NDM else USUAL_GAP


def threads_of(n_jobs):
    """Returns the number of threads. As in scikit-learn, None is one thread."""
    return 1 if n_jobs is None else checks.thread_count(n_jobs)


def draw_seeds(random_state, size=None):
    """Returns one seed of a NumPy Generator, or `size` of them.

    The same int gives the same seeds. A RandomState or a Generator is advanced and gives new seeds in each call. None
    stands for NumPy's global RandomState. scikit-learn's `check_random_state` refuses a Generator, so the seeds are
    drawn from it here. ValueError if `random_state` is something else.
    """
    if isinstance(random_state, np.random.Generator):
        return random_state.integers(LARGEST_SEED, size=size)
    try:
        return check_random_state(random_state).randint(LARGEST_SEED, size=size)
    except ValueError:
        raise ValueError(
            f"random_state must be an int in 0..2**32 - 1, a RandomState, a Generator or None, got {random_state!r}"
        ) from None
