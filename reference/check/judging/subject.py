"""The functions as the examiner takes them."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from . import arguments as calls
from . import judge, simplify
from .sparse import sparse_cases
from .specs import SPECS


class Subject(NamedTuple):
    """One function and all that is needed to examine it."""

    cases: Callable  # (generator, quick) -> Case, ...
    judge: Callable  # (case, reply) -> Outcome
    refuse: Callable  # arguments by name; raises ValueError if they are wrong
    simpler: Callable  # arguments -> simpler arguments, ...
    tiny: Callable  # (generator, arguments) -> tiny arguments like these, ...
    positional: int  # the number of arguments that are passed by position
    place: str  # the section or equation of the paper
    csr: Callable | None = None  # like `cases`, with CSR input; None if the function takes arrays only
    expected: Callable = lambda case: None  # case -> what should have come, or None if that is not known


def subject_of(spec):
    """Returns the Subject of a public function."""
    cases, refuse = spec.part("cases"), lambda arguments: calls.problem_of(spec.name, arguments)
    shrinking = partial(simplify.simpler, spec), partial(simplify.tiny, spec)
    csr = None if spec.csr is None else sparse_cases(cases, **spec.csr)
    judged, expected = partial(judge.judge, spec), partial(judge.expected, spec)
    return Subject(cases, judged, refuse, *shrinking, spec.positional, spec.place, csr, expected)


SUBJECTS = {name: subject_of(spec) for name, spec in SPECS.items()}
