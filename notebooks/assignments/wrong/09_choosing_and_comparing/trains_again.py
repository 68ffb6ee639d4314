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
