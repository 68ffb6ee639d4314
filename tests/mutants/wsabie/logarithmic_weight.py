"""fit_wsabie that uses the logarithm of m / trials instead of the harmonic sum as the weight."""

from tests.mutants._altered import altered

FUNCTION = "fit_wsabie"
REASON = "differs from the ground truth"
PHRASE = "weighting='harmonic'"

RIGHT = "return np.sum(1 / np.arange(1, rank + 1)) if"
WRONG = "return np.log(m / trials) if"
fit_wsabie = altered("wsabie", RIGHT, WRONG).fit_wsabie
