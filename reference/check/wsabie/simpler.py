"""Simpler and tiny instances with a WsabieFit or a walk, of which the axes of arrays do not say enough."""

import numpy as np

from ..judging.simplify import fewer, rounder
from . import replay
from .data import Planted

AXES = {"prototypes": "me", "embedding": "ed", "prototype_sums": "m", "embedding_sums": "e", "last_violators": "m"}
PLAIN = ("step", "constant"), ("sampling", "auc"), ("last_violators", 0)
MEMORY = ("prototype_sums", "embedding_sums", "last_violators")


def scores(arguments):
    """Yields instances of prototype_scores with fewer classes, features or rows of W, or a rounder fit."""
    X, fit = arguments["X"], arguments["fit"]
    for kept in fewer(X.shape[1]):
        yield {"X": X[:, kept].copy(), "fit": _on(fit, "d", kept)}
    yield from ({**arguments, "fit": smaller} for smaller in (*_fewer_rows(fit), *_rounder(fit)))


def fits(arguments):
    """Yields instances of concatenate_fits with fewer or smaller fits, or rounder ones."""
    fits = arguments["fits"]
    for kept in fewer(len(fits)):
        yield {"fits": [fits[i] for i in kept]}
    for letter, size in (("m", len(fits[0].prototypes)), ("d", fits[0].embedding.shape[1])):
        for kept in fewer(size):
            yield {"fits": [_on(fit, letter, kept) for fit in fits]}
    for i, fit in enumerate(fits):
        yield from ({"fits": [*fits[:i], one, *fits[i + 1 :]]} for one in _rounder(fit))


def walk(arguments, used=replay.used):
    """Yields walks with fewer steps or classes, only the draws that are used, one last violator, or a smaller start."""
    steps, m, Y = arguments["n_updates"], replay.classes(arguments), arguments["Y"]
    for fewer_steps in sorted({1, steps // 2, steps - 1} - {0, steps}):
        yield {**arguments, "n_updates": fewer_steps}
    start, drawn = arguments.get("start"), used(arguments)
    if drawn < np.size(arguments.get("draws")):
        yield {**arguments, "draws": arguments["draws"][:drawn].copy()}
    if arguments.get("last_violators", 0) > 1:
        yield {**arguments, "last_violators": 1}
    if arguments.get("n_classes") is None:  # fewer examples may have fewer classes
        yield {**arguments, "n_classes": m}
    merged = {"n_classes": m - 1, "Y": Y[:, :-1].copy() if Y.ndim == 2 else np.minimum(Y, m - 2)}
    yield {**arguments, **merged, **({} if start is None else {"start": _on(start, "m", np.arange(m - 1))})}
    yield from _thinner(arguments, start, arguments.get("embedding_dim"))
    if start is not None:
        less = [start._replace(**{name: None}) for name in MEMORY if getattr(start, name) is not None]
        yield from ({**arguments, "start": simpler} for simpler in (*less, *_rounder(start)))
    yield from rounder(arguments, ("draws", "step_size", "max_norm"))


def _thinner(arguments, start, e):
    """Yields walks with fewer features, or rows of the embedding: those of the start, or the signs drawn first."""
    X, draws = arguments["X"], arguments.get("draws")
    signs = (e or 0) * X.shape[1]
    for letter, size in (("d", X.shape[1]), ("e", e or 1)):
        for kept in fewer(size):
            smaller = {"X": X[:, kept].copy()} if letter == "d" else {"embedding_dim": len(kept)}
            if start is not None:
                smaller["start"] = _on(start, letter, kept)
            elif e and draws is not None:
                some = draws[:signs].reshape(e, -1).take(kept, axis="ed".index(letter))
                smaller["draws"] = np.concatenate([some.ravel(), draws[signs:]])
            yield {**arguments, **smaller}


def _on(fit, letter, kept):
    """Returns the fit on some of its classes m, features d, or rows e of the embedding."""
    axes = AXES if fit.embedding is not None else {**AXES, "prototypes": "md"}
    names = [name for name, own in axes.items() if letter in own and getattr(fit, name) is not None]
    parts = {name: np.take(getattr(fit, name), kept, axis=axes[name].index(letter)) for name in names}
    if "last_violators" in parts:
        parts["last_violators"] = np.minimum(parts["last_violators"], len(kept) - 1)
    return fit._replace(**parts)


def _fewer_rows(fit):
    """Yields the fit with fewer classes, or with fewer rows of the embedding."""
    yield from (_on(fit, "m", kept) for kept in fewer(len(fit.prototypes)))
    if fit.embedding is not None:
        yield from (_on(fit, "e", kept) for kept in fewer(len(fit.embedding)))


def _rounder(fit):
    parts = {name: getattr(fit, name) for name in replay.ARRAYS}
    return (fit._replace(**rounded) for rounded in rounder(parts, tuple(parts)))


def is_walked(arguments, used=replay.used):
    """True if draws or a seed are given, the draws are enough, and no step is too large."""
    try:
        return bool(arguments.keys() & {"draws", "seed"}) and used(arguments) > 0
    except ValueError:
        return False


# --- tiny ones -----------------------------------------------------------------------------------------------------


def tiny_scores(rng, sizes, arguments):
    """A fit of a few small whole numbers."""
    return {"fit": _tiny_fit(rng, arguments["fit"], int(rng.integers(1, 4)), sizes["d"], int(rng.integers(1, 3)))}


def tiny_fits(rng, sizes, arguments):
    """One or two fits of two classes and one feature."""
    like = arguments["fits"][0]
    return {"fits": [_tiny_fit(rng, like, 2, 1, int(e)) for e in rng.integers(1, 3, size=int(rng.integers(1, 3)))]}


def tiny_walk(rng, sizes, arguments):
    """A few steps, of the same kind; draws that are enough; a start of small whole numbers, if there was one."""
    m, d, e, n_updates = max(sizes["m"], 2), sizes["d"], int(rng.integers(1, 3)), int(rng.integers(1, 4))
    e = e if arguments.get("embedding_dim") else 0
    drawn = {"n_updates": n_updates, "n_classes": m, "embedding_dim": e or None, "validation": None}
    negatives = int(np.max(arguments.get("negatives", 1)))
    draws = rng.integers(0, 10, size=e * d + n_updates * (2 + m + negatives)) / 10 + 0.05
    drawn |= {"negatives": negatives, "draws": draws}
    if "start" in arguments:
        last = rng.integers(-1, m, size=m)
        drawn["start"] = _tiny_fit(rng, arguments["start"], m, d, e)._replace(last_violators=last)
    return drawn


def _tiny_fit(rng, like, m, d, e):
    """Returns a fit of small whole numbers, of the same kind."""
    W = None if like.embedding is None else rng.integers(-1, 3, size=(e, d)).astype(like.embedding.dtype)
    b = rng.integers(-1, 3, size=(m, d if W is None else e)).astype(like.prototypes.dtype)
    return Planted(b, W, like.discriminant)
