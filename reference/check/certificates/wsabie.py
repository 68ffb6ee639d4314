"""Certificates of the Wsabie family: numbers that are 0 only if a fit, a step or a loss is right. NumPy only.

A walk need not reach an optimum, but each of its steps follows a gradient, and at a mean the gradient is 0. The losses
are computed in another way than by plain loops. All numbers are relative.
"""

import numpy as np


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
        errors.append(_relative(new - right, max(_longest(old), _longest(right))))
        errors.append(_relative(told - sums, np.abs(sums).max()))
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
    reach = _squares(X) ** 0.5 * (1.0 if W is None else np.linalg.norm(W))
    unit = _longest(b) * reach
    if fit.discriminant != "linear":
        right = 2 * right - (b**2).sum(axis=1) - _squares(z)[:, None]
        unit = (_longest(b) + reach) ** 2
    if scores.shape != right.shape or not np.isfinite(scores).all():
        return np.inf
    return max(_relative(row, size) for row, size in zip(scores - right, unit, strict=True))


def concatenate_fits(fit, fits):
    """Returns the relative error of the scores for each single feature: they are the sums of those of the fits."""
    products = [np.asarray(one.prototypes, np.float64) @ np.asarray(one.embedding, np.float64) for one in fits]
    got = np.asarray(fit.prototypes, np.float64) @ np.asarray(fit.embedding, np.float64)
    squares = [(np.asarray(one.prototypes, np.float64) ** 2).sum(axis=1) for one in fits]
    if got.shape != products[0].shape or not np.isfinite(got).all():
        return np.inf
    unit = sum(_longest(one.prototypes) * np.linalg.norm(one.embedding) for one in fits)
    apart = (np.asarray(fit.prototypes, np.float64) ** 2).sum(axis=1) - sum(squares)
    return max(_relative(got - sum(products), unit), _relative(apart, sum(square.max() for square in squares)))


def fit_nearest_means(fit, X, Y, *, sample_weight=None):
    r"""Returns the slope of :math:`\tfrac12 \sum_i s_i \|b - x_i\|^2` over the examples of a class, at its prototype b.

    It is relative to the weight and the size of the examples.
    """
    X, b = X if hasattr(X, "toarray") else np.asarray(X), np.asarray(fit.prototypes, dtype=np.float64)
    member = _indicator(Y, len(b))
    if b.shape != (member.shape[1], X.shape[1]) or not np.isfinite(b).all():
        return np.inf
    unit = _squares(X).max() ** 0.5 or _longest(b)
    s = np.ones(X.shape[0]) if sample_weight is None else np.asarray(sample_weight, np.float64)
    slopes = []
    for g, of in enumerate(map(np.flatnonzero, member.T)):
        slopes.append(np.average((b[g] - _dense(X[of])) / (unit or 1.0), axis=0, weights=s[of] / s[of].max()))
    return float(np.abs(slopes).max())


def class_confusion_loss(loss, predicted, y):
    """Returns the error of a loss against the confusion matrix: sum over cells off the diagonal of  N (1 - N / row)."""
    cells = np.column_stack([np.asarray(y, dtype=np.int64), np.asarray(predicted, dtype=np.int64)])
    _, row_of_example, rows = np.unique(cells[:, 0], return_inverse=True, return_counts=True)
    _, first, counts = np.unique(cells, axis=0, return_index=True, return_counts=True)
    lost = counts * (1 - counts / rows[row_of_example[first]])
    return abs(float(loss) - lost[cells[first, 0] != cells[first, 1]].sum() / len(cells))


def pairwise_loss(loss, scores, Y, *, margin=1.0):
    """Returns the error of a loss, relative to margin + spread.

    It is measured against the mean of :math:`(h + |h|) / 2` over all pairs, where h is the hinge without the maximum.
    """
    scores = np.asarray(scores).astype(np.float64)
    member = _indicator(Y, scores.shape[1])
    means = []
    for row, labels in _with_labels(scores, member):
        h = margin - row[labels][:, None] + row[~labels]
        means.append((h + np.abs(h)).mean() / 2)
    return _relative(float(loss) - np.mean(means), margin + 2 * np.abs(scores).max())


def warp_loss(loss, scores, Y, *, margin=1.0, weighting="harmonic", last_violators=0):
    """Returns how far a loss is from its definition, relative to the largest possible loss.

    If rounding decides whether some margin is missed, the loss may lie between two bounds. Without last violators these
    are the losses with and without such violators. With them, they are 0 and the loss in which none is remembered.
    """
    scores = np.asarray(scores).astype(np.float64)
    links, unsure, bounds = {}, False, []
    harmonic = np.append(0.0, np.cumsum(1 / np.arange(1, scores.shape[1])))
    weights = harmonic if weighting == "harmonic" else np.ones(scores.shape[1])
    for row, labels in _with_labels(scores, _indicator(Y, scores.shape[1])):
        others, now, terms = np.flatnonzero(~labels), links.copy(), []
        for label in np.flatnonzero(labels):
            hinges = _in_three_orders(margin, row[label], row[others])
            sure, may = (hinges > 0).all(axis=0), (hinges > 0).any(axis=0)
            kept = sure & ~_reached(links, label, last_violators, len(row))[others]
            sums = (hinges[0][which].sum() for which in (sure & kept, sure, may))
            of = weights[[sure.sum(), sure.sum(), may.sum()]]
            terms.append([weight * total for weight, total in zip(of, sums, strict=True)])
            unsure, now[label] = unsure or (sure != may).any(), others[sure]
        links = now
        bounds.append(np.sum(terms, axis=0))
    right, low, most = np.mean(bounds, axis=0).tolist()
    if unsure:
        right = np.clip(float(loss), low if last_violators == 0 else 0.0, most)
    return _relative(float(loss) - right, max(most, margin + 2 * np.abs(scores).max()))


def _in_three_orders(margin, own, others):
    """Returns the hinges without the cut at 0, added up in each order."""
    return np.array([margin - own + others, margin + (others - own), (margin + others) - own])


def _reached(links, label, last_violators, m):
    """Returns an array (m,) that tells if a class is reached from the label by up to so many links."""
    seen, frontier = np.zeros(m, dtype=bool), [label]
    for _ in range(last_violators):
        new = np.zeros(m, dtype=bool)
        for g in frontier:
            new[links.get(g, [])] = True
        frontier = np.flatnonzero(new & ~seen)
        if not frontier.size:
            break
        seen |= new
    return seen


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


def _indicator(Y, m):
    """Returns an array (n, m) that tells if an example has a label."""
    Y = Y.toarray() if hasattr(Y, "toarray") else np.asarray(Y)
    return Y.astype(bool) if Y.ndim == 2 else Y[:, None] == np.arange(m)


def _with_labels(scores, member):
    """Yields the scores and the labels of each example with at least one label, but not all."""
    return ((row, labels) for row, labels in zip(scores, member, strict=True) if labels.any() and not labels.all())


def _squares(X):
    """Returns the squared norms of the rows of a dense or CSR matrix."""
    if not hasattr(X, "toarray"):
        return (X.astype(np.float64) ** 2).sum(axis=1)
    return np.ravel(X.astype(np.float64).multiply(X).sum(axis=1))


def _dense(X):
    return (X.toarray() if hasattr(X, "toarray") else X).astype(np.float64)


def _longest(rows):
    return float(np.linalg.norm(np.asarray(rows, dtype=np.float64), axis=1).max())


def _relative(values, unit):
    error = float(np.abs(values).max())
    return error / unit if unit > 0 else (0.0 if error == 0 else np.inf)
