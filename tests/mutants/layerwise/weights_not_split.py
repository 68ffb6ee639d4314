"""fit_layerwise that takes the upper bound of a unit for negative weights, too."""

from tests.mutants._altered import altered

FUNCTION = "fit_layerwise"
REASON = "certificate"

fit_layerwise = altered(
    "layerwise.fitting",
    "after = (u @ plus - v @ minus",
    "after = (u @ plus - u @ minus",
).fit_layerwise
