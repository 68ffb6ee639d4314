"""A Spec: all that is needed to examine one public function, beside its statement in `reference.problems`.

The statement knows the arguments and refuses wrong ones. The folder of a family adds functions of the same name:
instances (`cases`), what a right answer meets (`conditions`), and the right answer itself (`truth`). The Spec adds
axes: what each argument and each part of the answer has along its dimensions. From these follow the judge (`judge`),
the reader of `certify` (`answers`), and simpler instances of a failing one (`simplify`). Axes are texts:

    n d        an array; the letters are sizes, and equal letters are equal sizes
    (n) d      the axis in parentheses may be missing, as in n (m)
    n *        an array with any further axes
    d?         an array (d,), one number for all, or None
    n of m     integers (n,) below m: labels, flags ("n of 2"), or places in an order ("n of n")
    1..d       an integer from 1 to d; 1..m-1 goes to m - 1, and 0..m-1 begins at 0
    unit       a number in the unit of the data
    number     any other number, >= 0
    parts of n the number of parts, or a list of the places of each
    A | B      A or B, whichever has as many dimensions as the value

In an answer, an array may name its dtype ("n int64"), and otherwise has that of the data: of the leading arrays that
name none, or float64 without data. A size may be a number, and the size of a first axis that no argument has is chosen
by the answer. Other parts are a "number", a "float", an "integer", "None", or "None n" (`certify` reads an array that
is there all the same); "arrays" are a tuple of arrays of any shapes, and "any" is left to the conditions.
"""

import importlib
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ... import problems
from ..proofs.rounding import answer_dtype

DTYPES = "int64", "float64", "float32"


class Spec(NamedTuple):
    """One public function and all that is needed to examine it."""

    name: str
    family: str  # the package of the family
    arguments: dict  # the axes of the arguments that have any, by name; the others are options
    answer: dict | Callable  # the axes of the parts of the answer; a function of the Problem if they depend on it
    place: str  # the section or equation of the paper
    needs: tuple = ()  # parts that `certify` cannot do without, and the first of which is meant by an array alone
    reads: tuple = ()  # parts beside arrays that `certify` reads, too, if they are there
    plain: tuple = ()  # (option, its simplest value), ...: these options are given that value, and never left out
    simpler: Any = None  # hook, arguments -> more simpler arguments: where the axes do not say enough
    tiny: Any = None  # hook, (generator, sizes, arguments) -> arguments that the axes would draw badly; None: left out
    is_sound: Any = None  # hook, arguments -> bool: what the statement cannot see
    leading: int = 0  # the number of arguments that are passed by position, if it is not that of the leading arrays
    csr: dict | None = None  # options of `csr.sparse_cases`; None if the function takes arrays only

    @property
    def statement(self):
        """What the function promises."""
        return problems.statement(self.name)

    @property
    def positional(self):
        """The number of arguments that are passed by position: the leading arrays, if nothing else is said."""
        return self.leading or [is_array(axes) for axes in (*self.arguments.values(), "option")].index(False)

    @property
    def points(self):
        """The arguments that are data, and no labels or flags: the arrays that lead."""
        return [name for name in list(self.arguments)[: self.positional] if is_data(self.arguments[name])]

    @property
    def enough(self):
        """The parts that prove that an answer is right: its arrays, if nothing else is said."""
        answer = {} if callable(self.answer) else self.answer
        return self.needs or tuple(name for name, axes in answer.items() if is_array(axes))

    def dtype(self, arguments):
        """Returns the type of the answer to these arguments."""
        given = [name for name in self.points if not set(DTYPES) & set(self.arguments[name].split())]
        return np.result_type(*([answer_dtype(arguments[name]) for name in given] or [np.float64]))

    def axes(self, arguments):
        """Returns the axes of these arguments: of several possible ones, those with as many dimensions."""
        return {name: _axes_of(arguments.get(name), text) if " | " in text else text
                for name, text in self.arguments.items()}  # fmt: skip

    def parts(self, problem):
        """Returns the axes of each part of the answer to this Problem."""
        return self.answer(problem) if callable(self.answer) else self.answer

    def part(self, role):
        """Returns the function of this name from `cases`, `conditions` or `truth`, or None. `truth` needs a solver."""
        return getattr(importlib.import_module(f"{self.family}.{role}"), self.name, None)


def _axes_of(value, axes):
    return next((one for one in axes.split(" | ") if len(letters(one)) == np.ndim(value)), axes)


def is_array(axes):
    """True if an argument or a part of an answer with these axes is an array."""
    return ".." not in axes and (len(axes.split()[0].strip("()?")) == 1 or axes[0].isdigit())


def is_data(axes):
    """True if these are the axes of an array of real numbers, and not of labels."""
    return is_array(axes) and " of " not in axes


def letters(axes, ndim=None):
    """Returns the sizes of an array, such as n and d for "(n) d", and d for one dimension. "n of m" has n alone."""
    words = [one for one in axes.partition(" of ")[0].split() if one not in DTYPES]
    is_whole = ndim is None or ndim >= len(words)
    found = [one.strip("()?") for one in words if is_whole or not one.startswith("(")]
    return found[:-1] + ["*"] * (ndim - len(found) + 1) if ndim and found[-1] == "*" else found


def sizes(axes, arguments):
    """Returns the sizes that the letters have in these arguments. A point without rows has no n."""
    found = {}
    for name, text in axes.items():
        value = arguments.get(name)
        if is_array(text) and np.ndim(value):
            found |= dict(zip(letters(text, np.ndim(value))[::-1], np.shape(value)[::-1], strict=False))
    found.pop("*", None)
    for name, text in axes.items():
        of = text.partition(" of ")[2]
        if of.isalpha() and of not in found and arguments.get(name) is not None:
            found[of] = int(np.max(arguments[name])) + 1
    return found


def shape_of(axes, found):
    """Returns the shape of a part of an answer, given the sizes of the letters. A missing axis is missing here, too."""
    known = found | {letter: int(letter) for letter in letters(axes) if letter.isdigit()}
    return tuple(known[letter] for letter in letters(axes) if letter in known)
