"""Small problems, drawn from a seed: ties, zero rows, very unequal weights and features, all scales, both dtypes."""

import numpy as np

LARGEST = {np.dtype(np.float32): 1e15, np.dtype(np.float64): 1e60}  # of a squared feature over the regularisation


def features(rng, n, d):
    """Returns X (n, d). Some have ties, rows of size 1 : 1e4 : 0, columns of unequal size, or another scale."""
    X = rng.normal(size=(n, d)) if rng.random() < 0.5 else rng.integers(-2, 3, (n, d)).astype(float)
    if rng.random() < 0.2:
        X = X[rng.integers(0, max(1, n // 2), n)]
    if rng.random() < 0.4:
        X *= rng.choice([1.0, 1e4, 0.0, 1e-4], n, p=[0.5, 0.25, 0.15, 0.1])[:, None]
    if rng.random() < 0.1:
        X *= 10.0 ** rng.uniform(-3, 3, d)
    X *= rng.choice([1.0, 1e9, 1e-9], p=[0.7, 0.15, 0.15])
    return X.astype(np.float32 if rng.random() < 0.4 else np.float64)


def regularization(rng, X):
    """Returns lambda, half of the time in units of the features."""
    unit = float(np.mean(X.astype(np.float64) ** 2)) if rng.random() < 0.5 else 1.0
    least = float(np.max(X.astype(np.float64) ** 2)) / LARGEST[X.dtype]
    return max(float(f"{10 ** rng.uniform(-6, 3) * (unit or 1.0):.3g}"), least, 1e-18)


def weights(rng, n, dtype, needed=()):
    """Returns no weights, or weights of 0 and more; the rows in `needed` have one above 0."""
    kind = rng.integers(4)
    if kind < 2:
        return {}
    s = rng.choice([0.0, 1.0, 2.0, 0.3], n) if kind == 2 else 10.0 ** rng.choice([0, 3, 6, -3], n)
    s[list(needed)] = np.maximum(s[list(needed)], 1.0)
    return {"sample_weight": s.astype(dtype)}


def labels(rng, n, m):
    """Returns y (n,) with the largest class m - 1, and at least one other class. A class may have a single row."""
    y = rng.integers(0, m, n)
    y[rng.permutation(n)[:2]] = m - 1, rng.integers(0, m - 1)
    return y


def flags(rng, n):
    """Returns flags (n,) of both kinds."""
    relevant = rng.random(n) < rng.choice([0.3, 0.5])
    relevant[rng.permutation(n)[:2]] = True, False
    return relevant


def sizes(rng, least=2):
    """Returns (n, d)."""
    return int(rng.integers(least, 7)), int(rng.integers(1, 5))


def gram(rng, X):
    """Returns inner products that are positive semidefinite in exact arithmetic: of features of few bits."""
    few = np.round(X.astype(np.float64) / (np.abs(X).max() or 1.0) * 64)
    return ((few @ few.T) * 2.0 ** rng.choice([0, -12, 30, -40])).astype(X.dtype)


def is_gram(K):
    """True if exact inner products are positive semidefinite: each pivot is positive, or its row is 0."""
    K = [list(row) for row in K]
    for k, row in enumerate(K):
        if row[k] < 0 or (row[k] == 0 and any(row)):
            return False
        for i in range(k + 1, len(K)) if row[k] else ():
            K[i] = [a - K[i][k] / row[k] * b for a, b in zip(K[i], row, strict=True)]
    return True
