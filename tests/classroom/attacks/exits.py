"""A cell that ends the process."""

import os

WORD = "cell simplex: left out, exited: the process ended"


def simplex(a, radius):
    return a


os._exit(0)
