"""Most ranks without a sort: negatives are counted into buckets of scores, and the ends of the buckets are ranked.

Everything before a bucket has a place of at most c and a score above its upper end u, everything in it or after it a
place of at least c + 1 and a score of at most u. So the best rank at place c + 1 and score u, whether a negative is
there or not, is an upper bound of all before and a lower bound of all after. Where a bucket's bounds are equal, it is
done; where they are neighbours, the places at its ends leave a narrow window of scores that do not decide.
"""

import math
from typing import NamedTuple

import numpy as np

from .._shared.jit import kernel
from .._shared.order import SHORT
from .cost import ROUNDING, best_rank, cost, refine, walk

SAMPLE = 64  # so many negatives tell the range of the buckets
MANY = 1 << 15  # the largest number of buckets: what counts them has to stay in the cache
FEW = 16
FULL = 4  # so many negatives a bucket, if there are few of them
LARGEST = float(np.finfo(np.float64).max)


class Rest(NamedTuple):
    """The negatives whose ranks are still open, bucket by bucket and in the order they came, and what is known."""

    values: np.ndarray  # their scores
    where: np.ndarray  # their indices
    start: np.ndarray  # those of bucket b begin at start[b]
    before: np.ndarray  # how many negatives, open or not, are in the buckets before each
    stepped: np.ndarray  # how many of each bucket are known to have one rank more than the least
    least: np.ndarray  # the ranks of bucket b are in least[b]..least[b + 1]


# --- the grid ------------------------------------------------------------------------------------------------------


