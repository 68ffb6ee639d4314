"""What a student is told about a function that is wrong."""

import re
import textwrap

import numpy as np

from ..report import called, readable
from .diagnosis import same

WIDTH = 96  # characters
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


def verdict(row, known=(), calls=(), share=0.0):
    """The text: the smallest failing instance, expected and got, what is wrong, why, and where to read again.

    Parameters
    ----------
    row : Row
        Of the examiner's table, with its failure.
    known : list of str
        Sentences on how the function may have come to that answer.
    calls : list of own.Call
        What the student's own functions were asked on that instance. If there was one call, the text speaks of it
        and not of the public function around it.
    share : float
        The part of the points that is earned all the same.
    """
    failure, call = row.failure, calls[0] if len(calls) == 1 else None
    name = calls[0].name if calls else row.name
    if failure.reason == "raised" and failure.detail.startswith("NotImplementedError"):
        return f"{name}: not written yet."
    lines = [f"{name}: not yet right. The smallest failing instance that was found:", ""]
    lines += _instance(failure, call)
    detail = re.sub(r" \(\w*\.?\w*:?\d*\)$", "", failure.detail)  # the line of a cell that has no name
    lines += ["", *_wrapped("What is wrong: ", failure.reason + (f", {detail}." if detail else "."))]
    lines += [f"Kind of case: {failure.label}."]
    for sentence in known:
        lines += _wrapped("It looks as if ", sentence)
    if share:
        lines += _wrapped("Points: ", f"{share:.0%} of them, for it is right in all random cases; special ones fail.")
    lines += _wrapped("Read again: ", failure.place)
    lines += [f"    {number} is {title}" for number, title in PAPERS.items() if number in failure.place]
    return "\n".join(lines)


def _instance(failure, call):
    """The call, expected and got: of the student's own function where they can be told, of the public one otherwise."""
    if not failure.arguments:
        return []
    expected, got = failure.expected, failure.got
    if call and (call.answer is None or (found := part(call.answer, got, expected)) is not None):
        arguments = {key: Name(key) if callable(value) else value for key, value in call.arguments.items()}
        lines = _wrapped("    ", called(call.name, arguments, 0), 8)
        if call.answer is None:
            return lines
        expected, got = found, call.answer
    else:
        lines = _wrapped("    ", called(failure.function, failure.arguments, failure.positional), 8)
    for word, value in (("expected", expected), ("got", got)):
        if value is not None:
            lines += _wrapped(f"    {word:8}  ", value if isinstance(value, str) else readable(value), 14)
    return lines


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
