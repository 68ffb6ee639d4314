"""Points whose projection is known beforehand: of any length, on a tiny scale, and on both sides of each border.

All projections are x = clip(a - t, 0, cap). So an answer x and a threshold t give a point: a = t + x where x is between
its bounds, and anything further out where x is on one of them. A function that stops after some entries, or that takes
a tiny number for 0, or that compares with a tolerance, fails on one of these points.
"""

from itertools import cycle
from typing import NamedTuple

import numpy as np

from ..judging.case import Case

LEAST = 1e-14, 1e-30  # scales on which each number is below a tolerance that does not depend on the scale
NEAR = 5e-7, 5e-10, 5e-13  # relative distances from a border, each within a usual tolerance and beyond rounding
SIDES = tuple(sign * near for near in NEAR for sign in (1, -1))
# Entries, those that are positive, the k of the cap 1/k, and the slack.
LENGTHS = (
    (65, 65, 32, 0.5), (131, 66, 3, -1.0), (333, 333, 1, -1.0), (1001, 1, 1, 0.5), (1001, 501, 10, 0.5),
    (999, 999, 300, -1.0), (997, 499, 3, 0.5),
)  # fmt: skip
BIASES = 1.0, 0.0, 0.37


class Known(NamedTuple):
    """An answer with the sum 1 and entries of at most 1/k, and how far the point is `beyond` where it is on a bound.

    A positive slack is the multiplier of the bound of the sum, which is then 1. A negative one is what the sum lacks.
    """

    label: str
    x: np.ndarray
    beyond: np.ndarray
    k: int
    slack: float
    bias: float = 1.0
    unit: float = 1.0
    dtype: type = np.float64

    @property
    def multiplier(self):
        """The multiplier of the bound of the sum."""
        return max(self.slack, 0.0)

    @property
    def radius(self):
        """The bound of the sum, in the unit of the point."""
        return self.unit * (1.0 + max(-self.slack, 0.0))

    @property
    def cap(self):
        """The bound of each entry, in the unit of the point."""
        return self.unit / self.k

    @property
    def threshold_of_cone(self):
        """The threshold where the cap is 1/k of the sum: each entry above it costs 1/k of its excess."""
        return self.bias - float(self.beyond[self.x >= 1 / self.k].sum()) / self.k

    def point(self, t, cap=np.inf, weights=1.0):
        """Returns the point with this threshold."""
        away = np.where(self.x == 0, -self.beyond, np.where(self.x >= cap, self.beyond, 0.0))
        return (self.unit * (t * weights + self.x + away)).astype(self.dtype)


def known(name, rng):
    """Yields instances of the projection of this name."""
    points, place = ("b", "c") if "bipartite" in name else ("a",), globals()[name]
    for one in (*_long(rng), *_near_borders()):
        if placed := place(rng, one):
            yield Case(one.label, dict(zip(points, placed, strict=False)) | placed[-1])
    rows = [place(rng, Known("", *_answer(rng, 131, p, 3), 3, 0.5)) for p in range(3, 132)]
    batch = map(np.array, zip(*(row[:-1] for row in rows), strict=True))
    yield Case("every number of positive entries", dict(zip(points, batch, strict=True)) | rows[0][-1])


def project_simplex(rng, one):
    """Returns the point and the options of a Known one."""
    return one.point(one.slack), {"radius": one.unit}


def project_knapsack(rng, one):
    """Returns the point and the options, without weights if the bias, which has no use here, is positive."""
    weights = 1.0 if one.bias else 0.5 + np.arange(len(one.x)) % 7 / 4
    options = {"total": one.unit * float(np.sum(weights * one.x)), "upper": one.cap}
    return one.point(one.slack, 1 / one.k, weights), options | ({} if one.bias else {"weights": weights})


def project_capped_simplex(rng, one):
    """Returns the point and the options."""
    return one.point(one.bias + one.multiplier, 1 / one.k), {"cap": one.cap, "radius": one.radius, "bias": one.bias}


