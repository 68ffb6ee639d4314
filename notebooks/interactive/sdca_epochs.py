"""Notebook 04: Prox-SDCA on points of a plane, epoch by epoch: its two bounds, and the classes that it predicts."""

import warnings

import numpy as np
from _style import ACCENT, GREEN, INK, ORANGE, SET, SKY
from sklearn.exceptions import ConvergenceWarning

import reference

from . import traces
from .panel import Panel
from .slider import Frame, SliderFigure

EPOCHS = (1, 2, 4, 6, 8, 10, 12, 14, 16, 20, 30, 40, 50)
LAMBDA_TIMES_N = 0.2
LIMIT, CELLS = 3.0, 21  # the plane is shown from -LIMIT to LIMIT, in CELLS x CELLS rectangles
COLORS, SYMBOLS = (SKY, ORANGE, GREEN), ("circle", "square", "diamond")


def points_of_three_classes(seed=2, per_class=14):
    """Returns X, with a column of ones, and y: three groups that overlap a little."""
    random, y = np.random.default_rng(seed), np.repeat(np.arange(3), per_class)
    centres = 1.3 * np.array([[-1.0, -0.6], [1.0, -0.6], [0.0, 1.1]])
    return np.column_stack([centres[y] + 0.8 * random.normal(size=(len(y), 2)), np.ones(len(y))]), y


def figure():
    """Returns the figure: a slider over epochs."""
    X, y = points_of_three_classes()
    weights, bounds = train(X, y, EPOCHS[-1])
    frames = [_frame(X, y, weights[epoch], bounds[: epoch + 1]) for epoch in EPOCHS]
    plane = (-LIMIT, LIMIT)
    panels = [
        Panel("epoch", "objective", (0, EPOCHS[-1]), (0, 1.05)),
        Panel("first feature", "second feature", plane, plane, square=True),
    ]
    alt = """A slider counts epochs. In the upper panel the primal objective falls, and the dual objective rises. In the
        lower panel, the plane is divided into three coloured regions, the classes that the weights predict. Points of
        three classes lie in it, and circles mark those that are wrong. One class has almost no region in the
        first epochs."""
    return SliderFigure(panels, frames, slider="epoch", alt=alt, stills=(0, 5, 8))


def train(X, y, epochs):
    """Returns the weights, and the primal and dual, after 0, 1, ..., `epochs` epochs, all in the same order."""
    order = np.random.default_rng(0).permutation(len(y))
    weights, bounds, duals = [np.zeros((X.shape[1], 3))], [(1.0, 0.0)], None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # after each epoch but the last, the gap is above tol
        for _ in range(epochs):
            options = {"regularization": LAMBDA_TIMES_N / len(y), "tol": 0.0, "max_epochs": 1, "order": order}
            fit = reference.fit_topk_svm(X, y, duals=duals, **options)
            weights, bounds, duals = [*weights, fit.weights], [*bounds, (fit.primal, fit.dual)], fit.duals
    return weights, np.array(bounds)


def _frame(X, y, weights, bounds):
    epoch, (primal, dual) = len(bounds) - 1, bounds[-1]
    curves = [
        traces.line(np.arange(epoch + 1), bounds[:, 0], SET, "primal P"),
        traces.line(np.arange(epoch + 1), bounds[:, 1], ACCENT, "dual D", dash="dash"),
        traces.points([epoch, epoch], [primal, dual], INK),
    ]
    side = np.linspace(-LIMIT, LIMIT, CELLS)
    grid = np.stack([*np.meshgrid(side, side), np.ones((CELLS, CELLS))], axis=-1)
    plane = [traces.regions(side, side, (grid @ weights).argmax(axis=-1), COLORS, panel=2)]
    for label, color, symbol in zip(range(3), COLORS, SYMBOLS, strict=True):
        mine = X[y == label]
        plane.append(traces.points(*mine[:, :2].T, color, f"class {label + 1}", panel=2, symbol=symbol, size=8))
    wrong = reference.topk_error(X @ weights, y) > 0
    plane.append(traces.points(*X[wrong, :2].T, INK, "wrong", panel=2, symbol="circle-open", size=14, edge=INK))
    note = f"P = {primal:.3f}, D = {dual:.3f}, gap {100 * (primal - dual) / primal:.0f} %"
    return Frame(str(epoch), curves + plane, f"{note}<br>{wrong.sum()} of {len(y)} examples are wrong")
