"""fit_wsabie whose gradients are not multiplied by the weight."""

from tests.mutants._altered import altered

FUNCTION = "fit_wsabie"
REASON = "differs from the ground truth"
PHRASE = "weighting='harmonic'"

RIGHT = "gradients(fit, x, positive, negative, weight)\n    prototypes"
WRONG = "gradients(fit, x, positive, negative, 1.0)\n    prototypes"
fit_wsabie = altered("wsabie", RIGHT, WRONG).fit_wsabie
