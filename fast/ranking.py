"""The losses and the inference of `reference.ranking`, but buckets or a sort of integers come before the quicksort."""

import numpy as np

from reference.problems import checks
from reference.problems.checks import QSLoss

from ._ranking.choice import infer_by_kernel
from ._ranking.cost import KIND_AP, KIND_AUC, KIND_NDCG
from ._ranking.inference import count_ranks, greedy, score_of_ranks, write_ranks_of_scores
from ._ranking.own_loss import compiled_derivative, greedy_by_derivative, infer_by_derivative, loss_by_derivative
from ._shared.examples import read_only

__all__ = ["ap_loss", "ndcg_loss", "rank_loss", "interleaving_ranks", "loss_augmented_inference", "semigradient"]


def ap_loss(interleaving, n_positive):
    r"""Returns one minus the average precision of a ranking.

    .. math::

        1 - \text{AP}, \qquad \text{AP} = \tfrac1P \sum_{i=1}^P \frac{i}{i + b_i}

    Here :math:`b_i` is the number of negatives before the i-th positive.

    Parameters
    ----------
    interleaving : int array, shape (N,)
        The rank of each negative, in any order: one plus the number of positives before it, in 1..P+1.
    n_positive : int in 1..2**31-1
        The number P of positives.

    Returns
    -------
    loss : float
        0 for the perfect ranking, in which all positives come before all negatives.

    Raises
    ------
    ValueError
        `interleaving` is empty or holds something other than integers in 1..P+1; `n_positive` is not in its range.

    Notes
    -----
    The twin of `reference.ap_loss`. The loss is computed as the mean share of negatives, which does not cancel. The
    cost is O(N + P).

    References
    ----------
    * Paper 002 (Mohapatra et al.: Efficient Optimization for Rank-based Loss Functions, 2018), section 2.2.

    Examples
    --------
    >>> round(ap_loss([1, 3], n_positive=2), 12)  # the ranking - + + -
    0.416666666667
    """
    before = _negatives_before(*checks.interleaving(interleaving, n_positive))
    return float(np.mean(before / (np.arange(1, len(before) + 1) + before)))


def ndcg_loss(interleaving, n_positive):
    r"""Returns one minus the normalised discounted cumulative gain of a ranking.

    .. math::

        1 - \text{NDCG}, \qquad \text{NDCG} = \tfrac1C \sum_{i=1}^P D(i + b_i), \qquad D(i) = \frac{1}{\log_2(1 + i)}

    Here :math:`b_i` is the number of negatives before the i-th positive, and :math:`C = \sum_{i=1}^P D(i)`.

    Parameters
    ----------
    interleaving, n_positive
        As for `ap_loss`.

    Returns
    -------
    loss : float
        0 for the perfect ranking, whose discounted gain is C.

    Raises
    ------
    ValueError
        As for `ap_loss`.

    Notes
    -----
    The twin of `reference.ndcg_loss`. The cost is O(N + P).

    References
    ----------
    * Paper 002 (Mohapatra et al.: Efficient Optimization for Rank-based Loss Functions, 2018), section 2.2.

    Examples
    --------
    >>> round(ndcg_loss([1, 3], n_positive=2), 12)  # the ranking - + + -
    0.306573596383
    """
    before = _negatives_before(*checks.interleaving(interleaving, n_positive))
    place = np.arange(2.0, len(before) + 2)
    ideal, gain = 1 / np.log(place), 1 / np.log(place + before)
    return float((ideal - gain).sum() / ideal.sum())


def rank_loss(interleaving, n_positive, loss="ap"):
    r"""Returns any QS-suitable loss of a ranking, as a sum over the negatives.

    .. math::

        \sum_{j=1}^N \; \sum_{i=r_j}^P g_j(i)

    Here :math:`r_j` is the rank of the j-th highest negative, and :math:`g_j` is the discrete derivative of the loss.

    Parameters
    ----------
    interleaving, n_positive
        As for `ap_loss`.
    loss : {"ap", "ndcg", "auc"} or QSLoss
        The loss whose discrete derivative is :math:`g_j(i)`. "auc" is the share of the pairs that are in the wrong
        order.

    Returns
    -------
    loss : float

    Raises
    ------
    ValueError
        As for `ap_loss`; `loss` is none of the above, or its derivative cannot be evaluated as `QSLoss` describes.

    Notes
    -----
    The twin of `reference.rank_loss`. "ap", "ndcg" and "auc" are computed by their definitions in O(N + P), other
    losses by the sum in O(N P).

    References
    ----------
    * Paper 002 (Mohapatra et al.: Efficient Optimization for Rank-based Loss Functions, 2018), supplement, section 1,
      condition (C1).

    Examples
    --------
    >>> rank_loss([1, 3], n_positive=2, loss="auc")  # two of four pairs
    0.5
    """
    ranks, P = checks.interleaving(interleaving, n_positive)
    loss = checks.qs_loss(loss, LOSSES)
    if loss is AP:
        return ap_loss(ranks, P)
    if loss is NDCG:
        return ndcg_loss(ranks, P)
    if loss is AUC:
        return float(np.mean((P + 1 - ranks) / P))
    return loss_by_derivative(count_ranks(ranks, P), P, compiled_derivative(loss)) / float(loss.total(P, len(ranks)))


