"""Two verdicts on an instance that fails: is the mathematics wrong, or only the contract of the call?

The contract is what the docstring says beside the mathematics: the type of the answer, batches, refusals, arguments
that are left as they are, nothing printed, warnings. An answer that breaks it is still judged in its numbers.
"""

import numpy as np

from ..report import MATHEMATICS, NO_ANSWER
from ..sandbox.sandbox import Fatal
from . import arguments as calls
from .spec import DTYPES, is_array, letters

KINDS = {
    "wrong dtype": "dtype",
    "wrong type": "type",
    "changed its input": "inputs unchanged",
    "printed": "printing",
    "did not warn": "warnings",
}
ALONE = {"batch": "its rows are right alone", "dtype": "right in float64", "layout": "right in C order"}
MOST_ROWS = 5  # of a batch that are asked alone
TROUBLES = ArithmeticError, LookupError, TypeError, ValueError, RuntimeError


def divided(spec, judge, case, outcome, run=None):
    """Returns (what is broken, the Outcome) of an instance that fails. The Outcome has the distances of its numbers.

    Parameters
    ----------
    spec : Spec
    judge : function of (Case, Reply)
        Returns the Outcome of an answer, whatever else happened in the call.
    case, outcome : Case, Outcome
        The instance and what is wrong. `outcome.reply` is what came back.
    run : function of a Case, or None
        Calls TARGET and returns the Outcome.
    """
    if outcome.reason in Fatal.REASONS:
        return NO_ANSWER, outcome
    if case.refuses:
        return KINDS.get(outcome.reason, "refusals"), outcome
    numbers = _numbers(spec, judge, case, outcome)
    if numbers is not None:
        outcome = outcome._replace(error=numbers.error, certificate=numbers.certificate)
        if not numbers.reason:
            return KINDS[outcome.reason], outcome
        outcome = outcome._replace(detail=f"{outcome.detail}; and its numbers: {numbers.reason}, {numbers.detail}")
    for kind, others in _plainer(spec, case, outcome) if run else ():
        if others and all(_is_right(spec, judge, other, run(other)) for other in others):
            return kind, outcome._replace(error=None, certificate=None)
    return MATHEMATICS, outcome


def _is_right(spec, judge, case, outcome):
    numbers = _numbers(spec, judge, case, outcome) if outcome.reason else outcome
    return numbers is not None and not numbers.reason and not outcome.skipped


def _numbers(spec, judge, case, outcome):
    """Returns the Outcome of the numbers alone, or None if nothing else was wrong, or there are no numbers."""
    reply = outcome.reply
    if outcome.reason not in KINDS or reply is None or reply.raised or reply.skipped:
        return None
    try:
        return judge(case, reply._replace(answer=_mended(spec, case, reply.answer)))
    except TROUBLES:
        return None


def _mended(spec, case, answer):
    """Returns an answer with its numbers in the types that are asked for, where they can be converted."""
    axes, dtype = spec.parts(calls.problem_of(spec.name, case.arguments)), spec.dtype(case.arguments)
    if len(axes) == 1:
        return _converted(answer, next(iter(axes.values())), dtype)
    if isinstance(answer, dict):
        return type(answer)({name: _converted(part, axes.get(name, "any"), dtype) for name, part in answer.items()})
    if isinstance(answer, (list, tuple)) and len(answer) == len(axes):
        return [_converted(part, text, dtype) for part, text in zip(answer, axes.values(), strict=True)]
    return answer


def _converted(value, axes, dtype):
    number = axes in ("float", "integer", "number")
    if not number and not is_array(axes):
        return value
    try:
        array = np.asarray(value)
    except TROUBLES:
        return value
    wanted = next((np.dtype(word) for word in axes.split() if word in DTYPES), dtype)
    wanted = {"float": np.float64, "integer": np.int64, "number": np.float64}.get(axes, wanted)
    if array.dtype.kind not in "fiu" or (number and array.ndim):
        return value
    with np.errstate(all="ignore"):
        found = array.astype(wanted)
    if found.dtype.kind in "iu" and not np.array_equal(found, array):  # a fraction is not cut off
        return value
    return found.item() if number else found


def _plainer(spec, case, outcome):
    """Yields (kind, instances): what TARGET should be right on, if it is only this that it does not support."""
    yield "batch", _rows(spec, case)
    if outcome.reason in ("raised", "wrong type", "wrong shape"):
        arrays = {name: value for name, value in case.arguments.items() if isinstance(value, np.ndarray)}
        plain = {name: np.array(value, dtype=np.float64, order="C") for name, value in arrays.items()
                 if value.dtype.kind == "f" and (value.dtype != float or not value.flags.c_contiguous)}  # fmt: skip
        if plain:
            kind = "dtype" if any(arrays[name].dtype != np.float64 for name in plain) else "layout"
            double = case._replace(arguments=case.arguments | plain)
            yield kind, [double]
            yield "batch", _rows(spec, double)


def _rows(spec, case):
    """Returns the first rows of a batch as instances of their own, none if the instance is no batch."""
    axes, given = spec.axes(case.arguments), case.arguments
    points = [name for name in spec.points if axes[name].startswith("(")]
    if not points or points != spec.points or any(np.ndim(given[name]) != len(letters(axes[name])) for name in points):
        return []
    first = range(min(len(given[points[0]]), MOST_ROWS))
    alone = [{name: np.array(given[name][row]) for name in points} for row in first]
    return [case._replace(arguments=given | row, layout=()) for row in alone]
