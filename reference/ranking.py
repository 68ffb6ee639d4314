"""Losses of a ranking, and the ranking that maximises loss plus score, found in the manner of quicksort.

A ranking orders P positive and N negative samples. The positives among themselves are in the order of their scores, and
so are the negatives. So the ranking is given by the *interleaving rank* of each negative: one plus the number of
positives before it.

The inference in English: the objective is a sum of one function for each negative, of its rank alone. Each negative
maximises its own function, and a theorem says that the best ranks are then in order. So take the median negative and
try all its ranks. The negatives above it need only the ranks up to its best one, those below it only the ranks from
there on. Continue with both halves. Where a single rank remains, all negatives take it.

Source: Paper 002 (Mohapatra et al.: Efficient Optimization for Rank-based Loss Functions, 2018).
"""

from __future__ import annotations

import numpy as np

from .problems import checks
from .problems import ranking as problems
from .problems.checks import QSLoss
from .problems.checks.types import Array, Floats, Integers

__all__ = ["ap_loss", "ndcg_loss", "rank_loss", "interleaving_ranks", "loss_augmented_inference", "semigradient"]
ROUNDING = 2.0**-50  # relative error of a sum of gains: where the sum is 0 within it, ranks tie


@checks.documented_by(problems.ap_loss)
def ap_loss(interleaving: Array, n_positive: int) -> float:
    r"""Returns one minus the average precision of a ranking.

    .. math::

        1 - \text{AP}, \qquad \text{AP} = \tfrac1P \sum_{i=1}^P \frac{i}{i + b_i}

    Here :math:`b_i` is the number of negatives before the i-th positive.

    Notes
    -----
    The cost is O(N log N + P).
    """
    ranks, P = problems.ap_loss(interleaving, n_positive)
    i = np.arange(1, P + 1)
    return float(1 - np.mean(i / (i + _negatives_before(ranks, P))))


@checks.documented_by(problems.ndcg_loss)
def ndcg_loss(interleaving: Array, n_positive: int) -> float:
    r"""Returns one minus the normalised discounted cumulative gain of a ranking.

    .. math::

        1 - \text{NDCG}, \qquad \text{NDCG} = \tfrac1C \sum_{i=1}^P D(i + b_i), \qquad D(i) = \frac{1}{\log_2(1 + i)}

    Here :math:`b_i` is the number of negatives before the i-th positive, and :math:`C = \sum_{i=1}^P D(i)`.

    Notes
    -----
    The cost is O(N log N + P).
    """
    ranks, P = problems.ndcg_loss(interleaving, n_positive)
    i = np.arange(1, P + 1)
    return float(1 - _discount(i + _negatives_before(ranks, P)).sum() / _discount(i).sum())


@checks.documented_by(problems.rank_loss)
def rank_loss(interleaving: Array, n_positive: int, loss: str | QSLoss = "ap") -> float:
    r"""Returns any QS-suitable loss of a ranking, as a sum over the negatives.

    .. math::

        \sum_{j=1}^N \; \sum_{i=r_j}^P g_j(i)

    Here :math:`r_j` is the rank of the j-th highest negative, and :math:`g_j` is the discrete derivative of the loss.

    Notes
    -----
    The numbers for "ap" and "ndcg" are those of `ap_loss` and `ndcg_loss`. The cost is O(N log N + N P).
    """
    ranks, P, loss = problems.rank_loss(interleaving, n_positive, loss)
    return _rank_loss(ranks, P, _known_loss(loss))


@checks.documented_by(problems.interleaving_ranks)
def interleaving_ranks(positive_scores: Array, negative_scores: Array) -> Integers:
    """Returns the rank of each negative in the ranking by scores: one plus the number of positives with a higher score.

    Notes
    -----
    ``ap_loss(interleaving_ranks(p, n), len(p))`` is the loss of the ranking by the scores p and n. The cost is O((P +
    N) log P).
    """
    p, n = problems.interleaving_ranks(positive_scores, negative_scores)
    return 1 + len(p) - np.searchsorted(np.sort(p), n, side="right")


@checks.documented_by(problems.loss_augmented_inference)
def loss_augmented_inference(
    positive_scores: Array, negative_scores: Array, loss: str | QSLoss = "ap", *, method: str = "quicksort",
    n_jobs: int = 1,
) -> checks.Inference:  # fmt: skip
    r"""Returns the ranking with the largest sum of loss and score (loss-augmented inference).

    .. math::

        \arg\max_R \;\; & \text{loss}(R) + F(R) \\
        \text{where} \;\; & F(R) = \frac{1}{P N} \sum_{i=1}^P \sum_{j=1}^N R_{ij} (p_i - n_j)

    Here :math:`p_i` are the scores of the positives and :math:`n_j` those of the negatives. :math:`R_{ij}` is 1 if
    positive i is before negative j, and otherwise -1.

    Notes
    -----
    The j-th highest negative maximises :math:`f_j(r) = \sum_{i=r}^P (g_j(i) - 2 (p_i - n_j) / (P N))` over its rank r,
    where :math:`g_j` is the discrete derivative of the loss, as for `rank_loss`. The best ranks do not fall with j. Of
    several, the highest is taken, so that positives stay on top. Of equal negatives, the first is the higher. The cost
    is O(P log P + N log N + P log N), greedy O(N log N + N P).
    """
    p, n, loss, method, _ = problems.loss_augmented_inference(
        positive_scores, negative_scores, loss, method=method, n_jobs=n_jobs
    )
    loss, (p, n) = _known_loss(loss), checks.two_classes(p, n)  # which refuses what is not finite
    p, n = np.sort(p.astype(np.float64))[::-1], n.astype(np.float64)
    ranks = _quicksort(p, n, loss) if method == "quicksort" else _greedy(p, n, loss)
    value = loss.value(ranks, len(p)) if loss.value else _rank_loss(ranks, len(p), loss)
    return checks.Inference(ranks, value + _score(p, n, ranks), value)


