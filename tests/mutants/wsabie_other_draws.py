"""fit_wsabie that draws its own numbers, whatever it is given."""

import reference


def fit_wsabie(X, Y, *, draws=None, seed=0, **options):
    if draws is not None:
        reference.fit_wsabie(X, Y, draws=draws, seed=seed, **options)  # which refuses what is wrong
    return reference.fit_wsabie(X, Y, seed=seed, **options)
