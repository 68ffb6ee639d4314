"""Projections of 1000 points from N(0, 1) for growing dimension, as in Figure 3 of 004, compared with sorting."""

import numpy as np

import fast
import reference
from tests.benchmarks.scaling import point

SIZES = (10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
NUMBERS = 2_000_000  # at most so many in all points together: fewer than 1000 points if they are long


def cases(quick=False):
    rng = np.random.default_rng(0)
    for d in (10, 100, 1000) if quick else SIZES:
        points = rng.standard_normal((min(1000, NUMBERS // d), d))
        yield from _rows_of_a_matrix(d, points, 3 if quick else 7)
        yield from _one_call_each(d, points, 3 if quick else 7)


def _rows_of_a_matrix(d, points, repeats):
    """All points in one call."""
    copy = np.empty_like(points)
    series = {
        f"project_topk_simplex, k = {k}": lambda k=k: fast.project_topk_simplex(points, k) for k in (1, 5, 10) if k <= d
    }
    series["project_knapsack"] = lambda: fast.project_knapsack(points, 1.0)
    series["np.copyto"] = lambda: np.copyto(copy, points)
    for name, ours in series.items():
        theirs, size = lambda: np.sort(points, axis=1), ("d", d)
        yield point("projections", name, size, "np.sort(axis=1)", ours, theirs, repeats, calls=len(points))


def _one_call_each(d, points, repeats):
    few = points[: max(1, 20_000 // d)]  # for the reference, which is slow
    series = {
        "project_topk_simplex, k = 5, a call each": (points, repeats, lambda a: fast.project_topk_simplex(a, 5)),
        "squish_column, a call each": (points, repeats, fast.squish_column),
        "reference, k = 5": (few, 3, lambda a: reference.project_topk_simplex(a, 5)),
    }
    for name, (some, times, ours) in series.items():
        run = [lambda f=f, some=some: [f(a) for a in some] for f in (ours, np.sort)]
        yield point("projections", name, ("d", d), "np.sort", *run, times, calls=len(some))