@checks.documented_by(problems.semigradient)
def semigradient(positive_scores: Array, negative_scores: Array, interleaving: Array) -> tuple[Floats, Floats]:
    r"""Returns the gradient of the structured hinge in the scores, at a given ranking.

    .. math::

        \frac{\partial}{\partial s} \left( \text{loss}(R) + F(R) - F(R^*) \right)

    Here s are the scores, R is the ranking, F is the score of a ranking as in `loss_augmented_inference`, and
    :math:`R^*` is the perfect ranking.

    Notes
    -----
    The structured hinge is the maximum of the bracket over R. If one ranking attains it, this is the gradient of the
    hinge, otherwise one of its subgradients. Of equal positives, the first one counts as the higher. The cost is O(P
    log P + N log N).
    """
    p, n, ranks = problems.semigradient(positive_scores, negative_scores, interleaving)
    P, N = len(p), len(n)
    by_positive, dtype = np.empty(P), np.result_type(p, n)
    by_positive[np.argsort(-p, kind="stable")] = -2 * _negatives_before(ranks, P) / (P * N)
    return by_positive.astype(dtype), (2 * (P + 1 - ranks) / (P * N)).astype(dtype)


def _discount(i):
    return 1 / np.log2(1 + i)


def _ndcg_derivative(j, i):
    """D(i + j - 1) - D(i + j), in a form that keeps its digits where i + j is large."""
    return np.log1p(1 / (i + j)) * np.log(2) / (np.log(i + j) * np.log(1 + i + j))


AP = QSLoss("ap", lambda j, i: i / ((i + j - 1.0) * (i + j)), lambda P, N: P, ap_loss)
NDCG = QSLoss("ndcg", _ndcg_derivative, lambda P, N: _discount(np.arange(1, P + 1)).sum(), ndcg_loss)
AUC = QSLoss("auc", lambda j, i: 1.0, lambda P, N: P * N, lambda ranks, P: float(np.mean(P + 1 - ranks) / P))
LOSSES = {loss.name: loss for loss in (AP, NDCG, AUC)}


def _known_loss(loss):
    """Returns the QSLoss of a name, and a QSLoss as it is."""
    return LOSSES[loss] if isinstance(loss, str) else loss


def _rank_loss(ranks, P, loss):
    lost = [_derivative(loss, j, np.arange(r, P + 1)).sum() for j, r in enumerate(np.sort(ranks), start=1)]
    return float(np.sum(lost) / loss.total(P, len(ranks)))


def _derivative(loss, j, i):
    """Returns g_j(i) times the total of the loss, for an array of i."""
    try:
        return np.broadcast_to(loss.derivative(j, i), i.shape).astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"loss must have a derivative that takes an array of i, got {loss.name!r}: {error}") from None


def _negatives_before(ranks, P):
    """Returns the number of negatives before the i-th positive, for i = 1..P: those of rank i or less."""
    return np.searchsorted(np.sort(ranks), np.arange(1, P + 1), side="right")


def _score(p, n, ranks):
    """Returns F(R): positives with b negatives before them have the factor N - 2 b, negatives P - 2 (r - 1)."""
    P, N, middle = len(p), len(n), np.median(p)  # F(R) does not depend on it, but large scores keep their digits
    by_positive, by_negative = N - 2 * _negatives_before(ranks, P), 2 * (ranks - 1) - P
    return float(((p - middle) @ by_positive - (n - middle) @ by_negative) / (P * N))


def _greedy(p, n, loss):
    """Returns the best rank of each negative, each found on its own."""
    ranks = np.empty(len(n), np.int64)
    for j, index in enumerate(np.argsort(-n, kind="stable"), start=1):
        ranks[index] = _best_rank(p, n[index], j, 1, len(p) + 1, len(n), loss)
    return ranks


def _quicksort(p, n, loss):
    """Algorithm 1. `which` are negatives below `before` others, and their best ranks are in low..high."""
    ranks = np.empty(len(n), np.int64)

    def optimise(which, before, low, high):
        if low == high or len(which) == 0:
            ranks[which] = low
            return
        above, median, below = _select(n, which, (len(which) - 1) // 2)
        j = before + len(above) + 1
        best = ranks[median] = _best_rank(p, n[median], j, low, high, len(n), loss)
        optimise(above, before, low, best)
        optimise(below, j, best, high)

    optimise(np.arange(len(n)), 0, 1, len(p) + 1)
    return ranks


def _best_rank(p, score, j, low, high, N, loss):
    """Returns the highest maximiser of P N/2 f_j in low..high. Rank r + 1 gains (p_r - n_j) - P N/2 g_j(r) over r."""
    costs = len(p) * N / (2 * loss.total(len(p), N)) * _derivative(loss, j, np.arange(low, high))
    best, gain, size = low, 0.0, 0.0
    for rank, step in enumerate(((p[low - 1 : high - 1] - score) - costs).tolist(), start=low + 1):
        gain, size = gain + step, size + abs(step)
        if gain >= -ROUNDING * size:  # as good as the best rank so far, within rounding
            best, gain, size = rank, 0.0, 0.0
    return best


def _select(n, which, k):
    """Returns (the k highest negatives of `which`, the next one, the rest). Of equal ones the first is the highest."""
    scores = n[which]
    value = -np.partition(-scores, k)[k]
    ties = np.flatnonzero(scores == value)
    middle = ties[k - np.count_nonzero(scores > value)]
    above = (scores > value) | ((scores == value) & (np.arange(len(scores)) < middle))
    below = ~above & (np.arange(len(scores)) != middle)
    return which[above], which[middle], which[below]
