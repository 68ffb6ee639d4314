"""Notebook 11: steps of Wsabie in a plane. A step pulls one prototype to an example and pushes one away, or none."""

import warnings

import numpy as np
from _style import GREEN, INK, ORANGE, PURPLE, SKY

import reference
from reference.problems.checks import WsabieFit

from . import traces
from .panel import Panel
from .slider import Frame, SliderFigure

NAMES, COLORS, SYMBOLS = "ABCD", (SKY, ORANGE, GREEN, PURPLE), ("circle", "triangle-up", "diamond", "cross")
SIZES = 20, 20, 12, 12  # of prototypes: B and C come so near to each other that one would hide the other
LINKS = (0, 1)
SHOWN = (*range(1, 13), 16, 20, 30, 40, 60)
LIMIT, PER_CLASS = 1.25, 8


def examples(seed=2):
    """Returns X (n, 2), y, and the examples that the steps visit: four groups around the origin, in random order."""
    random, y = np.random.default_rng(seed), np.repeat(np.arange(len(NAMES)), PER_CLASS)
    angle = 2 * np.pi * np.arange(len(NAMES)) / len(NAMES) + 0.3
    X = 0.7 * np.transpose([np.cos(angle), np.sin(angle)])[y] + 0.25 * random.normal(size=(len(y), 2))
    return X, y, np.concatenate([random.permutation(len(y)) for _ in range(3)])[: SHOWN[-1]]


def walk(X, y, visits, links):
    """Returns the state before the first step and after each; a step visits the next example."""
    random, m = np.random.default_rng(1), len(NAMES)
    options = {"n_classes": m, "margin": 1.0, "step_size": 0.3, "last_violators": links, "n_updates": 1}
    states = [WsabieFit(np.zeros((m, 2)), last_violators=np.full(m, -1))]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # some classes are frozen: that is what is shown
        for i in visits:
            draws = [(i + 0.5) / len(y), 0.5, *random.random(m)]  # the example, its only label, and up to m rivals
            states.append(reference.fit_wsabie(X, y, start=states[-1], draws=draws, **options))
    return states


def wrong(X, y, state):
    """Which examples have another prototype as near as their own, or nearer."""
    return reference.topk_error(-((X[:, None] - state.prototypes) ** 2).sum(axis=2), y) > 0


def figure():
    """Returns the figure: a slider over the steps, and a menu of the number of links of last violators."""
    X, y, visits = examples()
    walks = [walk(X, y, visits, links) for links in LINKS]
    pairs = {step: [states[step - 1 : step + 1] for states in walks] for step in SHOWN}
    frames = [_frame(X, y, visits[step - 1], pairs[step], step) for step in SHOWN]
    plane = (-LIMIT, LIMIT)
    errors, last = [wrong(X, y, states[-1]).sum() for states in walks], len(SHOWN) - 1
    alt = f"""A slider counts steps. Small marks are examples of four classes in a plane. Large marks are the
        prototypes of the classes, which start at the origin. A thick line shows how a prototype moved in this step, and
        circles mark wrong examples. Without last violators, the prototypes find their groups, and {errors[0]} of
        {len(y)} examples are wrong after {SHOWN[-1]} steps. With one link, three prototypes soon stop, and {errors[1]}
        are wrong."""
    options = {"stills": ((0, 0), (last, 0), (last, 1)), "choices": [f"Q = {links}" for links in LINKS]}
    panel = Panel("first feature", "second feature", plane, plane, square=True)
    return SliderFigure([panel], frames, slider="step", alt=alt, **options)


def _frame(X, y, visited, pairs, step):
    shown = []
    for name, color, symbol, label in zip(NAMES, COLORS, SYMBOLS, range(len(NAMES)), strict=True):
        shown.append(traces.points(*X[y == label].T, color, f"class {name}", symbol=symbol, size=8, edge=color))
    shown.append(traces.points(*X[[visited]].T, "#ffffff00", "visited", size=18, symbol="square", edge=INK))
    for number, (before, after) in enumerate(pairs):
        ends = zip(before.prototypes, after.prototypes, strict=True)
        looks = list(zip(COLORS, SYMBOLS, SIZES, ends, strict=True))
        mine = [
            traces.points(*X[wrong(X, y, after)].T, INK, "wrong", symbol="circle-open", size=13),
            *(traces.line(*np.transpose(pair), color, width=4) for color, _, _, pair in looks),
            *(
                traces.points(*pair[1][:, None], color, symbol=symbol, size=size, edge=INK)
                for color, symbol, size, pair in looks
            ),
        ]
        shown += traces.choice(mine, number)
    told = "<br>".join(f"Q = {links}: {_told(*pair)}" for links, pair in zip(LINKS, pairs, strict=True))
    return Frame(str(step), shown, f"visited: {NAMES[y[visited]]}; {told}")


def _told(before, after):
    """What happened in a step, in few words."""
    moved = (before.prototypes != after.prototypes).any(axis=1)
    if moved.any():
        return ", ".join(name for name, has in zip(NAMES, moved, strict=True) if has) + " move"
    return "skipped" if after.skipped.sum() > (0 if before.skipped is None else before.skipped.sum()) else "no violator"
