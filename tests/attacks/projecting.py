"""Projections, squished columns and passive-aggressive updates: their exact answers."""

from fractions import Fraction

import numpy as np

from .duals import topk_pieces
from .exact import dot, exact, minimise
from .values import Value


def project(a, support, bias=Fraction(0)):
    """Returns argmin 1/2 |a - x|^2 + bias/2 (sum x)^2 over a polytope, from its best corners."""
    d = range(len(a))

    def worst(w):
        vertex = support([w[i] + w["sum"] for i in d])
        return Fraction(0), {**{i: vertex[i] - a[i] for i in d}, "sum": sum(vertex)}

    found = minimise(
        lambda slope: slope | {"sum": bias * slope["sum"]}, [worst], dict.fromkeys([*d, "sum"], Fraction(0))
    )
    return [a[i] - found.w[i] for i in d]


def filled(gain, room, weights, total, must):
    """Returns the best x in 0..room with <weights, x> = total, or at most total unless it must be reached."""
    x = [Fraction(0)] * len(gain)
    for i in sorted(range(len(gain)), key=lambda i: -gain[i] / weights[i]):
        if must or gain[i] > 0:
            x[i] = min(room[i], total / weights[i])
            total -= weights[i] * x[i]
    return x


def of_topk(gain, k, radius):
    """Returns the best corner of 0 <= x <= (sum x)/k, sum x <= radius."""
    best = sorted(range(len(gain)), key=lambda i: -gain[i])[:k]
    share = Fraction(radius) / k if sum(gain[i] for i in best) > 0 else Fraction(0)
    return [share if i in best else Fraction(0) for i in range(len(gain))]


def knapsack(problem):
    d = len(problem["a"])
    a, lower, upper, weights = (
        exact(np.broadcast_to(problem[key], (d,))) for key in ("a", "lower", "upper", "weights")
    )
    total, room = Fraction(problem["total"]), [u - l for l, u in zip(lower, upper, strict=True)]
    total -= sum(w * l for w, l in zip(weights, lower, strict=True))
    moved = [x - l for x, l in zip(a, lower, strict=True)]
    x = project(moved, lambda gain: filled(gain, room, weights, total, True))
    return [[y + l for y, l in zip(x, lower, strict=True)]]


def simplex(problem):
    a, radius = exact(problem["a"]), Fraction(problem["radius"])
    return [project(a, lambda gain: filled(gain, [radius] * len(a), [1] * len(a), radius, True))]


def capped(problem):
    a, cap, radius = exact(problem["a"]), Fraction(problem["cap"]), Fraction(problem["radius"])
    return [project(a, lambda g: filled(g, [cap] * len(a), [1] * len(a), radius, False), Fraction(problem["bias"]))]


def topk(problem):
    a, k = exact(problem["a"]), problem["k"]
    radius = Fraction(problem["radius"]) if "radius" in problem else 4 * len(a) * max(1, max(map(abs, a)))
    return [project(a, lambda gain: of_topk(gain, k, radius), Fraction(problem["bias"]))]


def bipartite(problem):
    b, c, radius = exact(problem["b"]), exact(problem["c"]), Fraction(problem["radius"])

    def support(gain):
        i, j = (max(part, key=gain.__getitem__) for part in (range(len(b)), range(len(b), len(gain))))
        size = radius if gain[i] + gain[j] > 0 else Fraction(0)
        return [size * (place in (i, j)) for place in range(len(gain))]

    x = project([*b, *c], support)
    return [x[: len(b)], x[len(b) :]]


def squished(problem):
    z, low, high = exact(problem["z"]), problem["lower"], problem["upper"]
    above, top = sorted(z[1:], reverse=True), z[0]
    for j in range(1, len(z)):  # the largest mean of z_0 with the j highest others
        top = max(top, (z[0] + sum(above[:j])) / (j + 1))
    top = max(top, Fraction(low)) if np.isfinite(low) else top
    top = min(top, Fraction(high)) if np.isfinite(high) else top
    rest = [min(value, top) for value in z[1:]]
    return [[top, *(max(value, Fraction(low)) if np.isfinite(low) else value for value in rest)]]


def updated(problem):
    """Returns the exact update. The scores move by |x|^2 times the duals; penalties are pieces with a large slope."""
    A, x, y, k, margin = (
        exact(problem["A"]),
        exact(problem["x"]),
        problem["y"],
        problem["k"],
        Fraction(problem["margin"]),
    )
    C, variant, square = Fraction(problem["aggressiveness"]), problem["variant"], sum(v * v for v in x)
    scores = [sum(a * v for a, v in zip(row, x, strict=True)) for row in A]
    if not square:
        return [A]
    pieces = topk_pieces(len(A), y, k, "alpha")
    loss = max(offset * margin + sum(a * scores[j] for j, a in slope.items()) for offset, slope in pieces)
    most = C if variant == "pa1" else 4 * len(A) * (loss / square + 1)  # of the slope of the penalty: it never binds

    def worst(w):
        best = max(pieces, key=lambda piece: piece[0] * margin + dot(piece[1], w) + w["moved"] * bool(piece[1].get(y)))
        slope = {j: most * a for j, a in best[1].items()}
        return most * best[0] * margin, slope | {"moved": most * bool(best[1].get(y)) * (variant == "pa2")}

    def risen(slope):
        return {j: a * (1 / (2 * C) if j == "moved" else square) for j, a in slope.items()}

    found = minimise(risen, [worst], dict(enumerate(scores)) | {"moved": Fraction(0)})
    steps = [(found.w[j] - scores[j]) / square for j in range(len(A))]
    return [[[a + step * v for a, v in zip(row, x, strict=True)] for row, step in zip(A, steps, strict=True)]]


