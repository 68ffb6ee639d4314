"""The losses and the inference of `reference.ranking`: buckets of scores in place of most of the quicksort."""

import numpy as np

from reference import contract
from reference.contract import QSLoss

from ._ranking.cost import KIND_AP, KIND_AUC, KIND_NDCG
from ._ranking.inference import count_ranks, greedy, infer, score_of, write_ranks_of_scores
from ._ranking.own_loss import compiled_derivative, greedy_by_derivative, infer_by_derivative, loss_by_derivative
from ._shared.bits import all_finite, bits_of
from ._shared.examples import read_only

__all__ = ["ap_loss", "ndcg_loss", "rank_loss", "interleaving_ranks", "loss_augmented_inference", "semigradient"]


def ap_loss(interleaving, n_positive):
    """1 - AP,   AP = 1/P sum_i i / (i + number of negatives before the i-th positive): average precision.

    Parameters
    ----------
    interleaving : int array, shape (N,)
        One plus the number of positives before each negative, in any order: 1..P+1.
    n_positive : int, >= 1
        P.

    Returns
    -------
    loss : float
        0 for the perfect ranking, which has all positives before all negatives.

    Raises
    ------
    ValueError
        `interleaving` is empty or holds anything but integers in 1..P+1; `n_positive` is not an integer >= 1.

    Notes
    -----
    The twin of `reference.ap_loss`, as the mean share of negatives. O(N + P). Source: 002, section 2.2.

    Examples
    --------
    >>> ap_loss([1, 3], n_positive=2)  # the ranking - + + -
    0.41666666666666663
    """
    before = _negatives_before(*contract.interleaving(interleaving, n_positive))
    return float(np.mean(before / (np.arange(1, len(before) + 1) + before)))


def ndcg_loss(interleaving, n_positive):
    """1 - NDCG,   NDCG = 1/C sum_i D(i + number of negatives before the i-th positive),   D(i) = 1 / log2(1 + i).

    Parameters
    ----------
    interleaving, n_positive
        As for `ap_loss`.

    Returns
    -------
    loss : float
        0 for the perfect ranking, whose discounted gain is C = sum_i D(i).

    Raises
    ------
    ValueError
        As for `ap_loss`.

    Notes
    -----
    The twin of `reference.ndcg_loss`. O(N + P). Source: 002, section 2.2.

    Examples
    --------
    >>> round(ndcg_loss([1, 3], n_positive=2), 12)  # the ranking - + + -
    0.306573596383
    """
    before = _negatives_before(*contract.interleaving(interleaving, n_positive))
    place = np.arange(2.0, len(before) + 2)
    ideal, gain = 1 / np.log(place), 1 / np.log(place + before)
    return float((ideal - gain).sum() / ideal.sum())


def rank_loss(interleaving, n_positive, loss="ap"):
    """sum_j sum_{i >= r_j} g_j(i),   where r_j is the rank of the j-th highest negative: any QS-suitable loss.

    Parameters
    ----------
    interleaving, n_positive
        As for `ap_loss`.
    loss : {"ap", "ndcg", "auc"} or QSLoss
        Whose discrete derivative g_j(i) it is.

    Returns
    -------
    loss : float

    Raises
    ------
    ValueError
        As for `ap_loss`; `loss` is none of the above, or Numba cannot compile its derivative.

    Notes
    -----
    The twin of `reference.rank_loss`, in O(N + P) by the definitions of "ap", "ndcg" and "auc", the share of the pairs
    that are in the wrong order; O(N P) for other losses. Source: 002, supplement, section 1, condition (C1).

    Examples
    --------
    >>> rank_loss([1, 3], n_positive=2, loss="auc")  # two of four pairs
    0.5
    """
    ranks, P = contract.interleaving(interleaving, n_positive)
    loss = contract.qs_loss(loss, LOSSES)
    if loss is AP:
        return ap_loss(ranks, P)
    if loss is NDCG:
        return ndcg_loss(ranks, P)
    if loss is AUC:
        return float(np.mean((P + 1 - ranks) / P))
    return loss_by_derivative(count_ranks(ranks, P), P, compiled_derivative(loss)) / float(loss.total(P, len(ranks)))


