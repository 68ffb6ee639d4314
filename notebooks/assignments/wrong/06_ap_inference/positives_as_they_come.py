"""Takes the i-th positive of the input for the i-th highest."""

import numpy as np

LOSES = {"semigradient": 3}
FEEDBACK = "you take the positives in the order in which they came"


def slopes(p, n, ranks):
    P, N = len(p), len(n)
    before = np.array([np.count_nonzero(ranks <= i) for i in range(1, P + 1)])
    return -2 * before / (P * N), 2 * (P + 1 - ranks) / (P * N)
