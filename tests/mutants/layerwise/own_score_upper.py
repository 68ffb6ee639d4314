"""fit_layerwise whose hinge takes the upper bound of the right class."""

from tests.mutants._altered import altered

FUNCTION = "fit_layerwise"
REASON = "certificate"

fit_layerwise = altered(
    "layerwise.fitting",
    "value = float(1 + upper[0, worst] - lower[0, y])",
    "value = float(1 + upper[0, worst] - upper[0, y])",
).fit_layerwise
