"""The ranking SVM as a quadratic programme for CVXPY, with one constraint for every ranking of every group.

Slow and obviously right, for groups of up to six samples. For larger groups, constraints are added when the solution
violates them. `reference.ranking_svm` explains the arguments.
"""

from itertools import permutations

import numpy as np

from ..problems import checks
from ..problems.checks import QSLoss
from ._solver import cp, solve
from .ranking import loss_augmented_inference, rank_loss

LARGEST_GROUP = 6  # samples of which all rankings are constraints: 720 for each group
MOST_PLANES = 500  # a safeguard: a group of 30 samples needs about 50
SOLVED = 1e-7  # the relative gap at which no more planes are added


def grouped_inference(scores, relevant, groups=None, loss="ap"):
    """Returns argmax_R loss(R) + F(R)  for each group, by trying all rankings."""
    scores, relevant, rows, starts = checks.grouped_scores(scores, relevant, groups)
    ranks, values = np.zeros(len(scores), np.int64), []
    for here in np.split(rows, starts[1:-1]):
        p, n = here[relevant[here]], here[~relevant[here]]
        inference = loss_augmented_inference(scores[p], scores[n], loss)
        ranks[n] = inference.interleaving
        values.append((inference.objective, inference.loss))
    return checks.Inference(ranks, *np.array(values).T)


def fit_ranking_svm(X, relevant, *, groups=None, loss="ap", regularization, group_weight=None):
    """``argmin_w regularization/2 |w|^2 + mean of max_R [loss(R) + F(R) - F(R*)]``; returns (w, the minimum)."""
    X, relevant, rows, starts = checks.sorted_groups(X, relevant, groups)
    X = (X.toarray() if hasattr(X, "toarray") else X).astype(np.float64)
    regularization = checks.positive(regularization, "regularization")
    shares = checks.group_shares(group_weight, len(relevant), rows, starts)
    samples = [(X[here[relevant[here]]], X[here[~relevant[here]]]) for here in np.split(rows, starts[1:-1])]
    if isinstance(loss, str) and loss == "zero_one":
        return _minimise(X.shape[1], regularization, [_of_samples(p, n) for p, n in samples], shares)
    if max(len(p) + len(n) for p, n in samples) <= LARGEST_GROUP:
        planes = [_all_rankings(p, n, loss) for p, n in samples]
        hinges = [lambda w, c=c: cp.max(c[0] + c[1] @ w) for c in planes]
        return _minimise(X.shape[1], regularization, hinges, shares)
    return _one_slack(samples, shares, loss, X.shape[1], regularization)


def _minimise(d, regularization, hinges, shares):
    """Returns (w, the minimum) of regularization/2 |w|^2 + the sum of shares * hinges."""
    w = cp.Variable(d)
    total = sum(share * hinge(w) for share, hinge in zip(shares, hinges, strict=True))
    value = solve(cp.Problem(cp.Minimize(regularization / 2 * cp.sum_squares(w) + total)))
    return w.value, value


def _of_samples(positives, negatives):
    """Returns the mean of the hinges of single samples, as a function of w."""
    return lambda w: (
        (cp.sum(cp.pos(1 - positives @ w)) + cp.sum(cp.pos(1 + negatives @ w))) / (len(positives) + len(negatives))
    )


def _all_rankings(positives, negatives, loss):
    """Returns (losses, slopes): for each order of the samples, loss(R) and the gradient of F(R) - F(R*) in w."""
    P, N, offsets, slopes = len(positives), len(negatives), [], []
    for order in permutations(range(P + N)):
        place = np.argsort(order)
        swapped = place[:P, None] > place[None, P:]  # R_ij = -1
        ranks = 1 + (~swapped).sum(axis=0)
        offsets.append(rank_loss(ranks, P, loss))
        pairs = np.argwhere(swapped)
        slopes.append(sum((positives[i] - negatives[j] for i, j in pairs), np.zeros(positives.shape[1])))
    return np.array(offsets), -2 / (P * N) * np.array(slopes)


def _one_slack(samples, shares, loss, d, regularization):
    """Returns (w, the minimum) by cutting planes: each ranking is found greedily, each small programme by CVXPY."""
    slopes, offsets, w, best = [], [], np.zeros(d), np.inf
    for _ in range(MOST_PLANES):
        plane = shares @ [_worst(p, n, w, loss) for p, n in samples]
        offsets.append(plane[0])
        slopes.append(plane[1:])
        best = min(best, regularization / 2 * (w @ w) + plane[0] + plane[1:] @ w)
        A, b = np.array(slopes), np.array(offsets)
        w, lower = _minimise(d, regularization, [lambda w, A=A, b=b: cp.max(b + A @ w)], [1.0])
        if best - lower <= SOLVED * best:
            break
    return w, best


def _worst(positives, negatives, w, loss):
    """Returns loss(R) and the gradient of F(R) - F(R*) in w, for the R that maximises loss + F.

    Each negative tries every rank.
    """
    positives, negatives = (a[np.argsort(-(a @ w), kind="stable")] for a in (positives, negatives))
    p, n, (P, N) = positives @ w, negatives @ w, (len(positives), len(negatives))
    slope, ranks = np.zeros(len(w)), []
    for j in range(1, N + 1):
        gains = [_step(j, i, P, N, loss) - 2 * (p[i - 1] - n[j - 1]) / (P * N) for i in range(1, P + 1)]
        sums = [sum(gains[r - 1 :]) for r in range(1, P + 2)]
        ranks.append(max(range(1, P + 2), key=lambda r: (sums[r - 1], r)))
        slope -= 2 / (P * N) * (positives[ranks[-1] - 1 :] - negatives[j - 1]).sum(axis=0)
    return np.append(rank_loss(ranks, P, loss), slope)


def _step(j, i, P, N, loss):
    """Returns the growth of the loss when the j-th negative passes the i-th positive and no other sample moves."""
    if isinstance(loss, QSLoss):
        return float(loss.derivative(j, i)) / float(loss.total(P, N))
    behind, before = np.full(N, P + 1), np.full(N, P + 1)
    behind[: j - 1] = before[: j - 1] = 1
    behind[j - 1], before[j - 1] = i + 1, i
    return rank_loss(before, P, loss) - rank_loss(behind, P, loss)
