"""fit_layerwise that keeps the active units in the upper bound, too."""

from tests.mutants._altered import altered

FUNCTION = "fit_layerwise"
REASON = "certificate"

fit_layerwise = altered(
    "layerwise.fitting",
    "after = np.maximum(upper, 0),",
    "after = np.where(pattern, upper, 0),",
).fit_layerwise
