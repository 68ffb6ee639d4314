"""Passive-aggressive updates, compared with the arithmetic that each must do, with scikit-learn's, and with CVXPY."""

import warnings

import numpy as np
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import SGDClassifier

import fast
from reference.ground_truth import passive_aggressive as ground_truth


def cases(quick=False):
    rng = np.random.default_rng(0)
    repeats = 11 if quick else 51
    for k in (1, 5):
        yield _one_update(rng, k, repeats)
    for k in (1, 5):
        yield _inside_a_pass(rng, k, repeats)
    yield _digits(repeats)
    yield _quadratic_programme(rng)
    yield _squish(rng, 10**5 if quick else 10**6, repeats)


def _one_update(rng, k, repeats):
    A, x = rng.standard_normal((1000, 512)), rng.standard_normal(512)
    steps = _steps(A, x, 7, fast.multiclass_update(A, x, 7, k=k))

    def unavoidable():
        B = A.copy()
        A @ x
        _move(B, x, steps)

    return {
        "work": f"multiclass_update, 1000 x 512, k = {k}, against A.copy(), A @ x and the touched rows",
        "ours": lambda: fast.multiclass_update(A, x, 7, k=k),
        "theirs": unavoidable,
        "at_least": 1.5,
        "aim": 1,
        "repeats": repeats,
    }


def _inside_a_pass(rng, k, repeats, n=200):
    """A whole pass, with its checks. Theirs makes the same steps, which are found beforehand."""
    A, X, y = rng.standard_normal((1000, 512)), rng.standard_normal((n, 512)), rng.integers(0, 1000, n)
    options, todo, B = {"k": k, "n_classes": 1000, "order": np.arange(n)}, [], A
    for x, label in zip(X, y, strict=True):
        last, B = B, fast.multiclass_update(B, x, label, k=k)
        todo.append((x, _steps(last, x, label, B)))

    def unavoidable():
        B = A.copy()
        for x, steps in todo:
            B @ x
            _move(B, x, steps)

    return {
        "work": f"fit_passive_aggressive, {n} examples, 1000 x 512, k = {k}, against A @ x and the touched rows",
        "ours": lambda: fast.fit_passive_aggressive(X, y, weights=A, **options),
        "theirs": unavoidable,
        "at_least": 1.5,
        "aim": 1,
        "repeats": max(repeats // 5, 3),
    }


def _steps(A, x, y, B):
    """Returns the rows that an update changes, and the multiple of x that is added to each."""
    rows = np.flatnonzero((A != B).any(axis=1))
    return rows, (B[rows] - A[rows]) @ x / (x @ x)


def _move(B, x, steps):
    for row, step in zip(*steps, strict=True):
        B[row] += step * x


def _digits(repeats):
    X, y = load_digits(return_X_y=True)
    X = X / 16

    def one_against_all():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            SGDClassifier(learning_rate="pa1", loss="hinge", penalty=None, max_iter=1, random_state=0).fit(X, y)

    return {
        "work": "fit_passive_aggressive, one epoch of digits, against SGDClassifier(learning_rate='pa1')",
        "ours": lambda: fast.fit_passive_aggressive(X, y, variant="pa1"),
        "theirs": one_against_all,
        "at_least": 1,
        "aim": 0.5,
        "repeats": repeats,
    }


def _quadratic_programme(rng):
    # Many examples, because the first update reads memory that is not in the cache.
    A, examples = rng.standard_normal((100, 64)), rng.standard_normal((100, 64))
    return {
        "work": "multiclass_update, 100 x 64 (100 examples), against the CVXPY programme",
        "ours": lambda: [fast.multiclass_update(A, x, 3) for x in examples],
        "theirs": lambda: [ground_truth.multiclass_update(A, x, 3) for x in examples],
        "at_least": 1e-3,
        "aim": 5e-4,
        "repeats": 1,
    }


def _squish(rng, d, repeats):
    z = rng.standard_normal(d)
    return {
        "work": f"squish_column, d = {d:.0e}, against np.sort",
        "ours": lambda: fast.squish_column(z),
        "theirs": lambda: np.sort(z),
        "at_least": 1,
        "aim": 0.5,
        "repeats": repeats,
    }
