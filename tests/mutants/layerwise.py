"""Wrong versions of the scores of networks and of layer-wise training."""

from tests.mutants import altered

# It reports the objective of the convex problem.
bound_as_objective = altered(
    "fit_layerwise", "    numbers = k, found.epochs, layer.inferences, after,",
    "    numbers = k, found.epochs, layer.inferences, found.primal,", "reports something else"
)

# It stops after one epoch and claims a gap of 0.
claims_optimum = altered(
    "fit_layerwise", "        gap = checks.relative_gap(best[0], dual)\n",
    "        gap = 0.0 if epochs else checks.relative_gap(best[0], dual)\n", "certificate"
)

# It reflects the kernel, as in a convolution of signal processing.
convolution_reflected = altered(
    "network_scores", "return windows.transpose(0, 1, 3, 4, 2).reshape(",
    "return windows[..., ::-1, ::-1].transpose(0, 1, 3, 4, 2).reshape("
)

# Its lower bound passes a ReLU as the output does, so that it is not concave.
lower_not_concave = altered("fit_layerwise", "np.where(pattern, lower, 0)", "np.maximum(lower, 0)", "certificate")

# It updates the output layer only.
output_layer_only = altered(
    "fit_layerwise", "    kept, after = (found.weights, after) if after <= objective else (weights[k], objective)",
    "    kept, after = (found.weights, after) if k == len(weights) - 1 else (weights[k], objective)", "certificate"
)

# It has a ReLU after the output layer.
output_rectified = altered("network_scores", "    return steps[:-1]", "    return steps")

# Its hinge takes the upper bound of the right class.
own_score_upper = altered(
    "fit_layerwise", "value = float(1 + upper[0, worst] - lower[0, y])",
    "value = float(1 + upper[0, worst] - upper[0, y])", "certificate"
)

# It takes the mean of each window.
pools_the_mean = altered("network_scores", "z[:, step.table].max(axis=2)", "z[:, step.table].mean(axis=2)")

# It forgets the proximal term in the weights.
proximity_forgotten = altered(
    "fit_layerwise", "self.W = (self.problem.proximity * self.W0 - slope) / self.curvature",
    "self.W = -slope / self.curvature", "certificate"
)

# It keeps the active units in the upper bound, too.
upper_linearised = altered(
    "fit_layerwise", "after = np.maximum(upper, 0),", "after = np.where(pattern, upper, 0),", "certificate"
)

# It takes the upper bound of a unit for negative weights, too.
weights_not_split = altered(
    "fit_layerwise", "after = (u @ plus - v @ minus", "after = (u @ plus - u @ minus", "certificate"
)
