"""What a training says on its way and at its end: a progress bar, and a warning if it did not converge."""

import warnings
from contextlib import contextmanager


def warn_unless_converged(gap, tol, count, what="epochs"):
    """Warn if the gap is still above the tolerance."""
    if not gap <= tol:
        from sklearn.exceptions import ConvergenceWarning

        warnings.warn(f"gap {gap:.3g} > tol {tol:.3g} after {count} {what}", ConvergenceWarning, stacklevel=4)


@contextmanager
def progress_bar(shown, total, name="gap"):
    """A function to be called with a number after each epoch; it moves a progress bar if one is to be shown."""
    if not shown:
        yield lambda number: None
        return
    from rich.progress import Progress

    with Progress() as bar:
        task = bar.add_task(name, total=total)
        yield lambda number: bar.update(task, advance=1, description=f"{name} {number:.2g}")