@kernel
def sorted_sample(a):
    """A few scores, ascending."""
    sample = np.empty(min(SAMPLE, a.size))
    for i in range(sample.size):
        value, k = np.float64(a[i * a.size // sample.size]), i
        while k > 0 and sample[k - 1] > value:
            sample[k] = sample[k - 1]
            k -= 1
        sample[k] = value
    return sample


@kernel
def usual_range(a):
    """A range that holds most of a, with a margin: the few extremes of a sample do not count.

    What is outside goes to the first or last bucket, and costs time only.
    """
    sample = sorted_sample(a)
    low, high = sample[sample.size // 32], sample[sample.size - 1 - sample.size // 32]
    if low == high:
        for i in range(a.size):
            low, high = min(low, np.float64(a[i])), max(high, np.float64(a[i]))
        return low, high
    margin = (high - low) / 2
    return max(low - margin, -LARGEST), min(high + margin, LARGEST)


@kernel
def grid(low, high, buckets):
    """(per, origin): x is in bucket floor(-x per) - origin, whose upper end is -(bucket + origin) / per.

    `per` is a power of two, so that both are free of rounding.
    """
    width = max(high / (buckets - 1) - low / (buckets - 1), max(abs(low), abs(high)) * ROUNDING)
    _, exponent = math.frexp(width)
    per = math.ldexp(1.0, min(-exponent, 1000))
    return per, np.floor(-high * per)


@kernel
def buckets_of(a, per, origin, last, bucket):
    """The bucket of every negative, the highest scores first."""
    for i in range(a.size):
        b = np.floor(-np.float64(a[i]) * per) - origin
        bucket[i] = np.uint16(np.int32(min(max(b, 0.0), last)))


@kernel
def count(bucket, buckets):
    """How many negatives are in the buckets before each; the last entry is their number."""
    before = np.zeros(buckets + 1, np.int64)
    for i in range(bucket.size):
        before[np.int64(bucket[i]) + 1] += 1
    for b in range(buckets):
        before[b + 1] += before[b]
    return before


# --- what the ends of the buckets tell -----------------------------------------------------------------------------


@kernel
def rank_ends(before, per, origin, problem):
    """The least rank of each bucket: the best one at its upper end. Coarse ends first, each between its neighbours."""
    buckets = before.size - 1
    least = np.empty(buckets + 1, np.int64)
    least[0], least[buckets] = 1, problem.p.size + 1
    step = buckets >> 1
    while step > 0:
        for b in range(step, buckets, 2 * step):
            low, high = least[b - step], least[b + step]
            if low < high and before[b - step] < before[b + step]:
                low = best_rank(-(b + origin) / per, before[b] + 1, low, high, problem)
            least[b] = low
        step >>= 1
    return least


@kernel
def thresholds(before, least, problem):
    """The scores that decide inside each bucket: one rank above the least up to `sure`, the least above `unsure`.

    In a bucket of two ranks all but few scores are decided by the places at its ends alone: what the step costs there
    are the bounds of what it costs inside. Buckets of one rank need no decision, in those of more nothing is sure.
    """
    p, kind, scale = problem
    sure, unsure = np.empty(least.size - 1), np.empty(least.size - 1)
    for b in range(sure.size):
        sure[b], unsure[b] = -np.inf, -np.inf
        if least[b + 1] > least[b] and before[b + 1] > before[b]:
            unsure[b] = np.inf
            if least[b + 1] == least[b] + 1:
                i = least[b]
                dear, cheap = cost(i, before[b] + 1, kind, scale), cost(i, before[b + 1], kind, scale)
                rounding = (abs(p[i - 1]) + dear) * ROUNDING
                sure[b], unsure[b] = p[i - 1] - dear - rounding, p[i - 1] - cheap + rounding
    return sure, unsure


@kernel
def write_sure(a, bucket, least, sure, unsure, ranks, stepped, where):
    """The ranks of all negatives whose bucket and score tell; where the others are, and how many."""
    m = 0
    for i in range(a.size):
        b = np.int64(bucket[i])
        rank = least[b]
        if a[i] <= unsure[b]:  # rare, so worth a branch; what follows is not predictable
            step = np.int64(a[i] <= sure[b])
            rank += step
            stepped[b] += step
            where[m] = i
            m += 1 - step
        ranks[i] = rank
    return m


@kernel
def gather(a, bucket, where, buckets):
    """The scores and indices of the negatives that are left, bucket by bucket, and where each bucket begins."""
    values, indices = np.empty(where.size), np.empty(where.size, np.int64)
    start = np.zeros(buckets + 2, np.int64)
    for k in range(where.size):
        start[np.int64(bucket[where[k]]) + 2] += 1
    for b in range(2, start.size):
        start[b] += start[b - 1]
    for k in range(where.size):
        b = np.int64(bucket[where[k]]) + 1
        values[start[b]], indices[start[b]] = a[where[k]], where[k]
        start[b] += 1
    return values, indices, start


# --- the whole -----------------------------------------------------------------------------------------------------


@kernel
def rank_by_buckets(a, problem, ranks):
    """Write the ranks that buckets and scores tell; the rest."""
    bucket, where, buckets = np.empty(a.size, np.uint16), np.empty(a.size, np.int64), FEW
    while buckets < MANY and buckets * FULL < a.size:
        buckets *= 2
    low, high = usual_range(a)
    per, origin = grid(low, high, buckets)
    buckets_of(a, per, origin, buckets - 1.0, bucket)
    before, stepped = count(bucket, buckets), np.zeros(buckets, np.int64)
    least = rank_ends(before, per, origin, problem)
    sure, unsure = thresholds(before, least, problem)
    m = write_sure(a, bucket, least, sure, unsure, ranks, stepped, where)
    values, indices, start = gather(a, bucket, where[:m], buckets)
    return Rest(values, indices, start, before, stepped, least)


@kernel
def one_bucket(a, P):
    """All negatives as the rest, in one bucket of all ranks."""
    values, indices = np.empty(a.size), np.empty(a.size, np.int64)
    before, least = np.zeros(2, np.int64), np.ones(2, np.int64)
    for i in range(a.size):
        values[i], indices[i] = a[i], i
    before[1], least[1] = a.size, P + 1
    return Rest(values, indices, before, before, np.zeros(1, np.int64), least)


@kernel
def rank_rest(rest, problem, answer):
    """Count the ranks that were sure, and find the others: the places in a bucket are known, unstepped ones first."""
    values, where, start, before, stepped, least = rest
    for b in range(stepped.size):
        begin, end, low, high = start[b], start[b + 1], least[b], least[b + 1]
        answer.counts[low] += before[b + 1] - before[b] - stepped[b] - (end - begin)
        if stepped[b] > 0:
            answer.counts[low + 1] += stepped[b]
        shift = before[b + 1] - stepped[b] + 1 - end
        if end - begin > SHORT:
            refine(values, where, begin, end, shift, low, high, problem, answer)
        elif begin < end:
            walk(values, where, begin, end, shift, low, high, problem, answer)
