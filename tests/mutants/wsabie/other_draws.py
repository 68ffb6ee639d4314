"""fit_wsabie that ignores the draws that it is given."""

import reference

FUNCTION = "fit_wsabie"
REASON = "differs from the ground truth"
PHRASE = "prototypes by"


def fit_wsabie(X, Y, *, draws=None, seed=0, **options):
    if draws is not None:
        reference.fit_wsabie(X, Y, draws=draws, seed=seed, **options)  # which refuses what is wrong
    return reference.fit_wsabie(X, Y, seed=seed, **options)