def interleaving_ranks(positive_scores, negative_scores):
    """1 + the number of positives that score higher than each negative: the ranking that the scores themselves make.

    Parameters
    ----------
    positive_scores, negative_scores : arrays, shapes (P,) and (N,), float32 or float64

    Returns
    -------
    interleaving : int64 array, shape (N,)
        In the order in which the negatives came. A tie counts against the positive.

    Raises
    ------
    ValueError
        Scores are empty, not finite or not 1-D.

    Notes
    -----
    The twin of `reference.interleaving_ranks`.
    `ap_loss(interleaving_ranks(p, n), len(p))` is the loss of scores. O((P + N) log P). Source: 002, section 3.

    Examples
    --------
    >>> interleaving_ranks(np.array([2.0, 1.0]), np.array([3.0, 1.0, 0.0]))
    array([1, 2, 3])
    """
    p, n = _finite_scores(positive_scores, negative_scores)
    ranks = np.empty(len(n), np.int64)
    write_ranks_of_scores(_descending(p), n, ranks)
    return ranks


def loss_augmented_inference(positive_scores, negative_scores, loss="ap", *, method="quicksort"):
    """argmax_R loss(R) + F(R),   F(R) = 1/(P N) sum_ij R_ij (p_i - n_j),   R_ij = 1 if i is before j, else -1.

    Parameters
    ----------
    positive_scores, negative_scores : arrays, shapes (P,) and (N,), float32 or float64
    loss : {"ap", "ndcg", "auc"} or QSLoss
        Which loss of rankings.
    method : {"quicksort", "greedy"}
        Algorithm 1 of the paper, or a rank for every negative on its own. The answer is the same.

    Returns
    -------
    inference : Inference
        interleaving (N,), int64, in the order in which the negatives came; objective, loss + F; and the loss.

    Raises
    ------
    ValueError
        Scores are empty, not finite or not 1-D; `loss` or `method` is none of the above, or Numba cannot compile
        the derivative of the loss.

    Notes
    -----
    The twin of `reference.loss_augmented_inference`. The j-th highest negative maximises
    f_j(r) = sum_{i >= r} [g_j(i) - 2 (p_i - n_j) / (P N)] over its rank r, and the best ranks do not fall with j. Of
    several, the highest is taken, which leaves positives on top; of equal negatives the one that came first is the
    higher. The named losses sort hardly any negatives: those in a bucket of scores whose two ends have one best rank
    have it, too. O(P log P + N) where scores spread over the buckets, O((P + N) log N) at worst. Other losses go by
    the paper's quicksort, greedy is O(N log N + N P).
    Source: 002, algorithm 1 and Observation 2; the greedy after Yue et al. 2007, and for NDCG Chakrabarti et al. 2008,
    with a discount that is convex.

    Examples
    --------
    >>> loss_augmented_inference(np.array([1.0, 0.0]), np.array([0.5, -2.0])).interleaving
    array([2, 3])
    """
    p, n = _finite_scores(positive_scores, negative_scores)
    loss, method = contract.qs_loss(loss, LOSSES), contract.choice(method, "method", ("quicksort", "greedy"))
    p, ranks = _descending(p), np.empty(len(n), np.int64)
    kind = _kind_of(loss)
    if kind is None:
        return _infer_own(p, n.astype(np.float64), loss, method, ranks)
    if method == "quicksort":
        return contract.Inference(ranks, *infer(p, n, kind, ranks))
    return contract.Inference(ranks, *greedy(p, n, _order(n), kind, ranks))


