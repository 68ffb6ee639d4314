"""fit_multilabel whose dual domain has twice the radius."""

from tests.mutants._altered import altered

FUNCTION = "fit_multilabel"
REASON = "certificate"

fit_multilabel = altered(
    "multilabel",
    "best, radius = np.zeros(len(scores)), options.radius",
    "best, radius = np.zeros(len(scores)), 2 * options.radius",
).fit_multilabel
