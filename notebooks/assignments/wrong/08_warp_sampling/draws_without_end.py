"""Draws until somebody violates, and forgets that perhaps nobody does."""

LOSES = {"warp_draw": 4}
FEEDBACK = "draws must hold enough numbers"


def draw_violator(others, violates, draw, most):
    trial = 1
    while not violates(candidate := others[draw(len(others))]):
        trial += 1
    return candidate, trial
