"""Multilabel fits: against one binary classifier a class, L-BFGS on the same objective, and each other.

One binary classifier a class is what scikit-learn offers. Its objective is another one, so both sides stop where they
stop by default, and the case names the label ranking average precision of both on examples that were held out. L-BFGS
gets the smallest number of iterations after which its primal is within the gap of the row, 1e-3 if it names none, of
the optimum. It computes no certificate. Ours has that gap certified.
"""

import warnings

import numpy as np
from scipy.optimize import minimize
from scipy.special import logsumexp
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import label_ranking_average_precision_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC

import fast

GAP = 1e-3
MOST_ITERATIONS = 5000
NO_TOL = 1e-14  # L-BFGS stops after its iterations
# Even, prime, at least five, a square, a multiple of three, with a closed curve when it is written.
PROPERTIES = ((0, 2, 4, 6, 8), (2, 3, 5, 7), (5, 6, 7, 8, 9), (0, 1, 4, 9), (0, 3, 6, 9), (0, 6, 8, 9))
MOST_LABELS = 3


def cases(quick=False):
    data = {"digit properties": _digit_properties(), "mixture": _mixture(6667, 512, 67, quick)}
    many = _mixture(6667, 100, 20, quick)[0]
    for C in (1, 100):
        yield _hinge_against_squares(many, C)
        for gap in (GAP, 1e-6):
            yield _against_lbfgs(_name("mixture", many, C), many, C, 3, gap)
    for name, C, repeats in (("digit properties", 1, 5), ("digit properties", 100, 5), ("mixture", 1, 3)):
        train, test = data[name]
        problem = _name(name, train, C)
        # On the mixture, LIBLINEAR takes 30 times as long, or minutes at C = 100.
        for loss in ("hinge", "entropy") if name == "digit properties" else ("entropy",):
            yield _against_one_vs_rest(problem, train, test, C, loss, repeats)
        yield _smooth_against_hinge(problem, train, C, repeats)
        yield _against_lbfgs(problem, train, C, repeats)


def _name(name, train, C):
    n, d = train[0].shape
    return f"{name} {n} x {d}, {train[1].shape[1]} classes, C = {C}"


def _against_one_vs_rest(problem, train, test, C, loss, repeats):
    (X, Y), binary = train, LinearSVC(C=C) if loss == "hinge" else LogisticRegression(C=C)
    options = {"loss": loss, "regularization": 1 / (C * len(Y)), "tol": GAP}
    theirs = OneVsRestClassifier(binary)
    scores = test[0] @ fast.fit_multilabel(X, Y, **options).weights, _fitted(theirs, X, Y).decision_function(test[0])
    precisions = " and ".join(f"{label_ranking_average_precision_score(test[1], side):.3f}" for side in scores)
    names = f"fit_multilabel, {loss}, {problem}, against one-vs-rest {type(binary).__name__}"
    return {
        "work": f"{names}, average precisions {precisions}",
        "ours": lambda: fast.fit_multilabel(X, Y, **options),
        "theirs": lambda: _fitted(theirs, X, Y),
        "at_least": None,
        "aim": 1,
        "repeats": repeats,
    }


def _hinge_against_squares(train, C):
    """The squared hinges of the classes are another, smooth objective, and LIBLINEAR is fast for it."""
    (X, Y), theirs = train, OneVsRestClassifier(LinearSVC(C=C))
    return {
        "work": f"fit_multilabel, hinge, {_name('mixture', train, C)}, against one-vs-rest squared hinges",
        "ours": lambda: fast.fit_multilabel(X, Y, regularization=1 / (C * len(Y)), tol=GAP),
        "theirs": lambda: _fitted(theirs, X, Y),
        "at_least": None,
        "aim": 1,
        "repeats": 3,
    }


def _smooth_against_hinge(problem, train, C, repeats):
    options = {"regularization": 1 / (C * len(train[1])), "tol": GAP}
    return {
        "work": f"fit_multilabel, smoothing = 0.1 against the hinge, {problem}",
        "ours": lambda: fast.fit_multilabel(*train, smoothing=0.1, **options),
        "theirs": lambda: fast.fit_multilabel(*train, **options),
        "at_least": None,
        "aim": 1,
        "repeats": repeats,
    }


def _against_lbfgs(problem, train, C, repeats, gap=GAP):
    X, Y = train
    regularization = 1 / (C * len(Y))
    options = {"loss": "entropy", "regularization": regularization}
    optimum = fast.fit_multilabel(X, Y, **options, tol=1e-8).dual
    iterations = _iterations_for(X, Y, regularization, optimum * (1 + gap))
    wanted = "" if gap == GAP else f" to {gap:.0e}"
    return {
        "work": f"fit_multilabel, entropy, {problem},{wanted} against L-BFGS, {iterations} iterations",
        "ours": lambda: fast.fit_multilabel(X, Y, **options, tol=gap),
        "theirs": lambda: _by_lbfgs(X, Y, regularization, iterations),
        "at_least": 1,
        "aim": 0.5,
        "repeats": repeats,
    }


def _iterations_for(X, Y, regularization, wanted):
    """Returns the smallest number of iterations of L-BFGS after which the primal is at most as wanted."""
    primals = []

    def note(intermediate_result):
        primals.append(intermediate_result.fun)

    _by_lbfgs(X, Y, regularization, MOST_ITERATIONS, note)
    enough = np.flatnonzero(np.array(primals) <= wanted)
    if len(enough) == 0:
        raise RuntimeError(f"L-BFGS does not reach {wanted} in {MOST_ITERATIONS} iterations")
    return int(enough[0]) + 1


def _by_lbfgs(X, Y, regularization, iterations, callback=None):
    """Minimise the primal of the multilabel entropy."""
    (n, d), m, shares = X.shape, Y.shape[1], Y / Y.sum(axis=1, keepdims=True)

    def objective(flat):
        W = flat.reshape(d, m)
        scores = X @ W
        logs = logsumexp(scores, axis=1, keepdims=True)
        primal = regularization / 2 * np.vdot(W, W) + (logs.sum() - np.vdot(shares, scores)) / n
        return primal, (regularization * W + X.T @ (np.exp(scores - logs) - shares) / n).ravel()

    options = {"maxiter": iterations, "maxfun": 2 * MOST_ITERATIONS, "ftol": 0.0, "gtol": NO_TOL}
    return minimize(objective, np.zeros(d * m), jac=True, method="L-BFGS-B", callback=callback, options=options)


def _fitted(estimator, X, Y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return estimator.fit(X, Y)


def _digit_properties():
    """Returns (X, Y) for training and for testing: a quarter of the digits is held out."""
    X, y = load_digits(return_X_y=True)
    return _parts(X / 16, np.stack([np.isin(y, digits) for digits in PROPERTIES], axis=1))


def _mixture(n, d, m, quick):
    """The same for examples of one to three classes: the mean of their centres, and noise."""
    n, d, m = (600, 64, 12) if quick else (n, d, m)
    rng = np.random.default_rng(0)
    Y = rng.random((n, m)).argsort(axis=1) < rng.integers(1, MOST_LABELS + 1, n)[:, None]
    X = 0.3 * (Y / Y.sum(axis=1, keepdims=True)) @ rng.standard_normal((m, d)) + rng.standard_normal((n, d))
    return _parts(X / np.sqrt(d), Y)


def _parts(X, Y):
    rows = np.random.default_rng(0).permutation(len(X))
    train, test = rows[len(rows) // 4 :], rows[: len(rows) // 4]
    return (X[train], Y[train]), (X[test], Y[test])
