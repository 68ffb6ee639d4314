"""Reports of a fit: a progress bar, and a warning if it did not converge."""

import sys
import warnings
from contextlib import contextmanager
from functools import cache
from time import monotonic

import numpy as np

from .extras import require

# From about this spread of the scales of the features on, TopPush takes ten times as many iterations as without one.
WIDE_SPREAD = 10
SECONDS_A_LINE = 1.0  # between two lines of progress
# Packages between a warning and the line of the user: ours, and those that call ours.
PASSED_OVER = ("reference", "fast", "sklearn", "joblib", "contextlib")


def warn(message, category=UserWarning):
    """Warn at the line of the user: the first caller outside of these packages."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).partition(".")[0] in PASSED_OVER:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def warn_unless_converged(gap, tol, count, what="epochs", X=None):
    """Warn if the gap is above the tolerance, and of the scales of the features X if they differ a lot."""
    if not gap <= tol:
        from sklearn.exceptions import ConvergenceWarning

        message = f"gap {gap:.3g} > tol {tol:.3g} after {count} {what}"
        if X is not None and (spread := _spread_of_scales(X)) >= WIDE_SPREAD:
            message += (
                f". The features have different scales, which makes fits slow: the largest is {spread:.0f} times the "
                f"median one (root mean squares). Scale them, for example with StandardScaler of scikit-learn, or with "
                f"MaxAbsScaler if they are sparse, in a pipeline before the estimator"
            )
        warn(message, ConvergenceWarning)


def _spread_of_scales(X):
    """Returns the largest scale of a feature, divided by the median one. It is 1 if all features are 0.

    The scale is the root mean square of the entries that are not 0: a word is not small because it is rare.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        if hasattr(X, "tocsr"):
            squares = np.bincount(X.indices, X.data.astype(np.float64) ** 2, X.shape[1])
            counts = np.bincount(X.indices[X.data != 0], minlength=X.shape[1])
        else:
            squares = np.einsum("ij,ij->j", X, X, dtype=np.float64)
            counts = np.count_nonzero(X, axis=0)
        scales = np.sort(np.sqrt(squares[counts > 0] / counts[counts > 0]))
        return scales[-1] / scales[(len(scales) - 1) // 2] if len(scales) else 1.0


@contextmanager
def progress_bar(shown, total, name="gap"):
    """Yields a function to call with a number after each epoch. If `shown`, it moves a progress bar.

    Without rich there is no bar. It then warns, and writes lines to standard error.
    """
    if not shown:
        yield lambda number: None
        return
    try:
        (progress,) = require("a progress bar", "progress", "rich.progress")
    except ImportError as error:
        _warn_once(f"{error}. Until then, progress is written in lines to standard error")
        yield _lines(name, total)
        return
    with progress.Progress() as bar:
        task = bar.add_task(name, total=total)
        yield lambda number: bar.update(task, advance=1, description=f"{name} {number:.2g}")


@cache  # a filter alone would show it again after each fit that changes the filters for a while
def _warn_once(message):
    warn(message)


def _lines(name, total):
    """Returns a function that writes the number it is called with as a line, but not more often than once a second."""
    done, last = 0, -np.inf

    def report(number):
        nonlocal done, last
        done += 1
        if monotonic() - last >= SECONDS_A_LINE or done == total:
            last = monotonic()
            print(f"{name} {number:.2g}, {done} of at most {total}", file=sys.stderr, flush=True)

    return report
