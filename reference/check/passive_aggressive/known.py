"""Columns and updates whose answer is known beforehand, of any length, on a tiny scale, and on both sides of a border.

Squishing a column ends at a value t. So a column begins with t less the sum of what the others lose, and any number of
others begin above t. A function that stops after some entries, or that takes a tiny number for 0, or that compares with
a tolerance, fails on one of these columns.
"""

from itertools import cycle

import numpy as np

from ...ground_truth import enumeration
from ..judging.case import Case
from ..projections.known import LEAST, NEAR

RUNS = (65, 65), (131, 64), (500, 333), (1001, 1000), (1001, 0)  # entries, and how many of them are squished
VARIANTS = "pa", "pa1", "pa2"


def columns(rng):
    """Yields instances of squish_column."""
    for d, run in RUNS:
        z, t = _column(rng, d + 1, run)
        for bounds in ({}, {"lower": t - 0.05}, {"upper": t - 0.05}):
            yield Case(f"{run} of {d} entries are squished", {"z": z, **bounds})
    ties = np.repeat([-5.0, 0.25, 0.0, -0.25], [1, 20, 100, 60])
    yield Case("long ties", {"z": ties, "lower": -0.125})
    for unit in LEAST:
        for d, run in ((4, 2), (131, 66)):
            z, t = _column(rng, d, run)
            for bounds in ({}, {"lower": unit * (t - 0.05)}):
                yield Case(f"scale {unit:.0e}", {"z": unit * z, **bounds})
    yield Case("float32, scale 1e-30", {"z": (LEAST[-1] * _column(rng, 131, 66)[0]).astype(np.float32)})
    for near in NEAR:
        for off in (near, -near):
            yield Case("an entry close to where the others end", {"z": np.array([-0.5, 0.5, off, -0.2])})
            yield Case("the lower bound just met", {"z": np.array([-0.5, 0.5 + off, -0.2, -0.1]), "lower": 0.0})
            yield Case("the upper bound just met", {"z": np.array([-0.5, 0.5 + off, -0.2, -0.1]), "upper": 0.0})
            yield Case("the first just the largest", {"z": np.array([0.5 + off, 0.5, -0.2])})
    rows = [_column(rng, 132, run)[0] for run in range(132)]
    yield Case("runs of every length", {"z": np.array(rows)})


def _column(rng, d, run):
    """Returns (z, t): the first of d entries and `run` others end at t, the others are lower. Their order is random."""
    t, others, order = float(rng.normal()), np.zeros(d - 1), rng.permutation(d - 1)
    others[:run] = rng.uniform(0.01, 0.3, size=run)
    others[run:] = -rng.uniform(0.01, 0.3, size=d - 1 - run)
    return t + np.append(-others[:run].sum(), others[order]), t


def updates(rng):
    """Yields instances of multiclass_update: dense ones of many classes, on tiny scales, and close to a border."""
    variants = cycle(VARIANTS)
    for m, d, spread in ((66, 77, 1e-3), (131, 39, 1.0), (334, 16, 1e-3)):  # too many weights for CVXPY
        A, x, y = spread * rng.normal(size=(m, d)), rng.normal(size=d) / d**0.5, int(rng.integers(m))
        yield Case("most rivals are squished", {"A": A, "x": x, "y": y, "variant": "pa"})
        for k in (1, 2, m // 2, m - 1):
            rule = {"variant": next(variants), "aggressiveness": 0.1, "k": k}
            yield Case(f"{k} of {m} classes count", {"A": A, "x": x, "y": y, **rule})
    for unit in LEAST:
        A, x = rng.normal(size=(4, 2)), rng.normal(size=2)
        for variant in VARIANTS:
            # The loss is in the unit of the weights, as is the bound of the step in "pa1".
            rule = {"margin": unit, "variant": variant, "aggressiveness": 1.0 if variant == "pa2" else 0.1 * unit}
            yield Case(f"A of scale {unit:.0e}", {"A": unit * A, "x": x, "y": 0, "k": 2, **rule})
    yield from _near_borders(VARIANTS)


def _near_borders(variants):
    x, several = np.array([1.0, 0.0]), cycle((1, 2))
    for off in (sign * near for near in NEAR for sign in (1, -1)):
        ahead = np.array([[1.0 + off, 1.0], [0.0, 2.0], [0.0, -1.0], [-1.0, 0.5]])
        for variant in variants:
            rule = {"variant": variant, "aggressiveness": 10.0, "k": next(several)}
            yield Case("the margin just met", {"A": ahead, "x": x, "y": 0, **rule})
        A = np.array([[0.0, 1.0], [0.5, 2.0], [-0.25 + off, -1.0], [-3.0, 0.5]])
        yield Case("a rival close to where the others end", {"A": A, "x": x, "y": 0})
        moved = enumeration.multiclass_update(A, x, 0)
        price = float(moved[0, 0] - A[0, 0]) * (1 + off)
        rule = {"variant": "pa1", "aggressiveness": price}
        yield Case("the bound of the step just met", {"A": A, "x": x, "y": 0, **rule})
