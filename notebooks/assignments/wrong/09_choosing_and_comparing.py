# === ascending_columns
"""Sorts the numbers of guesses first, and returns the columns in ascending order."""

import numpy as np

LOSES = {"topk_error": 4}
FEEDBACK = "you return the columns in ascending order of k"


def errors_at(scores, y, ks):
    own = scores[np.arange(len(y)), y][:, None]
    ahead = (scores >= own).sum(axis=1) - 1
    return np.column_stack([(ahead >= k).astype(float) for k in sorted(ks)])


# === looks_at_the_test_set
"""Computes the test error of each exponent, and returns the best one of the validation part."""

LOSES = {"chosen_regularization": 6}
FEEDBACK = "the test set was used for 10^"


def choose(validation_error, test_error, start):
    validation, test, todo = {}, {}, list(start)
    while todo:
        for v in todo:
            validation[v], test[v] = validation_error(v), test_error(v)
        best = max(v for v in validation if validation[v] == min(validation.values()))
        todo = [v for v in (best - 1, best + 1) if -6 <= v <= 6 and v not in validation]
    return best, test[best]


# === splits_independent
"""Divides the variance by the number of splits, as for independent experiments."""

import numpy as np

LOSES = {"paired_interval": 4}
FEEDBACK = "you take the splits for independent"


def interval(one, other, test_share, quantile):
    differences = one - other
    half = quantile * np.std(differences, ddof=1) / np.sqrt(len(differences))
    return differences.mean() - half, differences.mean() + half


# === ties_are_right
"""Counts a tie as right, as a sort would that happens to put the true class first."""

import numpy as np

LOSES = {"topk_error": 2}
FEEDBACK = "you count a tie as right"


def errors_at(scores, y, ks):
    own = np.take_along_axis(scores, y[:, None], axis=1)
    ahead = np.count_nonzero(scores > own, axis=1)
    return np.array([[float(count >= k) for k in ks] for count in ahead])


# === trains_again
"""Trains all exponents once more after each extension of the grid: right where the first grid is enough."""

LOSES = {"chosen_regularization": 3}
FEEDBACK = "was trained twice; keep the errors that you have"


def choose(validation_error, test_error, start):
    tried = set(start.tolist())
    while True:
        best = min(sorted(tried, reverse=True), key=validation_error)
        more = {v for v in (best - 1, best + 1) if -6 <= v <= 6} - tried
        if not more:
            return best, test_error(best)
        tried |= more


# === validation_error_shown
"""Returns the validation error of the chosen exponent: it was chosen for being small."""

LOSES = {"chosen_regularization": 6}
FEEDBACK = "you return the validation error of the best exponent"


def choose(validation_error, test_error, start):
    errors, todo = {}, list(start)
    while todo:
        for v in todo:
            errors[v] = validation_error(v)
        best = min(errors, key=lambda v: (errors[v], -v))
        todo = [v for v in (best - 1, best + 1) if abs(v) <= 6 and v not in errors]
    return best, errors[best]


# === variances_added
"""Adds the variances of the two methods, as if they had been tested on different splits."""

import numpy as np

LOSES = {"paired_interval": 4}
FEEDBACK = "you add the variances of the two methods"


def interval(one, other, test_share, quantile):
    variance = np.var(one, ddof=1) + np.var(other, ddof=1)
    half = quantile * np.sqrt(variance * (1 / len(one) + test_share))
    mean = one.mean() - other.mean()
    return [mean - half, mean + half]
