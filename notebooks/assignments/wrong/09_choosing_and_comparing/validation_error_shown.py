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
