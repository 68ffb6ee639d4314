"""Fits to the gap that tol="auto" stands for: the usual one, or the optimum itself for a small problem."""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from reference.problems import checks

from .._options import EXACT_GAP, USUAL_GAP, is_auto

# EXACT_GAP is enough for a hinge. Most small problems reach it in EXACT_EPOCHS. Others, such as kernels of examples
# that are nearly alike, would take a second or more for digits that nobody reads.
EXACT_EPOCHS = 100
# Weights near the optimum of a smooth loss are as far from it as the root of the gap. So a small smooth problem goes on
# to the gap 0, where rounding hides the rest, and a few times from there.
FINISHES, FINISHING_EPOCHS = 3, 30


def solve(fit, examples, labels, options, tol, is_smooth):
    """Returns the fit with these options. With tol="auto" it warns as if tol were USUAL_GAP."""
    if not is_auto(tol):
        return fit(examples, labels, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        if is_smooth and options["tol"] == EXACT_GAP:
            solved = _finished(fit, examples, labels, options)
        elif options["tol"] == EXACT_GAP:
            solved = _nearly_exact(fit, examples, labels, options)
        else:
            solved = fit(examples, labels, **options)
    X = None if solved.weights is None else examples  # a kernel hides the features
    checks.warn_unless_converged(solved.gap, USUAL_GAP, solved.epochs, X=X)
    return solved


def _nearly_exact(fit, examples, labels, options):
    """Returns a fit to EXACT_GAP, if EXACT_EPOCHS are enough for it, and one to USUAL_GAP in any case."""
    epochs = options["max_epochs"]
    solved = fit(examples, labels, **options | {"max_epochs": min(epochs, EXACT_EPOCHS)})
    if solved.gap > USUAL_GAP and epochs > EXACT_EPOCHS:
        changed = {"tol": USUAL_GAP, "max_epochs": epochs - EXACT_EPOCHS, "duals": solved.duals}
        solved = _joined(solved, fit(examples, labels, **options | changed))
    return solved


def _finished(fit, examples, labels, options):
    """Returns a fit to USUAL_GAP that goes on as long as FINISHES allow."""
    solved = fit(examples, labels, **options | {"tol": USUAL_GAP})
    for _ in range(FINISHES):
        epochs = min(FINISHING_EPOCHS, options["max_epochs"] - solved.epochs)
        if epochs > 0:
            changed = {"tol": 0.0, "max_epochs": epochs, "duals": solved.duals}
            solved = _joined(solved, fit(examples, labels, **options | changed))
    return solved


def _joined(first, second):
    """Returns the second of two fits, which started from the first, with the epochs and the history of both."""
    second.history.seconds += first.history.seconds[-1]
    history = np.rec.array(np.concatenate([first.history, second.history]))
    return second._replace(epochs=first.epochs + second.epochs, history=history)
