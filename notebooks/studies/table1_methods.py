"""The methods of notebook 14's table, and what the paper's Table 1 says of them (004, Caltech 101 Silhouettes).

A method learns from (X, y) at one setting, an exponent of ten: log10 lambda, or for Wsabie++ that of the margin. It may
start from what the last fit left behind, one at a larger lambda. What comes out scores the classes of new examples.
"""

import warnings
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

import fast

from . import recall_at_most
from . import topk_loss_methods as losses

COLUMNS = (1, 2, 3, 4, 5, 10)  # the k of top-k accuracy
KS = (1, 2, 3, 4, 5, 10, 20)  # the k of a loss
DECADES, MARGINS = (1.0, 0.0, -1.0, -2.0, -3.0), (2.0, 1.0, 0.0)  # where a path begins
FEW = (-1.0, -2.0, -3.0)  # where a slow one begins
TOL = 1e-3  # of the duality gaps
MOST_EPOCHS, MOST_LOOKS, MOST_PLANES = 15, 50, 40  # of a top-k SVM, of TopPush, and of SVMperf for k > 1
UPDATES, STEP_SIZE = 80_000, 0.1  # of Wsabie++


class Fitted(NamedTuple):
    """What a method returns."""

    scores: Callable  # of X, shape (n, m)
    gap: float | None  # relative duality gap, where there is a dual
    state: object = None  # for the next fit to start from
    weights: np.ndarray | None = None  # (d, m), of the linear ones


class Method(NamedTuple):
    """How to learn, where a path begins, and whether there is one setting for all columns, that of the first split."""

    learn: Callable  # of X, y, the exponent and the state of the last fit
    take_over: bool = False
    begin: tuple = DECADES


def linear(weights, gap=None, state=None):
    return Fitted(lambda X: X @ weights, gap, state, weights)


def svm(X, y, exponent, state, k, kind):
    """Top-k SVM. From a larger lambda, the duals as they are stay within their domains, which grow."""
    options = {"k": k, "kind": kind, "regularization": 10.0**exponent, "tol": TOL, "max_epochs": MOST_EPOCHS}
    fit = fast.fit_topk_svm(X, y, duals=state, **options)
    return linear(fit.weights, fit.gap, fit.duals)


def liblinear(X, y, exponent, state, **options):
    """LIBLINEAR, which starts anew each time. C = 1 / (lambda n) for each binary problem, or for the multiclass one."""
    C = 1 / (10.0**exponent * len(y))
    return linear(LinearSVC(C=C, fit_intercept=False, random_state=0, **options).fit(X, y).coef_.T)


def crammer_singer(X, y, exponent, state):
    """LIBLINEAR ignores max_iter here. At small lambda, where it would take minutes, tol is larger."""
    return liblinear(X, y, exponent, state, multi_class="crammer_singer", tol=np.clip(1e-4 / 10.0**exponent, 1e-2, 1.0))


def followup(X, y, exponent, state, loss, k):
    """A method of `topk_loss_methods`."""
    return linear(*loss(X, y, 10.0**exponent, state, k))


def top_push(X, y, exponent, state):
    """TopPush on the multiclass-to-binary reduction: every score of a true class against the best of a wrong one."""
    options = {"regularization": 10.0**exponent, "tol": TOL, "max_iterations": MOST_LOOKS}
    fit = fast.fit_top_push(X, one_hot(y), duals=state, **options)
    return linear(fit.weights, fit.gap, fit.duals)


def svm_perf(X, y, exponent, state, k):
    """SVMperf for precision on the same reduction: exactly k n of the n m scores are to be called positive."""
    options = {"k": k * len(y), "loss": "precision", "regularization": 10.0**exponent, "tol": TOL}
    options["max_iterations"] = MOST_LOOKS if k == 1 else MOST_PLANES  # which learn little: see the notebook
    fit = fast.fit_svm_perf(X, one_hot(y), duals=state, **options)
    return linear(fit.weights, fit.gap, fit.duals)


def recall(X, y, exponent, state, k):
    """SVMperf for recall: at most k n of the scores are to be called positive, as in the public program."""
    return linear(*recall_at_most.fit(X, one_hot(y), k, 10.0**exponent, state))


def one_hot(y):
    return y[:, None] == np.arange(y.max() + 1)


def wsabie_pp(X, y, exponent, state, queue, dim):
    """A walk of Wsabie++ on features less their mean and divided by one number, such that |x|^2 is 1 on average."""
    mean = X.mean(axis=0)
    scale = np.sqrt(((X - mean) ** 2).sum(axis=1).mean())
    options = fast.WSABIE_PP | {"last_violators": queue, "embedding_dim": dim, "margin": 10.0**exponent}
    options |= {"step_size": STEP_SIZE, "n_updates": UPDATES, "seed": 1}
    try:
        fit = fast.fit_wsabie((X - mean) / scale, y, **options)
    except ValueError as error:
        if "must stay within the range" in str(error):  # it ran away
            return Fitted(lambda new: np.zeros((len(new), y.max() + 1)), None)
        raise
    return Fitted(lambda new: fast.prototype_scores((new - mean) / scale, fit), None)


