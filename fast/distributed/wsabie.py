"""An ensemble of Wsabie fits: each is a task of its own on Dask."""

from __future__ import annotations

import inspect
import os
from concurrent.futures import CancelledError
from typing import Any

import distributed
import numpy as np
from distributed import Client

from reference.problems import checks
from reference.problems.checks.types import Matrix

from ..estimators._options import draw_seeds
from ..wsabie import concatenate_fits, fit_wsabie
from ._cluster import connected
from ._tasks import pin

__all__ = ["fit_wsabie_ensemble"]

MOST_TRIES = 20  # to send the examples again, should the workers be lost that have them
# Options of `fit_wsabie` that an ensemble does not have, and why.
REFUSED = {
    "seed": "each member has its own",
    "draws": "all members would be the same",
    "start": "an ensemble does not continue a fit",
}


def fit_wsabie_ensemble(
    X: Matrix, Y: Matrix, *, n_members: int, client: Client | None = None, n_jobs: int = 1,
    seed: int | np.random.RandomState | np.random.Generator = 0, progress: bool = False, **options: Any,
) -> checks.WsabieFit:  # fmt: skip
    """Returns several fits by `fast.fit_wsabie` as one fit, whose scores are the sums of theirs.

    Each fit has random numbers of its own, and is a task on Dask.

    Parameters
    ----------
    X : array, scipy CSR or CSC matrix or dask.array, shape (n, d), float32 or float64
        Features, one row an example. All of them must fit into the memory of each worker.
    Y : int array, shape (n,), or 0/1 array or scipy CSR or CSC matrix, shape (n, m)
        The label of each example, or its set of labels, as for `fit_wsabie`.
    n_members : int, >= 1
        The number of fits.
    client : distributed.Client, optional
        By default the members are fitted by threads of this process.
    n_jobs : int
        Without a client: the number of threads, or -1 for one per processor.
    seed : int, RandomState or Generator
        Source of the seed of each member. See the notes.
    progress : bool
        Show a progress bar, which counts the members.
    options
        The options of `fit_wsabie`, the same for all members: `n_updates`, which must be given, as must
        `embedding_dim`, and any other but `draws` and `start`.

    Returns
    -------
    fit : WsabieFit
        prototypes (m, n_members e) and embedding (n_members e, d), of `concatenate_fits`, for predictions only. It does
        not depend on the number of workers.

    Raises
    ------
    ValueError
        An argument is not as above. This is found before anything is sent, except for entries of a dask.array that are
        not finite.
    TypeError
        `fit_wsabie` has no such option.

    Warns
    -----
    ConvergenceWarning
        Some classes of a member are frozen, see `fit_wsabie`.

    Notes
    -----
    The members are the same as those of ``WsabieClassifier(n_ensemble=n_members, random_state=seed)``: their seeds are
    ``RandomState(seed).randint(2**31 - 1, size=n_members)``, and member i draws from the Generator
    ``default_rng(seeds[i])``. It spreads a seed by NumPy's SeedSequence, so that the streams of the members are
    independent.

    X and Y are sent to each worker once. A worker fits as many members at a time as it has threads. If a worker is
    lost, its members are fitted again by another.

    References
    ----------
    * Paper 003 (Gupta, Bengio, Weston: Training Highly Multiclass Classifiers, 2014), section 8.3 and Table 8, rows
      "Ensemble".

    Examples
    --------
    >>> X, y = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]), np.array([0, 1, 2])
    >>> options = {"embedding_dim": 2, "n_updates": 200, "margin": 0.1, "last_violators": 0}
    >>> fit = fit_wsabie_ensemble(X, y, n_members=3, **options)
    >>> fit.prototypes.shape, fit.embedding.shape
    ((3, 6), (6, 2))
    """
    Y = Y.compute() if hasattr(Y, "__dask_graph__") else Y
    n_members, options = checks.count(n_members, "n_members"), _checked_options(options)
    X, rule, sets = _checked(X, Y, options)
    seeds = _seeds(seed, n_members)
    with connected(client, n_jobs) as client, checks.progress_bar(progress, n_members, "members") as report:
        members = _members(client, X, Y, seeds, options, report)
    for process, fit in members:
        if process != os.getpid():  # where the member has warned itself
            checks.warn_if_frozen(fit, sets, rule.margin)
    return concatenate_fits([fit for _, fit in members])


def _checked_options(options):
    """Returns the options of `fit_wsabie` with their defaults. TypeError if there is no such option."""
    for name in REFUSED:
        if options.get(name) is not None:
            raise ValueError(f"{name} must not be given, as {REFUSED[name]}, got {checks.brief(options[name])}")
    given = inspect.signature(fit_wsabie).bind(None, None, **options)
    given.apply_defaults()
    options = {name: value for name, value in given.arguments.items() if name not in ("X", "Y", "progress", *REFUSED)}
    if options["embedding_dim"] is None:
        raise ValueError("embedding_dim must be given: the embeddings of an ensemble are put side by side, got None")
    checks.count(options["embedding_dim"], "embedding_dim")
    checks.Curve(options["callback"], options["patience"])
    checks.stages(options["n_updates"], options["every"], options["callback"] is not None)
    return options


def _checked(X, Y, options):
    """Returns X, the WsabieRule and the LabelSets of a fit. A dask.array is not computed here, so it may hold NaN."""
    if hasattr(X, "__dask_graph__"):
        if X.ndim != 2 or np.isnan(X.shape).any():
            raise ValueError(f"X must have two dimensions of known lengths, got shape {X.shape}")
    else:
        X = checks.features(X)
    names = ("discriminant", "sampling", "weighting", "step", "last_violators", "margin", "step_size", "max_norm")
    rule = checks.wsabie_rule(*(options[name] for name in names))
    return X, rule, checks.label_sets(Y, X.shape[0], options["n_classes"])


def _seeds(seed, n_members):
    """Returns the seeds of the members, as `WsabieClassifier` draws them."""
    try:
        return draw_seeds(seed, n_members).tolist()
    except ValueError:
        expected = "seed must be an int in 0..2**32 - 1, a RandomState or a Generator"
        raise ValueError(f"{expected}, got {checks.brief(seed)}") from None


def _members(client, X, Y, seeds, options, report):
    """Returns (process, WsabieFit) of the member for each seed. Examples that are lost with a worker are sent again."""
    found = [None] * len(seeds)
    for _ in range(MOST_TRIES):
        try:
            _fit_missing(client, X, Y, seeds, options, found, report)
            return found
        except CancelledError:
            continue
    lost = f"{found.count(None)} of {len(found)} members"
    raise RuntimeError(f"workers must stay, got workers lost {MOST_TRIES} times, and {lost} with them")


def _fit_missing(client, X, Y, seeds, options, found, report):
    """Fit the members that are not found yet, and write them to `found`."""
    if hasattr(X, "__dask_graph__"):
        X_there, Y_there = client.compute(X), *pin(client, [Y])
    else:
        X_there, Y_there = pin(client, [X, Y])
    members = {
        client.submit(_fit_member, X_there, Y_there, seed, options, pure=False): i
        for i, seed in enumerate(seeds)
        if found[i] is None
    }
    for future in distributed.as_completed(members, loop=client.loop):
        found[members[future]] = future.result()
        report(len(found) - found.count(None))


def _fit_member(X, Y, seed, options):
    """Returns the number of this process and the fit. This function runs on a worker."""
    return os.getpid(), fit_wsabie(X, Y, seed=seed, **options)
