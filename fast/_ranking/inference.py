"""The kernels of loss-augmented inference: buckets first, the ends of the buckets next, and the rest by Algorithm 1.

    argmax_R  loss(R) + F(R),   F(R) = 1/(P N) sum_ij R_ij (p_i - n_j)

O(N + P log N) where scores spread over the buckets, O((N + P) log N) at worst. A loss of the user's own, known by its
derivative only, goes by Algorithm 1 as the paper has it. The greedy tries all ranks for each negative. Source: 002.
"""

import math
from functools import lru_cache

import numba
import numpy as np

from .._shared.jit import inlined, kernel, summing_kernel
from .._shared.order import SHORT, first_depth, insert_all, run_end, split
from .buckets import one_bucket, rank_by_buckets, rank_rest
from .cost import AP, AUC, ROUNDING, Answer, Problem, scan, walk

FEW = 64  # up to so many negatives are sorted by insertion, without buckets


# --- AP, NDCG and AUC ----------------------------------------------------------------------------------------------


@kernel
def infer(p, n, kind, ranks):
    """Write the best ranks; (objective, loss). The positives must be in descending order, and all scores finite."""
    problem, ideal = the_problem(p, n.size, kind)
    answer = Answer(ranks, np.zeros(p.size + 2, np.int64))
    if n.size <= FEW:
        rank_few(n, problem, answer)
    elif run_end(n, 0, n.size) == n.size:
        rank_rest(one_bucket(n, p.size), problem, answer)
    else:
        rank_rest(rank_by_buckets(n, problem, ranks), problem, answer)
    loss = loss_of(answer.counts, p.size, n.size, kind, ideal)
    return loss + score_of(p, n, ranks, answer.counts), loss


@kernel
def the_problem(p, N, kind):
    """The problem, and what the gain of the perfect ranking is, in units in which the first discount is 1 / ln 2."""
    P, ideal = p.size, 0.0
    if kind == AUC:
        return Problem(p, kind, 0.5), ideal
    if kind == AP:
        return Problem(p, kind, N / 2), float(P)
    for i in range(1, P + 1):
        ideal += 1 / math.log(1.0 + i)
    return Problem(p, kind, P * N / (2 * ideal)), ideal


@inlined
def rank_few(n, problem, answer):
    """All negatives as one short segment."""
    values, where = np.empty(n.size), np.empty(n.size, np.int64)
    for k in range(n.size):
        values[k], where[k] = n[k], k
    walk(values, where, 0, n.size, 1, 1, problem.p.size + 1, problem, answer)


@kernel
def greedy(p, n, order, kind, ranks):
    """Write the best rank of each negative among all, on its own; (objective, loss). `order` sorts the negatives."""
    problem, ideal = the_problem(p, n.size, kind)
    for j in range(1, order.size + 1):
        index = order[j - 1]
        ranks[index] = scan(np.float64(n[index]), j, 1, p.size + 1, problem)
    counts = count_ranks(ranks, p.size)
    loss = loss_of(counts, p.size, n.size, kind, ideal)
    return loss + score_of(p, n, ranks, counts), loss


# --- what a ranking is worth ---------------------------------------------------------------------------------------


@kernel
def loss_of(counts, P, N, kind, ideal):
    """The loss, from how many negatives have each rank."""
    gain, before, wrong = 0.0, 0, 0
    for i in range(1, P + 1):
        before += counts[i]
        if kind == AUC:
            wrong += before
        elif kind == AP:
            gain += i / (i + before)
        else:
            gain += 1 / math.log(1.0 + i + before)
    return wrong / (P * N) if kind == AUC else 1 - gain / ideal


