"""Simpler and tiny instances of the Wsabie family: walks, learners, means, scores, losses and fits."""

import numpy as np

from ...problems import checks
from ..judging.simplify import fewer, rounder
from ..problems.wsabie import Planted
from ..replays import walks

PLAIN = {
    "weighting": "uniform", "sampling": "auc", "step": "constant", "last_violators": 0, "max_norm": None,
    "negatives": 1, "every": None, "margin": 1.0, "step_size": 0.5,
}  # fmt: skip


def walk(arguments):
    """Yields instances of fit_wsabie or fit_one_vs_all with fewer steps, examples, classes or features, and so on."""
    steps, m = arguments["n_updates"], walks.classes(arguments)
    for fewer_steps in sorted({1, steps // 2, steps - 1} - {0, steps}):
        yield {**arguments, "n_updates": fewer_steps}
    yield from _shorter_draws(arguments)
    yield from examples({**arguments, "n_classes": m})
    yield from _fewer_classes(arguments, m)
    yield from _fewer_features(arguments)
    yield from _fewer_rows_of_W(arguments)
    for name, plain in PLAIN.items():
        if name in arguments and arguments[name] != plain:
            yield {**arguments, name: plain}
    for name in ("start", "validation", "n_classes"):
        if arguments.get(name) is not None:
            yield {key: value for key, value in arguments.items() if key != name}
    yield from _simpler_starts(arguments)
    yield from rounder(arguments, ("X", "draws", "margin", "step_size", "max_norm"))


def examples(arguments):
    """Yields instances with fewer examples."""
    X, Y = arguments["X"], arguments["Y"]
    for kept in fewer(len(X)):
        weights = {name: arguments[name][kept].copy() for name in ("sample_weight",) if name in arguments}
        yield {**arguments, "X": X[kept].copy(), "Y": Y[kept].copy(), **weights}


def means(arguments):
    """Yields instances of fit_nearest_means with fewer examples or features, or rounder numbers."""
    if "sample_weight" in arguments:
        yield {name: value for name, value in arguments.items() if name != "sample_weight"}
    yield from examples(arguments)
    yield from _fewer_features(arguments)
    yield from rounder(arguments, ("X", "sample_weight"))


def scores(arguments):
    """Yields instances of prototype_scores with fewer examples, classes or features, or rounder numbers."""
    X, fit = arguments["X"], arguments["fit"]
    for kept in fewer(len(X)):
        yield {**arguments, "X": X[kept].copy()}
    for kept in fewer(len(fit.prototypes)):
        yield {**arguments, "fit": fit._replace(prototypes=fit.prototypes[kept].copy())}
    for kept in fewer(X.shape[1]):
        part = "prototypes" if fit.embedding is None else "embedding"
        yield {"X": X[:, kept].copy(), "fit": fit._replace(**{part: getattr(fit, part)[:, kept].copy()})}
    if fit.embedding is not None:
        for kept in fewer(len(fit.embedding)):
            b, W = fit.prototypes[:, kept].copy(), fit.embedding[kept].copy()
            yield {**arguments, "fit": fit._replace(prototypes=b, embedding=W)}
    yield from rounder(arguments, ("X",))
    yield from ({**arguments, "fit": simpler} for simpler in _rounder_fits(fit))


def fits(arguments):
    """Yields instances of concatenate_fits with fewer or smaller fits."""
    fits = arguments["fits"]
    for kept in fewer(len(fits)):
        yield {"fits": [fits[i] for i in kept]}
    for kept in fewer(len(fits[0].prototypes)):
        yield {"fits": [fit._replace(prototypes=fit.prototypes[kept].copy()) for fit in fits]}
    for kept in fewer(fits[0].embedding.shape[1]):
        yield {"fits": [fit._replace(embedding=fit.embedding[:, kept].copy()) for fit in fits]}
    for i, fit in enumerate(fits):
        for simpler in _rounder_fits(fit):
            yield {"fits": [*fits[:i], simpler, *fits[i + 1 :]]}


def losses(arguments):
    """Yields instances of a loss with fewer examples or classes, or rounder numbers."""
    if "y" in arguments:
        for kept in fewer(len(arguments["y"])):
            yield {name: values[kept].copy() for name, values in arguments.items()}
        return
    rows, Y = arguments["scores"], arguments["Y"]
    for kept in fewer(len(rows)):
        yield {**arguments, "scores": rows[kept].copy(), "Y": Y[kept].copy()}
    for kept in fewer(rows.shape[1]) if rows.shape[1] > 2 else ():
        labels = Y[:, kept].copy() if Y.ndim == 2 else np.minimum(Y, len(kept) - 1)
        yield {**arguments, "scores": rows[:, kept].copy(), "Y": labels}
    if arguments.get("last_violators", 0) > 1:
        yield {**arguments, "last_violators": arguments["last_violators"] - 1}
    for name in ("margin", "last_violators", "weighting"):
        if arguments.get(name) not in (None, 0, "uniform"):
            yield {**arguments, name: {"margin": 1.0, "last_violators": 0, "weighting": "uniform"}[name]}
    yield from rounder(arguments, ("scores", "margin"))


# --- tiny ones -----------------------------------------------------------------------------------------------------


def tiny_walks(rng, arguments):
    """Yields tiny instances of fit_wsabie or fit_one_vs_all, the smallest first, with the same options."""
    e, kind = arguments.get("embedding_dim"), arguments.get("discriminant", "euclidean")
    rest = {name: value for name, value in arguments.items() if name not in ("start", "validation")}
    drawn = 4 + int(np.max(arguments.get("negatives", 1)))
    for n_updates in np.repeat((1, 2, 3), (12, 16, 16)).tolist():
        n, d, m = int(rng.integers(1, 4)), int(rng.integers(1, 3)), int(rng.integers(2, 4))
        X = rng.integers(-1, 3, size=(n, d)).astype(arguments["X"].dtype)
        Y = rng.integers(0, m, size=n) if arguments["Y"].ndim == 1 else rng.integers(0, 2, size=(n, m))
        width, start = e and int(rng.integers(1, 3)), {}
        if "start" in arguments:
            W, last = width and rng.integers(-1, 2, size=(width, d)) / 1.0, rng.integers(-1, m, size=m)
            start = {"start": Planted(rng.integers(-1, 3, size=(m, width or d)) / 1.0, W, kind, last_violators=last)}
        of_W = {"embedding_dim": width} if e else {}
        draws = rng.integers(0, 10, size=(width or 0) * d + n_updates * drawn) / 10 + 0.05
        if "draws" in arguments:
            start["draws"] = draws
        yield {**rest, **of_W, "X": X, "Y": Y, "n_classes": m, "n_updates": n_updates, **start}


def tiny_scores(rng, arguments):
    """Yields tiny instances of prototype_scores, the smallest first."""
    like = arguments["fit"]
    for m in np.repeat((1, 2, 3), (4, 8, 8)):
        d, e = int(rng.integers(1, 3)), int(rng.integers(1, 3))
        W = None if like.embedding is None else rng.integers(-1, 3, size=(e, d)).astype(like.embedding.dtype)
        b = rng.integers(-1, 3, size=(m, d if W is None else e)).astype(like.prototypes.dtype)
        X = rng.integers(-1, 3, size=(1, d)).astype(arguments["X"].dtype)
        yield {"X": X, "fit": Planted(b, W, like.discriminant)}


def tiny_means(rng, arguments):
    """Yields tiny instances of fit_nearest_means, the smallest first."""
    for n in np.repeat((2, 3, 4), (6, 8, 8)):
        X = rng.integers(-1, 4, size=(n, 1)).astype(arguments["X"].dtype)
        Y = rng.permutation(n) % 2
        Y = Y if arguments["Y"].ndim == 1 else np.eye(2, dtype=int)[Y]
        weights = {"sample_weight": rng.integers(1, 4, size=n)} if "sample_weight" in arguments else {}
        yield {**arguments, "X": X, "Y": Y, "n_classes": 2, **weights}


def tiny_losses(rng, arguments):
    """Yields tiny instances of a loss, the smallest first."""
    for n in np.repeat((1, 2, 3, 4), (6, 12, 16, 16)):
        m = int(rng.integers(2, 5))
        labels = rng.integers(0, m, size=n)
        if "y" in arguments:
            yield {"predicted": rng.integers(0, m, size=n), "y": labels}
            continue
        Y = labels if arguments["Y"].ndim == 1 else rng.integers(0, 2, size=(n, m))
        yield {**arguments, "scores": rng.integers(-1, 3, size=(n, m)).astype(arguments["scores"].dtype), "Y": Y}


def tiny_fits(rng, arguments):
    """Yields tiny instances of concatenate_fits."""
    kind, dtype = arguments["fits"][0].discriminant, arguments["fits"][0].prototypes.dtype
    for _ in range(8):
        sizes = rng.integers(1, 3, size=int(rng.integers(1, 3)))
        parts = [(rng.integers(-1, 3, size=(2, e)), rng.integers(-1, 3, size=(e, 1))) for e in sizes]
        yield {"fits": [Planted(b.astype(dtype), W.astype(dtype), kind) for b, W in parts]}


# --- parts of a walk -----------------------------------------------------------------------------------------------


def _fewer_classes(arguments, m):
    """Yields the instance without the last class."""
    Y, start = arguments["Y"], arguments.get("start")
    if m <= 2 or "validation" in arguments:
        return
    given = {"n_classes": m - 1, "Y": Y[:, :-1].copy() if Y.ndim == 2 else np.minimum(Y, m - 2)}
    if start is not None:
        last = None if start.last_violators is None else np.minimum(start.last_violators[:-1], m - 2)
        sums = None if start.prototype_sums is None else start.prototype_sums[:-1].copy()
        given["start"] = start._replace(
            prototypes=start.prototypes[:-1].copy(), prototype_sums=sums, last_violators=last
        )
    yield {**arguments, **given}


def _fewer_features(arguments):
    """Yields instances with some columns of X and the matching parts of the start or of the draws."""
    X, e, start = arguments["X"], arguments.get("embedding_dim"), arguments.get("start")
    if "validation" in arguments:
        return
    for kept in fewer(X.shape[1]):
        given = {"X": X[:, kept].copy()}
        if start is not None:
            part = "prototypes" if e is None else "embedding"
            given["start"] = start._replace(**{part: getattr(start, part)[:, kept].copy()})
        elif e and "draws" in arguments:
            signs = arguments["draws"][: e * X.shape[1]].reshape(e, -1)[:, kept]
            given["draws"] = np.concatenate([signs.ravel(), arguments["draws"][e * X.shape[1] :]])
        yield {**arguments, **given}


def _fewer_rows_of_W(arguments):
    d, e, start = arguments["X"].shape[1], arguments.get("embedding_dim"), arguments.get("start")
    for kept in fewer(e or 1):
        given = {"embedding_dim": len(kept)}
        if start is not None:
            sums = None if start.embedding_sums is None else start.embedding_sums[kept].copy()
            b, W = start.prototypes[:, kept].copy(), start.embedding[kept].copy()
            given["start"] = start._replace(prototypes=b, embedding=W, embedding_sums=sums)
        elif "draws" in arguments:
            signs = arguments["draws"][: e * d].reshape(e, d)[kept]
            given["draws"] = np.concatenate([signs.ravel(), arguments["draws"][e * d :]])
        yield {**arguments, **given}


def _simpler_starts(arguments):
    start = arguments.get("start")
    if start is None:
        return
    for name in ("prototype_sums", "embedding_sums", "last_violators"):
        if getattr(start, name) is not None:
            yield {**arguments, "start": start._replace(**{name: None})}
    if start.last_violators is not None:
        for g in np.flatnonzero(start.last_violators != checks.NONE):
            last = np.where(np.arange(len(start.last_violators)) == g, checks.NONE, start.last_violators)
            yield {**arguments, "start": start._replace(last_violators=last)}
    yield from ({**arguments, "start": simpler} for simpler in _rounder_fits(start))


def _rounder_fits(fit):
    parts = {name: getattr(fit, name) for name in walks.ARRAYS}
    for rounded in rounder(parts, tuple(parts)):
        yield fit._replace(**rounded)


def _shorter_draws(arguments):
    """Yields the instance with only the draws that are used."""
    if arguments.get("draws") is None or "validation" in arguments or "negatives" in arguments:
        return
    *_, last = walks.walk(arguments, walks.gradients)
    if last.used < len(arguments["draws"]):
        yield {**arguments, "draws": arguments["draws"][: last.used].copy()}
