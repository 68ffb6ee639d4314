"""Paired differences of two methods over splits or data sets, and corrections for many of them.

Every interval of a page or a study comes from `difference`, whose caller must say by how much the splits overlap.
"""

from typing import NamedTuple

import numpy as np
from scipy.stats import t as student

LEVEL = 0.05  # the probability of any false "differs" in a family of comparisons
INDEPENDENT = 0.0  # the test_share of data sets, queries or walks that were drawn anew


class Difference(NamedTuple):
    """A mean difference over splits. All but p are in the units of the values."""

    mean: float
    error: float  # the standard error of the mean
    half: float  # half of the 95 % interval
    p: float  # two-sided

    def __str__(self):
        return f"{self.mean:+.1f} ± {self.half:.1f}"

    @property
    def verdict(self):
        """ "higher" or "lower", or "open" where the interval contains 0."""
        return "open" if abs(self.mean) <= self.half else "higher" if self.mean > 0 else "lower"


def difference(one, other, test_share, comparisons=1):
    """The mean of one - other over splits, with its standard error, 95 % interval and p-value.

    Parameters
    ----------
    one, other : arrays, shape (n_splits,)
        What two methods reach on the same splits.
    test_share : float
        The size of the test part divided by that of the training part, for random splits of one data set; INDEPENDENT
        for data that share nothing.
    comparisons : int
        How many intervals are shown together. By Bonferroni, all of them hold at once with 95 %.

    Returns
    -------
    difference : Difference

    Notes
    -----
    Splits of one data set share most of their images, so they are not independent, and the deviation divided by
    sqrt(n_splits) would be too small. The standard error is the deviation times sqrt(1 / n_splits + test_share), and
    the quantile is Student's with n_splits - 1 degrees of freedom.
    Source: C. Nadeau and Y. Bengio, "Inference for the generalization error", Machine Learning, 2003.

    Examples
    --------
    >>> found = difference([3.0, 4.0, 5.0], [1.0, 2.5, 2.5], test_share=0.5)
    >>> print(f"{found.mean:.2f} +- {found.half:.2f}, p = {found.p:.3f}")
    2.00 +- 1.96, p = 0.048
    """
    apart = np.subtract(one, other, dtype=float)
    n = len(apart)
    if n < 2:
        raise ValueError(f"one must have 2 splits or more, got {n}: a single difference has no deviation")
    error = apart.std(ddof=1) * np.sqrt(1 / n + test_share)
    mean = apart.mean()
    if error == 0:
        return Difference(float(mean), 0.0, 0.0, float(mean == 0))
    half = student.ppf(1 - LEVEL / (2 * comparisons), n - 1) * error
    return Difference(float(mean), float(error), float(half), float(2 * student.sf(abs(mean) / error, n - 1)))


def holm(p):
    """Holm's adjusted p-values of a family of comparisons, in the order given.

    Reject those that are at most the level. Then the probability that any true hypothesis of the family is rejected is
    at most the level, whatever the dependence. The i-th smallest of n is multiplied by n - i + 1, then made monotone.

    >>> holm([0.01, 0.04, 0.03]).round(3).tolist()
    [0.03, 0.06, 0.06]
    """
    p = np.asarray(p, dtype=float)
    order = np.argsort(p, kind="stable")
    adjusted = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    result = np.empty(len(p))
    result[order] = np.minimum(adjusted, 1)
    return result


def verdicts(differences, level=LEVEL):
    """For each difference: "higher", "lower", or "open" where the adjusted p-value is above the level."""
    adjusted = holm([found.p for found in differences])
    words = {True: "higher", False: "lower"}
    pairs = zip(differences, adjusted, strict=True)
    return [words[found.mean > 0] if p <= level else "open" for found, p in pairs]


def outside(values, number):
    """How many standard deviations of one split `number` lies above the mean over splits.

    The number is one more draw, and the mean is uncertain, so the deviation is multiplied by sqrt(1 + 1 / n_splits).

    >>> round(outside([1.0, 2.0, 3.0], 4.0), 2)
    1.73
    """
    values = np.asarray(values, dtype=float)
    return float((number - values.mean()) / (values.std(ddof=1) * np.sqrt(1 + 1 / len(values))))
