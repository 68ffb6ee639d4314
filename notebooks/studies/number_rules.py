"""The rules by which `numbers` compares a paper's numbers with ours, and the rows of its tables.

A rule takes numbers and returns bools, or None where the numbers decide nothing. A row's verdict follows from these: no
verdict is typed.
"""

from typing import NamedTuple

import numpy as np

from .paired import INDEPENDENT, difference

HOLDS, IN_PART, UNDECIDED, DOES_NOT_HOLD = "holds", "holds in part", "undecided", "does not hold"
CANNOT, MISSING = "cannot be had here", "not computed yet"
VERDICTS = (HOLDS, IN_PART, UNDECIDED, DOES_NOT_HOLD, CANNOT, MISSING)
RULES = {
    "digits": "ours and the paper's number differ by at most one unit of the last digit that the paper prints",
    "equal": "ours and the paper's counts are the same",
    "quicker": "with our programs, too, the ratio is above 1. How large it is depends on the programs and the machine, "
    "so the ratios are not compared; and where ours is below 1, this says nothing of theirs: undecided",
    "sign": "our mean difference has the sign of the paper's, and its interval does not contain 0; undecided if it "
    "does. By Bonferroni, the intervals of a row (Student's t) hold together with 95 %",
    "band": "the paper's number differs from our mean by at most two standard deviations. This is the deviation of one "
    "more split from our mean: that of our splits times sqrt(1 + 1/splits)",
    "apart": "at each size, the upper quartile of the quicker method is below the lower quartile of the other; where "
    "ours is not, this says nothing of theirs: undecided",
    "slower growth": "the fitted exponents differ by more than two standard errors",
    "linear": "the fitted exponent is between 0.85 and 1.15",
    "same time": "the slowest takes at most twice as long as the quickest, at each size from 1000 on; where ours do "
    "not, this says nothing of theirs: undecided",
    "inner best": "by the rule *sign*, the best of ours inside the grid is better than both ends",
    "fewer": "our number is smaller for at least one value of lambda",
}
SLOPE, TWICE, FROM_SIZE = (0.85, 1.15), 2.0, 1000
DEVIATIONS = 2.0


class Row(NamedTuple):
    """One row of a table. `holds` has the outcomes of the rule, or `why` says why there are none."""

    place: str
    what: str
    paper: str
    ours: str = ""
    rule: str = ""
    holds: tuple = ()
    why: str = ""

    @property
    def verdict(self):
        """One of VERDICTS, followed by a reason or a count."""
        if self.why:
            return self.why
        right, open_, count = self.holds.count(True), self.holds.count(None), len(self.holds)
        if right == count:
            return HOLDS
        if right > 0:
            return f"{IN_PART} ({right} of {count}{f', {open_} undecided' if open_ else ''})"
        if open_ == count:
            return UNDECIDED
        return DOES_NOT_HOLD + (f" (undecided: {open_} of {count})" if open_ else "")


def cannot(place, what, paper, why, ours=""):
    """A row without a comparison, since the data or the method cannot be had."""
    return Row(place, what, paper, ours, why=f"{CANNOT}: {why}")


def missing(place, what, paper, study):
    """A row whose results are not stored."""
    return Row(place, what, paper, why=f"{MISSING}: `make study STUDY={study}`")


# --- rules ---------------------------------------------------------------------------------------------------------


def same_digits(paper, ours, digits):
    """Whether the numbers agree, each, within one unit of a decimal place."""
    return tuple(bool(apart <= 1.001 * 10.0**-digits) for apart in np.atleast_1d(np.abs(np.subtract(ours, paper))))


def same_counts(paper, ours):
    """Whether the counts are equal, each."""
    return tuple(bool(same) for same in np.atleast_1d(np.equal(paper, ours)))


def or_undecided(outcomes):
    """True where ours agrees with the paper on times; None where not, since the paper's programs may."""
    return tuple(True if agrees else None for agrees in outcomes)


def is_quicker(ratios):
    """Whether ratios of times are above 1, each, or undecided."""
    return or_undecided(ratio > 1 for ratio in ratios)


def same_sign(paper, found):
    """Whether a Difference lies on the side of 0 on which the paper's is; None if its interval contains 0."""
    if found.verdict == "open":
        return None
    return bool(np.sign(found.mean) == np.sign(paper))


def in_band(paper, draws):
    """Whether the paper's number is where one more draw would be."""
    deviation = np.std(draws, ddof=1) * np.sqrt(1 + 1 / len(draws))
    return bool(abs(paper - np.mean(draws)) <= DEVIATIONS * deviation)


def is_linear(exponent):
    """Whether a fitted exponent is about 1."""
    return bool(SLOPE[0] <= exponent <= SLOPE[1])


def grows_slower(slow, quick):
    """Whether the second of two (exponent, standard error) is smaller by more than two standard errors."""
    return bool(slow[0] - quick[0] > 2 * np.hypot(slow[1], quick[1]))


def has_inner_best(draws, comparisons=2):
    """Whether the best inner row of (settings, draws) is better than both ends; False if worse than one, else None."""
    draws = np.asarray(draws, float)
    best = 1 + int(draws[1:-1].mean(axis=1).argmax())
    verdicts = {difference(draws[best], draws[end], INDEPENDENT, comparisons).verdict for end in (0, -1)}
    return False if "lower" in verdicts else None if "open" in verdicts else True


def numbers_of(values, form="{:g}"):
    """Numbers with commas between them."""
    return ", ".join("none" if value is None else form.format(value) for value in values)


def short(value):
    """A number with two digits, or as an integer."""
    return f"{value:.0f}" if value >= 100 else f"{value:.2g}"


def span(values):
    """The smallest and the largest of some positive numbers."""
    return " to ".join(dict.fromkeys((short(min(values)), short(max(values)))))
