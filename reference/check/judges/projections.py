"""Judges projections by their distance from the ground truth and by their certificate."""

import numpy as np

from ...ground_truth import enumeration
from ...ground_truth import projections as programmes
from .. import certificates
from ._base import DIFFERS, Outcome, answer_dtype, form, tolerance

LARGEST_ENUMERATED, LARGEST_PROGRAMME = 5, 100  # coordinates
WORST_TRUTH = 1e-8  # an answer of CVXPY with a larger error is not used as ground truth


def projection(name):
    """Returns the judge of one of the projections."""
    certify = getattr(certificates, name)

    def judge(case, reply):
        arguments, answer = case.arguments, reply.answer
        a = arguments["a"]
        dtype = answer_dtype(a)
        if wrong := form(answer, a.shape, dtype):
            expected = true_projection(name, arguments)[0]
            return wrong._replace(expected=None if expected is None else expected.astype(dtype))
        allowed = tolerance(dtype, a.shape[-1])
        others = {key: value for key, value in arguments.items() if key != "a"}
        residual = certify(answer, a, **others)
        expected, doubt = true_projection(name, arguments)
        if expected is None:
            reason = "certificate" if not residual <= allowed else ""
            detail = f"its optimality conditions are broken by {residual:.1e}"
            return Outcome(reason, detail, None, residual, None, answer)
        unit = max(np.abs(a).max(), np.abs(expected).max()) or 1.0
        error = float(np.abs(answer.astype(np.float64) - expected).max() / unit)
        if not error <= allowed + doubt:
            reason, detail = DIFFERS, f"by {error:.1e}, relative"
        elif not residual <= allowed:
            reason, detail = "certificate", f"its optimality conditions are broken by {residual:.1e}"
        else:
            reason, detail = "", ""
        return Outcome(reason, detail, error, residual, expected.astype(dtype), answer)

    return judge


def true_projection(name, arguments):
    """Returns (the projection, its error): exact if it is small, else from a quadratic program; None if it is large."""
    a = arguments["a"].astype(np.float64)
    d = a.shape[-1]
    if d > LARGEST_PROGRAMME or a.size > 10 * LARGEST_PROGRAMME:
        return None, np.inf
    others = {key: value for key, value in arguments.items() if key != "a"}
    if d <= LARGEST_ENUMERATED:
        return getattr(enumeration, name)(a, **others), 0.0
    if name in ("project_capped_simplex", "project_topk_simplex"):
        # x is no worse than 0, so |x| <= 2 |a|. A larger radius never binds, and would only spoil the solver's units.
        reach = 2 * float(np.linalg.norm(a, axis=-1).max()) * d**0.5
        others["radius"] = min(others.get("radius", 1.0), reach)
    try:
        expected = getattr(programmes, name)(a, **others)
    except RuntimeError:  # the solver failed; the certificate judges alone
        return None, np.inf
    doubt = 10 * getattr(certificates, name)(expected, a, **others)
    return (expected, doubt) if doubt < WORST_TRUTH else (None, np.inf)
