"""`grade`: the examiner's verdict on a student's function, at home and when it is graded.

At home the function runs in a fork of the notebook. When it is graded, the function lives in the student's process, and
`grade` runs in the judge's: see `judge`. The cells of an assignment are the same for both.
"""

import contextlib
import hashlib
import io
import pickle
import warnings
import weakref
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np

from ..examiner import Examination, size_of
from ..judging.outcome import conduct
from ..judging.subject import SUBJECTS
from ..sandbox.sandbox import Fatal, Limits, Sandbox
from . import own
from .diagnosis import MOST_NUMBERS, ORDINARY, diagnoses
from .fence import fenced
from .tasks import TASKS
from .verdict import NotYetRight, verdict

VISIBLE = 0  # the seed of the visible tests
ENOUGH = 5  # failures, of which the smallest is made smaller still
HALF = 0.5  # of the points, for a function that is right in all ordinary cases
MORE = 3  # times the random cases are drawn anew
LARGE = 1000  # numbers: a function that is right up to this size and takes too long for more is only slow
PATIENCE = Limits(seconds=20.0, first_seconds=20.0)  # a loop without an end should not hold up a whole course
BY_HEART = "you learnt by heart: it is right on all the visible instances, and wrong on others."
RIGHT = weakref.WeakSet()  # for the grader's seed: these need not be examined again for the visible one


class Sitting(NamedTuple):
    """What is different when a notebook is graded."""

    secret: str  # from which the seeds of the hidden tests derive
    box: object  # (name, function, allowed) -> what the examiner calls the function through
    untouched: set = frozenset()  # the names of functions whose cells are as they were handed out


sitting = None  # None at home
drawn = {}  # (name, seed, csr or a number of `more_cases`): instances


def grade(function, *, seed=VISIBLE, suspects=None, allowed=(), limits=PATIENCE, largest=np.inf, more=MORE):
    """Examine one function, under the name that it has, and raise NotYetRight unless it is right.

    Parameters
    ----------
    function : function
        Its `__name__` is a name that the examiner knows, or one of the tasks in `tasks`.
    seed : int
        All random instances derive from it. When a notebook is graded, they derive from the secret of the course,
        too. Seeds other than 0 belong in hidden tests only.
    suspects : dict of str: function, optional
        Misconceptions: a sentence, and a function that answers so. See `diagnosis`.
    allowed : names
        The public functions of this project that may be called. All others are closed.
    limits : Limits
        Time and memory for each instance, at home.
    largest : int
        Instances of more numbers than this are left out: for tasks in which speed is not asked for.
    more : int
        How often the random cases are drawn anew to see whether a function that failed is right in all of them: so
        often that the answer is the same for each student.

    Raises
    ------
    NotYetRight
        The function is wrong, or not written yet. Its `share` is 0.5 if the function is right in all random cases
        and wrong in special ones (ties, zeros, other scales and dtypes, ...), too slow for large ones, or prints, and
        0 otherwise.
    """
    name = function.__name__
    if seed == VISIBLE and function in RIGHT:
        return
    with _known(name), _box(function, allowed, limits) as box:
        box.start()
        if box.error or name not in box.public:
            raise NotYetRight(f"{name}: could not be examined. {box.error or 'It is not a function.'}")
        row, examination = _examined(box, name, _own_seed(seed), largest)
        if row.failure:
            share, why = _share(examination, name, row.failure, more)
            heart = ""
            if seed != VISIBLE:
                row, examination, heart = _to_show(row, examination, box, name, largest)
            known = diagnoses(examination, row.failure, suspects or {})
            if heart and not known and not share and row.failure.reason not in Fatal.REASONS:
                known = [heart]
            asks = row.failure.reason not in Fatal.REASONS  # only the name is wanted of a function that does not return
            heard = _heard(function, row.failure.arguments, asks) if asks or sitting else None
            raise NotYetRight(verdict(row, known, heard, share, why, _is_begun(examination, function, row)), share)
    if seed != VISIBLE:
        RIGHT.add(function)
    print(f"{name}: right, in all {row.cases} cases.")


def _to_show(row, examination, box, name, largest):
    """Returns (row, examination, suspicion) for the verdict on a function that failed on hidden instances.

    No hidden instance is shown: another student could hand in its answer. A visible one is shown if the function is
    wrong on one, or else the smallest that was found, if it is none of those that are drawn from the secret. Otherwise
    what the function said, which may repeat its arguments, is left out, too.
    """
    visible, _ = _examined(box, name, VISIBLE, largest)
    if sitting is None:  # at home there is nothing to hide
        return row, examination, "" if visible.failure else BY_HEART
    if visible.failure:
        if row.failure.label == ORDINARY:
            visible.failure.label = ORDINARY
        return visible, examination, ""
    row.failure = examination.shrunk(name)
    if examination.is_hidden(name, row.failure):
        kept = row.failure.detail.split(":")[0] if row.failure.reason == "raised" else ""
        row.failure.detail = f"{kept}; the instance is kept for other students".strip("; ")
        row.failure.arguments, row.failure.expected, row.failure.got = {}, None, None
    return row, examination, BY_HEART


@contextlib.contextmanager
def _known(name):
    """Makes a task of an assignment a subject of the examiner, as long as its function is graded."""
    added = {name: TASKS[name]} if name in TASKS else {}
    SUBJECTS.update(added)
    try:
        yield
    finally:
        for known in added:
            del SUBJECTS[known]


def _own_seed(seed):
    if sitting is None or seed == VISIBLE:
        return seed
    return int.from_bytes(hashlib.sha256(f"{sitting.secret} {seed}".encode()).digest()[:16], "big")


