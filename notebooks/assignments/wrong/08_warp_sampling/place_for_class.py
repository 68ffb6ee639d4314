"""Takes the number that was drawn for the class. It is a place in the list of the others."""

LOSES = {"warp_draw": 4}
FEEDBACK = "the number that was drawn for the class"


def draw_violator(others, violates, draw, most):
    for trials in range(1, most + 1):
        g = draw(len(others))
        if violates(g):
            return g, trials
    return None, most
