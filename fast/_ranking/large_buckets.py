"""The ranks of many negatives by buckets of scores: several threads fill the buckets, and rank ranges of buckets."""

import math

import numpy as np

from .._shared.bits import all_in_range
from .._shared.jit import borrowing_kernel, kernel
from .._shared.threads import ranges
from .buckets import (
    MOST_BUCKETS,
    OpenNegatives,
    crowded_negatives,
    deciding_scores,
    grid_of,
    group_by_bucket,
    rank_ends,
    rank_open,
    write_buckets,
    write_sure,
)
from .cost import KIND_AP, KIND_AUC
from .inference import sum_over_negatives
from .quicksort import Ranks

MOST_CROWDED = 1 / 6  # of the negatives; with more in crowded buckets, a sort takes less time
CHUNKS_PER_THREAD, MOST_CHUNKS = 2, 16  # of negatives; each has its own counts, which are as many as the buckets
PARTS_OF_BUCKETS = 32  # so that threads end at about the same time though some buckets take longer than others
SUMMED = 2**15  # negatives that are summed in one piece
READ_ONCE = 2**12  # negatives that are put in buckets before the next ones are read


def rank_by_parts_of_buckets(n, problem, ranks, each, n_jobs):
    """Returns what `value_of_part` returns, for each part, or None if too many negatives are in crowded buckets."""
    N, bucket, grid = len(n), np.empty(len(n), np.uint16), grid_of(n, MOST_BUCKETS)
    n_chunks = 1 if n_jobs == 1 else min(CHUNKS_PER_THREAD * n_jobs, MOST_CHUNKS)
    summed = -(-N // SUMMED)
    of_sums = ranges(summed, -(-summed // n_chunks))
    chunks = [(c, begin * SUMMED, min(end * SUMMED, N)) for c, (begin, end) in enumerate(of_sums)]
    befores, starts, stepped = (np.empty((len(chunks), MOST_BUCKETS + more), np.int64) for more in (1, 2, 0))
    filled = each(lambda c, begin, end: fill_chunk(n[begin:end], grid, bucket[begin:end], befores[c]), chunks)
    if not all(filled):
        return [(np.nan, np.nan)]
    crowded, before, least, *decisions = bounds_of(befores, grid, problem)
    if crowded > MOST_CROWDED * N:
        return None

    def decide(c, begin, end):
        part = slice(begin, end)
        return decide_chunk(
            n[part], bucket[part], begin, least, *decisions, problem.p, ranks[part], starts[c], stepped[c]
        )

    opened = each(decide, chunks)
    firsts = np.cumsum([0, *(len(values) for values, _, _ in opened)])
    values, indices, totals = (np.concatenate(parts) for parts in zip(*opened, strict=True))
    stepped, cuts = stepped.sum(axis=0), _cuts(before)
    counts = np.zeros(len(problem.p) + 2 + len(cuts), np.int64)  # of ranks; each part has its own first and last one

    def rank(part):
        buckets = slice(cuts[part], cuts[part + 1])
        through = slice(cuts[part], cuts[part + 1] + 1)
        return rank_buckets(
            values, indices, firsts, starts, cuts[part], before[through], stepped[buckets], least[through], problem,
            ranks, counts[part:],
        )  # fmt: skip

    sums = each(rank, [(part,) for part in range(len(cuts) - 1)])
    return [*sums, *((0.0, -total) for total in totals.tolist())]


def _cuts(before):
    """Returns the first bucket of each part, and the number of buckets. Parts have about equally many negatives."""
    share = np.arange(1, PARTS_OF_BUCKETS) * (before[-1] / PARTS_OF_BUCKETS)
    return sorted({0, *np.searchsorted(before, share).tolist(), len(before) - 1})


@kernel
def fill_chunk(a, grid, bucket, before):
    """Write the buckets of some negatives, and how many are in the buckets before each.

    Returns whether all are in range. They are read in pieces that stay in the cache.
    """
    before.fill(0)
    for begin in range(0, a.size, READ_ONCE):
        end = min(begin + READ_ONCE, a.size)
        if not all_in_range(a[begin:end]):
            return False
        write_buckets(a[begin:end], grid, MOST_BUCKETS - 1, bucket[begin:end])
        for k in range(begin, end):
            before[np.int64(bucket[k]) + 1] += 1
    for b in range(MOST_BUCKETS):
        before[b + 1] += before[b]
    return True


@kernel
def bounds_of(befores, grid, problem):
    """Returns (number of crowded negatives, before, least, sure, unsure) of all chunks, given those before in each."""
    before = np.zeros(befores.shape[1], np.int64)
    for c in range(befores.shape[0]):
        for b in range(before.size):
            before[b] += befores[c, b]
    least = rank_ends(before, grid, problem)
    sure, unsure = deciding_scores(before, least, problem)
    return crowded_negatives(before, least), before, least, sure, unsure


@kernel
def decide_chunk(a, bucket, first, least, sure, unsure, p, ranks, start, stepped):
    """Write the ranks that bucket and score decide, and for the others the least rank of their bucket.

    Returns (values, where) of the others, as in OpenNegatives, and the parts of sum_ij R_ij (n_j - centre), SUMMED
    negatives at a time. Also write start and stepped. The index of a[0] is `first`.
    """
    where, totals, m = np.empty(a.size, np.int64), np.empty(-(-a.size // SUMMED)), 0
    start.fill(0)
    stepped.fill(0)
    for part in range(totals.size):
        begin = part * SUMMED
        piece, ranked = a[begin : begin + SUMMED], ranks[begin : begin + SUMMED]
        more = write_sure(piece, bucket[begin : begin + SUMMED], least, sure, unsure, ranked, stepped, where[m:])
        for k in range(m, m + more):
            where[k] += begin
        m += more
        totals[part] = sum_over_negatives(piece, ranked, p.size, p[p.size // 2])
    values, indices = np.empty(m), np.empty(m, np.int64)
    group_by_bucket(a, bucket, where[:m], first, values, indices, start)
    return values, indices, totals


@kernel
def rank_buckets(values, indices, firsts, starts, first, before, stepped, least, problem, ranks, counts):
    """Rank the open negatives of some buckets, from `first` on. Returns what `value_of_part` returns, less their change
    of sum_ij R_ij (n_j - centre), as the sums of `decide_chunk` hold it with the least rank of each bucket.

    From firsts[c] on, those of chunk c and bucket b are starts[c, b]..starts[c, b + 1] - 1. The other arrays begin with
    the first bucket.
    """
    size, N = stepped.size, ranks.size
    start, m = np.zeros(size + 1, np.int64), 0
    for b in range(size):
        for c in range(starts.shape[0]):
            m += starts[c, first + b + 1] - starts[c, first + b]
        start[b + 1] = m
    open_values, where, m = np.empty(m), np.empty(m, np.int64), 0
    for b in range(first, first + size):
        for c in range(starts.shape[0]):
            for k in range(firsts[c] + starts[c, b], firsts[c] + starts[c, b + 1]):
                open_values[m], where[m] = values[k], indices[k]
                m += 1
    rank_open(OpenNegatives(open_values, where, start, before, stepped, least), problem, Ranks(ranks, counts))
    p, correction = problem.p, 0.0
    for b in range(size):
        for k in range(start[b], start[b + 1]):
            correction += (open_values[k] - p[p.size // 2]) * (ranks[where[k]] - least[b])
    gain, score = value_of_part(least[0], least[size], before[0], N, counts, problem)
    return gain, score - 2 * correction


@borrowing_kernel
def value_of_part(low, high, before, N, counts, problem):
    """Returns (gain, score): the parts of the positives low..high-1 in the gain of a ranking and in P N F(R).

    Given are the number of negatives before the part, and how many of the part have each rank.
    """
    p, kind, _ = problem
    centre, gain, score = p[p.size // 2], 0.0, 0.0
    for i in range(low, high):
        before += counts[i]
        score += (p[i - 1] - centre) * (N - 2 * before)
        if kind == KIND_AP:
            gain += i / (i + before)
        else:
            gain += before if kind == KIND_AUC else 1 / math.log(1.0 + i + before)
    return gain, score
