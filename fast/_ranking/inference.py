"""Loss-augmented inference for the named losses, and the value of a ranking.

    argmax_R  loss(R) + F(R),   F(R) = 1/(P N) sum_ij R_ij (p_i - n_j)

Negatives are ranked by buckets of scores and Algorithm 1, or in the order of their scores. `choice` tells when. Buckets
take O(N + P log N) where the scores spread over them, O((P + N) log N) at worst. `greedy` tries all ranks of each
negative, in O(N P). Source: 002.
"""

import math

import numpy as np

from reference.problems.checks import LARGEST_NUMBER

from .._shared.bits import all_in_range
from .._shared.jit import kernel, summing_kernel
from .buckets import FEW_CROWDED, crowded_negatives, fill_buckets, rank_by_buckets, rank_open, rank_spread
from .cost import KIND_AP, KIND_AUC, InferenceProblem, scan
from .presorted import DESCENDING, rank_descending, sorting_of
from .quicksort import Ranks, rank_short_segment

FEW = 64  # up to this many negatives, sorting by insertion is faster than setting up buckets


# --- AP, NDCG and AUC ----------------------------------------------------------------------------------------------

# Each of these kernels writes the best ranks of all negatives. `p` must be in descending order. They are several, so
# that a call compiles only what it needs. `infer` is all in one, for the kernels that rank groups.


@kernel
def infer_few(p, n, kind, ranks):
    """Rank at most FEW negatives. Returns (objective, loss), or NaN if a score is not in range."""
    found = Ranks(ranks, np.zeros(p.size + 2, np.int64))
    if not (are_in_range(p) and all_in_range(n)):
        return not_in_range(ranks)
    problem, ideal = problem_of(p, n.size, kind)
    values, where = np.empty(n.size), np.empty(n.size, np.int64)
    for k in range(n.size):
        values[k], where[k] = n[k], k
    first = np.int64(1)  # Numba compiles again for literals
    rank_short_segment(values, where, first - 1, n.size, first, first, p.size + 1, problem, found)
    return value_of(problem, ideal, n, found)


