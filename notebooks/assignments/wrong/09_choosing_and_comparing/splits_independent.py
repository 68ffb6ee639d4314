"""Divides the variance by the number of splits, as for independent experiments."""

import numpy as np

LOSES = {"paired_interval": 4}
FEEDBACK = "you take the splits for independent"


def interval(one, other, test_share, quantile):
    differences = one - other
    half = quantile * np.std(differences, ddof=1) / np.sqrt(len(differences))
    return differences.mean() - half, differences.mean() + half
