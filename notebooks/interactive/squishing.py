"""Notebook 06: how far an update with slack squishes a column, for prices C of the loss."""

import numpy as np
from _style import ACCENT, INK, SET, SUN

import reference

from . import traces
from .panel import Panel
from .slider import Frame, SliderFigure

PRICES = (0.1, 0.3, 0.5, 0.7, 0.9, 1.2, 1.5, 1.8, 2.0, 2.5, 5.0, 20.0)
VARIANTS = {"PA-I": "pa1", "PA-II": "pa2"}


def squish(column, variant, C):
    """Returns the column after the update of an example with |x| = 1: the violations, the label's entry first."""
    rows = (column - np.append(0.0, np.ones(len(column) - 1)))[:, None]  # a rival's violation is its score + 1
    new = reference.multiclass_update(rows, np.array([1.0]), 0, variant=variant, aggressiveness=C)
    return column + (new - rows)[:, 0]


def figure(column):
    """Returns the figure for a column whose first entry, the label's, is 0: a slider over C, and a menu of variants."""
    frames = [_frame(column, C) for C in PRICES]
    sides, names = (0.4, len(column) + 0.6), ("y", *"ABCDEFGHIJ"[: len(column) - 1])
    panel = Panel("class (y: the label)", "entries of the column", sides, (-0.8, 3.3), names)
    alt = f"""A slider changes the price C of the loss from {PRICES[0]:g} to {PRICES[-1]:g}. Bars show a column: the
        label's entry grows, and the largest rivals are cut down to a common height. A dashed line marks the new entry
        of the label. For PA-I, the cut rivals reach it at C = 2, and nothing changes for larger C. For PA-II they
        only come near."""
    return SliderFigure([panel], frames, slider="C", alt=alt, stills=((1, 0), (8, 0), (8, 1)), choices=tuple(VARIANTS))


def _frame(column, C):
    shown = []
    for number, variant in enumerate(VARIANTS.values()):
        z, j = squish(column, variant, C), np.arange(1, len(column) + 1)
        mine = [
            traces.bars(j, np.zeros(len(column)), np.minimum(column, z), SET, "kept"),
            traces.bars(j[1:], column[1:], z[1:], SUN, f"removed = {(column - z)[1:].sum():.2f}"),
            traces.bars(j[:1], column[:1], z[:1], ACCENT, f"added = {z[0] - column[0]:.2f}"),
            traces.line((0.4, len(column) + 0.6), [z[0], z[0]], INK, "new entry of y", dash="dash"),
        ]
        shown += traces.choice(mine, number)
    losses = [max(0.0, (z[1:] - z[0]).max()) for z in (squish(column, variant, C) for variant in VARIANTS.values())]
    text = ", ".join(f"{name} {loss:.2f}" for loss, name in zip(losses, VARIANTS, strict=True))
    return Frame(f"{C:g}", shown, f"loss that remains: {text}")
