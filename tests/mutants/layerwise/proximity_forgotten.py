"""fit_layerwise that forgets the proximal term in the weights."""

from tests.mutants._altered import altered

FUNCTION = "fit_layerwise"
REASON = "certificate"

fit_layerwise = altered(
    "layerwise.fitting",
    "self.W = (self.problem.proximity * self.W0 - slope) / self.curvature",
    "self.W = -slope / self.curvature",
).fit_layerwise
