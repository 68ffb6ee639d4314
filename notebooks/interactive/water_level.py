"""Notebook 01: every threshold t is the right one for some radius, the sum of what is above it."""

import numpy as np
from _style import ACCENT, FAINT, INK, SET, SUN

import reference

from . import traces
from .panel import Panel
from .slider import Frame, SliderFigure

ROUNDING = 1e-12
LEVELS = np.round(np.arange(-0.35, 1.6, 0.1), 2)


def figure(a, radius=1.0):
    """Returns the figure for the vector `a`: a slider over thresholds, and the projections that they give."""
    right = (a - reference.project_simplex(a, radius)).max()
    sums = np.array([np.maximum(a - t, 0).sum() for t in LEVELS])
    sides, floor = (0.4, len(a) + 0.6), LEVELS[0] - 0.2
    curve = _curve(sums, right, radius)
    frames = [_frame(a, t, above, floor, sides, curve) for t, above in zip(LEVELS, sums, strict=True)]
    panels = (
        Panel("coordinate j", "a<sub>j</sub>", sides, (floor, a.max() + 0.2), [str(j + 1) for j in range(len(a))]),
        Panel("threshold t", "sum σ(t)", (LEVELS[0], LEVELS[-1]), (0, 1.05 * sums[0])),
    )
    found = int(np.abs(LEVELS - right).argmin())
    alt = f"""A slider moves the threshold t from {LEVELS[0]:g} to {LEVELS[-1]:g}. In the upper panel, bars show the
        {len(a)} entries of a. Their parts above t are coloured and are z. In the lower panel, a point moves along the
        decreasing curve of the sum. The curve meets r = {radius:g} at t = {right:.2f}."""
    return SliderFigure(panels, frames, slider="threshold t", alt=alt, stills=(found - 8, found, found + 5))


def _curve(sums, right, radius):
    return [
        traces.line(LEVELS, sums, INK, "σ(t)", panel=2),
        traces.line([LEVELS[0], right, right], [radius, radius, 0], SUN, f"r = {radius:g}", panel=2, dash="dash"),
    ]


def _frame(a, t, above, floor, sides, curve):
    z, j = reference.project_simplex(a, above), np.arange(1, len(a) + 1)
    bars = [
        traces.bars(j, np.full(len(a), floor), np.maximum(a - z, floor), FAINT, "removed"),
        traces.bars(j, a, a - z, SET, "z<sub>j</sub>, above t"),
        traces.line(sides, [t, t], ACCENT, "threshold t"),
    ]
    note = f"{np.count_nonzero(z > ROUNDING)} positive, with sum {above:.2f}:<br>the projection for r = {above:.2f}"
    return Frame(f"{t:.2f}", [*bars, *curve, traces.points([t], [above], ACCENT, panel=2)], note)
