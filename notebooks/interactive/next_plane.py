"""Notebook 08: cutting planes for one weight: each round adds the plane that touches the objective at the next w."""

from itertools import combinations

import numpy as np
from _style import ACCENT, FAINT, INK, SET, SUN

import reference

from . import traces
from .panel import Panel
from .slider import Frame, SliderFigure

LAMBDA, TOLERANCE = 0.1, 1e-4
GRID = np.linspace(-0.4, 2.2, 79)


def queries(seed=3, count=6, samples=8):
    """Returns X with one feature, which samples are positive, and the query of each: noisy, so that no w is perfect."""
    random = np.random.default_rng(seed)
    x, noise = random.normal(size=(2, count, samples))
    relevant = (x + noise).argsort(axis=1).argsort(axis=1) >= samples // 2
    return x.ravel(), relevant.ravel(), np.repeat(np.arange(count), samples)


def touching(w, data):
    """(b, a): the plane b + a w that touches the mean hinge of the queries at w."""
    x, relevant, group = data
    planes = []
    for number in np.unique(group):
        positives, negatives = x[(group == number) & relevant], x[(group == number) & ~relevant]
        worst = reference.loss_augmented_inference(w * positives, w * negatives)
        slopes = reference.semigradient(w * positives, w * negatives, worst.interleaving)
        planes.append((worst.loss, slopes[0] @ positives + slopes[1] @ negatives))
    return tuple(np.mean(planes, axis=0))


def highest(planes, w):
    """The largest of the planes at each w."""
    b, a = np.transpose(planes)
    return (b[:, None] + np.outer(a, w)).max(axis=0)


def lowest(planes):
    """The w at the minimum of LAMBDA/2 w^2 + the highest plane, and the minimum."""
    crossings = [(c - e) / (f - d) for (c, d), (e, f) in combinations(planes, 2) if d != f]
    w = np.append([-a / LAMBDA for _, a in planes], crossings)
    values = LAMBDA / 2 * w**2 + highest(planes, w)
    return w[values.argmin()], values.min()


def rounds(data):
    """Returns the planes, and for each round (w, upper bound, next w, lower bound), until the bounds meet."""
    planes, w, upper, found = [(0.0, 0.0)], 0.0, np.inf, []
    while not found or upper - found[-1][3] > TOLERANCE:
        planes.append(touching(w, data))
        upper = min(upper, LAMBDA / 2 * w**2 + highest(planes[-1:], np.array([w]))[0])
        following, lower = lowest(planes)
        found.append((w, upper, following, lower))
        w = following
    return planes, found


def figure():
    """Returns the figure: a slider over the rounds."""
    data = queries()
    planes, found = rounds(data)
    objective = LAMBDA / 2 * GRID**2 + np.array([highest([touching(w, data)], np.array([w]))[0] for w in GRID])
    frames = [_frame(planes, found[: number + 1], objective) for number in range(len(found))]
    panels = (
        Panel("weight w", "objective and model", (GRID[0], GRID[-1]), (0, 1.2)),
        Panel("round", "upper and lower bound", (0.7, len(found) + 0.3), (0, 0.7)),
    )
    alt = f"""A slider counts the rounds of the cutting-plane method. In the upper panel, a model made of the planes so
        far lies below the objective, and comes nearer in each round. In the lower panel, the upper and the lower bound
        of the optimum approach each other and meet in round {len(found)}."""
    return SliderFigure(panels, frames, slider="round", alt=alt, stills=(0, 2, len(found) - 1))


def _frame(planes, found, objective):
    w, upper, following, lower = found[-1]
    model = LAMBDA / 2 * GRID**2 + highest(planes[: len(found) + 1], GRID)
    newest = LAMBDA / 2 * GRID**2 + highest([planes[len(found)]], GRID)
    at_w = highest([planes[len(found)]], np.array([w])) + LAMBDA / 2 * w**2
    rounds_so_far = np.arange(1, len(found) + 1)
    shown = [
        traces.line(GRID, newest, FAINT, "newest plane"),
        traces.line(GRID, objective, INK, "objective", width=3),
        traces.line(GRID, model, ACCENT, "model"),
        traces.points([w], at_w, INK, "touches", size=10),
        traces.points([following], [lower], ACCENT, "next w", size=11, symbol="diamond"),
        traces.line(rounds_so_far, [bound for _, bound, _, _ in found], SET, "upper bound", panel=2),
        traces.line(rounds_so_far, [bound for *_, bound in found], SUN, "lower bound", panel=2, dash="dash"),
        traces.points([len(found)] * 2, [upper, lower], INK, panel=2),
    ]
    note = f"w = {w:.3f}, then {following:.3f}<br>optimum between {lower:.4f} and {upper:.4f}"
    return Frame(str(len(found)), shown, note)
