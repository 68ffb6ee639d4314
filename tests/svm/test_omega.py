"""The Wright omega function of `fast`, against SciPy's and against its equation."""

import numpy as np
import pytest
from scipy.special import wrightomega

from fast._shared.omega import MIDDLE, SMALL, omega

EPS, LEAST = np.finfo(np.float64).eps, np.finfo(np.float64).tiny
EDGES = [SMALL, np.nextafter(SMALL, -3), MIDDLE, np.nextafter(MIDDLE, 5), 0.0, 1.0, 710.0, 1e4]


@pytest.mark.parametrize(("low", "high"), [(-2.5, 1), (0, 7), (5, 1e3), (1e3, 1e12)])
def test_omega_is_that_of_scipy(low, high):
    for z in [*np.random.default_rng(0).uniform(low, high, 2000), *EDGES]:
        expected, got = wrightomega(z), omega(z)  # SciPy's is right to a few roundings
        assert abs(got - expected) <= 6 * EPS * expected + LEAST, f"omega({z}) should be {expected}, got {got}"


def test_omega_of_small_numbers_keeps_its_digits():
    """omega = exp(z) exp(-omega), where SciPy's loses as many roundings as |z|."""
    for z in np.random.default_rng(0).uniform(-745, SMALL / 2, 5000):
        expected, got = np.exp(z) * np.exp(-omega(z)), omega(z)
        assert abs(got - expected) <= 4 * EPS * expected + LEAST, f"omega({z}) should be {expected}, got {got}"


def test_omega_solves_its_equation_for_the_largest_numbers():
    for z in (1e20, 1e200, np.finfo(np.float64).max):
        w = omega(z)
        assert abs(w + np.log(w) - z) <= 4 * EPS * z
    assert omega(-1e5) == 0.0 and omega(-np.finfo(np.float64).max) == 0.0
