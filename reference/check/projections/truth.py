"""The right projections: exact ones of a few coordinates, and quadratic programmes up to a hundred."""

from functools import partial

import numpy as np

from ...ground_truth import enumeration
from ...ground_truth import projections as programmes
from ..judging.condition import Exactly
from . import conditions

LARGEST_ENUMERATED, LARGEST_PROGRAMME = 5, 100  # coordinates
WORST_TRUTH = 1e-8  # an answer of CVXPY with a larger error is not used as ground truth
WORST_OF_ANSWER = 1e-6  # nor one with a larger error relative to itself: a set may be tiny beside the point
SET = ("total", "lower", "upper", "weights", "cap", "k", "radius", "bias")  # what describes the set and the objective
EXACT_SUM = ("project_simplex",)  # elsewhere the sum may be smaller than the radius


def _truth(name, parts, points, problem):
    """Returns the right answer, of these parts, to the projection of these points; None if they are too large."""
    exact = [np.asarray(vars(problem)[point], dtype=np.float64) for point in points]
    d, size, options = sum(a.shape[-1] for a in exact), sum(a.size for a in exact), problem.only(*SET)
    if d > LARGEST_PROGRAMME or size > 10 * LARGEST_PROGRAMME:
        return None
    if d <= LARGEST_ENUMERATED and hasattr(enumeration, name):
        answer, doubt = _named(parts, getattr(enumeration, name)(*exact, **options)), 0.0
    else:
        if "radius" in options and name not in EXACT_SUM:
            options["radius"] = min(options["radius"], _reach(exact, d))
        try:
            answer = _named(parts, getattr(programmes, name)(*exact, **options))
        except RuntimeError:  # the solver failed; the conditions judge alone
            return None
        exactly = type(problem)(**{**vars(problem), **options, **dict(zip(points, exact, strict=True))})
        doubt = 10 * getattr(conditions, name)(exactly, **answer)[0].value
        if not doubt < WORST_TRUTH:
            return None
    size = max(float(np.abs(x).max()) for x in answer.values())
    unit = max(size, *(float(np.abs(a).max()) for a in exact)) or 1.0
    return Exactly(answer, doubt, unit) if doubt * unit <= WORST_OF_ANSWER * size else None


def _reach(points, d):
    """Returns a radius that never binds, as x is no worse than 0. A larger one would only spoil the solver's units."""
    if len(points) > 1:
        return 2 * d * max(float(np.abs(a).max()) for a in points)
    return 2 * float(np.linalg.norm(points[0], axis=-1).max()) * d**0.5


def _named(names, answer):
    return dict(zip(names, answer if len(names) > 1 else (answer,), strict=True))


project_simplex = partial(_truth, "project_simplex", "x", "a")
project_knapsack = partial(_truth, "project_knapsack", "x", "a")
project_capped_simplex = partial(_truth, "project_capped_simplex", "x", "a")
project_topk_cone = partial(_truth, "project_topk_cone", "x", "a")
project_topk_simplex = partial(_truth, "project_topk_simplex", "x", "a")
project_bipartite_simplex = partial(_truth, "project_bipartite_simplex", "uv", "bc")
