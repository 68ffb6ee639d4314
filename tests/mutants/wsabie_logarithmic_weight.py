"""fit_wsabie that weighs by the logarithm of m / trials where the harmonic sum is asked for."""

from wsabie_altered import altered

RIGHT = "return np.sum(1 / np.arange(1, rank + 1)) if"
WRONG = "return np.log(m / trials) if"
fit_wsabie = altered("wsabie", RIGHT, WRONG).fit_wsabie
