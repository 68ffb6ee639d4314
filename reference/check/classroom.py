"""Grading in a notebook: the examiner's verdict on a student's function, in lines that a student can learn from.

    grade(project_simplex)                              a visible test: everybody sees these instances
    grade(project_simplex, seed=4711, suspects={...})   a hidden test: instances of the grader's own

A right function prints one line. A wrong one raises NotYetRight, which is shown without a traceback: the smallest
counter-example, expected against got, the misconception that gives the same answer, and what to read again.
"""

import functools
import inspect
import re
import sys
import textwrap
import warnings
import weakref

import numpy as np

from .examiner import check
from .report import called, readable
from .sandbox import Fatal, Limits

__all__ = ["NotYetRight", "grade"]

WIDTH = 96  # characters
VISIBLE = 0  # the seed of the visible tests
RIGHT = weakref.WeakSet()  # for the grader's seed: these need not be examined again for the visible one
ENOUGH = 5  # failures, of which the smallest is made smaller still
PATIENCE = Limits(seconds=20.0, first_seconds=20.0)  # a loop without an end should not hold up a whole course
PAPERS = {
    "001": "Daumé 2017, Column squishing for multiclass updates",
    "002": "Mohapatra et al. 2018, Efficient optimization for rank-based loss functions",
    "003": "Gupta, Bengio and Weston 2014, Training highly multiclass classifiers",
    "004": "Lapin, Hein and Schiele 2015, Top-k multiclass SVM",
}


class NotYetRight(AssertionError):
    """A verdict. IPython shows the message alone: the frames of the examiner would teach nothing."""

    def _render_traceback_(self):
        return str(self).splitlines()


def grade(function, *, seed=VISIBLE, suspects=None, allowed=(), limits=PATIENCE):
    """Examine one function, under the name that it has, and raise NotYetRight unless it is right.

    Parameters
    ----------
    function : function
        Its `__name__` is a name that the examiner knows.
    seed : int
        All random instances derive from it. The grader's own belongs in hidden tests only.
    suspects : dict of str: function, optional
        Misconceptions: a sentence, and what answers so. The smallest counter-example is shown to each of them, by
        keywords, and the sentence of whoever gives the student's answer is added to the verdict.
    allowed : names
        The public functions of this project that may be called. All others are closed while `function` is examined:
        who calls the function that was to be written is told so. A fence, not a wall.
    limits : Limits
        Time and memory for each instance.

    Raises
    ------
    NotYetRight
        The function is wrong, or not written yet.
    """
    name = function.__name__

    def examined(seed):
        target = {name: _alone(function, set(allowed))}
        return check(target, name, seed, quick=True, limits=limits, timed=False, enough=ENOUGH)

    if seed == VISIBLE and function in RIGHT:
        return
    report = examined(seed)
    if report.error or not report.rows:
        raise NotYetRight(f"{name}: could not be examined. {report.error or 'It is not a function.'}")
    row = report.rows[0]
    if row.failure:
        known = list(recognised(row.failure, suspects or {}))
        if seed != VISIBLE and row.failure.reason not in Fatal.REASONS and not known and examined(VISIBLE):
            known = ["you learnt by heart: it is right on all the visible instances, and wrong on others."]
        raise NotYetRight(verdict(row, known))
    if seed != VISIBLE:
        RIGHT.add(function)
    print(f"{name}: right, in all {row.cases} cases.")


def verdict(row, known=()):
    """What a student is told about a wrong function; `known` are sentences on how it may have come to that."""
    failure = row.failure
    if failure.reason == "raised" and failure.detail.startswith("NotImplementedError"):
        return f"{row.name}: not written yet."
    lines = [f"{row.name}: not yet right. The smallest failing instance that was found:", ""]
    if failure.arguments:
        lines += _wrapped("    ", called(row.name, failure.arguments, failure.positional), 8)
    for word, value in (("expected", failure.expected), ("got", failure.got)):
        if value is not None:
            lines += _wrapped(f"    {word:8}  ", value if isinstance(value, str) else readable(value), 14)
    detail = re.sub(r" \(\w+\.py:\d+\)$", "", failure.detail)  # the line of a cell that has no name
    lines += ["", *_wrapped("What is wrong: ", failure.reason + (f", {detail}." if detail else "."))]
    lines += [f"Kind of case: {failure.label}."]
    for sentence in known:
        lines += _wrapped("It looks as if ", sentence)
    lines += _wrapped("Read again: ", failure.place)
    lines += [f"    {number} is {title}" for number, title in PAPERS.items() if number in failure.place]
    return "\n".join(lines)


def _wrapped(start, text, indent=4):
    """Lines that fit on a page of feedback, which does not break them."""
    return textwrap.wrap(start + text, WIDTH, subsequent_indent=" " * indent, break_long_words=False)


def recognised(failure, suspects):
    """The sentences of the suspects who give the answer that the student's function gave."""
    for sentence, suspect in suspects.items():
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                answer = suspect(**failure.arguments)
            except Exception:  # a misconception may not survive every instance, and then it is not this one
                continue
        if failure.got is not None and _same(answer, failure.got):
            yield sentence


def _same(answer, got):
    """Equal up to roundings; of two fits, in all that the examiner shows of the one."""
    answer = answer._asdict() if hasattr(answer, "_asdict") else answer
    if isinstance(got, dict) and isinstance(answer, tuple):
        got = tuple(got.values())
    if isinstance(got, dict):
        return isinstance(answer, dict) and all(_same(answer.get(key), value) for key, value in got.items())
    if isinstance(got, (tuple, list)):
        return isinstance(answer, (tuple, list)) and len(answer) == len(got) and all(map(_same, answer, got))
    if isinstance(got, (str, bool)) or got is None or answer is None:
        return isinstance(answer, type(got)) and answer == got
    try:
        answer, got = np.asarray(answer, dtype=float), np.asarray(got, dtype=float)
    except (TypeError, ValueError):
        return False
    size = max(float(np.abs(got).max(initial=0.0)), sys.float_info.min)
    return answer.shape == got.shape and bool(np.allclose(answer, got, rtol=1e-6, atol=1e-6 * size, equal_nan=True))


# --- the fence -----------------------------------------------------------------------------------------------------


def _alone(function, allowed):
    """The function, whose first call closes the library: in the examiner's worker, which is a fork of this process."""
    done = []

    @functools.wraps(function)
    def alone(*args, **kwargs):
        if not done:
            _close(allowed)
            done.append(True)
        return function(*args, **kwargs)

    return alone


def _close(allowed):
    """Give the public functions of the methods another code, by whatever name they were imported."""
    import reference

    names = {name for name in reference.__all__ if inspect.isfunction(getattr(reference, name))} - allowed
    modules = [module for path, module in list(sys.modules.items()) if re.match(r"(reference|fast)\b(?!\.check)", path)]
    functions = {vars(module)[name] for module in modules for name in names & vars(module).keys()}
    for function in filter(inspect.isfunction, functions):
        function.__code__ = _is_closed.__code__


def _is_closed(*args, **kwargs):
    raise RuntimeError("the functions of reference and fast are closed here: this one is yours to write")
