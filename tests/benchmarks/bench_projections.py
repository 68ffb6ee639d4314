"""Projections, compared with np.copyto, which only moves memory, and np.sort, with which the textbook method starts."""

import numpy as np

import fast


def cases(quick=False):
    rng = np.random.default_rng(0)
    repeats = 11 if quick else 51
    long = rng.standard_normal(10**5 if quick else 10**6)
    copy = np.empty_like(long)
    for k in (1, 5, 10):
        yield {
            "work": f"project_topk_simplex, d = {long.size:.0e}, k = {k}, against np.copyto",
            "ours": lambda k=k: fast.project_topk_simplex(long, k),
            "theirs": lambda: np.copyto(copy, long),
            "at_least": 4,
            "aim": 2,
            "repeats": repeats,
        }
    yield from _short(rng, repeats)
    yield from _points(rng, max(repeats // 5, 5))
    yield from _threads(rng, quick)
    yield from _batch(rng, 2000 if quick else 20000, repeats)
    yield from _dense(1e-4 * long, max(repeats // 5, 5))
    yield from _many(rng, long, max(repeats // 5, 5))


def _short(rng, repeats):
    vectors = list(rng.standard_normal((300, 1000)))  # many, because the branch predictor would learn a single one
    for k in (1, 5, 10):
        yield {
            "work": f"project_topk_simplex, d = 1000 (300 vectors), k = {k}, against np.sort",
            "ours": lambda k=k: [fast.project_topk_simplex(a, k) for a in vectors],
            "theirs": lambda: [np.sort(a) for a in vectors],
            "at_least": 1,
            "aim": 0.5,
            "repeats": repeats,
        }


def _points(rng, repeats):
    """The whole call, at 300 different points of each length."""
    for d, name, arguments in (
        (66, "project_topk_simplex", (5,)), (1000, "project_topk_simplex", (5,)), (66, "project_simplex", ()),
        (66, "project_capped_simplex", (0.2,)), (66, "project_knapsack", (1.0,)), (66, "project_topk_cone", (5,)),
    ):  # fmt: skip
        points, project = list(rng.standard_normal((300, d))), getattr(fast, name)
        yield {
            "work": f"{name}, one call a point, d = {d}, 300 points, against np.sort",
            "ours": lambda points=points, f=project, rest=arguments: [f(a, *rest) for a in points],
            "theirs": lambda points=points: [np.sort(a) for a in points],
            "calls": (300, 300),
            "repeats": repeats,
        }


def _threads(rng, quick):
    """Two threads against one. It needs two idle processors."""
    scale = 10 if quick else 1
    for shape in ((5000 // scale, 1000), (10**5 // scale, 66), (10**7 // scale,)):
        for dtype in (np.float64, np.float32):
            a, size = rng.standard_normal(shape).astype(dtype), " x ".join(map(str, shape))
            yield {
                "work": f"project_topk_simplex, {size}, {a.dtype}, k = 5, two threads against one",
                "ours": lambda a=a: fast.project_topk_simplex(a, 5, n_jobs=2),
                "theirs": lambda a=a: fast.project_topk_simplex(a, 5),
                "repeats": 5 if quick else 21,
            }


def _batch(rng, rows, repeats):
    batch = rng.standard_normal((rows, 100))
    for k in (1, 5, 10):
        yield {
            "work": f"project_topk_simplex, batch {rows} x 100, k = {k}, against np.sort(axis=1)",
            "ours": lambda k=k: fast.project_topk_simplex(batch, k),
            "theirs": lambda: np.sort(batch, axis=1),
            "at_least": 1,
            "aim": 0.5,
            "repeats": repeats,
        }


def _dense(a, repeats):
    for radius, bias in ((50.0, 1.0), (1e9, 0.0), (1e9, 1.0)):
        for k in (1, 5, 10):
            yield {
                "work": f"project_topk_simplex, dense, r = {radius:g}, bias {bias:g}, k = {k}, against np.sort",
                "ours": lambda radius=radius, bias=bias, k=k: fast.project_topk_simplex(a, k, radius, bias),
                "theirs": lambda: np.sort(a),
                "at_least": 1,
                "aim": 0.3,
                "repeats": repeats,
            }


def _many(rng, long, repeats):
    """Many coordinates at the cap: many of the k largest, and a knapsack with half of the largest sum."""
    vectors = list(rng.standard_normal((300, 1000)))
    for points, name in ((vectors, "1000 (300 vectors)"), ([long], f"{long.size:.0e}")):
        for k in (points[0].size // 10, points[0].size // 2):
            yield {
                "work": f"project_topk_simplex, many of the largest, d = {name}, k = {k}, against np.sort",
                "ours": lambda points=points, k=k: [fast.project_topk_simplex(a, k) for a in points],
                "theirs": lambda points=points: [np.sort(a) for a in points],
                "repeats": repeats,
            }
        yield {
            "work": f"project_knapsack, many at the cap, d = {name}, total d/2, against Newton's method in NumPy",
            "ours": lambda points=points: [fast.project_knapsack(a, a.size / 2) for a in points],
            "theirs": lambda points=points: [newton(a, a.size / 2) for a in points],
            "repeats": repeats,
        }


def newton(a, total):
    """Returns the projection onto {sum x = total, 0 <= x <= 1}, as ten lines of NumPy have it."""
    t = (a.sum() - total) / a.size
    for _ in range(60):
        x = np.clip(a - t, 0.0, 1.0)
        surplus, inside = x.sum() - total, np.count_nonzero((x > 0) & (x < 1))
        if abs(surplus) <= 1e-12 * total or inside == 0:
            break
        t += surplus / inside
    return x
