"""What was measured about an answer, and what the ground truth is."""

from typing import NamedTuple

import numpy as np

DIFFERS = "differs from the ground truth"
TELLING = 0.1  # the share of a bound from which on a cause of it is named
SUBOPTIMAL = "proved bound of the relative suboptimality"


class Condition(NamedTuple):
    """One number that was measured, the largest one that is allowed, and what it means in English.

    It is a distance from the right answer if the reason is DIFFERS.
    """

    value: float
    bound: float
    what: str
    note: str = ""  # what the number does not prove, or what it consists of
    reason: str = "certificate"  # of the verdict if it is broken
    detail: str = ""  # of the verdict, if `what` and the value are not enough
    expected: object = None  # what a right answer would be, in the verdict
    rounding: float = 0.0  # what the judge allows beyond the bound: the answer was rounded after it met it

    @property
    def is_met(self):
        """Whether the judge accepts the number. NaN is never accepted."""
        return self.value <= self.bound + self.rounding


class Exactly(NamedTuple):
    """The ground truth is an answer: its parts by name, and by how much they may be wrong, relative to the unit."""

    parts: dict
    doubt: float = 0.0
    unit: float = 1.0  # or an array that fits to that of the answer
    allowed: float | None = None  # None: what rounding explains
    reason: str = DIFFERS
    detail: str = "by {:.1e}, relative"


class Minimum(NamedTuple):
    """The ground truth is the smallest objective, up to an error relative to it."""

    value: float
    doubt: float


def suboptimality(found, tol, note="", **others):
    """Returns the Condition that the Bounds of a fit of a convex problem are as close as `tol`."""
    text = f"The objective is at most {found.primal:.6g}, the minimum at least {found.dual:.6g}."
    repair, rounding = found.causes if np.isfinite(found.value) and found.value > tol else (0.0, 0.0)
    if repair > TELLING * found.value:
        text += f" The duals are outside of their domain: {repair:.2g} is what it costs to bring them into it."
    if rounding > TELLING * found.value > 0:
        text += f" Rounding in float64 may be {rounding:.2g} of it."
    return Condition(found.value, tol, SUBOPTIMAL, f"{text} {note}".strip(), **others)