@kernel
def score_of(p, n, ranks, counts):
    """F(R), of scores less one in their middle, which keeps the digits where all are large."""
    P, N, centre = p.size, n.size, p[p.size // 2]
    total, before = 0.0, 0
    for i in range(1, P + 1):
        before += counts[i]
        total += (p[i - 1] - centre) * (N - 2 * before)
    return (total - weigh(n, ranks, P, centre)) / (P * N)


@summing_kernel
def weigh(n, ranks, P, centre):
    """sum_ij R_ij (n_j - centre), up to its sign."""
    total = 0.0
    for k in range(n.size):
        total += (np.float64(n[k]) - centre) * (2 * (ranks[k] - 1) - P)
    return total


@kernel
def count_ranks(ranks, P):
    """How many negatives have each rank; none has 0."""
    counts = np.zeros(P + 2, np.int64)
    for k in range(ranks.size):
        counts[ranks[k]] += 1
    return counts


@kernel
def rank_by_scores(p, n, ranks):
    """One plus the number of positives that score higher, by bisection without a branch to guess."""
    for k in range(n.size):
        rank, width = 1, p.size
        while width > 1:
            half = width >> 1
            rank += half * (p[rank + half - 2] > n[k])
            width -= half
        ranks[k] = rank + (p[rank - 1] > n[k])


# --- a loss of the user's own --------------------------------------------------------------------------------------


@kernel
def own_rank(p, n, j, low, high, derivative, scale):
    """The highest maximiser in [low, high]; see `scan`."""
    best, gain, rounding = low, 0.0, 0.0
    for i in range(low, high):
        price = scale * derivative(j, i)
        gain += (p[i - 1] - n) - price
        if gain >= -rounding:
            best, gain, rounding = i + 1, 0.0, 0.0
        else:
            rounding += (abs(price) + abs(gain)) * ROUNDING
    return best


@kernel
def own_infer(p, values, derivative, scale, ranks):
    """Algorithm 1; `values` are the scores of the negatives, and end up in some other order."""
    where = np.arange(values.size)
    stack = [(0, values.size, 1, p.size + 1, first_depth(values, 0, values.size))]
    while len(stack) > 0:
        begin, end, low, high, depth = stack.pop()
        if low == high:
            for k in range(begin, end):
                ranks[where[k]] = low
        elif begin < end:
            if depth >= 0 and end - begin <= SHORT:
                insert_all(values, where, begin, end)
                depth = -1
            middle, depth = split(values, where, begin, end, depth)
            best = own_rank(p, values[middle], middle + 1, low, high, derivative, scale)
            ranks[where[middle]] = best
            stack.append((middle + 1, end, best, high, depth))
            stack.append((begin, middle, low, best, depth))


@kernel
def own_greedy(p, n, order, derivative, scale, ranks):
    """The best rank of each negative among all, on its own; `order` sorts them."""
    for j in range(1, order.size + 1):
        index = order[j - 1]
        ranks[index] = own_rank(p, n[index], j, 1, p.size + 1, derivative, scale)


@kernel
def own_loss(counts, P, derivative):
    """sum_j sum_{i >= r_j} g_j(i), from how many negatives have each rank: the j-th highest has the j-th lowest."""
    total, j = 0.0, 0
    for rank in range(1, P + 2):
        for _ in range(counts[rank]):
            j += 1
            for i in range(rank, P + 1):
                total += derivative(j, i)
    return total


def derivative_of(loss):
    """The derivative of a loss as the kernels above call it."""
    try:
        return _compiled(loss.derivative)
    except (numba.core.errors.NumbaError, AttributeError, TypeError) as error:
        said = [line for line in str(error).splitlines() if line and not line.startswith("Failed in nopython mode")]
        raise ValueError(f"loss must have a derivative that Numba compiles, got {loss.name!r}: {said[0]}") from None


@lru_cache(maxsize=64)
def _compiled(derivative):
    """A pointer to the compiled function: kernels that are given one are compiled once, not once a loss."""
    function = getattr(derivative, "py_func", derivative)  # it may have been compiled by the user
    return numba.cfunc("float64(int64, int64)", error_model="numpy", nogil=True)(function)
