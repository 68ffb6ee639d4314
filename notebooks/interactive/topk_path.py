"""Notebook 02: a point moves along a path in space, and its projection moves over the top-k simplex."""

from itertools import combinations, product

import numpy as np
from _style import ACCENT, GREY, INK, METHOD_COLORS, vector

import reference

from . import traces
from .panel import Panel
from .slider import Frame, SliderFigure

# One large entry, two large entries, all equal, inside the set, and then below zero
STOPS = np.array([[1.1, 0.3, 0.1], [0.8, 0.9, 0.3], [0.3, 0.5, 0.5], [0.15, 0.25, 0.2], [-0.3, 0.2, -0.1]])
LIMITS = (-0.35, 1.15)
POSITIONS = 17
PATH = np.transpose([np.interp(np.linspace(0, 4, POSITIONS), range(5), column) for column in STOPS.T])
CHOICES = tuple(product((2, 1, 3), (1.0, 0.6)))


def figure():
    """Returns the figure: a slider over the positions of a, and a menu of k and r."""
    frames = [_frame(position) for position in range(POSITIONS)]
    space = Panel("z<sub>1</sub>", "z<sub>2</sub>", LIMITS, LIMITS, z="z<sub>3</sub>", zlim=LIMITS)
    alt = """A slider moves a point a along a path in space. A dashed line joins it to its projection z on the top-k
        simplex. The coordinates of z are written in the legend. A menu changes k and r. The set is a tetrahedron for
        k = 1 and 2, and a segment for k = 3. The view can be rotated."""
    names = [f"k = {k}, r = {r:g}" for k, r in CHOICES]
    return SliderFigure([space], frames, slider="position", alt=alt, stills=((0, 0), (7, 0), (7, 4)), choices=names)


def _frame(position):
    a = PATH[position]
    shown = [traces.line3d(PATH, GREY, "path", width=4, dash="dot"), traces.points3d([a], INK, "a", size=5)]
    for number, (k, r) in enumerate(CHOICES):
        z = reference.project_topk_simplex(a, k, r)
        mine = [
            *_set(k, r),
            traces.line3d([a, z], INK, width=3, dash="dash"),
            traces.points3d([z], ACCENT, f"z = {vector(z, 2)}", size=8),
        ]
        shown += traces.choice(mine, number)
    return Frame(str(position + 1), shown, f"a = {vector(a, 2)}")


def _set(k, r):
    """The convex hull of zero and of the vectors with k entries r / k."""
    corners = [[r / k * (j in chosen) for j in range(3)] for chosen in combinations(range(3), k)] + [[0, 0, 0]]
    color, name = METHOD_COLORS["alpha"], "Δ<sub>k</sub>(r)"
    if k == 3:
        return [traces.line3d(corners, color, name, width=8), traces.points3d(corners, color, size=3)]
    edges = [point for pair in combinations(corners, 2) for point in (*pair, [None] * 3)]
    return [traces.body(corners, color, name), traces.line3d(edges, color, width=3)]
