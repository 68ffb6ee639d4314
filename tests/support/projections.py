"""Points to project: random ones, and all that has ever gone wrong."""

import numpy as np

SHAPES = {
    "normal": lambda rng, d: rng.standard_normal(d),
    "ties": lambda rng, d: rng.integers(-2, 4, d).astype(float),
    "constant": lambda rng, d: np.full(d, rng.standard_normal()),
    "one-hot": lambda rng, d: 3.0 * (np.arange(d) == rng.integers(d)),
    "zeros": lambda rng, d: np.zeros(d),
    "negative": lambda rng, d: -rng.random(d) - 0.1,
    "nearly equal": lambda rng, d: 1e6 + rng.standard_normal(d),
    "one huge": lambda rng, d: rng.standard_normal(d) + 1e6 * (np.arange(d) == rng.integers(d)),
    "sorted": lambda rng, d: np.sort(rng.standard_normal(d)),
}


def point(seed, shape, d, scale=1.0):
    return scale * SHAPES[shape](np.random.default_rng(seed), d)


def problems(seed, d, scale=1.0):
    """(function name, arguments after the point) for a point of d coordinates: each projection a few times over."""
    rng = np.random.default_rng(seed)
    k = int(rng.integers(1, d + 1))
    bias = float(rng.choice([0.0, 1.0, 0.37, 100.0]))
    radius = scale * float(rng.choice([0.0, 0.01, 1.0, 50.0]))
    cap = scale * float(rng.choice([0.0, 0.2, 1.0, 30.0]))
    weights = rng.uniform(0.5, 2.0, d)
    lower = np.where(rng.random(d) < 0.2, -np.inf, -scale * rng.random(d))
    upper = np.where(rng.random(d) < 0.2, np.inf, scale * rng.random(d))
    return [
        ("project_simplex", (radius,)),
        ("project_knapsack", (scale * d * rng.random(), 0.0, scale)),
        ("project_knapsack", (0.0, lower, upper, weights)),
        ("project_capped_simplex", (cap, radius, bias)),
        ("project_capped_simplex", (0.7 * scale, 0.7 * scale * k, bias)),  # k of them fill the sum exactly
        ("project_topk_cone", (k, bias)),
        ("project_topk_cone", (d, bias)),
        ("project_topk_simplex", (1, radius, bias)),
        ("project_topk_simplex", (k, radius, bias)),
    ]
