"""Wrong versions of losses of rankings, and of the inference of rankings."""

import numpy as np

from reference import ranking
from tests.mutants import wrong


@wrong("ndcg_loss")
def discount_of_chakrabarti(interleaving, n_positive):
    """It has the discount of Chakrabarti et al. 2008, in which the first two places count the same."""
    ranking.ndcg_loss(interleaving, n_positive)
    i = np.arange(1, n_positive + 1)
    before = np.searchsorted(np.sort(interleaving), i, side="right")
    return float(1 - np.sum(1 / np.log2(np.maximum(i + before, 2))) / np.sum(1 / np.log2(np.maximum(i, 2))))


@wrong("loss_augmented_inference")
def equal_negatives_backwards(positive_scores, negative_scores, loss="ap", *, method="quicksort"):
    """It ranks the last of several equal negatives highest."""
    backwards = np.asarray(negative_scores)[::-1]
    answer = ranking.loss_augmented_inference(positive_scores, backwards, loss, method=method)
    return answer._replace(interleaving=answer.interleaving[::-1].copy())


@wrong("loss_augmented_inference")
def half_the_score(positive_scores, negative_scores, loss="ap", *, method="quicksort"):
    """A pair that changes sides gains (p - n) / (P N) instead of twice that."""
    ranking.loss_augmented_inference(positive_scores, negative_scores, loss, method=method)
    p, n = (np.asarray(scores) / 2 for scores in (positive_scores, negative_scores))
    answer = ranking.loss_augmented_inference(p, n, loss, method=method)
    return answer._replace(objective=answer.loss + 2 * (answer.objective - answer.loss))


@wrong("loss_augmented_inference")
def lowest_rank_of_ties(positive_scores, negative_scores, loss="ap", *, method="quicksort"):
    """It takes the lowest of several best ranks, as argmax does."""
    answer = ranking.loss_augmented_inference(positive_scores, negative_scores, loss, method=method)
    p, n, ranks = np.sort(positive_scores)[::-1], np.asarray(negative_scores), answer.interleaving.copy()
    P, N, i, loss = len(p), len(n), np.arange(1, len(p) + 1), ranking.LOSSES[loss]
    for j, index in enumerate(np.argsort(-n.astype(float), kind="stable"), start=1):
        gains = loss.derivative(j, i) / loss.total(P, N) - 2 * (p - n[index]) / (P * N)
        ranks[index] = 1 + np.argmax(np.append(np.cumsum(gains[::-1])[::-1], 0.0))
    lost = ranking.rank_loss(ranks, P, loss)
    return answer._replace(interleaving=ranks, loss=lost, objective=answer.objective)


@wrong("loss_augmented_inference")
def negatives_in_sorted_order(positive_scores, negative_scores, loss="ap", *, method="quicksort"):
    """It returns the ranks in the order of the sorted negatives."""
    answer = ranking.loss_augmented_inference(positive_scores, negative_scores, loss, method=method)
    return answer._replace(interleaving=np.sort(answer.interleaving))


@wrong("loss_augmented_inference")
def next_negative(positive_scores, negative_scores, loss="ap", *, method="quicksort"):
    """Its j is too large by one."""
    if loss not in ("ap", "ndcg"):
        return ranking.loss_augmented_inference(positive_scores, negative_scores, loss, method=method)
    right = ranking.LOSSES[loss]
    later = right._replace(derivative=lambda j, i: right.derivative(j + 1, i))
    answer = ranking.loss_augmented_inference(positive_scores, negative_scores, later, method=method)
    lost = right.value(answer.interleaving, len(positive_scores))
    return answer._replace(loss=lost, objective=answer.objective - answer.loss + lost)


@wrong("loss_augmented_inference", "reports something else")
def objective_without_score(positive_scores, negative_scores, loss="ap", *, method="quicksort"):
    """It reports the loss as the objective."""
    answer = ranking.loss_augmented_inference(positive_scores, negative_scores, loss, method=method)
    return answer._replace(objective=answer.loss)


@wrong("loss_augmented_inference")
def one_loss_for_all(positive_scores, negative_scores, loss="ap", *, method="quicksort"):
    """It uses the derivative of AP for every loss."""
    right = ranking.loss_augmented_inference(positive_scores, negative_scores, loss, method=method)
    answer = ranking.loss_augmented_inference(positive_scores, negative_scores, "ap", method=method)
    lost = ranking.rank_loss(answer.interleaving, len(positive_scores), loss)
    return right._replace(interleaving=answer.interleaving, loss=lost, objective=answer.objective - answer.loss + lost)


@wrong("rank_loss")
def pairs_not_averaged(interleaving, n_positive, loss="ap"):
    """It returns "auc" as a number of pairs instead of a share."""
    share = ranking.rank_loss(interleaving, n_positive, loss)
    return share * n_positive * len(interleaving) if loss == "auc" else share


@wrong("semigradient")
def perfect_ranking_forgotten(positive_scores, negative_scores, interleaving):
    """It is that of loss(R) + F(R), without the score of the perfect ranking."""
    by_positive, by_negative = ranking.semigradient(positive_scores, negative_scores, interleaving)
    P, N = len(by_positive), len(by_negative)
    dtype = np.result_type(by_positive, by_negative)
    return (by_positive + 1 / P).astype(dtype), (by_negative - 1 / N).astype(dtype)


@wrong("ap_loss")
def precision_from_zero(interleaving, n_positive):
    """It counts the positives from 0, so that the first one has precision 0."""
    ranking.ap_loss(interleaving, n_positive)
    i = np.arange(n_positive)
    before = np.searchsorted(np.sort(interleaving), i + 1, side="right")
    return float(1 - np.mean(i / (i + 1 + before)))


@wrong("loss_augmented_inference")
def score_subtracted(positive_scores, negative_scores, loss="ap", *, method="quicksort"):
    """It flips the sign of F."""
    ranking.loss_augmented_inference(positive_scores, negative_scores, loss, method=method)
    p, n = (-1.0 * np.asarray(scores) for scores in (positive_scores, negative_scores))
    return ranking.loss_augmented_inference(p, n, loss, method=method)


@wrong("interleaving_ranks")
def ties_for_the_positive(positive_scores, negative_scores):
    """It puts a positive before a negative of the same score."""
    ranking.interleaving_ranks(positive_scores, negative_scores)
    p, n = np.sort(positive_scores), np.asarray(negative_scores)
    return 1 + len(p) - np.searchsorted(p, n, side="left")
