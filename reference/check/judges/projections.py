"""Judges projections by their distance from the ground truth and by their certificate."""

import numpy as np

from ...ground_truth import enumeration
from ...ground_truth import projections as programmes
from .. import certificates
from ._base import DIFFERS, Outcome, answer_dtype, described, form, remembered, tolerance

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


def project_bipartite_simplex(case, reply):
    """Judge of project_bipartite_simplex, whose answer is a pair."""
    arguments, answer = case.arguments, reply.answer
    b, c = arguments["b"], arguments["c"]
    dtype = np.result_type(answer_dtype(b), answer_dtype(c))
    expected, doubt = true_pair(arguments)
    shown = None if expected is None else dict(zip(("u", "v"), (x.astype(dtype) for x in expected), strict=True))
    if not isinstance(answer, (list, tuple)) or len(answer) != 2:
        return Outcome("wrong type", f"it should be two arrays, got {described(answer)}", expected=shown, got=answer)
    got = {"u": answer[0], "v": answer[1]}
    for name, a in (("u", b), ("v", c)):
        if wrong := form(got[name], a.shape, dtype, name):
            return wrong._replace(expected=shown)
    residual = certificates.project_bipartite_simplex(answer, **arguments)
    allowed = tolerance(dtype, b.shape[-1] + c.shape[-1])
    outcome = Outcome("", "", None, residual, shown, got)
    if expected is not None:
        unit = max(np.abs(a).max() for a in (b, c, *expected)) or 1.0
        error = max(float(np.abs(x.astype(np.float64) - y).max()) for x, y in zip(answer, expected, strict=True)) / unit
        outcome = outcome._replace(error=error)
        if not error <= allowed + doubt:
            return outcome._replace(reason=DIFFERS, detail=f"by {error:.1e}, relative")
    if not residual <= allowed:
        detail = f"its optimality conditions are broken by {residual:.1e}"
        return outcome._replace(reason="certificate", detail=detail)
    return outcome


def true_pair(arguments):
    """Returns ((u, v), their error): exact if they are small, else from a quadratic program; None if they are large."""
    points = {name: arguments[name].astype(np.float64) for name in ("b", "c")}
    d, size = sum(a.shape[-1] for a in points.values()), sum(a.size for a in points.values())
    if d > LARGEST_PROGRAMME or size > 10 * LARGEST_PROGRAMME:
        return None, np.inf
    given = {**arguments, **points}
    if d <= LARGEST_ENUMERATED:
        return enumeration.project_bipartite_simplex(**given), 0.0
    largest = max(float(np.abs(a).max()) for a in points.values())
    given["radius"] = min(given.get("radius", 1.0), 2 * d * largest)  # a larger radius never binds
    try:
        expected = programmes.project_bipartite_simplex(**given)
    except RuntimeError:  # the solver failed; the certificate judges alone
        return None, np.inf
    doubt = 10 * certificates.project_bipartite_simplex(expected, **given)
    return (expected, doubt) if doubt < WORST_TRUTH else (None, np.inf)


@remembered
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
