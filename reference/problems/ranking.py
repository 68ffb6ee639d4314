"""The statements of `reference.ranking`.

Scores for the inference need not be finite here: `fast` sees that at the end, and others use `checks.finite_array`.
"""

from __future__ import annotations

from . import checks
from .checks import QSLoss
from .checks.types import Array

__all__ = [
    "ap_loss",
    "ndcg_loss",
    "rank_loss",
    "interleaving_ranks",
    "loss_augmented_inference",
    "semigradient",
]

RANKINGS = {"ap": "ap", "ndcg": "ndcg", "auc": "auc"}  # losses by name; each twin has its own QSLoss for each


def ap_loss(interleaving: Array, n_positive: int) -> tuple:
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

    References
    ----------
    * Paper 002 (Mohapatra et al.: Efficient Optimization for Rank-based Loss Functions, 2018), section 2.2 with
      Propositions 1 and 3.

    Examples
    --------
    >>> round(ap_loss([1, 3], n_positive=2), 12)  # the ranking - + + -
    0.416666666667
    """
    return checks.interleaving(interleaving, n_positive)


def ndcg_loss(interleaving: Array, n_positive: int) -> tuple:
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

    References
    ----------
    * Paper 002 (Mohapatra et al.: Efficient Optimization for Rank-based Loss Functions, 2018), section 2.2 with
      Propositions 1 and 4.

    Examples
    --------
    >>> round(ndcg_loss([1, 3], n_positive=2), 12)  # the ranking - + + -
    0.306573596383
    """
    return checks.interleaving(interleaving, n_positive)


def rank_loss(interleaving: Array, n_positive: int, loss: str | QSLoss = "ap") -> tuple:
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

    References
    ----------
    * Paper 002 (Mohapatra et al.: Efficient Optimization for Rank-based Loss Functions, 2018), supplement, section 1,
      condition (C1).

    Examples
    --------
    >>> rank_loss([1, 3], n_positive=2, loss="auc")  # two of four pairs
    0.5
    """
    return *checks.interleaving(interleaving, n_positive), checks.qs_loss(loss, RANKINGS)


def interleaving_ranks(positive_scores: Array, negative_scores: Array) -> tuple:
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

    References
    ----------
    * Paper 002 (Mohapatra et al.: Efficient Optimization for Rank-based Loss Functions, 2018), section 3.

    Examples
    --------
    >>> interleaving_ranks(np.array([2.0, 1.0]), np.array([3.0, 1.0, 0.0]))
    array([1, 2, 3])
    """
    return checks.two_classes(positive_scores, negative_scores)


def loss_augmented_inference(
    positive_scores: Array, negative_scores: Array, loss: str | QSLoss = "ap", *, method: str = "quicksort",
    n_jobs: int = 1,
) -> tuple:  # fmt: skip
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

    References
    ----------
    * Paper 002 (Mohapatra et al.: Efficient Optimization for Rank-based Loss Functions, 2018), problem (6) with
      the score of equation (1), algorithm 1, and observations 1 and 2.
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
    loss, method = checks.qs_loss(loss, RANKINGS), checks.choice(method, "method", ("quicksort", "greedy"))
    return p, n, loss, method, checks.thread_count(n_jobs)


def semigradient(positive_scores: Array, negative_scores: Array, interleaving: Array) -> tuple:
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

    References
    ----------
    * Paper 002 (Mohapatra et al.: Efficient Optimization for Rank-based Loss Functions, 2018), equation (5).

    Examples
    --------
    >>> by_positive, by_negative = semigradient(np.array([1.0, 0.0]), np.array([0.5, -2.0]), [2, 3])
    >>> by_positive, by_negative
    (array([ 0. , -0.5]), array([0.5, 0. ]))
    """
    p, n = checks.two_classes(positive_scores, negative_scores)
    return p, n, checks.interleaving(interleaving, len(p), len(n))[0]
