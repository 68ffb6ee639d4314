"""Fits to the gap that tol="auto" stands for: the usual one, or the optimum itself for a small problem."""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from reference import contract

from .._options import EXACT_GAP, USUAL_GAP, is_auto

# The optimum of a hinge is a vertex or on a face, and EXACT_GAP leaves it with seven digits. Weights near the optimum
# of a smooth loss are as far from it as the root of the gap: it takes so many epochs more
# until only rounding is left, of which the gap says nothing.
FINISHING_EPOCHS = 10


def solve(fit, examples, labels, options, tol, is_smooth):
    """Returns the fit with these options. With tol="auto" it warns as if tol were USUAL_GAP."""
    if not is_auto(tol):
        return fit(examples, labels, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        solved = fit(examples, labels, **options)
        if is_smooth and options["tol"] == EXACT_GAP and solved.gap <= EXACT_GAP:
            for _ in range(min(FINISHING_EPOCHS, options["max_epochs"] - solved.epochs)):
                changed = {"max_epochs": 1, "duals": solved.duals}
                solved = _joined(solved, fit(examples, labels, **options | changed))
    contract.warn_unless_converged(solved.gap, USUAL_GAP, solved.epochs)
    return solved


def _joined(first, second):
    """Returns the second of two fits, which started from the first, with the epochs and the history of both."""
    second.history.seconds += first.history.seconds[-1]
    history = np.rec.array(np.concatenate([first.history, second.history]))
    return second._replace(epochs=first.epochs + second.epochs, history=history)