def interleaving_ranks(positive_scores, negative_scores):
    """Returns the rank of each negative in the ranking by scores: one plus the number of positives with a higher score.

    Parameters
    ----------
    positive_scores, negative_scores : arrays, shapes (P,) and (N,), float32 or float64

    Returns
    -------
    interleaving : int64 array, shape (N,)
        In the order of `negative_scores`. A tie counts against the positive.

    Raises
    ------
    ValueError
        Scores are empty, not finite or not 1-D.

    Notes
    -----
    The twin of `reference.interleaving_ranks`. ``ap_loss(interleaving_ranks(p, n), len(p))`` is the loss of the ranking
    by the scores p and n. The cost is O((P + N) log P).

    References
    ----------
    * Paper 002 (Mohapatra et al.: Efficient Optimization for Rank-based Loss Functions, 2018), section 3.

    Examples
    --------
    >>> interleaving_ranks(np.array([2.0, 1.0]), np.array([3.0, 1.0, 0.0]))
    array([1, 2, 3])
    """
    p, n = _finite_scores(positive_scores, negative_scores)
    ranks = np.empty(len(n), np.int64)
    write_ranks_of_scores(_descending(p), n, ranks)
    return ranks


def loss_augmented_inference(positive_scores, negative_scores, loss="ap", *, method="quicksort", n_jobs=1):
    r"""Returns the ranking with the largest sum of loss and score (loss-augmented inference).

    .. math::

        \arg\max_R \;\; & \text{loss}(R) + F(R) \\
        \text{where} \;\; & F(R) = \frac{1}{P N} \sum_{i=1}^P \sum_{j=1}^N R_{ij} (p_i - n_j)

    Here :math:`p_i` are the scores of the positives and :math:`n_j` those of the negatives. :math:`R_{ij}` is 1 if
    positive i is before negative j, and otherwise -1.

    Parameters
    ----------
    positive_scores, negative_scores : arrays, shapes (P,) and (N,), float32 or float64
    loss : {"ap", "ndcg", "auc"} or QSLoss
        The loss of a ranking.
    method : {"quicksort", "greedy"}
        Algorithm 1 of the paper, or the best rank of each negative on its own. For a QS-suitable loss they agree.
    n_jobs : int
        Number of threads, or -1 for one per processor. The answer does not depend on it.

    Returns
    -------
    inference : Inference
        interleaving (N,), int64, the ranks in the order of `negative_scores`; objective, which is loss + F; and loss.

    Raises
    ------
    ValueError
        Scores are empty, not finite or not 1-D; `loss` or `method` is none of the above, or the derivative of the loss
        cannot be evaluated as `QSLoss` describes; `n_jobs` is out of range.

    Notes
    -----
    The twin of `reference.loss_augmented_inference`. The j-th highest negative maximises
    :math:`f_j(r) = \sum_{i=r}^P (g_j(i) - 2 (p_i - n_j) / (P N))` over its rank r, and the best ranks do not fall with
    j. Of several best ranks the highest is taken, so that positives stay on top. Of equal negatives, the first one
    counts as the higher.

    For the named losses, many negatives for each positive are counted in buckets of scores, and a bucket whose two ends
    have the same best rank needs nothing more: O(P log P + N) where the scores spread over the buckets. Other negatives
    are sorted, and ranked in one pass in which bounds of the costs decide nearly all steps: O((P + N) log (P + N)).
    Several threads share this work from 262 144 negatives on, unless these are sorted already: then one pass on one
    thread is all. Other losses use the paper's quicksort. Greedy is O(N log N + N P). Both use one thread.

    References
    ----------
    * Paper 002 (Mohapatra et al.: Efficient Optimization for Rank-based Loss Functions, 2018), algorithm 1 and
      observation 2.
    * Paper (Yue, Finley, Radlinski, Joachims: A Support Vector Method for Optimizing Average Precision, 2007), for the
      greedy method.
    * Paper (Chakrabarti et al.: Structured Learning for Non-Smooth Ranking Losses, 2008), for the greedy method with
      NDCG, here with a convex discount.

    Examples
    --------
    >>> loss_augmented_inference(np.array([1.0, 0.0]), np.array([0.5, -2.0])).interleaving
    array([2, 3])
    """
    p = checks.real_array(positive_scores, "positive_scores", (1,))
    n = checks.real_array(negative_scores, "negative_scores", (1,))
    loss, method = checks.qs_loss(loss, LOSSES), checks.choice(method, "method", ("quicksort", "greedy"))
    n_jobs = checks.thread_count(n_jobs)
    kind, ranks = _kind_of(loss), np.empty(len(n), np.int64)
    if method == "greedy" or kind is None:
        p, n = checks.two_classes(p, n)
    p, n = _descending(p), read_only(np.ascontiguousarray(n))
    if kind is None:
        return _infer_own(p, n.astype(np.float64), loss, method, ranks)
    if method == "greedy":
        return checks.Inference(ranks, *greedy(p, n, _order(n), kind, ranks))
    objective, value = infer_by_kernel(p, n, kind, ranks, n_jobs)
    if not np.isfinite(objective):
        checks.two_classes(positive_scores, negative_scores)
    return checks.Inference(ranks, objective, value)


