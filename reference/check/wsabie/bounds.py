"""Numbers that are 0 only if scores, an ensemble or a step of a walk are right. NumPy only.

A walk need not reach an optimum, but each of its steps follows a gradient. All numbers are relative.
"""

import numpy as np

from ..proofs.rounding import relative


def wsabie_step(after, before, x, positive, violator, weight, *, step="adagrad", step_size=0.1, max_norm=None):
    """Returns the error of one step of `fit_wsabie` down the gradient of  weight [margin - f_positive + f_violator]_+.

    The error is relative to the longest row and the largest sum, before or after. The gradient is measured by central
    differences. They are exact, because the loss has degree two along each coordinate.
    """
    rows, errors = {"prototypes": _in_prototypes(before, x, positive, violator)}, []
    if before.embedding is not None:
        rows["embedding"] = _in_embedding(before, x, positive, violator)
    for name, slopes in rows.items():
        old, new = (np.asarray(getattr(fit, name), dtype=np.float64) for fit in (before, after))
        sums, told = (getattr(fit, f"{'prototype' if name == 'prototypes' else name}_sums") for fit in (before, after))
        if new.shape != old.shape or not np.isfinite(new).all() or np.shape(told) != sums.shape:
            return np.inf
        sizes = np.full(len(old), float(step_size))
        if step == "adagrad":
            sums = sums + ((weight * slopes) ** 2).mean(axis=1)
            sizes = np.where(sums > 0, step_size / np.sqrt(np.where(sums > 0, sums, 1.0)), 0.0)
        right = _in_ball(old - sizes[:, None] * weight * slopes, max_norm)
        errors.append(relative(np.abs(new - right).max(), max(longest(old), longest(right))))
        errors.append(relative(np.abs(told - sums).max(), np.abs(sums).max()))
    return max(errors)


def prototype_scores(scores, X, fit):
    """Returns the error against scores with the square expanded.

    It is relative to the square of (longest prototype + norm of W times norm of x).
    """
    b, scores = (np.asarray(a).astype(np.float64) for a in (fit.prototypes, scores))
    X = X.astype(np.float64) if hasattr(X, "toarray") else np.asarray(X, dtype=np.float64)
    W = None if fit.embedding is None else np.asarray(fit.embedding, dtype=np.float64)
    z = X if W is None else X @ W.T
    right = z @ b.T
    reach = squares(X) ** 0.5 * (1.0 if W is None else np.linalg.norm(W))
    unit = longest(b) * reach
    if fit.discriminant != "linear":
        right = 2 * right - (b**2).sum(axis=1) - squares(z)[:, None]
        unit = (longest(b) + reach) ** 2
    return max(relative(row.max(), size) for row, size in zip(np.abs(scores - right), unit, strict=True))


def concatenate_fits(prototypes, embedding, fits):
    """Returns the relative error of the scores for each single feature: they are the sums of those of the fits."""
    b, W = prototypes.astype(np.float64), embedding.astype(np.float64)
    products = [np.asarray(one.prototypes, np.float64) @ np.asarray(one.embedding, np.float64) for one in fits]
    squared = [squares(np.asarray(one.prototypes)) for one in fits]
    unit = sum(longest(one.prototypes) * np.linalg.norm(one.embedding) for one in fits)
    apart = relative(np.abs(squares(b) - sum(squared)).max(), sum(square.max() for square in squared))
    return max(relative(np.abs(b @ W - sum(products)).max(), unit), apart)


def _in_prototypes(fit, x, positive, violator):
    """Returns the slopes (m, e) of f_violator - f_positive. The differences use powers of two near the prototypes."""
    z, slopes = x if fit.embedding is None else fit.embedding @ x, np.zeros(fit.prototypes.shape)
    for g, sign in ((positive, -1.0), (violator, 1.0)):
        b = fit.prototypes[g]
        h = _power_of_two(np.maximum(np.abs(b), np.abs(z)))
        above, below = (_terms(b + side * h, z, fit.discriminant) for side in (1, -1))
        slopes[g] = sign * (above - below) / (2 * h)
    return slopes


def _in_embedding(fit, x, positive, violator):
    """Returns the slopes (e, d) of f_violator - f_positive. Row j of W moves only coordinate j of the embedded x."""
    W, (plus, minus) = fit.embedding, fit.prototypes[[positive, violator]]
    sizes = np.maximum(np.maximum(np.abs(plus), np.abs(minus)), np.abs(W @ x))
    reach, slopes = np.abs(x).max(), np.zeros(W.shape)
    for j, row in enumerate(W):
        h = _power_of_two(sizes[j] / reach if reach else 0.0)
        ends = [(row + side * h * np.eye(len(x))) @ x for side in (1, -1)]
        lost = [_terms(minus[j], z, fit.discriminant) - _terms(plus[j], z, fit.discriminant) for z in ends]
        slopes[j] = (lost[0] - lost[1]) / (2 * h)
    return slopes


def _terms(b, z, discriminant):
    """Returns the term of each coordinate in the score."""
    return b * z if discriminant == "linear" else -((b - z) ** 2)


def _power_of_two(sizes):
    return 2.0 ** np.round(np.log2(np.where(sizes > 0, sizes, 1.0)))


def _in_ball(rows, max_norm):
    lengths = np.linalg.norm(rows, axis=1)
    outside = lengths > (np.inf if max_norm is None else max_norm)
    return rows * np.where(outside, (max_norm or 1.0) / np.where(outside, lengths, 1.0), 1.0)[:, None]


def indicator(Y, m):
    """Returns an array (n, m) that tells if an example has a label."""
    Y = Y.toarray() if hasattr(Y, "toarray") else np.asarray(Y)
    return Y.astype(bool) if Y.ndim == 2 else Y[:, None] == np.arange(m)


def squares(X):
    """Returns the squared norms of the rows of a dense or CSR matrix."""
    if not hasattr(X, "toarray"):
        return (X.astype(np.float64) ** 2).sum(axis=1)
    return np.ravel(X.astype(np.float64).multiply(X).sum(axis=1))


def dense(X):
    """Returns a dense or CSR matrix as an array of float64."""
    return (X.toarray() if hasattr(X, "toarray") else X).astype(np.float64)


def longest(rows):
    """Returns the largest norm of a row."""
    return float(np.linalg.norm(np.asarray(rows, dtype=np.float64), axis=1).max())
