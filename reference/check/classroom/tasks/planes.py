"""Assignment 07: the lower bound of a mixture of planes, and the plane of one query."""

import numpy as np

from ....ground_truth import ranking
from ...judging.case import Case
from ...judging.simplify import rounder
from ._base import task

LOSSES = ("ap", "ndcg")


# --- the lower bound -----------------------------------------------------------------------------------------------


def true_bound(offsets, slopes, shares, regularization):
    """Returns the minimiser and the minimum of the penalty plus the mixed plane."""
    slope, offset = np.zeros(slopes.shape[1]), 0.0
    for a, b, share in zip(slopes, offsets, shares, strict=True):
        slope, offset = slope + share * a, offset + share * b
    weights = -slope / regularization
    return [weights, float(regularization / 2 * weights @ weights + offset + slope @ weights)]


def bounds(rng, _):
    """Yields instances of lower_bound."""
    for C in (1, 2, 3, 5, 8):
        for d in (1, 2, 4):
            yield Case("random", _mixture(rng, C, d))
    one = _mixture(rng, 4, 2)
    yield Case("one share is 1", {**one, "shares": np.eye(4)[2]})
    yield Case("slopes that cancel", {**_mixture(rng, 2, 3), "slopes": np.array([[1.0, -2, 3], [-1, 2, -3]]),
                                      "shares": np.array([0.5, 0.5])})  # fmt: skip
    yield Case("weak regularization", {**one, "regularization": 1e-7})
    yield Case("many planes", _mixture(rng, 60, 5))


def tiny_bounds(rng, _):
    """Yields tiny instances of lower_bound."""
    for C in (1, 1, 2, 2, 2, 2, 3, 3):
        shares = np.eye(C)[int(rng.integers(C))] if C < 3 else np.array([0.5, 0.5, 0.0])
        slopes = rng.integers(-2, 3, size=(C, 1)).astype(float)
        offsets = rng.integers(0, 3, size=C) / 2
        yield {"offsets": offsets, "slopes": slopes, "shares": shares, "regularization": 2.0 ** rng.integers(-1, 2)}


def _mixture(rng, C, d):
    return {
        "offsets": rng.uniform(0.0, 1.0, size=C),
        "slopes": rng.normal(size=(C, d)),
        "shares": rng.dirichlet(np.ones(C)),
        "regularization": float(rng.choice([0.01, 0.1, 0.5, 3.0])),
    }


# --- the plane of a query ------------------------------------------------------------------------------------------


def true_plane(positives, negatives, w, loss):
    """Returns offset and slope of the worst ranking's plane: all rankings are tried, and all pairs are added up."""
    p, n = positives @ w, negatives @ w
    worst, (P, N) = ranking.loss_augmented_inference(p, n, loss), (len(p), len(n))
    slope = np.zeros(len(w))
    for place, i in enumerate(np.argsort(-p, kind="stable"), start=1):
        for j in range(N):
            if worst.interleaving[j] <= place:  # negative j is before this positive
                slope -= 2 / (P * N) * (positives[i] - negatives[j])
    return [float(worst.loss), slope]


def queries(rng, _):
    """Yields instances of cutting_plane, with few samples: all their rankings can be tried."""
    for P, N in ((1, 1), (1, 2), (2, 1), (2, 2), (3, 2), (2, 3)):
        for loss in LOSSES:
            yield Case("random", _query(rng, P, N, int(rng.integers(1, 4)), loss))
    for loss in LOSSES:
        flat = _query(rng, 2, 2, 3, loss)
        yield Case("w = 0", {**flat, "w": np.zeros(3)})
        yield Case("large weights", {**flat, "w": 1e3 * flat["w"]})
        yield Case(
            "features of 1e6", {**flat, "positives": 1e6 * flat["positives"], "negatives": 1e6 * flat["negatives"]}
        )


def tiny_queries(rng, arguments):
    """Yields tiny instances of cutting_plane."""
    for P, N, d in ((1, 1, 1), (1, 1, 1), (1, 1, 2), (1, 2, 1), (2, 1, 1), (2, 1, 1), (2, 2, 1)) * 2:
        positives, negatives = (rng.integers(-2, 3, size=(size, d)).astype(float) for size in (P, N))
        w = rng.integers(-1, 2, size=d) / 4
        yield {"positives": positives, "negatives": negatives, "w": w, "loss": arguments["loss"]}


def _query(rng, P, N, d, loss):
    positives, negatives = rng.normal(size=(P, d)), rng.normal(size=(N, d))
    return {"positives": positives, "negatives": negatives, "w": rng.normal(size=d) / 2, "loss": loss}


def _rounder_queries(arguments):
    yield from rounder(arguments, ("positives", "negatives", "w"))


def _rounder_bounds(arguments):
    yield from rounder(arguments, ("offsets", "slopes", "regularization"))


TASKS = {
    "bound_of_planes": task(bounds, true_bound, tiny_bounds, 4, "002, problem (4), and notebook 08", _rounder_bounds),
    "plane_of_query": task(queries, true_plane, tiny_queries, 4, "002, eq. (5), and notebook 08", _rounder_queries),
}
