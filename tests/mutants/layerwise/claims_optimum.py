"""fit_layerwise that stops after one epoch and claims a gap of 0."""

from tests.mutants._altered import altered

FUNCTION = "fit_layerwise"
REASON = "certificate"

fit_layerwise = altered(
    "layerwise.fitting",
    "        gap = checks.relative_gap(best[0], dual)\n",
    "        gap = 0.0 if epochs else checks.relative_gap(best[0], dual)\n",
).fit_layerwise
