"""The projections of `reference.projections`, in a few passes over memory.

Each function checks its arguments and passes the rows to the kernels of `_projections`: `topk` and `capped` for the
sets with one cap for all coordinates, `knapsack` for bounds and weights of each coordinate.
"""

from __future__ import annotations

import numpy as np

from reference.problems import checks
from reference.problems import projections as problems
from reference.problems.checks.types import Array, Floats

from ._projections.candidates import LONG_ROW
from ._projections.capped import capped_long_rows, capped_of_maxima, capped_point, capped_rows, largest_needed
from ._projections.knapsack import knapsack_rows
from ._projections.run import Kernels, project, project_pairs, project_rows
from ._projections.topk import MANY, NO_RADIUS, many_point, topk_long_rows, topk_of_maxima, topk_point, topk_rows

__all__ = [
    "project_simplex",
    "project_knapsack",
    "project_capped_simplex",
    "project_topk_cone",
    "project_topk_simplex",
    "project_bipartite_simplex",
]

SUM_IS_FIXED, SUM_IS_BOUNDED = True, False  # sum x = radius, sum x <= radius
TOPK = Kernels(topk_point, topk_rows, topk_long_rows, topk_of_maxima)
TOPK_OF_MANY = TOPK._replace(point=many_point)
CAPPED = Kernels(capped_point, capped_rows, capped_long_rows, capped_of_maxima)


@checks.documented_by(problems.project_simplex)
def project_simplex(a: Array, radius: float = 1.0, *, n_jobs: int = 1) -> Floats:
    """Returns the nearest point of the simplex.

    Notes
    -----
    The twin of `reference.project_simplex`. One pass over `a` finds the coordinates that can be positive, and Newton's
    method finds the threshold from them. The cost is O(d).
    """
    a, radius, n_jobs = problems.project_simplex(a, radius, n_jobs=n_jobs)
    return _project_capped(a, np.inf, radius, 0.0, SUM_IS_FIXED, n_jobs)


@checks.documented_by(problems.project_knapsack)
def project_knapsack(
    a: Array, total: float, lower: float | Array = 0.0, upper: float | Array = 1.0, weights: Array | None = None, *,
    n_jobs: int = 1,
) -> Floats:  # fmt: skip
    """Returns the nearest point that has a given weighted sum and lies between two bounds.

    Notes
    -----
    The twin of `reference.project_knapsack`. If `lower` is 0, `upper` is one number and there are no weights, the set
    is a capped simplex with a fixed sum, and one threshold is found as there, in O(d). Otherwise: Kiwiel's variable
    fixing with a list of the free coordinates, so that all rounds together usually cost O(d).
    """
    a, total, lower, upper, weights, n_jobs = problems.project_knapsack(a, total, lower, upper, weights, n_jobs=n_jobs)
    if type(upper) is float:
        return _project_capped(a, upper, total, 0.0, SUM_IS_FIXED, n_jobs)
    knapsack = total, lower, upper, weights
    if np.isfinite(lower).all() and np.isfinite(upper).all():
        return project_rows(knapsack_rows, a, knapsack, n_jobs)
    x = project_rows(knapsack_rows, a.astype(np.float64, copy=False), knapsack, n_jobs)
    return checks.in_range(x, a.dtype, "the answer")  # no bound keeps it there


@checks.documented_by(problems.project_capped_simplex)
def project_capped_simplex(a: Array, cap: float, radius: float = 1.0, bias: float = 0.0, *, n_jobs: int = 1) -> Floats:
    """Returns the nearest point with entries in 0..cap and a bounded sum, where a bias may penalise the sum.

    Notes
    -----
    The twin of `reference.project_capped_simplex`. If at most q coordinates can be at the cap, the threshold is at
    least the (q + 1)-th largest coordinate minus the cap, and at least 0. Only coordinates above it are needed. The
    cost is O(d).
    """
    a, cap, radius, bias, n_jobs = problems.project_capped_simplex(a, cap, radius, bias, n_jobs=n_jobs)
    return _project_capped(a, cap, radius, bias, SUM_IS_BOUNDED, n_jobs)


@checks.documented_by(problems.project_topk_cone)
def project_topk_cone(a: Array, k: int, bias: float = 0.0, *, n_jobs: int = 1) -> Floats:
    """Returns the nearest point with no entry above 1/k of the sum, where a bias may penalise the sum.

    Notes
    -----
    The twin of `reference.project_topk_cone`. Newton's method for the threshold replaces the search over partitions.
    The upper bound follows from the k largest coordinates. The cost is O(d) for small k, O(d log k) in general.
    """
    a, k, bias, n_jobs = problems.project_topk_cone(a, k, bias, n_jobs=n_jobs)
    return project(TOPK, a, k + 1, (k, NO_RADIUS, bias), n_jobs)


@checks.documented_by(problems.project_topk_simplex)
def project_topk_simplex(a: Array, k: int, radius: float = 1.0, bias: float = 0.0, *, n_jobs: int = 1) -> Floats:
    """Returns the nearest point with no entry above 1/k of a bounded sum, where a bias may penalise the sum.

    Notes
    -----
    The twin of `reference.project_topk_simplex`. The threshold is at least the k-th largest coordinate minus radius/k.
    One pass over `a` finds the coordinates above this bound, usually a few. The cost is O(d) for small k, O(d log k) in
    general.
    """
    a, k, radius, bias, n_jobs = problems.project_topk_simplex(a, k, radius, bias, n_jobs=n_jobs)
    return project(TOPK if k < MANY else TOPK_OF_MANY, a, k + 1, (k, radius, bias), n_jobs)


@checks.documented_by(problems.project_bipartite_simplex)
def project_bipartite_simplex(b: Array, c: Array, radius: float = 1.0, *, n_jobs: int = 1) -> tuple[Floats, Floats]:
    """Returns the nearest pair of nonnegative points with equal, bounded sums.

    Notes
    -----
    The twin of `reference.project_bipartite_simplex`. One pass over each point finds the coordinates that can be
    positive, and Newton's method finds both thresholds from them. Threads take different rows. The cost is O(d + e).
    """
    b, c, radius, n_jobs = problems.project_bipartite_simplex(b, c, radius, n_jobs=n_jobs)
    return project_pairs(b, c, radius, n_jobs)


def _project_capped(a, cap, radius, bias, sum_is_fixed, n_jobs):
    largest, d = 1, a.shape[-1]
    if d >= LONG_ROW:
        largest, few_fit = largest_needed(d, cap, radius)
        largest = d if sum_is_fixed and not few_fit else largest  # then blocks would decide little
    return project(CAPPED, a, largest, (cap, radius, bias, sum_is_fixed), n_jobs)
