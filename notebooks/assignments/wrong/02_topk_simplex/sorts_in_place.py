"""Sorts the array that it was given, and returns a list."""

LOSES = {"project_simplex": 3}
FEEDBACK = "simplex should return an array, got list"


def simplex(a, radius):
    total, t = 0.0, 0.0
    for j, value in enumerate(sorted(a, reverse=True), start=1):
        total += value
        if value > (total - radius) / j:
            t = (total - radius) / j
    return [max(value - t, 0.0) for value in a]