def project_topk_cone(rng, one):
    """Returns the point and the options. Nothing bounds the sum, so no slack is small."""
    options = {"k": one.k, "bias": one.bias}
    return (one.point(one.threshold_of_cone, 1 / one.k), options) if abs(one.slack) > max(NEAR) else None


def project_topk_simplex(rng, one):
    """Returns the point and the options."""
    a = one.point(one.threshold_of_cone + one.multiplier, 1 / one.k)
    return a, {"k": one.k, "radius": one.radius, "bias": one.bias}


def project_bipartite_simplex(rng, one):
    """Returns both points and the options. The thresholds sum to the multiplier. Nothing caps the entries."""
    if "cap" in one.label:
        return None
    if len(one.x) == 4:  # the ground truth knows the exact answer for five coordinates in all
        one = one._replace(x=np.append(one.x[:2].sum(), one.x[2:]), beyond=one.beyond[1:])
        x, beyond = np.array([0.6, 0.4]), np.zeros(2)
    else:
        x, beyond = _answer(rng, len(one.x) * 3 // 5 + 1, np.count_nonzero(one.x) * 3 // 5 + 1, 1)
    pair = one.point(0.3), one._replace(x=x, beyond=beyond).point(one.multiplier - 0.3)
    return *(pair if one.bias else pair[::-1]), {"radius": one.radius}


def _long(rng):
    """Yields long points, of which one, about half or all entries stay positive, and points of tiny scales."""
    biases = cycle(BIASES)
    for d, p, k, slack in LENGTHS:
        yield Known(f"{p} of {d} entries stay positive", *_answer(rng, d, p, k), k, slack, next(biases))
    x = np.repeat([0.25, 0.25 / 64, 0.0], [2, 128, 70])
    for slack in (0.5, -1.0):
        yield Known("long ties", x, np.zeros(200), 4, slack, next(biases))
    for unit in LEAST:
        for d, p, slack in ((4, 3, 0.5), (131, 66, -1.0)):
            yield Known(f"scale {unit:.0e}", *_answer(rng, d, p, 2), 2, slack, next(biases), unit)
    yield Known("float32, scale 1e-30", *_answer(rng, 131, 66, 3), 3, 0.5, unit=LEAST[-1], dtype=np.float32)


def _answer(rng, d, p, k):
    """Returns (x, beyond) with p >= k positive entries, in a random order: k - 1 of them are at the cap, or all k."""
    x, order = np.zeros(d), rng.permutation(d)
    x[:k] = 1 / k
    if p > k:
        middle = rng.uniform(0.5, 1.5, size=p - k + 1)
        x[k - 1 : p] = middle / middle.sum() / k
    return x[order], rng.uniform(0.01, 0.3, size=d) / k


def _near_borders():
    """Yields points close to a border of two cases, on both of its sides. They have k = 2 and the cap 1/2."""
    biases = cycle(BIASES)
    for near in NEAR:
        for label, x, beyond in (
            ("just positive", (1, 0.6, 0.4 - near, near), (0.3, 0, 0, 0)),
            ("just 0", (1, 0.6, 0.4, 0), (0.3, 0, 0, near)),
            ("just below the cap", (1 - near, 0.6, 0.4 + near, 0), (0, 0, 0, 0.2)),
            ("just at the cap", (1, 0.6, 0.4, 0), (near, 0, 0, 0.2)),
            ("almost all at the cap", (1, 1 - near, near, 0), (0.3, 0, 0, 0.2)),
            ("all at the cap", (1, 1, 0, 0), (0.3, 0, near, 0.2)),
        ):
            yield Known(label, np.array(x) / 2, np.array(beyond) / 2, 2, 0.5, next(biases))
        for label, slack in (("the sum just reaches its bound", near), ("the sum just misses its bound", -near)):
            yield Known(label, np.array((1, 0.6, 0.4, 0)) / 2, np.array((0.3, 0, 0, 0.2)) / 2, 2, slack, next(biases))
