"""The rules by which the page of the papers' numbers takes its verdicts."""

import numpy as np

from notebooks.studies import number_rules as rules
from notebooks.studies.paired import Difference


def test_digits():
    assert rules.same_digits([1.23, 1.23], [1.24, 1.25], 2) == (True, False)


def test_a_ratio_of_times_refutes_nothing():
    assert rules.is_quicker([2.0, 1.0, 0.5]) == (True, None, None)


def test_signs():
    cases = (5, 1.0, True), (-5, -1.0, True), (5, -1.0, False), (-5, 1.0, False), (0, 1.0, False)
    for paper, mean, expected in cases:
        assert rules.same_sign(paper, Difference(mean, 0.3, 0.9, 0.01)) is expected
        assert rules.same_sign(paper, Difference(mean, 0.3, 1.0, 0.05)) is None


def test_the_band_is_that_of_one_more_draw():
    draws = [1.0, 2.0, 3.0]  # deviation 1, times sqrt(4/3), times 2: 2.31
    assert rules.in_band(4.3, draws) and not rules.in_band(4.32, draws)


def test_the_best_is_inside():
    draws = np.array([[1.0, 1.1, 0.9], [3.0, 3.1, 2.8], [1.0, 1.3, 1.1]])
    assert rules.has_inner_best(draws) is True and rules.has_inner_best(draws[[1, 0, 2]]) is False
    assert rules.has_inner_best(draws + np.array([[2.0, -2, 2], [0, 0, 0], [0, 0, 0]])) is None  # inside, and open
    assert rules.has_inner_best(draws + np.array([[2.0, 4, 2], [0, 0, 0], [0, 0, 0]])) is None  # at an end, and open


def test_verdicts_of_rows():
    outcomes = {(True, True): "holds", (True, False): "holds in part (1 of 2)", (False, False): "does not hold"}
    outcomes |= {(None, None): "undecided", (None, True): "holds in part (1 of 2, 1 undecided)"}
    outcomes |= {(False, None): "does not hold (undecided: 1 of 2)"}
    for holds, expected in outcomes.items():
        assert rules.Row("", "", "", "", "sign", holds).verdict == expected
