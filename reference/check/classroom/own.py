"""Calls of what a student wrote, from the given cells of an assignment: checked, and remembered for the verdict.

    x = answer_of(simplex, row, radius, shape=row.shape)

calls `simplex(row, radius)`. What comes back must be an array of this shape and of float64 (or of `dtype`), and the
arguments must be as they were. With `right`, a function that knows the right answer, a verdict can tell which of many
calls went wrong first.
"""

import contextlib
import contextvars
import inspect

import numpy as np

from .diagnosis import same

__all__ = ["ChangedInput", "answer_of", "answers_of", "listening", "note"]

MOST = 3  # calls that are remembered: a verdict shows one, and only if it was the only one
_heard = contextvars.ContextVar("heard", default=None)


class ChangedInput(Exception):
    """A student's function changed an array that it was given."""


class NotAsked(Exception):
    """Only the name of a student's function was wanted; it was not called."""


class Call:
    """One call of a student's function: arguments by name, the answer (None if it raised), the right one if known."""

    def __init__(self, function, arguments):
        self.name, self.answer, self.expected = getattr(function, "__name__", "your function"), None, None
        self._function, self._given = function, arguments

    @property
    def arguments(self):
        names = getattr(self._function, "parameters", None) or inspect.signature(self._function).parameters
        return dict(zip(names, self._given, strict=False))


class Heard:
    """The calls of student functions in one call of a given function.

    `wrong` is the first of them that is known to be wrong, None if none is. `replies` are those of the student's
    process.
    """

    def __init__(self, compares=False, asks=True):
        self.calls, self.replies, self.wrong, self.compares, self.asks = [], [], None, compares, asks


@contextlib.contextmanager
def listening(compares=False, asks=True):
    """Remember the calls that are made in this block; compare answers with right ones, or ask for none."""
    heard = Heard(compares, asks)
    token = _heard.set(heard)
    try:
        yield heard
    finally:
        _heard.reset(token)


def note(reply):
    """Remember what a student's process said beside its answer."""
    if (heard := _heard.get()) is not None and (reply.printed or reply.warnings or reply.changed):
        heard.replies.append(reply)
    if reply.changed:
        raise ChangedInput("it changed an array that it was given; work on a copy")


def answer_of(function, *arguments, shape=None, dtype=np.float64, right=None):
    """The answer of a student's function, an array of this shape and dtype; a number if the shape is None.

    Parameters
    ----------
    function : function
        Called with copies of the arrays among `arguments`. If it has an attribute `given` that is true, it is not the
        student's, and no verdict speaks of it.
    *arguments
        What it is called with.
    shape : tuple, optional
        Of the answer. None: a number is expected, and returned as a float.
    dtype : dtype
        Of the answer. For an integer dtype any integer dtype will do; the answer is converted.
    right : function, optional
        Of the same arguments: the right answer, or None where several are right. It is called for verdicts only.

    Raises
    ------
    ChangedInput
        An argument is not what it was.
    TypeError, ValueError
        The answer has another type, dtype or shape.
    """
    call = _called(function, arguments, right)
    return _part(call.answer, shape, dtype, f"{call.name} should return")


def answers_of(function, *arguments, parts, right=None):
    """The same for a function that returns several: a list. `parts` has a (shape, dtype) for each, or None for any."""
    call = _called(function, arguments, right)
    answers, should = call.answer, f"{call.name} should return {len(parts)} things"
    if not isinstance(answers, (tuple, list)) or len(answers) != len(parts):
        raise TypeError(f"{should}, got {_described(answers)}")
    should = [f"{should}; number {i + 1} should be" for i in range(len(parts))]
    triples = zip(answers, parts, should, strict=True)
    return [answer if part is None else _part(answer, *part, words) for answer, part, words in triples]


def _called(function, arguments, right):
    """The Call of a function that gets copies, and may not change them."""
    call, heard, given = Call(function, arguments), _heard.get(), _copies(arguments)
    if getattr(function, "given", False):
        heard = None
    if heard is not None and len(heard.calls) < MOST:
        heard.calls.append(call)
    if heard is None or not heard.compares:
        call.answer = function(*given) if heard is None or heard.asks else _stop()
    else:
        _compare(heard, call, function, given, right and (lambda: right(*_copies(arguments))))
    for before, after in zip(arguments, given, strict=True):
        if isinstance(before, np.ndarray) and not _is_same(before, after):
            raise ChangedInput(f"{call.name} changed an array that it was given; work on a copy")
    return call


def _compare(heard, call, function, given, right):
    """Call the function, and remember the call if it raises or its answer is known to be wrong."""
    try:
        call.answer = function(*given)
    except Exception:
        heard.wrong = heard.wrong or call
        raise
    expected = right() if right and heard.wrong is None else None
    if expected is not None and not same(call.answer, expected, np.float64):
        heard.wrong, call.expected = call, expected


def _copies(arguments):
    return [value.copy() if isinstance(value, np.ndarray) else value for value in arguments]


def _is_same(before, after):
    """Whether two arrays are equal; NaN is equal to NaN. The same bytes are the quick answer."""
    if before.dtype == after.dtype and before.shape == after.shape and before.tobytes() == after.tobytes():
        return True
    return np.array_equal(before, after, equal_nan=before.dtype.kind == "f")


def _stop():
    raise NotAsked


def _part(answer, shape, dtype, should):
    return _number(answer, should) if shape is None else _array(answer, shape, np.dtype(dtype), should)


def _number(answer, should):
    number = isinstance(answer, (int, float, np.number)) and not isinstance(answer, bool)
    if not number and not (isinstance(answer, np.ndarray) and answer.shape == ()):
        raise TypeError(f"{should} a number, got {_described(answer)}")
    return float(answer)


def _array(answer, shape, dtype, should):
    if not isinstance(answer, np.ndarray):
        raise TypeError(f"{should} an array, got {_described(answer)}")
    if answer.shape != shape:
        raise ValueError(f"{should} an array of shape {shape}, got shape {answer.shape}")
    if dtype.kind in "iu" and answer.dtype.kind in "iu":
        return answer.astype(dtype, copy=False)
    if answer.dtype != dtype:
        kind = "integers" if dtype.kind in "iu" else dtype
        raise TypeError(f"{should} an array of {kind}, got {answer.dtype}")
    return answer


def _described(answer):
    if answer is None:
        return "None (does every path end with a return?)"
    return f"{type(answer).__name__} {str(answer)[:60]}"
