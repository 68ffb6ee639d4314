"""Inference with many negatives, by parts that several threads can rank.

The parts are the same for any number of threads, and so are the sums, which are added in their order.

A part is a range of places, or of buckets. The ranks at its ends are found first. A part knows all else that it needs:
the negatives before it are those of the parts before it, and its ranks lie between those at its ends.
"""

import numpy as np

from .._shared.jit import kernel
from .._shared.threads import in_turn, ranges, threads
from .buckets import MOST_BUCKETS, PER_BUCKET
from .cost import KIND_AUC, best_rank
from .inference import are_in_range, problem_of
from .large_buckets import rank_by_parts_of_buckets, value_of_part
from .ordering import descending_order
from .presorted import rank_descending
from .quicksort import Ranks

LARGE = PER_BUCKET * MOST_BUCKETS  # negatives, which fill as many buckets as there are
NEGATIVES_PER_THREAD = LARGE  # negatives; with fewer, another thread would save little time
PARTS_OF_PLACES = 32  # so that threads end at about the same time, though some parts have many more ranks than others
PER_POSITIVE = 16  # with fewer negatives than this for each positive, a sort is faster, since most buckets are crowded


def infer_large(p, n, kind, ranks, n_jobs):
    """Write the best ranks of at least LARGE negatives. Returns (objective, loss), or NaN if a score is not in range.

    They may be in any order. For sorted ones, `infer_descending` takes less time on one thread, and two threads here
    save time only where there are many positives.
    """
    if not are_in_range(p):
        return np.nan, np.nan
    (problem, ideal), sums = problem_of(p, len(n), kind), None
    with threads(max(1, min(n_jobs, len(n) // NEGATIVES_PER_THREAD))) as each:
        if len(n) > len(p) * PER_POSITIVE:
            sums = rank_by_parts_of_buckets(n, problem, ranks, each, n_jobs)
        if sums is None:
            sums = _rank_by_places(n, problem, ranks, each)
    gain, score = (sum(part) for part in zip(*sums, strict=True))
    pairs = len(p) * len(n)
    loss = gain / pairs if kind == KIND_AUC else 1 - gain / ideal
    return loss + score / pairs, loss


def _rank_by_places(n, problem, ranks, each):
    """Sort the negatives and rank them. Returns what `value_of_part` returns, for each part."""
    n, order = descending_order(n, None if each is in_turn else each)
    if not are_in_range(n):
        return [(np.nan, np.nan)]
    places = ranges(len(n), -(-len(n) // PARTS_OF_PLACES))
    ends = ranks_at(n, np.array([begin for begin, _ in places]), problem)
    counts = np.zeros(len(problem.p) + 2 + len(places), np.int64)  # of ranks; each part has its own first and last one

    def rank(part):
        return rank_places(n, order, *places[part], ends[part], ends[part + 1], problem, ranks, counts[part:])

    return each(rank, [(part,) for part in range(len(places))])


@kernel
def ranks_at(n, places, problem):
    """Returns the best rank at each of these places, in ascending order, and P + 1 as the last entry."""
    found, low = np.empty(places.size + 1, np.int64), np.int64(1)
    for k in range(places.size):
        low = best_rank(np.float64(n[places[k]]), places[k] + 1, low, problem.p.size + 1, problem)
        found[k] = low
    found[0], found[places.size] = 1, problem.p.size + 1
    return found


@kernel
def rank_places(n, order, begin, end, low, high, problem, ranks, counts):
    """Rank the negatives of a part, whose ranks lie in low..high. Returns (gain, score) of the part."""
    p = problem.p
    total = rank_descending(n, order, begin, end, low, high, p[p.size // 2], problem, Ranks(ranks, counts))
    gain, score = value_of_part(low, high, begin, n.size, counts, problem)
    return gain, score - total
