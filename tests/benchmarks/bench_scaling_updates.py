"""The time of an update, passive-aggressive or of Wsabie, as classes, draws, dimensions or entries grow in number."""

import numpy as np
from scipy.linalg.blas import daxpy, dger
from scipy.stats import norm

import fast
from reference.problems.checks import WsabieFit
from tests.benchmarks.scaling import point

CLASSES = (30, 100, 300, 1000, 3000, 10_000, 30_000)
DRAWS = (1, 3, 10, 30, 100, 300, 1000)
DIMENSIONS = (8, 16, 32, 64, 128, 256, 512)
ENTRIES = (3, 10, 30, 100, 300, 1000)
EXAMPLES, FEATURES = 2000, 1000


def cases(quick=False):
    repeats, steps = (3, 100) if quick else (5, 10_000)
    for m in (30, 100) if quick else CLASSES:
        yield _one_update(m, repeats)
        yield _online(m, repeats)
        yield _walk("fit_wsabie, e = 128", ("m", m), repeats, steps, m=m)
    for G in (1, 10) if quick else DRAWS:
        yield _draws(G, repeats, max(steps, 20 * steps // G), 1000 if quick else 10_000)
    for e in (8, 32) if quick else DIMENSIONS:
        yield _walk("fit_wsabie, m = 1000", ("e", e), repeats, steps, e=e)
    for entries in (10, 100) if quick else ENTRIES:
        yield _walk("fit_wsabie, m = 1000, e = 128", ("entries", entries), repeats, steps, entries=entries)


# --- passive-aggressive --------------------------------------------------------------------------------------------


def _one_update(m, repeats, d=128):
    rng = np.random.default_rng(m)
    A, examples = rng.standard_normal((m, d)), rng.standard_normal((max(3, 30_000 // m), d))
    return point(
        "updates", "multiclass_update, which copies A", ("m", m), "A.copy() and A @ x",
        lambda: [fast.multiclass_update(A, x, 7) for x in examples],
        lambda: [(A.copy(), A @ x) for x in examples],
        repeats, calls=len(examples),
    )  # fmt: skip


def _online(m, repeats, d=128):
    """A pass over all examples. Both sides copy A once."""
    rng = np.random.default_rng(m)
    A, X = rng.standard_normal((m, d)), rng.standard_normal((1000, d))
    y, options = rng.integers(0, m, len(X)), {"n_classes": m, "order": np.arange(len(X)), "weights": A}
    return point(
        "updates", "fit_passive_aggressive", ("m", m), "A @ x",
        lambda: fast.fit_passive_aggressive(X, y, **options), lambda: (A.copy(), [A @ x for x in X]),
        repeats, calls=len(X),
    )  # fmt: skip


# --- Wsabie --------------------------------------------------------------------------------------------------------


def _walk(series, size, repeats, steps, m=1000, e=128, entries=FEATURES):
    """Steps whose first drawn class violates the margin; theirs is W x, W += c x' and two prototypes, by dense BLAS."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((EXAMPLES, FEATURES)), rng.integers(0, m, EXAMPLES)
    X *= rng.permuted(np.tile(np.arange(FEATURES) < entries, (EXAMPLES, 1)), axis=1)
    options = {"embedding_dim": e, "n_classes": m, "margin": 1e9, "last_violators": 0, "step_size": 0.01}
    start = fast.fit_wsabie(X, y, n_updates=10, **options)
    W, prototypes, fewer = np.asfortranarray(start.embedding.T), start.prototypes.copy(), max(steps // 10, 10)

    def unavoidable():
        for t in range(fewer):
            z = W.T @ X[t]
            dger(1e-9, X[t], z, a=W, overwrite_a=True)
            daxpy(z, prototypes[y[t]], a=1e-9)
            daxpy(z, prototypes[y[t] - 1], a=-1e-9)

    return point(
        "updates", series, size, "dense BLAS",
        lambda: fast.fit_wsabie(X, y, n_updates=steps, start=start, **options), unavoidable,
        repeats, calls=(steps, fewer),
    )  # fmt: skip


def _draws(G, repeats, steps, m, e=128):
    """Steps that draw G classes on average until one violates, without an embedding. Theirs are the scores of all.

    All examples are of class 0, whose score is c; the other scores are N(0, 1), and exceed c once in G.
    """
    rng = np.random.default_rng(G)
    c = norm.isf(1 / G) if G > 1 else -10.0
    X, prototypes = rng.standard_normal((EXAMPLES, e)), rng.standard_normal((m, e))
    X[:, 0], X[:, 1:] = 1.0, X[:, 1:] / np.linalg.norm(X[:, 1:], axis=1, keepdims=True)
    prototypes[:, 0], prototypes[0] = 0.0, c * np.eye(e)[0]
    rule = {"discriminant": "linear", "step": "constant", "last_violators": 0, "margin": 0.0, "step_size": 1e-12}
    start, y = WsabieFit(prototypes, discriminant="linear"), np.zeros(EXAMPLES, int)
    share = (X @ prototypes[1:].T > c).mean(axis=1)
    drawn = float(((1 - (1 - share) ** m) / np.maximum(share, 1e-300)).mean())
    few = X[:20]
    return point(
        "updates", f"fit_wsabie, m = {m}", ("draws", round(drawn, 1)), "prototypes @ x",
        lambda: fast.fit_wsabie(X, y, n_updates=steps, start=start, n_classes=m, **rule),
        lambda: [prototypes @ x for x in few], repeats, calls=(steps, len(few)),
    )  # fmt: skip
