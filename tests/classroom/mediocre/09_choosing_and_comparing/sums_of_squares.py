"""Computes the variance as the mean of squares minus the square of the mean, with the numbers of the two methods: digits are lost."""

import numpy as np

LOSES = {"paired_interval": 2}
FEEDBACK = "it is right in all random cases; special ones fail"
SAYS = []


def interval(one, other, test_share, quantile):
    J, d = len(one), one - other
    both = (one @ one + other @ other - 2 * (one @ other)) / J
    variance = max(both - d.mean() ** 2, 0.0) * J / (J - 1)
    half = quantile * np.sqrt(variance * (1 / J + test_share))
    return d.mean() - half, d.mean() + half
