"""Raises and prints text that no file can hold, and escape sequences for a terminal."""

WORD = "project_simplex 0 of 3"
print("\ud800 \x1b[2J")


def simplex(a, radius):
    raise ValueError("\ud800 \x1b[2J HARMED" * 1000)
