# === first_grid_only
"""Takes the best of the first grid, wherever it is: right as long as the best exponent lies inside."""

LOSES = {"chosen_regularization": 3}
FEEDBACK = "it is right in all random cases; special ones fail"
SAYS = ["you stop with the first grid. Where the best exponent has a neighbour that was not tried, the search goes on."]


def choose(validation_error, test_error, start):
    errors = {int(v): validation_error(v) for v in start}
    best = min(sorted(errors, reverse=True), key=errors.get)
    return best, test_error(best)


# === smallest_of_equals
"""Of equally good exponents, takes the smallest."""

LOSES = {"chosen_regularization": 3}
FEEDBACK = "it is right in all random cases; special ones fail"
SAYS = ["of equally good exponents you take the smallest; the largest is asked for, the strongest regularization."]


def choose(validation_error, test_error, start):
    errors, todo = {}, sorted(start)
    while todo:
        for v in todo:
            errors[v] = validation_error(v)
        best = min(sorted(errors), key=errors.get)
        todo = [v for v in (best - 1, best + 1) if -6 <= v <= 6 and v not in errors]
    return best, test_error(best)


# === sums_of_squares
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
