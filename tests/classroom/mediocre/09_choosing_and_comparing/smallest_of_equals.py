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
