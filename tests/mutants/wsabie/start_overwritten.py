"""fit_wsabie that writes its result into the prototypes that it was given."""

import reference

FUNCTION = "fit_wsabie"
REASON = "changed its input"
PHRASE = "argument start"


def fit_wsabie(X, Y, *, start=None, **options):
    fit = reference.fit_wsabie(X, Y, start=start, **options)
    if start is not None:
        start.prototypes[...] = fit.prototypes
    return fit
