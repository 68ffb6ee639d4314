"""What a student is told about a function that is wrong."""

import re
import textwrap

import numpy as np

from ..report import called, readable
from ..sandbox.sandbox import Fatal
from .diagnosis import same

WIDTH = 96  # characters
DIGITS = 12  # of the largest number of an array that is shown
KINDS = {"tenths": "multiples of 0.1, on a threshold but for roundings"}  # labels in more words
PAPERS = {
    "001": "Daumé 2017, Column squishing for multiclass updates",
    "002": "Mohapatra et al. 2018, Efficient optimization for rank-based loss functions",
    "003": "Gupta, Bengio and Weston 2014, Training highly multiclass classifiers",
    "004": "Lapin, Hein and Schiele 2015, Top-k multiclass SVM",
}


class NotYetRight(AssertionError):
    """A verdict. IPython shows the message alone: the frames of the examiner would teach nothing.

    `share` is the part of the points that is earned all the same.
    """

    def __init__(self, message, share=0.0):
        super().__init__(message)
        self.share = share

    def _render_traceback_(self):
        return str(self).splitlines()


class Name(str):
    """An argument that is shown by its name."""

    __repr__ = str.__str__


def verdict(row, known=(), heard=None, share=0.0, why="", begun=True):
    """The text: the smallest failing instance, expected and got, what is wrong, why, and where to read again.

    Parameters
    ----------
    row : Row
        Of the examiner's table, with its failure.
    known : list of str
        Sentences on how the function may have come to that answer.
    heard : own.Heard
        What the student's own functions were asked on that instance. If one call is known to be wrong, or there was one
        only, the text speaks of it and not of the public function around it.
    share, why : float and str
        The part of the points that is earned all the same, and the reason.
    begun : bool
        Whether the student's function answers on some instance, if it raised NotImplementedError on this one.
    """
    failure, calls = row.failure, heard.calls if heard else []
    name = calls[0].name if calls else row.name
    unwritten = failure.reason == "raised" and failure.detail.startswith("NotImplementedError")
    if failure.reason == "raised" and failure.detail.startswith(f"NameError: {name} is "):
        return f"{name}: not defined. Does its cell run without an error, and has the function still its name?"
    if unwritten and not begun:
        return f"{name}: not written yet."
    state = "not yet right, for it is not written for all cases" if unwritten else "not yet right"
    place = "The smallest failing instance that was found:" if failure.arguments else "It fails on a hidden instance."
    lines = [*_wrapped("", f"{name}: {state}. {place}", 0), ""]
    lines += _instance(failure, heard)
    detail = re.sub(r" \(\w*\.?\w*:?\d*\)$", "", failure.detail)  # the line of a cell that has no name
    what = failure.reason + (f", {detail.rstrip(' :')}." if detail else ".")
    if heard and heard.wrong and heard.wrong.expected is not None:
        what = f"the answer of {name}. What comes of it in {row.name}: {what}"
    lines += ["", *_wrapped("What is wrong: ", what)]
    lines += [f"Kind of case: {KINDS.get(failure.label, failure.label)}."]
    for i, sentence in enumerate(known):
        lines += _wrapped("Or as if " if i else "It looks as if ", sentence)
    if share:
        lines += _wrapped("Points: ", f"{share:.0%} of them, for {why}.")
    lines += _wrapped("Read again: ", failure.place)
    lines += [f"    {number} is {title}" for number, title in PAPERS.items() if number in failure.place]
    return "\n".join(lines)


def _instance(failure, heard):
    """The call, expected and got: of the student's own function where they can be told, of the public one otherwise."""
    if not failure.arguments:
        return []
    call, expected, got = _own_call(failure, heard)
    if call:
        arguments = {key: Name(key) if callable(value) else value for key, value in call.arguments.items()}
        lines = _wrapped("    ", called(call.name, arguments, 0), 8)
    else:
        expected, got = failure.expected, failure.got
        lines = _wrapped("    ", called(failure.function, failure.arguments, failure.positional), 8)
    clean = not same(expected, got, np.float64) if expected is not None and got is not None else True
    for word, value in (("expected", expected), ("got", got)):
        if value is not None:
            value = value if isinstance(value, str) else readable(tidy(value) if clean else value)
            lines += _wrapped(f"    {word:8}  ", value, 14)
    return lines


def _own_call(failure, heard):
    """(call of a student's own function, expected, got), or (None, None, None)."""
    if heard and (call := heard.wrong):
        return call, call.expected, call.answer
    call = heard.calls[0] if heard and len(heard.calls) == 1 else None
    if call is None or failure.reason in Fatal.REASONS:
        return None, None, None
    if call.answer is None:
        return call, None, None
    found = part(call.answer, failure.got, failure.expected)
    if found is None:
        return None, None, None
    if isinstance(found, np.ndarray) and isinstance(call.answer, np.ndarray) and call.answer.dtype.kind == "f":
        found = found.astype(call.answer.dtype)  # the student's function knows nothing of float32
    return call, found, call.answer


def tidy(value):
    """A number, or an array, without the digits that are only rounding."""
    if isinstance(value, dict):
        return {key: tidy(part) for key, part in value.items()}
    if isinstance(value, (tuple, list)):
        return tuple(tidy(part) for part in value)
    if not isinstance(value, (float, np.floating, np.ndarray)) or np.asarray(value).dtype.kind != "f":
        return value
    array = np.asarray(value)
    size = float(np.abs(array[np.isfinite(array)]).max(initial=0.0))
    if size == 0.0 or array.dtype == np.float32:
        return value if isinstance(value, np.ndarray) else float(value)
    rounded = np.round(array, max(DIGITS - 1 - int(np.floor(np.log10(size))), 0)) + 0.0
    return rounded if isinstance(value, np.ndarray) else float(rounded)


def part(answer, got, expected):
    """What was expected in place of `answer`, which is a part of what the public function gave; None if it is not."""
    if isinstance(got, dict) and isinstance(expected, dict):
        for key in got:
            if (found := part(answer, got[key], expected.get(key))) is not None:
                return found
        return None
    if expected is None or got is None or isinstance(got, (dict, str)):
        return None
    if isinstance(got, (tuple, list)) != isinstance(answer, (tuple, list)):
        return None
    return expected if same(answer, got, np.float32) else None


def _wrapped(start, text, indent=4):
    """Lines that fit on a page of feedback, which does not break them."""
    return textwrap.wrap(start + text, WIDTH, subsequent_indent=" " * indent, break_long_words=False)