def semigradient(positive_scores, negative_scores, interleaving):
    r"""Returns the gradient of the structured hinge in the scores, at a given ranking.

    .. math::

        \frac{\partial}{\partial s} \left( \text{loss}(R) + F(R) - F(R^*) \right)

    Here s are the scores, R is the ranking, F is the score of a ranking as in `loss_augmented_inference`, and
    :math:`R^*` is the perfect ranking.

    Parameters
    ----------
    positive_scores, negative_scores : arrays, shapes (P,) and (N,), float32 or float64
    interleaving : int array, shape (N,)
        The ranks of R, in the order of `negative_scores`. For the hinge loss, the result of `loss_augmented_inference`.

    Returns
    -------
    by_positive, by_negative : arrays, shapes (P,) and (N,), float32 if both scores are, otherwise float64
        :math:`-2 b / (P N)` for a positive with b negatives before it, :math:`2 a / (P N)` for a negative with a
        positives after it.

    Raises
    ------
    ValueError
        Scores are empty, not finite or not 1-D; `interleaving` has another length or a rank outside 1..P+1.

    Notes
    -----
    The twin of `reference.semigradient`. The structured hinge is the maximum of the bracket over R. If one ranking
    attains it, this is the gradient of the hinge, otherwise one of its subgradients. Of equal positives, the first one
    counts as the higher. The cost is O(P log P + N).

    References
    ----------
    * Paper 002 (Mohapatra et al.: Efficient Optimization for Rank-based Loss Functions, 2018), equation (5).

    Examples
    --------
    >>> by_positive, by_negative = semigradient(np.array([1.0, 0.0]), np.array([0.5, -2.0]), [2, 3])
    >>> by_positive, by_negative
    (array([ 0. , -0.5]), array([0.5, 0. ]))
    """
    p, n = _finite_scores(positive_scores, negative_scores)
    P, N = len(p), len(n)
    ranks, _ = checks.interleaving(interleaving, P, N)
    by_positive, dtype = np.empty(P), np.result_type(p, n)
    by_positive[_order(p)] = -2 * _negatives_before(ranks, P) / (P * N)
    return by_positive.astype(dtype), ((P + 1 - ranks) * (2 / (P * N))).astype(dtype)


def _ap_derivative(j, i):
    return i / (i + j) / (i + j - 1)


def _ndcg_derivative(j, i):
    """1 / log2(i + j) - 1 / log2(1 + i + j), in a form that keeps its digits where i + j is large."""
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
    """Returns the scores in the form that the kernels read."""
    p, n = checks.two_classes(positive_scores, negative_scores)
    return read_only(np.ascontiguousarray(p)), read_only(np.ascontiguousarray(n))


def _descending(p):
    """Returns the scores in descending order, float64."""
    descending = np.negative(p, dtype=np.float64)
    descending.sort()
    return np.negative(descending, out=descending)


def _order(scores):
    """Returns the indices that sort scores in descending order. Of equal scores the first is the highest."""
    return len(scores) - 1 - np.argsort(scores[::-1], kind="stable")[::-1]


def _negatives_before(ranks, P):
    """Returns the number of negatives before the i-th positive, for i = 1..P."""
    return np.cumsum(count_ranks(ranks, P)[1:-1])


def _infer_own(p, n, loss, method, ranks):
    """Returns the Inference for a loss of the user's own, which is given by its derivative."""
    P, N, derivative = len(p), len(n), compiled_derivative(loss)
    total = float(loss.total(P, N))
    if method == "quicksort":
        infer_by_derivative(p, n.copy(), derivative, P * N / (2 * total), ranks)
    else:
        greedy_by_derivative(p, n, _order(n), derivative, P * N / (2 * total), ranks)
    counts = count_ranks(ranks, P)
    value = loss_by_derivative(counts, P, derivative) / total
    return checks.Inference(ranks, value + score_of_ranks(p, n, ranks, counts), value)
