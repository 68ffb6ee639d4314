"""fit_layerwise that reports the objective of the convex problem."""

from tests.mutants._altered import altered

FUNCTION = "fit_layerwise"
REASON = "reports something else"

fit_layerwise = altered(
    "layerwise.fitting",
    "    numbers = k, found.epochs, layer.inferences, after,",
    "    numbers = k, found.epochs, layer.inferences, found.primal,",
).fit_layerwise