def semigradient(positive_scores, negative_scores, interleaving):
    """d/ds [loss(R) + F(R) - F(R*)]  for scores s, at a ranking R;  R* is the perfect ranking.

    Parameters
    ----------
    positive_scores, negative_scores : arrays, shapes (P,) and (N,), float32 or float64
    interleaving : int array, shape (N,)
        Of R, in the order of `negative_scores`; for the hinge loss, what `loss_augmented_inference` returns.

    Returns
    -------
    by_positive, by_negative : arrays, shapes (P,) and (N,), float32 if both scores are, otherwise float64
        A positive with b negatives before it has -2 b / (P N), a negative with a positives after it 2 a / (P N).

    Raises
    ------
    ValueError
        Scores are empty, not finite or not 1-D; `interleaving` has another length or a rank outside 1..P+1.

    Notes
    -----
    The twin of `reference.semigradient`. The structured hinge is max_R of the bracket. Where one ranking attains it
    this is its gradient, otherwise one of its subgradients. Of equal positives the one that came first is the higher.
    O(P log P + N).
    Source: 002, eq. (5).

    Examples
    --------
    >>> by_positive, by_negative = semigradient(np.array([1.0, 0.0]), np.array([0.5, -2.0]), [2, 3])
    >>> by_positive, by_negative
    (array([ 0. , -0.5]), array([0.5, 0. ]))
    """
    p, n = _finite_scores(positive_scores, negative_scores)
    P, N = len(p), len(n)
    ranks, _ = contract.interleaving(interleaving, P, N)
    by_positive, dtype = np.empty(P), np.result_type(p, n)
    by_positive[_order(p)] = -2 * _negatives_before(ranks, P) / (P * N)
    return by_positive.astype(dtype), ((P + 1 - ranks) * (2 / (P * N))).astype(dtype)


def _ap_derivative(j, i):
    return i / (i + j) / (i + j - 1)


def _ndcg_derivative(j, i):
    """1 / log2(i + j) - 1 / log2(1 + i + j), without the difference of numbers that agree in most digits."""
    return np.log1p(1 / (i + j)) / (np.log2(i + j) * np.log(1.0 + i + j))


def _ndcg_total(P, N):
    return (1 / np.log2(np.arange(2, P + 2))).sum()


AP = QSLoss("ap", _ap_derivative, lambda P, N: P, ap_loss)
NDCG = QSLoss("ndcg", _ndcg_derivative, _ndcg_total, ndcg_loss)
AUC = QSLoss("auc", lambda j, i: 1.0 + 0.0 * i, lambda P, N: P * N)
LOSSES = {loss.name: loss for loss in (AP, NDCG, AUC)}
KINDS = ((AP, KIND_AP), (NDCG, KIND_NDCG), (AUC, KIND_AUC))


def _kind_of(loss):
    """Returns the number by which the kernels know one of the LOSSES, or None for any other loss."""
    return next((kind for known, kind in KINDS if loss is known), None)


def _finite_scores(positive_scores, negative_scores):
    """The scores as the kernels read them, after one look at each; `contract` finds the words if one is not finite."""
    p = contract.real_array(positive_scores, "positive_scores", (1,))
    n = contract.real_array(negative_scores, "negative_scores", (1,))
    p, n = read_only(np.ascontiguousarray(p)), read_only(np.ascontiguousarray(n))
    if not (all_finite(bits_of(p)) and all_finite(bits_of(n))):
        contract.two_classes(p, n)
    return p, n


def _descending(p):
    return -np.sort(-p.astype(np.float64))


def _order(scores):
    """The indices that sort scores in descending order; of equal ones the first is the highest."""
    return len(scores) - 1 - np.argsort(scores[::-1], kind="stable")[::-1]


def _negatives_before(ranks, P):
    """The number of negatives before the i-th positive, for i = 1..P."""
    return np.cumsum(count_ranks(ranks, P)[1:-1])


def _infer_own(p, n, loss, method, ranks):
    """The inference for a loss that is known by its derivative."""
    P, N, derivative = len(p), len(n), compiled_derivative(loss)
    total = float(loss.total(P, N))
    if method == "quicksort":
        infer_by_derivative(p, n.copy(), derivative, P * N / (2 * total), ranks)
    else:
        greedy_by_derivative(p, n, _order(n), derivative, P * N / (2 * total), ranks)
    counts = count_ranks(ranks, P)
    value = loss_by_derivative(counts, P, derivative) / total
    return contract.Inference(ranks, value + score_of(p, read_only(n), ranks, counts), value)
