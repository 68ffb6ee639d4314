"""What all judges share: the outcome, the tolerance, and checks of how a call ended and of the form of an answer."""

import pickle
from typing import NamedTuple

import numpy as np

from ..proofs.rounding import ROUNDING, answer_dtype, tolerance
from ..sandbox.transport import Other
from .condition import DIFFERS

__all__ = [
    "DIFFERS",
    "FORM",
    "ROUNDING",
    "Outcome",
    "answer_dtype",
    "conduct",
    "described",
    "form",
    "known",
    "refusal",
    "refused_by",
    "remembered",
    "tolerance",
]

# Reasons that concern the call and the form of its answer, which the docstring of the function states.
FORM = ("changed its input", "printed", "out of memory", "raised", "did not warn", "history")
FORM += ("did not raise", "raised another error", "did not name the argument")
FORM += ("wrong type", "wrong shape", "wrong dtype", "answered nothing")
known = None  # a dict, if many programs are judged on the same instances: what was found out about them


class Outcome(NamedTuple):
    """The verdict on one answer. `reason` is empty if it is right."""

    reason: str = ""
    detail: str = ""
    error: float | None = None  # the distance from the ground truth, relative
    certificate: float | None = None
    expected: object = None
    got: object = None
    skipped: str = ""  # why TARGET gave no answer; then nothing is judged, and the instance is not right either
    reply: object = None  # all that came back, where something is wrong


def remembered(what, arguments, find):
    """Returns what `find()` finds out about these arguments, which `known` remembers if there is one."""
    if known is None:
        return find()
    try:
        key = what, pickle.dumps(arguments)
    except (pickle.PicklingError, AttributeError, TypeError):  # a function among the arguments
        return find()
    if key in known:
        return known[key]
    found = find()
    if not callable(found):  # functions cannot be sent to another process
        known[key] = found
    return found


def conduct(case, reply):
    """Returns the Outcome of a call that is wrong, or skipped, whatever it returned, or None."""
    if reply.changed:
        return Outcome("changed its input", f"argument {reply.changed} was modified", got=reply.answer)
    if reply.printed:
        return Outcome("printed", f"on standard output: {reply.printed.strip()[:80]!r}", got=reply.answer)
    if reply.skipped:
        return Outcome(skipped=reply.skipped)
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
    """Returns the Outcome of a call that should raise a ValueError that names the argument.

    TARGET may name it as it is called there, or as it is called here.
    """
    theirs = {} if reply.raised is None else reply.raised.get("called", {})
    expected = refused_by(case.refuses)
    if reply.raised is None:
        return Outcome("did not raise", "a wrong argument was accepted", expected=expected, got=reply.answer)
    message = f"{reply.raised['kinds'][0]}: {reply.raised['message']}"
    if "ValueError" not in reply.raised["kinds"]:
        return Outcome("raised another error", message, expected=expected, got=message)
    words = "".join(c if c.isalnum() or c == "_" else " " for c in reply.raised["message"]).split()
    if not {*case.refuses, *(theirs.get(name) for name in case.refuses)} & {*words, *reply.raised.get("named", ())}:
        return Outcome("did not name the argument", message, expected=expected, got=message)
    return Outcome()


def refused_by(names):
    """Returns what is expected where one of these arguments is wrong, in words."""
    return f"ValueError that names {' or '.join(names)}"


def form(answer, shape, dtype, name="the answer"):
    """Returns the Outcome of an answer that is not a finite array of this shape and dtype, or None."""
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
    """Returns a short description of an answer of the wrong type."""
    return "None" if answer is None else str(answer)[:80] if isinstance(answer, Other) else f"{answer!r:.80}"
