"""The right columns and updates: exact ones of a few coordinates, and quadratic programmes beyond."""

import numpy as np

from ...ground_truth import enumeration
from ...ground_truth import passive_aggressive as programmes
from ..judging.condition import Exactly
from ..projections.truth import LARGEST_ENUMERATED, LARGEST_PROGRAMME, WORST_TRUTH
from ..proofs.rounding import answer_dtype, tolerance
from . import conditions
from .passes import longest

LARGEST_EXACT = 100  # weights


def squish_column(problem):
    """Returns the squished column, relative to the largest entry; None if it is large."""
    z = problem.z.astype(np.float64)
    if z.shape[-1] > LARGEST_PROGRAMME or z.size > 10 * LARGEST_PROGRAMME:
        return None
    found = _found("squish_column", problem, {"z": z}, z.shape[-1] <= LARGEST_ENUMERATED)
    if found is None:
        return None
    x, doubt = found
    return Exactly({"x": x}, doubt, float(max(np.abs(z).max(), np.abs(x).max())) or 1.0)


def multiclass_update(problem):
    """Returns the new weights, relative to the longest row, old or new; None if they are many."""
    A = problem.A.astype(np.float64)
    if A.size > 50 * LARGEST_PROGRAMME:
        return None
    found = _found("multiclass_update", problem, {"A": A}, A.size <= LARGEST_EXACT)
    if found is None:
        return None
    weights, doubt = found
    unit, allowed = max(longest(A), longest(weights)) or 1.0, tolerance(answer_dtype(problem.A), sum(A.shape))
    return Exactly({"weights": weights}, doubt, unit, allowed)


def _found(name, problem, point, is_small):
    """Returns (the right answer, its error): in fractions or by CVXPY; None if that is too far off."""
    given = vars(problem) | point
    if is_small:
        return getattr(enumeration, name)(**given), 0.0
    try:
        answer = getattr(programmes, name)(**given)
    except RuntimeError:  # the solver failed; the conditions judge alone
        return None
    doubt = 10 * getattr(conditions, name)(type(problem)(**given), answer)[0].value
    return (answer, doubt) if doubt < WORST_TRUTH else None
