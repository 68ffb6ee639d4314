"""The fits of a Wsabie ensemble: each has its own random numbers, and may be scored on held-out examples."""

from functools import partial

import numpy as np

from reference.problems import checks

from .._shared.threads import for_each
from .._wsabie.in_place import go_on_in_place
from ..wsabie import fit_wsabie, prototype_scores
from ._indicators import is_label
from ._options import draw_seeds


def new_members(n_ensemble, random_state):
    """Returns the random generators of the members of a new ensemble, and None for the starting point of each."""
    seeds = draw_seeds(random_state, n_ensemble)
    return [np.random.default_rng(int(seed)) for seed in seeds], [None] * n_ensemble


def fit_members(X, Y, generators, starts, validation_fraction, patience, options, n_jobs=1):
    """Returns one fit for each generator. With a `patience`, each is stopped by its score on held-out examples."""

    def fit_member(generator, start):
        examples, watch = (X, Y), {}
        if patience is not None:
            examples, held_out = _hold_out(X, Y, validation_fraction, generator)
            watch = {"callback": partial(_accuracy, *held_out), "patience": patience}
        return fit_wsabie(*examples, seed=generator, start=start, **watch, **options)

    return for_each(fit_member, zip(generators, starts, strict=True), n_jobs)


def go_on_all(walks, X, Y, generators, n_classes, options, n_jobs=1):
    """Continue all walks in place with a batch. If one of them is refused, all are what they were."""
    try:
        for_each(
            lambda walk, generator: go_on_in_place(walk, X, Y, generator, n_classes, options),
            zip(walks, generators, strict=True), n_jobs,
        )  # fmt: skip
    except BaseException:
        for walk in walks:
            walk.take_back()
        raise
    for walk in walks:
        walk.keep()


def fits_into(fit, embedding_dim, discriminant, d):
    """Returns whether a fit has the shape and the discriminant that these options give, with d features."""
    e = None if fit.embedding is None else len(fit.embedding)
    if fit.discriminant != discriminant or embedding_dim != e:
        return False
    return (fit.prototypes if e is None else fit.embedding).shape[1] == d


def _hold_out(X, Y, validation_fraction, generator):
    """Returns two pairs of examples and targets: those to learn from, and a random share of all examples."""
    share, n = checks.finite_number(validation_fraction, "validation_fraction"), X.shape[0]
    if not 0 < share < 1 or n < 2:
        raise ValueError(f"validation_fraction must be in (0, 1), of two examples at least, got {share} of {n}")
    order, held = generator.permutation(n), min(max(1, round(share * n)), n - 1)
    learned, scored = np.sort(order[held:]), np.sort(order[:held])
    return (X[learned], Y[learned]), (X[scored], Y[scored])


def _accuracy(X, Y, fit):
    """Returns the share of the examples whose best class is one of their labels."""
    best = prototype_scores(X, fit).argmax(axis=1)
    return float(np.mean(Y == best if Y.ndim == 1 else is_label(Y, best)))
