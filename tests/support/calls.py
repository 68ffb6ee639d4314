"""Calls of all functions that take numbers, with small arguments: [(name, arguments), ...]."""

from itertools import product

import numpy as np

from reference.problems import checks

SHORT, OTHER = np.array([0.5, 2.0, -1.0]), np.array([0.25, -0.5])
SCORES, CLASSES = np.array([[0.5, 2.0, -1.0], [0.1, 0.2, 0.3], [3.0, -2.0, 1.0]]), np.array([0, 1, 2])
X = np.random.default_rng(0).standard_normal((6, 3))
Y, SETS = np.array([0, 1, 2, 0, 1, 2]), np.array([[1, 0, 0], [0, 1, 1], [0, 0, 1]] * 2, bool)
RELEVANT, ONES, ONE = np.array([1, 0, 1, 0, 0, 0], bool), np.ones(6), np.ones(3)

PROJECTIONS = [
    ("project_simplex", {"a": SHORT, "radius": 1.0}),
    ("project_knapsack", {"a": SHORT, "total": 1.0, "lower": 0.0, "upper": 1.0}),
    ("project_knapsack", {"a": SHORT, "total": 0.5, "lower": -ONE, "upper": 2 * ONE, "weights": ONE + OTHER[0]}),
    ("project_knapsack", {"a": SHORT, "total": 0.5, "lower": -np.inf, "upper": np.inf}),
    ("project_capped_simplex", {"a": SHORT, "cap": 0.5, "radius": 1.0, "bias": 1.0}),
    ("project_topk_cone", {"a": SHORT, "k": 2, "bias": 1.0}),
    ("project_topk_simplex", {"a": SHORT, "k": 2, "radius": 1.0, "bias": 1.0}),
    ("project_bipartite_simplex", {"b": SHORT, "c": OTHER, "radius": 1.0}),
    ("squish_column", {"z": SHORT, "lower": -1.0, "upper": 1.0}),
    ("squish_column", {"z": SHORT}),
]
PROJECTIONS += [
    ("multiclass_update",
     {"A": SCORES, "x": SHORT, "y": 1, "margin": 1.0, "variant": variant, "k": k, "aggressiveness": 1.0})
    for variant, k in (("pa", 1), ("pa1", 2), ("pa2", 1))
]  # fmt: skip
OF_CLASSES, OF_SETS = {"scores": SCORES, "y": CLASSES}, {"scores": SCORES, "Y": SETS[:3]}
SMOOTH = [{"smoothing": smoothing} for smoothing in (0.0, 1.0)]
HINGES = [{"k": 2, "kind": kind} | smooth for kind in checks.KINDS for smooth in SMOOTH]
LOSSES = [(f"topk_{name}", OF_CLASSES | hinge) for name in ("hinge", "hinge_gradient") for hinge in HINGES]
LOSSES += [(f"topk_{name}", OF_CLASSES | {"k": k}) for name in ("error", "entropy", "entropy_gradient") for k in (1, 2)]
LOSSES += [(f"truncated_topk_{name}", OF_CLASSES | {"k": 2}) for name in ("entropy", "entropy_gradient")]
LOSSES += [(f"multilabel_{name}", OF_SETS | smooth) for name in ("hinge", "hinge_gradient") for smooth in SMOOTH]
LOSSES += [(f"multilabel_{name}", OF_SETS) for name in ("error", "entropy", "entropy_gradient")]
LOSSES += [(f"{name}_loss", {"scores": SCORES, "Y": CLASSES, "margin": 1.0}) for name in ("pairwise", "warp")]
TWO_PARTS = {"positive_scores": SHORT, "negative_scores": OTHER}
RANKINGS = [
    ("interleaving_ranks", TWO_PARTS),
    ("semigradient", TWO_PARTS | {"interleaving": np.array([1, 3])}),
    ("grouped_inference", {"scores": X[:, 0], "relevant": RELEVANT, "groups": Y % 1}),
]
for loss, method in product(("ap", "ndcg", "auc"), ("quicksort", "greedy")):
    RANKINGS.append(("loss_augmented_inference", TWO_PARTS | {"loss": loss, "method": method}))
OPTIONS, SAMPLES = {"regularization": 0.1}, {"regularization": 0.1, "sample_weight": ONES}
FITS = [
    ("fit_topk_svm", {"X": X, "y": Y, "smoothing": 0.5, "tol": 1e-3, "max_epochs": 5} | SAMPLES),
    ("fit_topk_svm_kernel", {"K": X @ X.T, "y": Y, "max_epochs": 5} | SAMPLES),
    ("fit_topk_svm_parts", {"X": X, "y": Y, "parts": 2, "max_rounds": 5, "local_epochs": 1} | SAMPLES),
    ("fit_multilabel", {"X": X, "Y": SETS, "smoothing": 0.5, "max_epochs": 5} | SAMPLES),
    ("fit_multilabel", {"X": X, "Y": SETS, "loss": "entropy", "max_epochs": 5} | SAMPLES),
    ("fit_topk_entropy", {"X": X, "y": Y, "k": 2, "max_epochs": 5} | SAMPLES),
    ("fit_topk_entropy_kernel", {"K": X @ X.T, "y": Y, "max_epochs": 5} | SAMPLES),
    ("fit_truncated_topk_entropy", {"X": X, "y": Y, "max_iterations": 5, "weights": X[:3]} | SAMPLES),
    ("fit_top_push", {"X": X, "relevant": RELEVANT, "max_iterations": 5} | SAMPLES),
    ("fit_svm_perf", {"X": X, "relevant": RELEVANT, "k": 2.0, "max_iterations": 5} | SAMPLES),
    ("fit_ranking_svm", {"X": X, "relevant": RELEVANT, "max_iterations": 5, "group_weight": ONES} | OPTIONS),
    ("fit_direct_loss", {"X": X, "relevant": RELEVANT, "epsilon": 0.1, "step_size": 1.0, "max_iterations": 3}),
    ("fit_passive_aggressive", {"X": X, "y": Y, "margin": 1.0, "aggressiveness": 1.0, "variant": "pa1", "epochs": 2}),
    ("fit_passive_aggressive", {"X": X, "y": Y, "variant": "pa2", "sample_weight": ONES, "weights": X[:3]}),
    ("fit_nearest_means", {"X": X, "Y": Y, "sample_weight": ONES}),
    ("fit_one_vs_all", {"X": X, "Y": Y, "margin": 1.0, "step_size": 0.1, "n_updates": 5}),
    ("fit_wsabie", {"X": X, "Y": Y, "embedding_dim": 2, "margin": 1.0, "step_size": 0.1, "n_updates": 5}),
]
CALLS = [*PROJECTIONS, *LOSSES, *RANKINGS]
