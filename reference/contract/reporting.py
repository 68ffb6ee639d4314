"""Reports of a fit: a progress bar, and a warning if it did not converge."""

import warnings
from contextlib import contextmanager

from .extras import require


def warn_unless_converged(gap, tol, count, what="epochs", stacklevel=4):
    """Warn if the gap is above the tolerance."""
    if not gap <= tol:
        from sklearn.exceptions import ConvergenceWarning

        warnings.warn(f"gap {gap:.3g} > tol {tol:.3g} after {count} {what}", ConvergenceWarning, stacklevel=stacklevel)


@contextmanager
def progress_bar(shown, total, name="gap"):
    """Yields a function to call with a number after each epoch. If `shown`, it moves a progress bar."""
    if not shown:
        yield lambda number: None
        return
    (progress,) = require("progress=True", "progress", "rich.progress")
    with progress.Progress() as bar:
        task = bar.add_task(name, total=total)
        yield lambda number: bar.update(task, advance=1, description=f"{name} {number:.2g}")
