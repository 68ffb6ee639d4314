"""The losses of rankings that the quicksort can optimise: a discrete derivative, and the conditions on it.

Source: Paper 002 (Mohapatra et al.: Efficient Optimization for Rank-based Loss Functions, 2018), algorithm 1.
"""

import sys
from collections.abc import Callable
from itertools import combinations_with_replacement
from typing import Any, NamedTuple

import numpy as np

SMALL = 4  # C1 is tried for all rankings of up to this many positives and negatives: 70 at most
TOLERANCE = 1e-12  # relative; far above the rounding of a sum of SMALL * SMALL terms
FAR = 64  # C3 compares the first place with one that is this many times as far as the end of the grid
SPARE_LINES = 16  # the derivative may run twice as many lines there, and this many more


class QSLoss(NamedTuple):
    r"""A loss of rankings that is a sum over the negatives.

    .. math::

        \text{loss} = \sum_{j=1}^N \sum_{i=r_j}^P \frac{\text{derivative}(j, i)}{\text{total}(P, N)}

    Here :math:`r_j` is the rank of the j-th highest negative, as in `rank_loss`. Let this negative move from just
    behind the i-th highest positive to just before it. Then the loss grows by the summand (j, i), for j = 1..N and i =
    1..P. `reference` calls the derivative with an array of i, and `fast` compiles it with Numba.

    Attributes
    ----------
    name : str
    derivative : function of (j, i)
        The increase of the loss, before it is divided by the total: a number, or an array if i is one.
    total : function of (P, N)
        A number above 0.
    value : function of (interleaving, P), optional
        The loss by its definition, if there is one.

    References
    ----------
    * Paper 002 (Mohapatra et al.: Efficient Optimization for Rank-based Loss Functions, 2018), supplement, section 1
      with conditions (C1), (C2) and (C3).
    """

    name: str
    derivative: Callable[[Any, Any], Any]
    total: Callable[[int, int], float]
    value: Callable[[Any, int], float] | None = None

    def violations(self, n_positive: int = 8, n_negative: int = 8) -> list[tuple[str, int, int, str]]:
        """Returns the violated conditions of QS-suitability, on the grid of all j <= n_negative and i <= n_positive.

        The result is a list of (condition, j, i, explanation), where j and i tell where the condition fails first. It
        is empty for a QS-suitable loss.

        * C1: the loss is the sum above for every ranking. If `value` is given, all rankings of a few samples are tried.
        * C2: the derivative does not grow with j, so that the best ranks do not fall with j.
        * C3: the derivative is a finite number, and its running time does not grow with j and i. The number of lines of
          Python that it runs stands for the time.

        Source: Paper 002 (Mohapatra et al.: Efficient Optimization for Rank-based Loss Functions, 2018), supplement,
        section 1.
        """
        found = [self._c3(n_positive, n_negative)]
        if found[0] is None:
            found += [self._c1(min(n_positive, SMALL), min(n_negative, SMALL)), self._c2(n_positive, n_negative)]
        return [violation for violation in sorted(filter(None, found))]

    def _c1(self, P, N):
        """Returns a ranking at which the loss is not the sum, as a violation, or None."""
        if self.value is None:
            return None
        for ranks in combinations_with_replacement(range(1, P + 2), N):
            by_negatives = sum(float(self.derivative(j, i)) for j, r in enumerate(ranks, 1) for i in range(r, P + 1))
            by_negatives /= float(self.total(P, N))
            value = float(self.value(np.array(ranks), P))
            if not abs(by_negatives - value) <= TOLERANCE * max(1.0, abs(value)):
                explanation = f"interleaving {ranks}: the sum is {by_negatives:.6g}, the loss {value:.6g}"
                return ("C1", N, P, explanation)
        return None

    def _c2(self, P, N):
        """Returns the first place at which the derivative grows with j, as a violation, or None."""
        for i in range(1, P + 1):
            for j in range(1, N):
                here, next_one = float(self.derivative(j, i)), float(self.derivative(j + 1, i))
                if next_one > here + TOLERANCE * max(abs(here), abs(next_one)):
                    explanation = f"the derivative grows from {here:.6g} for j = {j} to {next_one:.6g} for j = {j + 1}"
                    return ("C2", j, i, explanation)
        return None

    def _c3(self, P, N):
        """Returns the first place at which the derivative is not finite or takes too long, as a violation, or None."""
        for i in range(1, P + 1):
            for j in range(1, N + 1):
                value = self.derivative(j, i)
                if np.ndim(value) != 0 or not np.isfinite(float(value)):
                    return ("C3", j, i, f"the derivative is {value!r}")
        first, last = (_lines_run(self.derivative, *place) for place in ((1, 1), (FAR * N, FAR * P)))
        if last > 2 * first + SPARE_LINES:
            return ("C3", FAR * N, FAR * P, f"{last} lines of Python are run, and {first} for j = i = 1")
        return None


def _lines_run(function, *arguments):
    """Returns the number of lines of Python that a call runs, as the interpreter's trace function counts them."""
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