def scale(rng):
    return float(10.0 ** rng.choice([0, 0, 0, 8, -8, 130, -130, -300, -315]))


def point(rng, d, unit):
    a = rng.normal(size=d) if rng.random() < 0.5 else rng.integers(-2, 3, d).astype(float)
    a *= rng.choice([1.0, 1e-6, 1e4, 0.0], d, p=[0.7, 0.1, 0.1, 0.1]) * unit * (rng.random() < 0.95)
    return a.astype(np.float32) if rng.random() < 0.3 and 1e-30 < unit < 1e30 else a


def radius(rng, unit):
    return float(f"{unit * 10.0 ** rng.choice([0, 0, -15, 3, -1]) * (0.1 + rng.random()):.3g}")


def draw_one(*names):
    """Returns the function that draws a point and these options."""

    def draw(rng):
        d, unit = int(rng.integers(1, 6)), scale(rng)
        problem = {"a": point(rng, d, unit)}
        options = {"radius": radius(rng, unit), "cap": radius(rng, unit), "k": int(rng.integers(1, d + 1))}
        options["bias"] = float(rng.choice([0.0, 1.0, 0.1, 10.0]))
        return problem | {name: options[name] for name in names}

    return draw


def draw_knapsack(rng):
    d, unit = int(rng.integers(1, 6)), min(max(scale(rng), 1e-290), 1e120)  # the total is in range, without underflow
    weights = np.round(10.0 ** rng.choice([0, 0, 3, -3, 12], d) * (0.5 + rng.random(d)), 3) + 1e-3
    lower, upper = unit * -rng.integers(0, 2, d), unit * rng.integers(1, 3, d)
    share = float(rng.choice([0.0, 1.0, 0.5, rng.random()]))
    least, most = (sum(w * b for w, b in zip(exact(weights), exact(bound), strict=True)) for bound in (lower, upper))
    total = float(least + Fraction(share) * (most - least))
    total = total if least <= Fraction(total) <= most else float(unit * 0)
    return {"a": point(rng, d, unit), "total": total, "lower": lower, "upper": upper, "weights": weights}


def draw_pair(rng):
    unit = scale(rng)
    b, c = (point(rng, int(rng.integers(1, 4)), unit) for _ in range(2))
    dtype = np.result_type(b, c)
    return {"b": b.astype(dtype), "c": c.astype(dtype), "radius": radius(rng, unit)}


def draw_column(rng):
    z = point(rng, int(rng.integers(1, 6)), max(scale(rng), 1e-290))  # underflow is not judged
    size = float(np.abs(z).max())
    bounds = [(-np.inf, np.inf), (-size / 2, np.inf), (-np.inf, size / 4), (0.0, size / 2)]
    lower, upper = bounds[rng.integers(4)]
    return {"z": z, "lower": lower, "upper": upper}


def draw_update(rng):
    m, d, size = int(rng.integers(2, 5)), int(rng.integers(1, 4)), float(10.0 ** rng.choice([0, 0, 6, -6]))
    problem = {"A": size * rng.normal(size=(m, d)), "x": rng.normal(size=d) / size * 10.0 ** rng.integers(-3, 4)}
    problem |= {"y": int(rng.integers(m)), "k": int(rng.integers(1, m)), "margin": float(rng.choice([1.0, 0.0, 0.5]))}
    return problem | {
        "variant": str(rng.choice(["pa", "pa1", "pa2"])),
        "aggressiveness": float(rng.choice([1.0, 0.01, 100.0])),
    }


def largest(*names):
    """Returns the unit of an error: the largest number of these arguments and of the answer."""

    def unit(problem, truth):
        sizes = [float(np.abs(problem[name]).max()) for name in names]
        return max(*sizes, *(float(abs(value)) for part in truth for value in part.ravel()))

    return unit


def stated(problem, certificate, eps):
    """Returns the distance that CERTIFICATES.md states for a simplex or a knapsack, relative to the unit."""
    w = np.abs(problem.get("weights", np.ones(len(problem["a"]))))
    return (1 + 2 * w.sum() / w.min()) * (certificate.value + 8 * eps)


def longest(problem, truth):
    rows = [np.linalg.norm(np.asarray(A, dtype=np.float64), axis=1).max() for A in (problem["A"], truth[0])]
    return max(rows)


PROJECTIONS = (
    Value("project_simplex", draw_one("radius"), simplex, largest("a"), stated),
    Value("project_knapsack", draw_knapsack, knapsack, largest("a"), stated),
    Value("project_capped_simplex", draw_one("cap", "radius", "bias"), capped, largest("a")),
    Value("project_topk_cone", draw_one("k", "bias"), topk, largest("a")),
    Value("project_topk_simplex", draw_one("k", "radius", "bias"), topk, largest("a")),
    Value("project_bipartite_simplex", draw_pair, bipartite, largest("b", "c"), parts=list, given_as=tuple),
    Value("squish_column", draw_column, squished, largest("z")),
    Value("multiclass_update", draw_update, updated, longest),
)
