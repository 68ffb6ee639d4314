"""`grade`: the examiner's verdict on a student's function, at home and when it is graded.

At home the function runs in a fork of the notebook. When it is graded, the function lives in the student's process, and
`grade` runs in the judge's: see `judge`. The cells of an assignment are the same for both.
"""

import contextlib
import hashlib
import io
import warnings
import weakref
from typing import NamedTuple

import numpy as np

from ..examiner import Examination
from ..sandbox import Fatal, Limits, Sandbox
from ..subjects import SUBJECTS
from . import own
from .diagnosis import diagnoses
from .fence import fenced
from .verdict import NotYetRight, verdict

VISIBLE = 0  # the seed of the visible tests
ENOUGH = 5  # failures, of which the smallest is made smaller still
ORDINARY = "random"  # the label of cases that are not special
HALF = 0.5  # of the points, for a function that is right in all ordinary cases
PATIENCE = Limits(seconds=20.0, first_seconds=20.0)  # a loop without an end should not hold up a whole course
RIGHT = weakref.WeakSet()  # for the grader's seed: these need not be examined again for the visible one


class Sitting(NamedTuple):
    """What is different when a notebook is graded."""

    student: str  # the id, from which the seeds of the hidden tests derive
    box: object  # (name, function, allowed) -> what the examiner calls the function through


sitting = None  # None at home


def grade(function, *, seed=VISIBLE, suspects=None, allowed=(), limits=PATIENCE):
    """Examine one function, under the name that it has, and raise NotYetRight unless it is right.

    Parameters
    ----------
    function : function
        Its `__name__` is a name that the examiner knows.
    seed : int
        All random instances derive from it. When a notebook is graded, each student gets other instances: those of
        `seed_of(seed, student)`. Seeds other than 0 belong in hidden tests only.
    suspects : dict of str: function, optional
        Misconceptions: a sentence, and a function that answers so. See `diagnosis`.
    allowed : names
        The public functions of this project that may be called. All others are closed.
    limits : Limits
        Time and memory for each instance, at home.

    Raises
    ------
    NotYetRight
        The function is wrong, or not written yet. Its `share` is 0.5 if the function is right in all random cases
        and wrong in special ones (ties, zeros, other scales and dtypes, ...), and 0 otherwise.
    """
    name = function.__name__
    if seed == VISIBLE and function in RIGHT:
        return
    with _box(function, allowed, limits) as box:
        row, examination = _examined(box, name, _own_seed(seed))
        if row.failure:
            share = HALF if _ordinary_is_right(examination, name, row.failure) else 0.0
            known = diagnoses(examination, row.failure, suspects or {})
            if seed != VISIBLE and not known and not share and _learnt_by_heart(box, name, row.failure):
                known = ["you learnt by heart: it is right on all the visible instances, and wrong on others."]
            raise NotYetRight(verdict(row, known, _calls(function, row.failure), share), share)
    if seed != VISIBLE:
        RIGHT.add(function)
    print(f"{name}: right, in all {row.cases} cases.")


def seed_of(seed, student):
    """The seed of one student's hidden tests: nobody who has not the course's seed can compute it."""
    return int.from_bytes(hashlib.sha256(f"{seed} {student}".encode()).digest()[:6], "big")


def _own_seed(seed):
    return seed if sitting is None or seed == VISIBLE else seed_of(seed, sitting.student)


def _box(function, allowed, limits):
    """What the examiner calls the function through."""
    name = function.__name__
    if sitting is not None:
        return sitting.box(name, function, allowed)
    return Sandbox({name: fenced(function, allowed)}, [name], limits)


def _examined(box, name, seed):
    """(the row of the examiner's table, the examination)."""
    box.start()
    if box.error or name not in box.public:
        raise NotYetRight(f"{name}: could not be examined. {box.error or 'It is not a function.'}")
    examination = Examination(box, seed, True, lambda name, done: None, ENOUGH)
    return examination.examine(name, timed=False), examination


def _ordinary_is_right(examination, name, failure):
    """Whether all ordinary cases are right, although another one failed."""
    if failure.reason in Fatal.REASONS and failure.label == ORDINARY:
        return False
    cases = [case for case in SUBJECTS[name].cases(examination.generator(name), True) if case.label == ORDINARY]
    return bool(cases) and all(not examination.run(name, case).reason for case in cases)


def _learnt_by_heart(box, name, failure):
    return failure.reason not in Fatal.REASONS and _examined(box, name, VISIBLE)[0].failure is None


def _calls(function, failure):
    """What the student's own functions are asked on the failing instance."""
    if failure.reason in Fatal.REASONS or not failure.arguments:
        return []
    quietly = contextlib.redirect_stdout(io.StringIO()), np.errstate(all="ignore"), warnings.catch_warnings()
    with contextlib.ExitStack() as stack:
        heard = stack.enter_context(own.listening())
        for context in (*quietly, contextlib.suppress(Exception)):
            stack.enter_context(context)
        warnings.simplefilter("ignore")
        function(**failure.arguments)
    return heard.calls
