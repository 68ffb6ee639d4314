"""fit_multilabel whose steps keep the example's own part in its scores."""

from tests.mutants._altered import altered

FUNCTION = "fit_multilabel"
REASON = "certificate"

fit_multilabel = altered("multilabel", "others = scores - squared_norm * row", "others = scores").fit_multilabel
