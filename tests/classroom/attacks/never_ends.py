"""A cell without an end."""

WORD = "cell simplex: left out, hung: no answer within 8 s"


def simplex(a, radius):
    return a


while True:
    pass
