"""fit_layerwise whose lower bound passes a ReLU as the output does, so that it is not concave."""

from tests.mutants._altered import altered

FUNCTION = "fit_layerwise"
REASON = "certificate"

fit_layerwise = altered(
    "layerwise.fitting",
    "np.where(pattern, lower, 0)",
    "np.maximum(lower, 0)",
).fit_layerwise
