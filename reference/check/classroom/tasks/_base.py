"""What the tasks share: how an answer is compared with the right one."""

import numpy as np

from ...judging.outcome import DIFFERS, Outcome
from ...judging.subject import Subject

CLOSE = 1e-9  # relative: an assignment asks for a formula, not for the last digits


def task(cases, truth, tiny, positional, place, simpler=lambda arguments: (), unit=None):
    """Returns the Subject of a function whose answer is a number, an array, or several of these.

    Parameters
    ----------
    cases : function of (generator, quick)
        Yields instances.
    truth : function of the arguments of an instance
        The right answer: a number, an array, or a list of them.
    tiny : function of (generator, arguments)
        Yields tiny arguments, the smallest first.
    positional : int
        The number of arguments that are passed by position.
    place : str
        Where to read again.
    simpler : function of arguments, optional
        Yields simpler arguments.
    unit : function of the arguments of an instance, optional
        The size of numbers to which errors are relative, if that is not the size of the answer.
    """

    def judge(case, reply):
        expected, got = truth(**case.arguments), reply.answer
        size = unit(**case.arguments) if unit else 0.0
        error = max(_error(a, b, size) for a, b in zip(_parts(got), _parts(expected), strict=True))
        reason = "" if error <= CLOSE else DIFFERS
        return Outcome(reason, f"by {error:.1e}, relative" if reason else "", error, None, expected, got)

    return Subject(cases, judge, lambda arguments: truth(**arguments), simpler, tiny, positional, place)


def _parts(answer):
    return answer if isinstance(answer, (list, tuple)) else [answer]


def _error(got, expected, size):
    """The largest error, relative to the largest number or to `size`; inf if there are NaN or infinities."""
    got, expected = np.asarray(got, dtype=np.float64), np.asarray(expected, dtype=np.float64)
    if got.shape != expected.shape or not np.isfinite(got).all():
        return np.inf
    largest = max(float(np.abs(expected).max(initial=0.0)), size)
    return float(np.abs(got - expected).max(initial=0.0)) / (largest or 1.0)
