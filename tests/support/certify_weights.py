"""What the tests of `certify_weights` share: small problems, and their objectives in exact arithmetic."""

from fractions import Fraction

import numpy as np

import fast

NASTY = ("plain", "ties", "duplicates", "zero rows", "sample weights")
KINDS = ("alpha", "beta", "alpha_inclusive")


def problem(seed, largest_scale=6, m=None):
    """Returns (X, y, options) of a random problem, in turn of each kind of difficulty and at all scales."""
    rng = np.random.default_rng(seed)
    m, d = m or int(rng.integers(2, 6)), int(rng.integers(1, 5))
    n, nasty = int(rng.integers(m, 11)), NASTY[seed // 3 % len(NASTY)]
    X, y, s = rng.normal(size=(n, d)), rng.permutation(n) % m, np.ones(n)
    if nasty == "ties":
        X = rng.integers(-1, 2, size=(n, d)).astype(float)
    elif nasty == "duplicates":
        X[1::2] = X[0]
    elif nasty == "zero rows":
        X[::2] = 0
    elif nasty == "sample weights":
        s = rng.integers(0, 3, n) * rng.random(n) + np.eye(n)[0]
    scale = 10.0 ** rng.integers(-largest_scale, largest_scale + 1)
    return scale * X, y, {"regularization": 10.0 ** rng.uniform(-4, 2), "sample_weight": s}


def candidates(seed, optimum, scale):
    """Yields weights to certify: zeros, random ones, the optimum, and the optimum with noise."""
    rng = np.random.default_rng(seed)
    yield "zero", np.zeros_like(optimum)
    yield "random", rng.normal(size=optimum.shape) / scale
    yield "optimal", optimum
    noise = 10.0 ** -rng.integers(2, 9)
    yield f"noise {noise:.0e}", optimum + noise * max(np.abs(optimum).max(), 1e-300) * rng.normal(size=optimum.shape)


def lying(change):
    """Returns a solver whose answer is changed."""
    return lambda X, y, **options: change(fast.fit_topk_svm(X, y, **options))


def rationals(array):
    """Returns an array as nested lists of exact fractions."""
    return [rationals(row) if np.ndim(row) else Fraction(float(row)) for row in np.asarray(array)]


def exact_scores(X, weights):
    columns = rationals(np.transpose(weights))
    return [[sum(a * b for a, b in zip(x, w, strict=True)) for w in columns] for x in rationals(X)]


def exact_primal(X, y, weights, *, k=1, kind="alpha", regularization, sample_weight):
    """Returns the objective of the top-k SVM as a Fraction."""
    total = Fraction(0)
    for scores, label, s in zip(exact_scores(X, weights), y, rationals(sample_weight), strict=True):
        h = sorted((1 + v - scores[label] for j, v in enumerate(scores) if j != label), reverse=True)
        if kind == "beta":
            loss = sum(max(v, 0) for v in h[:k])
        else:
            loss = max(sum(h[:k]), sum(h[: k - 1]) if kind == "alpha_inclusive" else 0, 0)
        total += s * loss / k
    penalty = sum(v * v for row in rationals(weights) for v in row)
    return Fraction(float(regularization)) / 2 * penalty + total / len(y)


def precise_softmax(X, y, weights, *, regularization, sample_weight):
    """Returns the objective of softmax regression to fifty digits."""
    import mpmath

    with mpmath.workdps(50):
        exact, total = lambda v: mpmath.mpf(v.numerator) / v.denominator, mpmath.mpf(0)
        for scores, label, s in zip(exact_scores(X, weights), y, rationals(sample_weight), strict=True):
            total += exact(s) * mpmath.log(mpmath.fsum(mpmath.exp(exact(v - scores[label])) for v in scores))
        penalty = exact(sum(v * v for row in rationals(weights) for v in row))
        return Fraction(str(mpmath.nstr(mpmath.mpf(regularization) / 2 * penalty + total / len(y), 45)))
