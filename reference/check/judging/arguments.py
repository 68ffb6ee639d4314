"""The arguments of a call that is judged: they are bound and refused as the public function does it."""

import difflib
import inspect
import warnings
from functools import lru_cache
from types import SimpleNamespace

import numpy as np

import reference

from ... import problems
from ...problems import checks

READ_BY_SOLVERS = ("a", "b", "c", "z", "positive_scores", "negative_scores")  # solvers may see later what is not finite


class Problem(SimpleNamespace):
    """All arguments of a call by name, with their defaults, checked and converted."""

    def only(self, *names):
        """Returns those of these arguments that the function has, as a dict."""
        return {name: vars(self)[name] for name in names if name in vars(self)}


def problem_of(name, options, arguments=()):
    """Returns the Problem that a call of a public function states.

    Raises ValueError if an argument is unknown, missing or wrong. Warnings about the arguments are not repeated.
    """
    signature = plain_signature(getattr(reference, name))
    for option in options:
        if option not in signature.parameters:
            raise ValueError(f"{name} has no argument {option!r}{nearest(option, signature.parameters)}")
    try:
        call = signature.bind(*arguments, **options)
    except TypeError as trouble:
        raise ValueError(f"{name}{signature}: {trouble}") from None
    call.apply_defaults()
    given = dict(call.arguments)
    with warnings.catch_warnings(), np.errstate(over="ignore", invalid="ignore"):
        warnings.simplefilter("ignore")
        checked = problems.statement(name)(*call.args, **call.kwargs)
        if hasattr(checked, "settle"):
            checked.settle()  # the checks that a solver makes while it reads
        found = dict(zip(getattr(checked, "_fields", given), checked, strict=True))
        for point in found.keys() & READ_BY_SOLVERS:
            checks.finite_array(found[point], point)
        return Problem(**given | {argument: value for argument, value in found.items() if argument in given})


@lru_cache
def plain_signature(function):
    """Returns the signature of a function without its annotations, as a message shows it."""
    signature = inspect.signature(function)
    plain = [one.replace(annotation=one.empty) for one in signature.parameters.values()]
    return signature.replace(parameters=plain, return_annotation=signature.empty)


def nearest(name, names):
    """Returns text that lists the right names, or suggests the nearest one."""
    close = difflib.get_close_matches(str(name), list(names), n=1)
    return f": did you mean {close[0]!r}?" if close else f": it must be one of {', '.join(names)}"
