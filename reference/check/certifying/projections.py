"""Projections and squished columns: their KKT residuals."""

import numpy as np

from .. import certificates
from ..certificates.rounding import tolerance
from ._base import Condition, Malformed, numbers

RESIDUAL = "KKT residual, relative to the largest entry of the point or of the answer"


def _certified_by(residual, point="a"):
    """Returns the function that certifies answers by this KKT residual. `point` is the name of what is projected."""

    def conditions(answer, **given):
        a = given[point]
        problem = {name: value for name, value in given.items() if name not in (point, "n_jobs")}
        x = numbers(answer, a.shape, "the answer")
        return [Condition(residual(x, a, **problem), tolerance(x.dtype, a.shape[-1]), RESIDUAL)]

    return conditions


project_simplex = _certified_by(certificates.project_simplex)
project_knapsack = _certified_by(certificates.project_knapsack)
project_capped_simplex = _certified_by(certificates.project_capped_simplex)
project_topk_cone = _certified_by(certificates.project_topk_cone)
project_topk_simplex = _certified_by(certificates.project_topk_simplex)
squish_column = _certified_by(certificates.squish_column, point="z")


def project_bipartite_simplex(answer, b, c, radius, **_):
    """`answer` is a pair of arrays."""
    if not isinstance(answer, (tuple, list)) or len(answer) != 2:
        raise Malformed("it should be a pair of arrays: u and v")
    pair = numbers(answer[0], b.shape, "u"), numbers(answer[1], c.shape, "v")
    dtype = np.float32 if np.float32 in (pair[0].dtype, pair[1].dtype) else np.float64
    residual = certificates.project_bipartite_simplex(pair, b, c, radius)
    return [Condition(residual, tolerance(dtype, b.shape[-1] + c.shape[-1]), RESIDUAL)]
