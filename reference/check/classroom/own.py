"""Calls of what a student wrote, from the given cells of an assignment: checked, and remembered for the verdict.

    x = answer_of(simplex, row, radius, shape=row.shape)

calls `simplex(row, radius)`. What comes back must be an array of this shape and of float64 (or of `dtype`), and the
arguments must be as they were.
"""

import contextlib
import contextvars
import inspect

import numpy as np

__all__ = ["ChangedInput", "answer_of", "answers_of", "listening", "note"]

MOST = 3  # calls that are remembered: a verdict shows one, and only if it was the only one
_heard = contextvars.ContextVar("heard", default=None)


class ChangedInput(Exception):
    """A student's function changed an array that it was given."""


class Call:
    """One call of a student's function: its arguments by name, and the answer (None if it raised)."""

    def __init__(self, function, arguments):
        self.name, self.answer = getattr(function, "__name__", "your function"), None
        names = getattr(function, "parameters", None) or inspect.signature(function).parameters
        self.arguments = dict(zip(names, arguments, strict=False))


class Heard:
    """The calls of student functions in one call of a given function."""

    def __init__(self):
        self.calls, self.replies = [], []  # replies: of the student's process, where it is another one


@contextlib.contextmanager
def listening():
    """Remember the calls that are made in this block."""
    heard = Heard()
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


def answer_of(function, *arguments, shape=None, dtype=np.float64):
    """The answer of a student's function, an array of this shape and dtype; a number if the shape is None.

    Parameters
    ----------
    function : function
        Called with copies of the arrays among `arguments`. If it has an attribute `given` that is true, it is not the
        student's, and no verdict speaks of it.
    shape : tuple, optional
        Of the answer. None: a number is expected, and returned as a float.
    dtype : dtype
        Of the answer. For an integer dtype any integer dtype will do.

    Raises
    ------
    ChangedInput
        An argument is not what it was.
    TypeError, ValueError
        The answer has another type, dtype or shape.
    """
    answer, name = _called(function, arguments)
    return _part(answer, shape, dtype, name)


def answers_of(function, *arguments, parts):
    """The same for a function that returns several: a list. `parts` has a (shape, dtype) for each, or None for any."""
    answers, name = _called(function, arguments)
    if not isinstance(answers, (tuple, list)) or len(answers) != len(parts):
        raise TypeError(f"{name} should return {len(parts)} things, got {_described(answers)}")
    return [answer if part is None else _part(answer, *part, name) for answer, part in zip(answers, parts, strict=True)]


def _called(function, arguments):
    """(answer, name): of a function that gets copies, and may not change them."""
    given = [value.copy() if isinstance(value, np.ndarray) else value for value in arguments]
    call = Call(function, arguments)
    if (heard := _heard.get()) is not None and len(heard.calls) < MOST and not getattr(function, "given", False):
        heard.calls.append(call)
    call.answer = function(*given)
    for before, after in zip(arguments, given, strict=True):
        if isinstance(before, np.ndarray) and not np.array_equal(before, after, equal_nan=before.dtype.kind == "f"):
            raise ChangedInput(f"{call.name} changed an array that it was given; work on a copy")
    return call.answer, call.name


def _part(answer, shape, dtype, name):
    return _number(answer, name) if shape is None else _array(answer, shape, np.dtype(dtype), name)


def _number(answer, name):
    number = isinstance(answer, (int, float, np.number)) and not isinstance(answer, bool)
    if not number and not (isinstance(answer, np.ndarray) and answer.shape == ()):
        raise TypeError(f"{name} should return a number, got {_described(answer)}")
    return float(answer)


def _array(answer, shape, dtype, name):
    if not isinstance(answer, np.ndarray):
        raise TypeError(f"{name} should return an array, got {_described(answer)}")
    if answer.shape != shape:
        raise ValueError(f"{name} should return an array of shape {shape}, got shape {answer.shape}")
    fits = answer.dtype.kind in "iu" if dtype.kind in "iu" else answer.dtype == dtype
    if not fits:
        raise TypeError(f"{name} should return an array of {dtype}, got {answer.dtype}")
    return answer


def _described(answer):
    return "None" if answer is None else f"{type(answer).__name__} {str(answer)[:60]}"
