"""fit_passive_aggressive that counts every step as an update."""

import reference

FUNCTION = "fit_passive_aggressive"
REASON = "updates"


def fit_passive_aggressive(X, y, **options):
    fit = reference.fit_passive_aggressive(X, y, **options)
    return fit._replace(updates=len(fit.mistakes))
