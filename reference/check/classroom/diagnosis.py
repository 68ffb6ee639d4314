"""Why an answer may be wrong. A sentence is given only where it was checked on further instances.

A suspect is a misconception: a sentence, and a function that gives the answers to which it leads. It is named if

1. on the failing instance it is wrong itself, and gives the student's answer to nearly all digits;
2. on every further instance on which it is wrong, the student's function gives its answer again, and there are two such
   instances at least (one, if it is wrong on no other); and
3. where it is right, in an ordinary case, the student's function is right, too.

Many misconceptions agree on two coordinates. So the further instances are of all kinds, not only tiny ones.
"""

import inspect
import itertools
import warnings

import numpy as np

import reference

from ..examiner import extras_in, size_of
from ..judging.case import Case
from ..judging.outcome import answer_dtype, conduct
from ..judging.subject import SUBJECTS
from ..sandbox import worker
from ..sandbox.sandbox import Fatal, Reply
from ..sandbox.transport import unpacked

ORDINARY = "random"  # the label of cases that are not special
MOST_NUMBERS = 1000  # in one instance
MOST_LIKE_IT, MOST_ORDINARY, MOST_TINY, MOST_OTHERS = 12, 20, 16, 24  # instances
SAME = {np.dtype(np.float64): 1e-9, np.dtype(np.float32): 1e-5}  # relative
FEW_DIGITS, MOSTLY = 1e-3, 80  # a relative error below this is a matter of digits, if it is so in 80 % of instances
NOT_AN_ANSWER = ("could not be judged", "raised", "printed", "changed its input", "did not raise")


def diagnoses(examination, failure, suspects):
    """The sentences that explain a failure, most often none or one.

    Parameters
    ----------
    examination : Examination
        Calls the student's function.
    failure : Failure
        The smallest failing instance.
    suspects : dict of str: function
        The known misconceptions of this task; a function that returns None says nothing about that instance.
    """
    if failure.got is None or not failure.arguments or failure.reason in Fatal.REASONS + NOT_AN_ANSWER:
        return []
    try:
        others = Instances(examination, failure)
        if sentence := _digits(failure, others):
            return [sentence]
        known = [sentence for sentence, suspect in suspects.items() if _explains(suspect, failure, others)]
        return known or [sentence for sentence in [_order(failure, others)] if sentence]
    except Fatal:
        return []


def sometimes(suspect):
    """Mark a misconception that comes into play on some instances only: the student's function is right on others."""
    suspect.sometimes = True
    return suspect


def patient(fit, most=100):
    """Returns a misconception about a fit that says nothing where it takes more than `most` epochs."""

    def fit_in_time(**given):
        asked = given.get("max_epochs", 1000)
        made = fit(**{**given, "max_epochs": min(asked, most)})
        return made if made.epochs < most or asked <= most else None

    return fit_in_time


class Instances:
    """Further small instances, and what the student's function answers there; asked only as far as needed.

    First those on which it failed, then some of the failing one's label, ordinary ones, tiny ones, and others.
    """

    def __init__(self, examination, failure):
        self.examination, self.name, self.outcomes = examination, failure.function, []
        subject, rng = SUBJECTS[self.name], examination.generator(self.name)
        cases = list(filter(self._is_asked, examination.cases(self.name)))
        tiny = (Case("tiny", arguments) for arguments in subject.tiny(rng, failure.arguments))
        tiny = filter(_is_plain, itertools.islice(tiny, 200))
        kinds = (
            ([case for case, _ in examination.failures if self._is_asked(case)], MOST_LIKE_IT),
            ([case for case in cases if case.label == failure.label != ORDINARY], MOST_LIKE_IT),
            ([case for case in cases if case.label == ORDINARY], MOST_ORDINARY),
            (list(tiny), MOST_TINY),
            ([case for case in cases if case.label not in (ORDINARY, failure.label)], MOST_OTHERS),
        )
        self._cases = itertools.chain.from_iterable(itertools.starmap(_spread, kinds))

    def _is_asked(self, case):
        return not case.refuses and _is_plain(case) and not extras_in(self.name, case)

    def __iter__(self):
        """(case, outcome of the student's function) for one instance after the other."""
        yield from self.outcomes
        for case in self._cases:
            outcome = self.examination.run(self.name, case)
            if outcome.reason in Fatal.REASONS:
                raise Fatal(outcome.reason, outcome.detail)
            if outcome.reason not in NOT_AN_ANSWER:
                self.outcomes.append((case, outcome))
                yield case, outcome


def _spread(cases, most):
    """At most so many of them, from the first (a small one) to the last."""
    if len(cases) <= most:
        return cases
    return [cases[i] for i in np.linspace(0, len(cases) - 1, most).astype(int)]


def _is_plain(case):
    """Whether it is small, no batch and of one dtype: what a student's own function and a suspect get."""
    arrays = [value for value in case.arguments.values() if isinstance(value, np.ndarray)]
    dtypes = {array.dtype for array in arrays if array.dtype.kind == "f"}
    return size_of(case.arguments) <= MOST_NUMBERS and len(dtypes) < 2 and not case.label.startswith("batch")


def _explains(suspect, failure, others):
    """Whether this misconception gives the student's answers."""
    first = Case(failure.label, failure.arguments)
    theirs = _judged(failure.function, suspect, first)
    if theirs is None or not theirs.reason or not same(theirs.got, failure.got, _dtype(first)):
        return False
    confirmed = wrong = 0
    for case, outcome in others:
        theirs = _judged(failure.function, suspect, case)
        if theirs is None or _equal_arguments(case, first):
            continue
        if not theirs.reason or theirs.got is None:
            if outcome.reason and case.label == ORDINARY:
                return False
        elif outcome.reason and same(theirs.got, outcome.got, _dtype(case)):
            confirmed, wrong = confirmed + 1, wrong + 1
        elif outcome.reason or not getattr(suspect, "sometimes", False):
            return False
        else:
            wrong += 1
    return confirmed >= 2 or confirmed == wrong == 1


