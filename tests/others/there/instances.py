"""The instances that are timed: of a function, at a size, the same in every environment."""

import numpy as np


def instance(function, size):
    """Returns (positional arguments, options) of one timed call."""
    rng = np.random.default_rng(0)
    if function in ("ap_loss", "ndcg_loss", "rank_loss"):
        P, N = size
        return (rng.integers(1, P + 2, size=N), P), {"loss": "auc"} if function == "rank_loss" else {}
    if function == "interleaving_ranks":
        return (rng.normal(size=size[0]) + 0.5, rng.normal(size=size[1])), {}
    if function == "fit_nearest_means":
        return (rng.normal(size=size), rng.permutation(size[0]) % 20), {}
    options = {
        "project_simplex": {},
        "project_knapsack": {"total": size / 10, "lower": 0.0, "upper": 1.0},
        "project_capped_simplex": {"cap": 1.0, "radius": size / 10},
        "project_topk_cone": {"k": size // 4},  # so that the upper bound has an effect
        "project_topk_simplex": {"k": 1},
        "squish_column": {},
    }
    return (rng.normal(size=size),), options[function]
