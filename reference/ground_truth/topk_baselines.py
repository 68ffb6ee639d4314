"""TopPush and SVMperf as quadratic programmes for CVXPY, and the multiclass reduction written out.

Slow and obviously right, for some dozens of samples. `reference.topk_baselines` explains the arguments.
"""

from itertools import combinations

import numpy as np
import scipy.sparse

from ..problems import checks
from ._solver import cp, solve

MOST_SELECTIONS = 5000  # above this, the maximum over selections is written as a sum of the k largest


def reduce_multiclass(X, y, n_classes):
    """Returns (Phi (n m, m d), relevant (n m,)). Row i m + j holds x_i in columns f m + j: Phi vec(W) = vec(X W)."""
    return scipy.sparse.kron(X, np.eye(n_classes), format="csr"), np.eye(n_classes, dtype=bool)[y].ravel()


def fit_top_push(X, relevant, *, regularization, sample_weight=None):
    """``argmin_w regularization/2 |w|^2 + weighted mean over positives of max over negatives of their squared hinge``.

    A row of weight 0 has neither positives nor negatives.
    """
    X, relevant, W, scores = _problem(X, relevant, regularization)
    n = X.shape[0]
    rows = np.ones(n) if sample_weight is None else np.asarray(sample_weight, np.float64)
    weights = np.repeat(rows, len(relevant) // n)
    positives, negatives = np.flatnonzero(relevant & (weights > 0)), np.flatnonzero(~relevant & (weights > 0))
    shares = weights / weights[positives].sum()
    losses = [shares[i] * cp.square(cp.pos(1 + cp.max(scores[negatives]) - scores[i])) for i in positives]
    return _minimise(W, sum(losses), regularization)


def fit_svm_perf(X, relevant, *, k, loss="recall", regularization, sample_weight=None):
    """``argmin_w regularization/2 |w|^2 + max(0, max over selections S of k samples [loss(S) + F(S) - F(positives)])``.

    What a weight means. Let s_i be integers, and give s_i copies of sample i. Copies have the same score f_i and flag,
    so a selection S of k copies is given by the numbers x_i of copies in it, 0 <= x_i <= s_i with sum x = k. Let P be
    the sum of s_i over positives. Then::

        1 - recall(S) = 1 - (sum of x_i over positives) / P,    1 - precision(S) = 1 - (sum of x_i over positives) / k,
        F(S) - F(positives) = (sum_i x_i f_i - sum of s_i f_i over positives) / P

    All are linear in x. The vertices of {0 <= x <= s, sum x = k} are integer if s and k are. So the maximum over all
    such x, integer or not, is the one over S. This defines the problem for real s and k: it is continuous in them, and
    multiplying s and k by one number does not change it. So it is the problem with copies for all rational weights.
    """
    X, relevant, W, scores = _problem(X, relevant, regularization)
    if sample_weight is not None:
        weights = np.repeat(np.asarray(sample_weight, np.float64), len(relevant) // X.shape[0])
        return _minimise(W, cp.pos(_largest_part(scores, relevant, weights, k, loss)), regularization)
    planes = _all_selections(relevant, k, loss) if _count(len(relevant), k) <= MOST_SELECTIONS else None
    if planes is not None:
        offsets, gradients = planes
        return _minimise(W, cp.max(cp.pos(offsets + gradients @ scores)), regularization)
    return _minimise(W, cp.pos(_sorted_sum(scores, relevant, k, loss)), regularization)


def selection_loss(selected, relevant, loss):
    """Returns 1 - recall or 1 - precision of a selection, from their definitions."""
    found = np.count_nonzero(selected & relevant)
    return 1 - found / np.count_nonzero(relevant if loss == "recall" else selected)


def perf_objective(X, relevant, weights, *, k, loss, regularization):
    """Returns the objective at given weights, by trying all selections."""
    offsets, gradients = _all_selections(np.ravel(relevant), k, loss)
    hinge = np.max(offsets + gradients @ np.ravel(X @ weights))
    return regularization / 2 * np.sum(weights**2) + max(0.0, hinge)


def _problem(X, relevant, regularization):
    """Returns (X, flags, W, scores) in units in which lambda = 1, because the solver's tolerances are absolute."""
    X, relevant = checks.reduced_samples(X, relevant)
    X = (X.toarray() if hasattr(X, "toarray") else X).astype(np.float64) / np.sqrt(regularization)
    W = cp.Variable((X.shape[1], relevant.size // len(relevant)))
    return X, relevant.ravel(), W, cp.vec(X @ W, order="C")


def _minimise(W, hinge, regularization):
    value = solve(cp.Problem(cp.Minimize(cp.sum_squares(W) / 2 + hinge)))
    return W.value / np.sqrt(regularization), value


def _count(n, k):
    total = 1
    for i in range(min(k, n - k)):
        total = total * (n - i) // (i + 1)
    return total


def _all_selections(relevant, k, loss):
    """Returns (losses, gradients in the scores of F(S) - F(positives)) of all sets S of k samples."""
    n, offsets, gradients = len(relevant), [], []
    for chosen in combinations(range(n), k):
        selected = np.isin(np.arange(n), chosen)
        offsets.append(selection_loss(selected, relevant, loss))
        gradients.append((selected.astype(float) - relevant) / np.count_nonzero(relevant))
    return np.array(offsets), np.array(gradients)


def _largest_part(scores, relevant, weights, k, loss):
    """Returns max over 0 <= x <= s, sum x = k, as min over z of  k z + sum_i s_i max(0, v_i - z).

    x_i has the coefficient v_i: the score, less 1 or P / k for a positive, and everything is divided by P. The minimum
    is the dual of this linear programme.
    """
    shares = weights / weights[relevant].sum()
    values = scores - (1.0 if loss == "recall" else weights[relevant].sum() / k) * relevant
    z, size = cp.Variable(), k / weights[relevant].sum()
    return 1 - (shares * relevant) @ scores + size * z + shares @ cp.pos(values - z)


def _sorted_sum(scores, relevant, k, loss):
    """Returns the same maximum as a sum of the k largest. A selected positive reduces the loss by `share`."""
    n_positive = np.count_nonzero(relevant)
    share = 1 / n_positive if loss == "recall" else 1 / k
    return (
        1
        - cp.sum(scores[np.flatnonzero(relevant)]) / n_positive
        + cp.sum_largest(scores / n_positive - share * relevant, k)
    )
