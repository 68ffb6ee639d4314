"""Adds the variances of the two methods, as if they had been tested on different splits."""

import numpy as np

LOSES = {"paired_interval": 4}
FEEDBACK = "you add the variances of the two methods"


def interval(one, other, test_share, quantile):
    variance = np.var(one, ddof=1) + np.var(other, ddof=1)
    half = quantile * np.sqrt(variance * (1 / len(one) + test_share))
    mean = one.mean() - other.mean()
    return [mean - half, mean + half]
