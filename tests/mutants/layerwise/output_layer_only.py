"""fit_layerwise that updates the output layer only."""

from tests.mutants._altered import altered

FUNCTION = "fit_layerwise"
REASON = "certificate"

fit_layerwise = altered(
    "layerwise.fitting",
    "    kept, after = (found.weights, after) if after <= objective else (weights[k], objective)",
    "    kept, after = (found.weights, after) if k == len(weights) - 1 else (weights[k], objective)",
).fit_layerwise
