"""No bug of size hides from the examiner's quick catalogue: of length, of scale, or close to a border of two cases.

Each wrong function is right up to some number of entries, or down to some number, or away from a border. What fails for
a small tolerance fails for a larger one, too, and what fails for 300 entries, for fewer.
"""

import json
from functools import partial

import numpy as np
import pytest

import reference
from reference.check.vectors import export
from reference.check.vectors.encoding import argument
from tests.support.check import Several, failure_in

PROJECTIONS = reference.projections.__all__
CAPPED = ["project_knapsack", "project_capped_simplex", "project_topk_cone", "project_topk_simplex"]
LARGEST = 6000  # numbers in an instance; larger ones take time, and show no more
MOST, FEW, NEAR, TINY = 300, 64, 1e-12, 1e-12


def spoiled(spoil, name):
    """Returns the function of the reference with each part of its answer changed by spoil(part, point)."""

    def wrong(*points, **options):
        answer = getattr(reference, name)(*points, **options)
        if isinstance(answer, tuple):
            return tuple(spoil(part, point) for part, point in zip(answer, points, strict=True))
        return spoil(answer, np.asarray(points[0]))

    return wrong


# --- projections ---------------------------------------------------------------------------------------------------


def few_positive(x, a):
    """Keep only the largest positive entries of each row."""
    for row in np.atleast_2d(x):
        row[np.argsort(-row, kind="stable")[MOST:]] = 0
    return x


def negative_is_zero(x, a):
    """Take the negative entries of the point beyond the first few for 0."""
    x[..., FEW:][a[..., FEW:] < 0] = 0
    return x


def not_clipped(x, a):
    """Forget to clip at 0 beyond the first few entries."""
    return np.where((x == 0) & (np.arange(x.shape[-1]) >= FEW), np.minimum(a - np.max(a), 0), x).astype(x.dtype)


def tiny_is_zero(x, a):
    """Take each tiny number for 0, on whatever scale."""
    return np.where(np.abs(x) <= TINY, 0, x).astype(x.dtype)


def small_is_zero(x, a):
    """Take an entry that is small beside the largest one for 0."""
    return np.where(x <= NEAR * x.max(axis=-1, keepdims=True), 0, x).astype(x.dtype)


def almost_capped(x, a):
    """Take an entry that is almost the largest one, which may be the cap, for it."""
    largest = x.max(axis=-1, keepdims=True)
    return np.where(x >= largest * (1 - NEAR), largest, x).astype(x.dtype)


def ends_at_a_distance(a, radius=1.0):
    """Search for the threshold up to a fixed distance."""
    right = reference.project_simplex(a, radius)
    if a.ndim == 2 or radius == 0:
        return right
    point, low, high = a.astype(np.float64) - a.max(), -float(radius), 0.0
    while high - low > max(TINY, np.spacing(low)):
        t = (low + high) / 2
        low, high = (t, high) if np.maximum(point - t, 0).sum() > radius else (low, t)
    above = point > low  # the threshold of these entries is then exact
    return np.where(above, point - (point[above].sum() - radius) / above.sum(), 0.0).astype(right.dtype)


def meets_the_radius(name, *points, reached, near, radius=1.0, **options):
    """Take a sum within `near` of the radius for one that reaches it though it does not, or the other way round."""

    def projected(most):
        return getattr(reference, name)(*points, radius=most, **options)

    right, part = projected(radius), projected(min(2 * radius, 1e140))
    free = (part[0] if isinstance(part, tuple) else part).sum()
    if points[0].ndim == 2 or not radius or not radius * (1 - near) <= free <= radius * (1 + near):
        return right
    if not reached:
        return part
    return tuple(one * (radius / free) for one in right) if isinstance(right, tuple) else right * (radius / free)


# --- passive-aggressive updates --------------------------------------------------------------------------------------


def squishes_few(z, lower=-np.inf, upper=np.inf):
    """Squish only the largest entries."""
    x = reference.squish_column(z, lower, upper)
    for row, point in zip(np.atleast_2d(x), np.atleast_2d(z), strict=True):
        beyond = 1 + np.argsort(-point[1:], kind="stable")[MOST:]
        row[beyond] = np.clip(point[beyond], lower, upper)
    return x


def almost_meets(bound, z, lower=-np.inf, upper=np.inf):
    """Ignore a bound that the level exceeds by little."""
    right, free = reference.squish_column(z, lower, upper), reference.squish_column(z)
    at = {"lower": lower, "upper": upper}[bound]
    near = np.abs(free[..., :1] - at) <= NEAR * np.abs(z).max()
    return np.where(near & (right == right[..., :1]), free[..., :1], right).astype(z.dtype)


