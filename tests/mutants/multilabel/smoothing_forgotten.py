"""fit_multilabel that forgets the smoothing in the curvature of a step."""

from tests.mutants._altered import altered

FUNCTION = "fit_multilabel"
REASON = "certificate"

fit_multilabel = altered(
    "multilabel", "curvature = squared_norm + options.smoothing / radius", "curvature = squared_norm"
).fit_multilabel
