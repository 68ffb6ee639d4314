"""network_scores with a ReLU after the output layer."""

from tests.mutants._altered import altered

FUNCTION = "network_scores"
REASON = "differs from the ground truth"

network_scores = altered(
    "layerwise.scoring",
    "    return steps[:-1]",
    "    return steps",
).network_scores