def updates_few(A, x, y, k=1, **rule):
    """Update the rows of the rivals with the largest scores only."""
    B = reference.multiclass_update(A, x, y, k=k, **rule)
    beyond = np.argsort(-(A @ x), kind="stable")[MOST:]
    beyond = beyond[beyond != y]
    B[beyond] = A[beyond]
    return B


def updates_if_far(A, x, y, **rule):
    """Change nothing where a margin is almost met."""
    B = reference.multiclass_update(A, x, y, **rule)
    return A.copy() if np.abs(B - A).max() <= NEAR * np.abs(A).max() else B


def bound_is_met(A, x, y, variant="pa", aggressiveness=1.0, **rule):
    """Ignore the bound of the step if it is exceeded by little."""
    B = reference.multiclass_update(A, x, y, variant=variant, aggressiveness=aggressiveness, **rule)
    wider = reference.multiclass_update(A, x, y, variant=variant, aggressiveness=aggressiveness * (1 + NEAR), **rule)
    return wider if variant == "pa1" else B


# --- rankings and losses -------------------------------------------------------------------------------------------


def few_positives(positive_scores, negative_scores, **options):
    """Rank the negatives among the highest positives only."""
    right = reference.loss_augmented_inference(positive_scores, negative_scores, **options)
    return right._replace(interleaving=np.minimum(right.interleaving, 9))


def few_classes(name, scores, y, **options):
    """Ignore the classes beyond the first few, if the labels allow it."""
    right = getattr(reference, name)(scores, y, **options)
    if scores.shape[1] <= FEW + 1 or options.get("k", 1) >= FEW:
        return right
    kept = scores.copy()
    kept[:, FEW:] = np.where(np.arange(FEW, scores.shape[1]) == y[:, None], scores[:, FEW:], scores.min() - 1000)
    return getattr(reference, name)(kept, y, **options)


# --- all of them ---------------------------------------------------------------------------------------------------

LOSSES = ["topk_error", "topk_hinge", "topk_hinge_gradient", "topk_entropy", "topk_entropy_gradient"]
LOSSES += ["truncated_topk_entropy", "truncated_topk_entropy_gradient"]
BOUNDED = ["project_capped_simplex", "project_topk_simplex", "project_bipartite_simplex"]  # their sum, by the radius
# A change of the answer, and the functions that it makes wrong.
SPOILED = [
    (few_positive, PROJECTIONS),
    (negative_is_zero, sorted({*PROJECTIONS} - {"project_capped_simplex"})),  # where no negative entry stays positive
    (not_clipped, PROJECTIONS),
    (tiny_is_zero, [*PROJECTIONS, "squish_column", "multiclass_update", "topk_hinge"]),
    (small_is_zero, PROJECTIONS),
    (almost_capped, CAPPED),
]
# Its name, the function that is wrong, and how.
WRONG = {f"{spoil.__name__}-{name}": (name, spoiled(spoil, name)) for spoil, names in SPOILED for name in names}
WRONG |= {f"few_classes-{name}": (name, partial(few_classes, name)) for name in LOSSES}
WRONG |= {f"almost_meets-{bound}": ("squish_column", partial(almost_meets, bound)) for bound in ("lower", "upper")}
WRONG |= {
    f"{kind}-{name}": (name, partial(meets_the_radius, name, reached=kind == "reached", near=near))
    for kind, near in (("reached", NEAR), ("missed", 1e-9))
    for name in BOUNDED
}
WRONG |= {
    wrong.__name__: (name, wrong)
    for name, wrong in (
        ("project_simplex", ends_at_a_distance), ("squish_column", squishes_few), ("multiclass_update", updates_few),
        ("multiclass_update", updates_if_far), ("multiclass_update", bound_is_met),
        ("loss_augmented_inference", few_positives),
    )
}  # fmt: skip


@pytest.fixture(scope="module")
def box(truths):
    with Several({key: wrong for key, (_, wrong) in WRONG.items()}) as box:
        yield box


@pytest.mark.parametrize("key", WRONG)
def test_an_instance_of_moderate_size_finds_it(key, box):
    """The last instances are likely to."""
    name, _ = WRONG[key]
    options = {"simplified": False, "largest": LARGEST, "backwards": True}
    assert failure_in(box.choose(key), name, None, **options)[0] is not None


def test_exported_instances_have_many_samples(tmp_path):
    export(tmp_path, only="loss_augmented_inference", quick=True)
    lines = map(json.loads, (tmp_path / "loss_augmented_inference.jsonl").read_text(encoding="utf-8").splitlines())
    sizes = [[argument(line["arguments"][f"{kind}_scores"]).size for kind in ("positive", "negative")]
             for line in lines if "expected" in line]  # fmt: skip
    assert any(P > FEW and N > FEW for P, N in sizes)
