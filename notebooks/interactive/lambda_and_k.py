"""Notebook 14: the validation error of the top-k SVM over lambda, from the stored results, for each k of the loss."""

import numpy as np
from _style import GREEN, INK, ORANGE, PURPLE, SKY
from studies import image_classification as study

from . import traces
from .panel import Panel
from .slider import Frame, SliderFigure

LOSSES = (1, 2, 3, 4, 5, 10, 20)
GUESSES = {1: (SKY, "circle"), 3: (ORANGE, "square"), 5: (GREEN, "diamond"), 10: (PURPLE, "cross")}


def errors(rows, k, guesses):
    """Returns log10 of each lambda that was tried for top-k alpha on the first split, and the error in percent."""
    column, tried = study.COLUMNS.index(guesses), study.tried_of(rows[study.key_of(0, f"top-{k} alpha")])
    at = np.array(sorted(tried))
    hits = np.array([tried[value]["validation"][column] for value in at])
    return at, 100 - 100 * hits / study.SIZES["validation"]


def figure():
    """Returns the figure: a slider over the k of the loss, and a curve for each number of guesses."""
    rows = study.stored()
    frames = [_frame(rows, k) for k in LOSSES]
    panel = Panel("log<sub>10</sub> λ", "validation error in %", (-3.2, 1.2), (0, 60))
    alt = """A slider changes the k of the loss from 1 to 20. Four curves show the validation error against the log of
        lambda, for 1, 3, 5 and 10 guesses; dotted curves are those of k = 1. As k grows, the curve of 10 guesses falls
        a little, and the curve of one guess becomes a valley that is narrow and steep."""
    return SliderFigure([panel], frames, slider="k of the loss", alt=alt, stills=(0, 4, 6))


def _frame(rows, k):
    shown, lowest = [], []
    for guesses, (color, symbol) in GUESSES.items():
        at, error = errors(rows, k, guesses)
        best = error.argmin()
        lowest.append(f"{error[best]:.1f}")
        shown += [
            traces.line(*errors(rows, 1, guesses), color, width=1, dash="dot"),
            traces.line(at, error, color),
            traces.points(at, error, color, f"guesses: {guesses}", symbol=symbol, size=8, edge=color),
            traces.points(at[[best]], error[[best]], color, symbol=symbol, size=14, edge=INK),
        ]
    return Frame(str(k), shown, f"lowest errors: {', '.join(lowest)} %")