def _judged(name, suspect, case):
    """The Outcome of a suspect's answer, None if it has none."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            answer, arrays = suspect(**_complete(name, suspect, case.arguments)), []
            if answer is None:
                return None
            dtype = _dtype(case)
            tree = worker.plain(answer, arrays)
            arrays = [array.astype(dtype) if array.dtype.kind == "f" else array for array in arrays]
            reply = Reply(unpacked(tree, arrays), warnings=(case.warns,) if case.warns else ())
            outcome = conduct(case, reply) or SUBJECTS[name].judge(case, reply)
            return None if outcome.reason == "not finite" else outcome
        except Exception:  # a misconception may not survive every instance, and then it is not this one
            return None


def _complete(name, suspect, arguments):
    """These arguments, and the defaults of the public function that were left out and that the suspect needs."""
    known = inspect.signature(getattr(reference, name)).parameters if hasattr(reference, name) else {}
    needed = [other.name for other in inspect.signature(suspect).parameters.values()
              if other.default is other.empty and other.name not in arguments and other.name in known]  # fmt: skip
    return arguments | {other: known[other].default for other in needed}


# --- what can be said of any function ------------------------------------------------------------------------------


def _digits(failure, others):
    """An answer that is nearly right, here and wherever else it is wrong."""
    error = relative_error(failure.got, failure.expected)
    if not 0 < error < FEW_DIGITS:
        return ""
    errors = [relative_error(outcome.got, outcome.expected) for _, outcome in others
              if outcome.reason and outcome.expected is not None]  # fmt: skip
    if not errors or (usual := np.percentile(errors, MOSTLY)) >= 10 * FEW_DIGITS:
        return ""
    digits = int(-np.log10(max(error, usual)))
    return (f"your answer is right to about {digits} digits only: an iteration stops too early, a tolerance is too "
            "large, or something is computed in a lower precision.")  # fmt: skip


def _order(failure, others):
    """The right numbers in another order, here and on a second instance."""
    if not _shuffled(failure):
        return ""
    wrong = [outcome for _, outcome in others if outcome.reason]
    if any(_shuffled(outcome) for outcome in wrong):
        return "the order is lost: these are the right numbers, but in sorted order and not in that of the input."
    return ""


def _shuffled(outcome):
    """Whether got is a sorted rearrangement of what was expected."""
    for got, expected in _pairs(outcome.got, outcome.expected):
        if got.ndim == 1 and got.shape == expected.shape and len(got) > 1:
            sorted_ = any(np.array_equal(got, np.sort(got)[::step]) for step in (1, -1))
            dtype = got.dtype if got.dtype == np.float32 else np.dtype(np.float64)
            if sorted_ and same(np.sort(got), np.sort(expected), dtype) and not same(got, expected, dtype):
                return True
    return False


def relative_error(got, expected):
    """The largest error of an array that is part of the answer, over its largest number; inf if there is none."""
    errors = [0.0]
    for a, b in _pairs(got, expected):
        if a.shape != b.shape or a.dtype.kind != "f":
            return np.inf
        size = float(np.abs(b).max(initial=0.0)) or 1.0
        errors.append(float(np.abs(a - b.astype(a.dtype)).max(initial=0.0)) / size)
    return max(errors) if len(errors) > 1 and np.isfinite(errors).all() else np.inf


def _pairs(got, expected):
    """(array that was given, array that was expected), where both are arrays."""
    if isinstance(got, dict) and isinstance(expected, dict):
        for key in got.keys() & expected.keys():
            yield from _pairs(got[key], expected[key])
    elif isinstance(got, np.generic | float) and isinstance(expected, np.generic | float):
        yield np.asarray(got), np.asarray(expected)
    elif isinstance(got, np.ndarray) and isinstance(expected, np.ndarray):
        yield got, expected


def same(answer, got, dtype):
    """Equal up to roundings; of two fits, in all that the examiner shows of the one."""
    answer = answer._asdict() if hasattr(answer, "_asdict") else answer
    if isinstance(got, dict) and isinstance(answer, tuple):
        got = tuple(got.values())
    if isinstance(got, dict):
        return isinstance(answer, dict) and all(same(answer.get(key), value, dtype) for key, value in got.items())
    if isinstance(got, (tuple, list)) and not all(isinstance(part, (int, float, np.number)) for part in got):
        alike = isinstance(answer, (tuple, list)) and len(answer) == len(got)
        return alike and all(same(a, b, dtype) for a, b in zip(answer, got, strict=True))
    if isinstance(got, (str, bool)) or got is None or answer is None:
        return isinstance(answer, type(got)) and answer == got
    try:
        answer, got = np.asarray(answer, dtype=float), np.asarray(got, dtype=float)
    except (TypeError, ValueError):
        return False
    close = SAME[np.dtype(dtype)]
    size = float(np.abs(got[np.isfinite(got)]).max(initial=0.0))
    return answer.shape == got.shape and bool(np.allclose(answer, got, rtol=close, atol=close * size, equal_nan=True))


def _dtype(case):
    return answer_dtype(next(iter(case.arguments.values())))


def _equal_arguments(case, other):
    a, b = case.arguments, other.arguments
    return a.keys() == b.keys() and all(np.array_equal(a[key], b[key]) for key in a)
