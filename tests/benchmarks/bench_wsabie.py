"""The steps of the Wsabie family, compared with those of `reference`, and with the arithmetic that each must do."""

import warnings

import numpy as np
from scipy import sparse
from scipy.linalg.blas import daxpy, dger
from sklearn.datasets import load_digits

import fast
import reference


def cases(quick=False):
    repeats = 5 if quick else 21
    name, X, y, promised = _silhouettes()
    for preset in ("WSABIE_PP", "WSABIE"):
        yield _against_reference(name, X, y, preset, promised, quick)
    yield _unavoidable(repeats)
    for m in (100, 1000, 10_000):
        yield _growth(f"m = {m}", repeats, m=m)
    for e in (32, 128, 512):
        yield _growth(f"e = {e}", repeats, e=e)
    for density in (0.01, 0.1):
        yield _growth(f"CSR, {density:.0%} not 0", repeats, density=density)
    yield from _baselines(X, y, repeats)


def _silhouettes():
    """Returns a name, X, y and the ratio to be reached: of Caltech-101's training part or, if not found, of digits."""
    try:
        X, y = reference.datasets.load_caltech101_silhouettes()
    except FileNotFoundError as missing:
        warnings.warn(f"digits instead of Caltech-101: {missing}", stacklevel=2)
        X, y = load_digits(return_X_y=True)
        return "digits", X / 16, y, 4  # small examples, for which the reference is quick, too
    train, _, _ = reference.datasets.caltech101_split(y, stratified=True)
    return "Caltech-101", X[train], y[train], 1


def _against_reference(name, X, y, preset, promised, quick):
    """The same kind of steps, from a common start after a few thousand steps."""
    n_updates = 100 if quick else 500
    options = {**getattr(fast, preset), "embedding_dim": 128, "n_classes": int(y.max()) + 1}
    warm = fast.fit_wsabie(X, y, n_updates=5000, **options)
    copies = 100  # fast makes so many times as many steps, so that its checks of the data do not count

    return {
        "work": f"fit_wsabie, {preset} with e = 128, {name}, {n_updates * copies} steps, against {n_updates} steps",
        "ours": lambda: fast.fit_wsabie(X, y, n_updates=copies * n_updates, start=warm, **options),
        "theirs": lambda: reference.fit_wsabie(X, y, n_updates=n_updates, start=warm, **options),
        "at_least": promised,
        "aim": 0.8 * promised,
        "repeats": 3 if quick else 9,
    }


def _synthetic(m=1000, e=128, d=1000, density=1.0, n=2000):
    """Returns random examples and options of a fit in which the first class drawn always violates the margin."""
    rng = np.random.default_rng(0)
    if density == 1.0:
        X = rng.standard_normal((n, d))
    else:
        X = sparse.random_array((n, d), density=density, rng=rng, data_sampler=rng.standard_normal, format="csr")
    options = {"embedding_dim": e, "n_classes": m, "margin": 1e9, "last_violators": 0, "step_size": 0.01}
    return X, rng.integers(0, m, n), options


def _unavoidable(repeats, m=10_000, e=128, steps=2000):
    X, y, options = _synthetic(m, e)
    rng = np.random.default_rng(1)
    start = fast.fit_wsabie(X, y, n_updates=10, **options)
    W, prototypes = np.asfortranarray(start.embedding.T), start.prototypes.copy()
    rows = rng.integers(0, m, (steps, 2))
    examples = rng.integers(0, len(X), steps)

    def theirs():
        for t, (positive, negative) in zip(examples, rows, strict=True):
            z = W.T @ X[t]
            dger(1e-9, X[t], z, a=W, overwrite_a=True)
            daxpy(z, prototypes[positive], a=1e-9)
            daxpy(z, prototypes[negative], a=-1e-9)

    return {
        "work": f"fit_wsabie, {steps} steps, m = {m}, e = {e}, d = 1000, against W @ x, W += c x' and two prototypes",
        "ours": lambda: fast.fit_wsabie(X, y, n_updates=steps, start=start, **options),
        "theirs": theirs,
        "at_least": 3,
        "aim": 1.2,
        "repeats": repeats,
    }


def _growth(what, repeats, steps=2000, **sizes):
    """Growth of the time of a step. Theirs is the same fit with m = 1000, e = 128, d = 1000 and dense examples."""
    X, y, options = _synthetic(**sizes)
    base, labels, usual = _synthetic()
    start = fast.fit_wsabie(X, y, n_updates=10, **options)
    usual_start = fast.fit_wsabie(base, labels, n_updates=10, **usual)
    return {
        "work": f"fit_wsabie, {steps} steps, {what}, against m = 1000, e = 128, d = 1000, dense",
        "ours": lambda: fast.fit_wsabie(X, y, n_updates=steps, start=start, **options),
        "theirs": lambda: fast.fit_wsabie(base, labels, n_updates=steps, start=usual_start, **usual),
        "repeats": repeats,
    }


def _baselines(X, y, repeats):
    """Nearest means, compared with a loop over classes, and scores, compared with one product of matrices."""
    fit = fast.fit_nearest_means(X, y)

    def means():
        return np.array([X[y == g].mean(axis=0) for g in range(y.max() + 1)])

    work = {"fit_nearest_means, against X[y == g].mean() a class": (lambda: fast.fit_nearest_means(X, y), means)}
    products = (lambda: fast.prototype_scores(X, fit), lambda: X @ fit.prototypes.T)
    work["prototype_scores, against X @ prototypes.T"] = products
    for words, (ours, theirs) in work.items():
        yield {"work": words, "ours": ours, "theirs": theirs, "at_least": 10, "aim": 2, "repeats": repeats}
