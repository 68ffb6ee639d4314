"""Takes the best of the first grid, wherever it is: right as long as the best exponent lies inside."""

LOSES = {"chosen_regularization": 3}
FEEDBACK = "it is right in all random cases; special ones fail"
SAYS = ["you stop with the first grid. Where the best exponent has a neighbour that was not tried, the search goes on."]


def choose(validation_error, test_error, start):
    errors = {int(v): validation_error(v) for v in start}
    best = min(sorted(errors, reverse=True), key=errors.get)
    return best, test_error(best)
