"""fit_wsabie for which a margin that is met exactly is violated."""

from wsabie_altered import altered

RIGHT = 'return max(contract.finite_number(difference, "a difference of scores"), 0.0)'
fit_wsabie = altered("wsabie", RIGHT, "return difference >= 0").fit_wsabie
