"""Projections and squished columns: their KKT residuals."""

from .. import certificates
from ..certificates.rounding import tolerance
from ._base import Condition, numbers

RESIDUAL = "KKT residual, relative to the largest entry of the point or of the answer"


def _certified(name, given):
    given.pop("n_jobs", None)
    point = "z" if name == "squish_column" else "a"

    def conditions(answer):
        a = given.pop(point)
        x = numbers(answer, a.shape, "the answer")
        residual = getattr(certificates, name)(x, a, **given)
        return [Condition(residual, tolerance(x.dtype, a.shape[-1]), RESIDUAL)]

    return conditions


def project_simplex(answer, **given):
    return _certified("project_simplex", given)(answer)


def project_knapsack(answer, **given):
    return _certified("project_knapsack", given)(answer)


def project_capped_simplex(answer, **given):
    return _certified("project_capped_simplex", given)(answer)


def project_topk_cone(answer, **given):
    return _certified("project_topk_cone", given)(answer)


def project_topk_simplex(answer, **given):
    return _certified("project_topk_simplex", given)(answer)


def squish_column(answer, **given):
    return _certified("squish_column", given)(answer)
