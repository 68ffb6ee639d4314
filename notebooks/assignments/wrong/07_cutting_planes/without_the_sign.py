"""Solves the linear system of the optimum, and forgets that shares are not negative."""

import numpy as np

LOSES = {"programme_in_the_fit": 5}
FEEDBACK = "are not in the simplex: the smallest is -"


def small_programme(offsets, G, shares, tolerance):
    C = len(offsets)
    system = np.ones((C + 1, C + 1))
    system[:C, :C], system[C, C] = G, 0.0
    return np.linalg.lstsq(system, np.append(offsets, 1.0), rcond=None)[0][:C]
