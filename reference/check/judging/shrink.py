"""Simplifies a failing instance: tries tiny instances first, then simplifies the best one step by step while it fails.

The number of calls is bounded, and so the result is the same on every machine. The clock stops only functions that take
seconds for one call.
"""

import time

import numpy as np

from ..csr import plainer
from ..report import called
from ..sandbox.sandbox import Fatal

MOST_CALLS = 200  # of TARGET, for one counter-example; most searches end before, with nothing simpler left to try
MOST_SECONDS = 30.0  # for one counter-example, so that a slow function does not use up a student's time limit
# The most telling reasons, in this order: wrong answers of the right form to right arguments.
TELLING = ("differs from the ground truth", "certificate", "no lower bound", "differs from algorithm 1")


def smallest_failure(run, subject, rng, failures):
    """Returns the simplest failing (case, outcome) that is found, of the most telling reason among these failures.

    Parameters
    ----------
    run : function of a Case
        Calls TARGET and returns the Outcome.
    subject : Subject
        Of the function that failed.
    rng : Generator
        For the tiny instances.
    failures : list of (Case, Outcome)
        The failures that are known, at least one.
    """
    case, outcome = min(failures, key=weight)
    if case.refuses:
        return case, outcome
    search = _Search(run, subject, case, outcome)
    while any(search.fails(search.case.arguments, layout) for layout in plainer(search.case.layout)):
        pass
    for arguments in subject.tiny(rng, case.arguments):
        if search.is_over() or (cost(arguments) < cost(case.arguments) and search.fails(arguments)):
            break
    while not search.is_over() and any(map(search.fails, subject.simpler(search.case.arguments))):
        pass
    return search.case, search.outcome


class _Search:
    """The simplest failing case so far, and the instances that were tried."""

    def __init__(self, run, subject, case, outcome):
        self.case, self.outcome = case, outcome
        self._run, self._truth = run, subject.refuse
        self._end, self._calls, self._tried = time.monotonic() + MOST_SECONDS, 0, {_key((case.arguments, case.layout))}

    def is_over(self):
        """True if no further call is allowed."""
        return self._calls >= MOST_CALLS or time.monotonic() > self._end

    def fails(self, arguments, layout=None):
        """True if TARGET fails on these arguments for the same reason. They then become the simplest case so far."""
        trial = self.case._replace(arguments=arguments, layout=self.case.layout if layout is None else layout)
        if self.is_over() or (key := _key((arguments, trial.layout))) in self._tried:
            return False
        self._calls += 1
        self._tried.add(key)
        try:
            if self.outcome.reason == "raised":  # TARGET is right to raise if the arguments are wrong
                self._truth(arguments)
            outcome = self._run(trial)
        except (ValueError, RuntimeError):  # the arguments are wrong, or the ground truth cannot solve the instance
            return False
        if outcome.reason in Fatal.REASONS:  # each of these costs a time limit or a new process
            self._calls = MOST_CALLS
        if outcome.reason != self.outcome.reason:
            return False
        self.case, self.outcome = trial, outcome
        return True


def cost(arguments):
    """Returns how much there is to read: the number of entries, then the length of the text."""
    return sum(getattr(value, "size", 1) for value in arguments.values()), len(called("", arguments))


def _key(value):
    """Returns a hashable copy of an argument, or of several. Without it rounding could go in circles."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, dict):
        return tuple((name, _key(part)) for name, part in value.items())
    return tuple(map(_key, value)) if isinstance(value, (tuple, list)) else value


def weight(failure):
    """Returns a key that sorts failures: right arguments first, then the most telling reason, then the smallest."""
    case, outcome = failure
    telling = TELLING.index(outcome.reason) if outcome.reason in TELLING else len(TELLING)
    return bool(case.refuses), telling, cost(case.arguments)
