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
