"""network_scores that takes the mean of each window."""

from tests.mutants._altered import altered

FUNCTION = "network_scores"
REASON = "differs from the ground truth"

network_scores = altered(
    "layerwise.scoring",
    "z[:, step.table].max(axis=2)",
    "z[:, step.table].mean(axis=2)",
).network_scores
