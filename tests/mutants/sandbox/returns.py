"""Right and wrong answers: one prints, the others are of wrong forms, and the last is right."""

import reference
from reference import topk_error

__all__ = [
    "project_capped_simplex",
    "project_knapsack",
    "project_simplex",
    "project_topk_cone",
    "project_topk_simplex",
    "squish_column",
    "topk_error",
]


def project_simplex(a, radius=1.0):
    print("rubbish " * 1000)
    return reference.project_simplex(a, radius)


def project_capped_simplex(a, *others, **options):
    return reference.project_capped_simplex(a, *others, **options)[..., None]


def project_knapsack(a, *others, **options):
    return a * float("nan")


def project_topk_cone(*arguments, **options):
    return None


def project_topk_simplex(a, *others, **options):
    return a.astype(object)


def squish_column(*arguments, **options):
    return "[0.5, 0.5]"