def learn(name, X, y, exponent, state=None):
    """One fit. Where the epochs are used up first, the gap that is left is stored, so no warning is needed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return METHODS[name].learn(X, y, exponent, state)


METHODS = {
    "SVM one-vs-all": Method(partial(liblinear, dual=True, tol=1e-2)),
    "Crammer-Singer": Method(crammer_singer, take_over=True),
    "TopPush": Method(top_push, take_over=True),
    "Prec@1": Method(partial(svm_perf, k=1)),
}
METHODS |= {f"Prec@{k}": Method(partial(svm_perf, k=k), take_over=True) for k in (5, 10)}
METHODS |= {f"Recall@{k}": Method(partial(recall, k=k), take_over=True) for k in (1, 2, 3, 4, 5, 10)}
METHODS |= {
    f"W++ {queue}/{name}": Method(partial(wsabie_pp, queue=queue, dim=dim), take_over=queue > 0, begin=MARGINS)
    for name, dim in {"m": 101, "192": 192, "256": 256}.items()  # m is the number of classes
    for queue in (0, 1, 2, 4, 8)
}
METHODS |= {f"top-{k} alpha": Method(partial(svm, k=k, kind="alpha")) for k in KS}
METHODS |= {f"top-{k} beta": Method(partial(svm, k=k, kind="beta")) for k in KS[1:]}
METHODS |= {f"top-{k} inclusive": Method(partial(svm, k=k, kind="alpha_inclusive")) for k in (5, 10)}
METHODS |= {f"top-{k} smooth": Method(partial(followup, loss=losses.smooth_hinge, k=k)) for k in losses.KS_SMOOTH}
METHODS |= {"softmax": Method(partial(followup, loss=losses.entropy, k=1))}
METHODS |= {f"top-{k} entropy": Method(partial(followup, loss=losses.entropy, k=k)) for k in losses.KS_ENTROPY}
METHODS |= {
    f"top-{k} truncated": Method(partial(followup, loss=losses.truncated, k=k), take_over=True, begin=FEW)
    for k in losses.KS_TRUNCATED
}
SAME_AS = {"top-1 beta": "top-1 alpha"}  # not computed twice

_TABLE_1 = """
SVM one-vs-all   61.81 73.13 76.25 77.76 78.89 83.57
TopPush          63.11 75.16 78.46 80.19 81.97 86.95
Prec@1           61.29 73.26 76.12 77.76 79.11 83.27
Prec@5           61.73 73.99 76.90 78.50 79.63 84.22
Prec@10          61.90 73.95 76.68 78.46 79.67 84.14
Recall@1         61.55 73.13 77.03 79.41 80.97 85.18
Recall@2         61.25 73.00 76.33 77.94 79.15 83.49
Recall@3         61.51 72.95 76.55 78.72 80.49 84.74
Recall@4         61.55 72.95 76.68 78.80 80.58 84.70
Recall@5         61.60 72.87 76.51 78.76 80.54 84.74
Recall@10        61.51 72.95 76.46 78.72 80.54 84.92
W++ 0/m          62.33 74.95 78.59 81.45 83.66 89.08
W++ 1/m          59.69 65.97 68.92 71.61 73.82 80.88
W++ 2/m          57.39 64.33 67.88 70.13 71.95 77.59
W++ 4/m          56.78 63.94 67.36 70.05 72.08 78.76
W++ 8/m          57.17 63.50 67.01 69.79 71.87 77.85
W++ 0/192        62.29 76.25 79.71 81.40 83.09 88.17
W++ 1/192        59.56 65.97 69.44 71.65 73.91 79.45
W++ 2/192        56.78 63.29 67.10 69.87 71.69 78.37
W++ 4/192        58.13 64.37 67.62 69.92 71.56 78.15
W++ 8/192        57.04 66.28 70.18 73.39 75.34 82.79
W++ 0/256        62.68 76.33 79.41 81.71 83.18 88.95
W++ 1/256        59.25 65.63 69.22 71.09 72.95 79.71
W++ 2/256        55.09 61.81 66.02 68.88 70.61 76.59
W++ 4/256        56.52 62.29 65.76 68.01 70.13 76.59
W++ 8/256        55.79 61.60 65.58 68.23 70.39 77.55
top-1 alpha      62.81 74.60 77.76 80.02 81.97 86.91
top-2 alpha      63.11 76.16 79.02 81.01 82.75 87.65
top-3 alpha      63.37 76.72 79.67 81.49 83.57 88.25
top-4 alpha      63.20 76.64 79.76 82.36 84.05 88.64
top-5 alpha      63.29 76.81 80.02 82.75 84.31 88.69
top-10 alpha     62.98 77.33 80.49 82.66 84.57 89.55
top-20 alpha     59.21 75.64 80.88 83.49 85.39 90.33
top-1 beta       62.81 74.60 77.76 80.02 81.97 86.91
top-2 beta       63.55 76.25 79.28 81.14 82.62 87.91
top-3 beta       63.94 76.64 79.71 81.36 83.44 87.99
top-4 beta       63.94 76.85 80.15 82.01 83.53 88.73
top-5 beta       63.59 77.03 80.36 82.57 84.18 89.03
top-10 beta      64.02 77.11 80.49 83.01 84.87 89.42
top-20 beta      63.37 77.24 81.06 83.31 85.18 90.03
"""
PAPER = {line[:16].strip(): tuple(map(float, line[16:].split())) for line in _TABLE_1.strip().splitlines()}

# The rows of the notebook: those of the paper in its order, and those that it does not have.
TABLE = list(PAPER)
TABLE[1:1] = ["Crammer-Singer"]
TABLE += [name for name in METHODS if name not in TABLE]
