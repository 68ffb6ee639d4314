"""fit_wsabie that takes the gradient in W at the prototypes after their step."""

from tests.mutants._altered import altered

FUNCTION = "fit_wsabie"
REASON = "differs from the ground truth"
PHRASE = "embedding"

WRONG = "fit.embedding_sums, gradients(fit, x, positive, negative, weight)[1], rule)"
fit_wsabie = altered("wsabie", "fit.embedding_sums, in_W, rule)", WRONG).fit_wsabie
