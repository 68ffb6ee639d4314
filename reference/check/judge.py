"""What makes an answer right: its form, its distance from the ground truth, its certificate; and how far is too far."""

from typing import NamedTuple

import numpy as np

from ..ground_truth import enumeration
from ..ground_truth import projections as programmes
from . import certificates
from .transport import Other

# Errors are relative to the size of the point or of the answer, and multiples of eps(dtype); a sum of d numbers loses
# about sqrt(d) of them.
ROUNDING = 50.0
LARGEST_ENUMERATED, LARGEST_PROGRAMME = 5, 100  # coordinates
WORST_TRUTH = 1e-8  # a quadratic programme that CVXPY solved worse than that is no ground truth


class Outcome(NamedTuple):
    """The verdict on one answer. `reason` is empty if it is right."""

    reason: str = ""
    detail: str = ""
    error: float | None = None  # from the ground truth, relative
    certificate: float | None = None
    expected: object = None
    got: object = None


def tolerance(dtype, size):
    """How far from the ground truth an answer of this type with this many coordinates may be, relative."""
    return ROUNDING * float(np.finfo(dtype).eps) * max(1.0, size) ** 0.5


def conduct(case, reply):
    """The Outcome of a call that is wrong whatever it returned, or None."""
    if reply.changed:
        return Outcome("changed its input", f"argument {reply.changed} is no longer what it was", got=reply.answer)
    if reply.printed:
        return Outcome("printed", f"on standard output: {reply.printed.strip()[:80]!r}", got=reply.answer)
    if case.refuses:
        return refusal(case, reply)
    if reply.raised and "MemoryError" in reply.raised["kinds"]:
        return Outcome("out of memory", reply.raised["message"])
    if reply.raised:
        kind, line = reply.raised["kinds"][0], reply.raised["line"]
        return Outcome("raised", f"{kind}: {reply.raised['message']} ({line})")
    if case.warns and case.warns not in reply.warnings:
        return Outcome("did not warn", f"a {case.warns} should have come with the answer", got=reply.answer)
    return None


def refusal(case, reply):
    """The Outcome of a call that ought to raise a ValueError which names the argument."""
    names = " or ".join(case.refuses)
    expected = f"ValueError that names {names}"
    if reply.raised is None:
        return Outcome("did not raise", "a wrong argument must not be accepted", expected=expected, got=reply.answer)
    message = f"{reply.raised['kinds'][0]}: {reply.raised['message']}"
    if "ValueError" not in reply.raised["kinds"]:
        return Outcome("raised another error", message, expected=expected, got=message)
    words = "".join(c if c.isalnum() or c == "_" else " " for c in reply.raised["message"]).split()
    if not set(case.refuses) & set(words):
        return Outcome("did not name the argument", message, expected=expected, got=message)
    return Outcome()


def form(answer, shape, dtype, name="the answer"):
    """The Outcome of something that is not a finite array of this shape and dtype, or None."""
    if not isinstance(answer, np.ndarray):
        return Outcome("wrong type", f"{name} should be an array, got {described(answer)}", got=answer)
    if answer.shape != shape:
        return Outcome("wrong shape", f"{name} should have shape {shape}, got {answer.shape}", got=answer)
    if answer.dtype != dtype:
        return Outcome("wrong dtype", f"{name} should be {np.dtype(dtype)}, got {answer.dtype}", got=answer)
    if not np.isfinite(answer).all():
        return Outcome("not finite", f"{name} holds NaN or infinities", got=answer)
    return None


def described(answer):
    """An answer of the wrong type in a few words."""
    return "None" if answer is None else str(answer)[:80] if isinstance(answer, Other) else f"{answer!r:.80}"


def answer_dtype(array):
    """float32 for float32, float64 for everything else."""
    return np.dtype(np.float32 if getattr(array, "dtype", None) == np.float32 else np.float64)


def projection(name):
    """The judge of one of the projections."""
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
            reason, detail = "differs from the ground truth", f"by {error:.1e}, relative"
        elif not residual <= allowed:
            reason, detail = "certificate", f"its optimality conditions are broken by {residual:.1e}"
        else:
            reason, detail = "", ""
        return Outcome(reason, detail, error, residual, expected.astype(dtype), answer)

    return judge


def true_projection(name, arguments):
    """(the projection, how far off it may be): exact if it is small, a quadratic programme otherwise, None if large."""
    a = arguments["a"].astype(np.float64)
    d = a.shape[-1]
    if d > LARGEST_PROGRAMME or a.size > 10 * LARGEST_PROGRAMME:
        return None, np.inf
    others = {key: value for key, value in arguments.items() if key != "a"}
    if d <= LARGEST_ENUMERATED:
        return getattr(enumeration, name)(a, **others), 0.0
    if name in ("project_capped_simplex", "project_topk_simplex"):
        # |x| <= 2 |a|, since x is no worse than 0: a larger radius never binds, and only spoils the solver's units.
        reach = 2 * float(np.linalg.norm(a, axis=-1).max()) * d**0.5
        others["radius"] = min(others.get("radius", 1.0), reach)
    try:
        expected = getattr(programmes, name)(a, **others)
    except RuntimeError:  # the solver gave up: a certificate has to do
        return None, np.inf
    doubt = 10 * getattr(certificates, name)(expected, a, **others)
    return (expected, doubt) if doubt < WORST_TRUTH else (None, np.inf)