def _box(function, allowed, limits):
    """What the examiner calls the function through."""
    name = function.__name__
    if sitting is not None:
        return sitting.box(name, function, allowed)
    return Sandbox({name: fenced(function, allowed)}, [name], limits)


class Sat(Examination):
    """An examination whose instances are drawn once for all students, and whose hidden failures are shrunk later."""

    def cases(self, name, csr=None):
        key = name, self.seed, csr
        if key not in drawn:
            drawn[key] = super().cases(name, csr)
        return drawn[key]

    def more_cases(self, name, again):
        """Returns the small ordinary cases of another seed, the `again`-th."""
        key = name, self.seed, again
        if key not in drawn:
            cases = SUBJECTS[name].cases(np.random.default_rng([self.seed, again]), True)
            drawn[key] = [case for case in cases if case.label == ORDINARY and size_of(case.arguments) <= MOST_NUMBERS]
        return drawn[key]

    divides, most_ends = False, 1
    failures = ()  # (instance, outcome)

    def __init__(self, *given):
        super().__init__(*given)
        self.outcomes = {}

    def run(self, name, case):
        key = _key(case)
        if key not in self.outcomes:
            self.outcomes[key] = super().run(name, case)
        return self.outcomes[key]

    def smallest(self, name, failures):
        self.failures = failures
        if self.seed == VISIBLE or sitting is None:
            return self.shrunk(name)
        return self.failure(name, *failures[-1])

    def shrunk(self, name):
        """Returns the smallest failure that is found from the failures on hidden instances."""
        return super().smallest(name, self.failures)

    def is_hidden(self, name, failure):
        """Whether the instance of a failure is one of those that are drawn from the secret."""
        return any(_same_instance(failure.arguments, case.given) for case in self.cases(name))


def draw_more():
    """Draw what those need who are wrong: visible instances, and more ordinary ones, of the functions graded here."""
    for name, seed, _ in list(drawn):
        with _known(name):
            Sat(SimpleNamespace(generation=0), VISIBLE, True).cases(name)
            for again in range(MORE):
                Sat(SimpleNamespace(generation=0), seed, True).more_cases(name, again)


def _key(case):
    """Returns what tells instances apart."""
    try:
        return pickle.dumps((case.label, case.given))
    except (pickle.PicklingError, AttributeError, TypeError):  # a function among the arguments
        return id(case)


def _same_instance(one, other):
    return one.keys() == other.keys() and all(
        type(value) is type(other[key]) and np.array_equal(value, other[key]) for key, value in one.items()
    )


def _examined(box, name, seed, largest):
    """(the row of the examiner's table, the examination)."""
    examination = Sat(box, seed, True, lambda name, done: None, ENOUGH, largest)
    return examination.examine(name, timed=False), examination


def _share(examination, name, failure, more):
    """(the part of the points that is earned although a case failed, why).

    A failure that is not special to its label (ties, say) gets the label of ordinary cases.
    """
    slow = failure.reason == "hung" and size_of(failure.arguments) > LARGE
    if failure.reason in Fatal.REASONS and failure.label == ORDINARY and not slow:
        return 0.0, ""
    most = LARGE if slow else np.inf
    some = False
    for case in _ordinary(examination, name, most, more):  # most wrong functions fail on the first
        some = True
        if not _answers_rightly(examination, name, case):
            if failure.reason not in Fatal.REASONS:
                failure.label = ORDINARY
            return 0.0, ""
    if not some:
        return 0.0, ""
    if slow:
        return HALF, f"it is right in all random cases of up to {LARGE} numbers; it is too slow for this one"
    if failure.reason == "printed":
        failure.label = ORDINARY
        return HALF, "its answers are right in all random cases; but it prints"
    return HALF, "it is right in all random cases; special ones fail"


def _ordinary(examination, name, most, more):
    """The ordinary cases of the examination, and small ones of other seeds."""
    most = min(most, examination.largest)
    yield from (case for case in examination.cases(name) if case.label == ORDINARY and size_of(case.arguments) <= most)
    for again in range(more):
        yield from examination.more_cases(name, again)


def _answers_rightly(examination, name, case):
    """Whether the answer to one case is right, whatever was printed."""
    known = examination.outcomes.get(_key(case))
    if known and known.reason != "printed":
        return not known.reason
    try:
        reply = examination.call(name, case)._replace(printed="")
        return not (conduct(case, reply) or SUBJECTS[name].judge(case, reply)).reason
    except (Fatal, ArithmeticError, LookupError, TypeError, ValueError):
        return False


def _heard(function, arguments, asks=True):
    """What the student's own functions are asked on an instance, and answer if they are `asked`; an own.Heard."""
    quietly = contextlib.redirect_stdout(io.StringIO()), np.errstate(all="ignore"), warnings.catch_warnings()
    with contextlib.ExitStack() as stack:
        heard = stack.enter_context(own.listening(compares=asks, asks=asks))
        for context in (*quietly, contextlib.suppress(Exception)):
            stack.enter_context(context)
        warnings.simplefilter("ignore")
        if arguments:
            function(**arguments)
    return heard


def _is_begun(examination, function, row):
    """Whether the student has begun: by the text of the cells when it is graded, by the answers at home."""
    if "NotImplementedError" not in row.failure.detail:
        return True
    calls = _heard(function, row.failure.arguments, asks=False).calls if row.failure.arguments else []
    if sitting is not None:
        return not {call.name for call in calls or [own.Call(function, ())]} <= sitting.untouched
    for case in _ordinary(examination, function.__name__, MOST_NUMBERS, 0):
        if any(call.answer is not None for call in _heard(function, case.arguments).calls):
            return True
    return False
