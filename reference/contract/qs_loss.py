"""The losses that quicksort can optimise, as an open class: a name, a discrete derivative, and the conditions on it."""

import sys
from collections.abc import Callable
from itertools import combinations_with_replacement
from typing import NamedTuple

import numpy as np

SMALL = 4  # positives and negatives, of which all rankings are tried
ROUNDING = 1e-12


class QSLoss(NamedTuple):
    """A loss of rankings that is a sum over the negatives: sum_j sum_{i >= r_j} derivative(j, i) / total(P, N).

    derivative(j, i), for j = 1..N and i = 1..P, is by how much the loss grows (up to the total) when the j-th highest
    negative passes from just behind the i-th highest positive to just before it. `reference` calls it with an
    array of i, and `fast` compiles it.
    """

    name: str
    derivative: Callable  # (j, i) -> number
    total: Callable  # (P, N) -> number > 0
    value: Callable | None = None  # (interleaving, P) -> the loss by its definition, if known

    def violations(self, n_positive=8, n_negative=8):
        """What keeps the loss from being QS-suitable, on the grid of all j <= n_negative and i <= n_positive.

        A list of (condition, j, i, explanation), empty if nothing does; j and i are where a condition fails first.

        C1: the loss is the sum above, whatever the ranking (if `value` is given: tried for all rankings of a few).
        C2: the derivative does not grow with j, so that higher negatives never want lower ranks.
        C3: the derivative is a finite number, found in a time that does not grow with j and i (lines run are counted).
        Source: 002, supplement, section 1.
        """
        found = [self._c3(n_positive, n_negative)]
        if found[0] is None:
            found += [self._c1(min(n_positive, SMALL), min(n_negative, SMALL)), self._c2(n_positive, n_negative)]
        return [violation for violation in sorted(filter(None, found))]

    def _c1(self, P, N):
        if self.value is None:
            return None
        for ranks in combinations_with_replacement(range(1, P + 2), N):
            by_negatives = sum(float(self.derivative(j, i)) for j, r in enumerate(ranks, 1) for i in range(r, P + 1))
            by_negatives /= float(self.total(P, N))
            value = float(self.value(np.array(ranks), P))
            if not abs(by_negatives - value) <= ROUNDING * max(1.0, abs(value)):
                explanation = f"interleaving {ranks}: the sum is {by_negatives:.6g}, the loss {value:.6g}"
                return ("C1", N, P, explanation)
        return None

    def _c2(self, P, N):
        for i in range(1, P + 1):
            for j in range(1, N):
                here, next_one = float(self.derivative(j, i)), float(self.derivative(j + 1, i))
                if next_one > here + ROUNDING * max(abs(here), abs(next_one)):
                    explanation = f"the derivative grows from {here:.6g} for j = {j} to {next_one:.6g} for j = {j + 1}"
                    return ("C2", j, i, explanation)
        return None

    def _c3(self, P, N):
        for i in range(1, P + 1):
            for j in range(1, N + 1):
                value = self.derivative(j, i)
                if np.ndim(value) != 0 or not np.isfinite(float(value)):
                    return ("C3", j, i, f"the derivative is {value!r}")
        first, last = (_lines_run(self.derivative, *place) for place in ((1, 1), (64 * N, 64 * P)))
        if last > 2 * first + 16:
            return ("C3", 64 * N, 64 * P, f"{last} lines are run where {first} are for j = i = 1")
        return None


def _lines_run(function, *arguments):
    """How many lines of Python a call runs, by the interpreter's own count."""
    lines, before = 0, sys.gettrace()

    def count(frame, event, argument):
        nonlocal lines
        lines += 1
        return count

    sys.settrace(count)
    try:
        function(*arguments)
    finally:
        sys.settrace(before)
    return lines
