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
    yield from _batch(rng, 2000 if quick else 20000, repeats)
    yield from _dense(1e-4 * long, max(repeats // 5, 5))


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
