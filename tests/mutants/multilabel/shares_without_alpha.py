"""fit_multilabel whose entropy step adds tau to the scores in place of alpha tau."""

from tests.mutants._altered import altered

FUNCTION = "fit_multilabel"
REASON = "certificate"

fit_multilabel = altered("multilabel", "alpha / member.sum(), _left_end", "1 / member.sum(), _left_end").fit_multilabel
