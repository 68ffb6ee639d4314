"""fit_wsabie that keeps the prototypes in the ball but not the rows of W."""

from tests.mutants._altered import altered

FUNCTION = "fit_wsabie"
REASON = "differs from the ground truth"
PHRASE = "max_norm="

RIGHT = "W = None if fit.embedding is None else _within(fit.embedding, max_norm)"
WRONG = "W = fit.embedding"
fit_wsabie = altered("wsabie", RIGHT, WRONG).fit_wsabie