@kernel
def infer_descending(p, n, order, kind, ranks):
    """Rank negatives whose scores are in range and in descending order.

    Score k is that of negative order[k]. With None, it is that of negative k. Returns (objective, loss), or NaN if the
    score of a positive is not in range.
    """
    found = Ranks(ranks, np.zeros(p.size + 2, np.int64))
    if not are_in_range(p):
        return not_in_range(ranks)
    problem, ideal = problem_of(p, n.size, kind)
    first, low = np.int64(0), np.int64(1)  # Numba compiles again for literals
    total = rank_descending(n, order, first, n.size, low, p.size + 1, p[p.size // 2], problem, found)
    loss = loss_of(found.counts, p.size, n.size, kind, ideal)
    return loss + score_of(p, n.size, found.counts, total), loss


@kernel
def infer_spread(p, n, kind, ranks):
    """Rank negatives by buckets, of which few are crowded.

    Returns (done, objective, loss). The last two are NaN if a score is not in range. It is not done if too many
    negatives are open in crowded buckets.
    """
    found = Ranks(ranks, np.zeros(p.size + 2, np.int64))
    if not (are_in_range(p) and all_in_range(n)):
        return True, *not_in_range(ranks)
    problem, ideal = problem_of(p, n.size, kind)
    buckets = fill_buckets(n, problem)
    if crowded_negatives(buckets.before, buckets.least) * FEW_CROWDED > n.size:
        return False, 0.0, 0.0
    if not rank_spread(rank_by_buckets(n, buckets, problem, ranks), problem, found):
        return False, 0.0, 0.0
    return True, *value_of(problem, ideal, n, found)


@kernel
def infer_crowded(p, n, kind, ranks):
    """Rank negatives by buckets. Returns (objective, loss), or NaN if a score is not in range."""
    found = Ranks(ranks, np.zeros(p.size + 2, np.int64))
    if not (are_in_range(p) and all_in_range(n)):
        return not_in_range(ranks)
    problem, ideal = problem_of(p, n.size, kind)
    rank_open(rank_by_buckets(n, fill_buckets(n, problem), problem, ranks), problem, found)
    return value_of(problem, ideal, n, found)


@kernel
def infer(p, n, kind, ranks):
    """Rank any negatives. Returns (objective, loss), or NaN if a score is not in range."""
    if n.size <= FEW:
        return infer_few(p, n, kind, ranks)
    if sorting_of(n) == DESCENDING:
        return infer_descending(p, n, None, kind, ranks)
    return infer_crowded(p, n, kind, ranks)


@kernel
def are_in_range(p):
    """Returns whether scores in descending order are in range."""
    return abs(p[0]) <= LARGEST_NUMBER and abs(p[-1]) <= LARGEST_NUMBER


@kernel
def not_in_range(ranks):
    """Returns the answer for scores that are not in range, and writes ranks that are valid."""
    for k in range(ranks.size):
        ranks[k] = 1
    return np.nan, np.nan


@kernel
def value_of(problem, ideal, n, found):
    """Returns (objective, loss) of a ranking."""
    p, kind, _ = problem
    loss = loss_of(found.counts, p.size, n.size, kind, ideal)
    total = sum_over_negatives(n, found.by_negative, p.size, p[p.size // 2])
    return loss + score_of(p, n.size, found.counts, total), loss


@kernel
def problem_of(p, N, kind):
    """Returns the problem and the gain of the perfect ranking: P for AP, sum_i 1 / ln(1 + i) for NDCG, 0 for AUC."""
    P, ideal = p.size, 0.0
    if kind == KIND_AUC:
        return InferenceProblem(p, kind, 0.5), ideal
    if kind == KIND_AP:
        return InferenceProblem(p, kind, N / 2), float(P)
    for i in range(1, P + 1):
        ideal += 1 / math.log(1.0 + i)
    return InferenceProblem(p, kind, P * N / (2 * ideal)), ideal


@kernel
def greedy(p, n, order, kind, ranks):
    """Write the best of all ranks of each negative. Returns (objective, loss). n[order] must be in descending order."""
    problem, ideal = problem_of(p, n.size, kind)
    for j in range(1, order.size + 1):
        index = order[j - 1]
        ranks[index] = scan(np.float64(n[index]), j, np.int64(1), p.size + 1, problem)
    return value_of(problem, ideal, n, Ranks(ranks, count_ranks(ranks, p.size)))


# --- the value of a ranking ----------------------------------------------------------------------------------------


@kernel
def loss_of(counts, P, N, kind, ideal):
    """Returns the loss of a ranking, given the number of negatives of each rank and the gain of the perfect ranking."""
    gain, before, wrong = 0.0, 0, 0
    for i in range(1, P + 1):
        before += counts[i]
        if kind == KIND_AUC:
            wrong += before
        elif kind == KIND_AP:
            gain += i / (i + before)
        else:
            gain += 1 / math.log(1.0 + i + before)
    return wrong / (P * N) if kind == KIND_AUC else 1 - gain / ideal


@kernel
def score_of(p, N, counts, over_negatives):
    """Returns F(R). A score in the middle is subtracted from all scores, which keeps the digits where all are large."""
    P, centre = p.size, p[p.size // 2]
    total, before = 0.0, 0
    for i in range(1, P + 1):
        before += counts[i]
        total += (p[i - 1] - centre) * (N - 2 * before)
    return (total - over_negatives) / (P * N)


@kernel
def score_of_ranks(p, n, ranks, counts):
    """Returns F(R), given the ranks of the negatives, and how many have each rank."""
    return score_of(p, n.size, counts, sum_over_negatives(n, ranks, p.size, p[p.size // 2]))


@summing_kernel
def sum_over_negatives(n, ranks, P, centre):
    """Returns sum_ij R_ij (n_j - centre)."""
    total = 0.0
    for k in range(n.size):
        total += (np.float64(n[k]) - centre) * (2 * (ranks[k] - 1) - P)
    return total


@kernel
def count_ranks(ranks, P):
    """Returns the number of negatives of each rank, shape (P + 2,). Entry 0 is 0."""
    counts = np.zeros(P + 2, np.int64)
    for k in range(ranks.size):
        counts[ranks[k]] += 1
    return counts


@kernel
def write_ranks_of_scores(p, n, ranks):
    """Write one plus the number of positives with a higher score, by a bisection whose steps need no branch."""
    for k in range(n.size):
        rank, width = 1, p.size
        while width > 1:
            half = width >> 1
            rank += half * (p[rank + half - 2] > n[k])
            width -= half
        ranks[k] = rank + (p[rank - 1] > n[k])
