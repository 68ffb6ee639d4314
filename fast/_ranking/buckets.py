"""Most ranks without a sort: count the negatives in buckets of scores, and rank the ends of the buckets.

Let c negatives be in the buckets before bucket b, and let u be the upper end of b. Negatives before b have a place of
at most c and a score above u. Those in b or after it have a place of at least c + 1 and a score of at most u. So the
best rank for place c + 1 and score u, whether or not a negative is there, is an upper bound for all negatives before b,
and a lower bound for all others. If both bounds of a bucket are equal, its negatives are ranked. If they differ by one,
the costs at both ends of the bucket decide all negatives except those in a narrow window of scores.
"""

import math
from typing import NamedTuple

import numpy as np

from .._shared.bits import MAGNITUDE_BITS
from .._shared.jit import borrowing_kernel, inlined, kernel
from .._shared.order import SHORT, heap_sort
from .cost import STEP_ROUNDING, best_rank, step_cost
from .quicksort import rank_segment, rank_short_segment

SAMPLE_SIZE = 64  # scores from which the range of the buckets is estimated
TRIMMED = 32  # one in so many of the sample is ignored at each end, since it may be an outlier
FEWEST_BUCKETS, MOST_BUCKETS = 16, 1 << 15  # powers of two; the counts of the most must stay in the cache
PER_BUCKET = 4  # the number of buckets is doubled while they would hold more negatives than this on average
CROWDED = 1 / 4  # a grid of keys is chosen if scores are so many times more crowded without
FEW_CROWDED = 32  # up to one in so many negatives may be in crowded buckets that are sorted by a heap
LARGEST_EXPONENT = 1000  # keeps 2**exponent finite where all scores are subnormal
LARGEST_FLOAT = float(np.finfo(np.float64).max)


class Grid(NamedTuple):
    """Score x is in bucket floor(-x per) - origin, or, if the scores are skewed, by its key: (top - key) >> shift.

    `per` is a power of two, so that -x per does not round, nor does the end of a bucket, -(bucket + origin) / per. A
    bucket is wider than the rounding of the scores.
    """

    per: float
    origin: float
    top: int
    shift: int
    by_key: bool


class Buckets(NamedTuple):
    """The bucket of each negative, the number of negatives before each bucket, and the bounds of ranks."""

    bucket: np.ndarray
    before: np.ndarray
    least: np.ndarray  # the ranks of the negatives in bucket b are in least[b]..least[b + 1]


class OpenNegatives(NamedTuple):
    """The negatives that are not ranked yet, by bucket and within a bucket in their order, and the bounds of ranks."""

    values: np.ndarray  # their scores
    where: np.ndarray  # their indices
    start: np.ndarray  # those of bucket b are start[b]..start[b + 1] - 1
    before: np.ndarray  # number of negatives, ranked or not, in the buckets before b
    stepped: np.ndarray  # number of negatives in bucket b that are known to have rank least[b] + 1
    least: np.ndarray  # the ranks of the negatives in bucket b are in least[b]..least[b + 1]


# --- the grid of buckets -------------------------------------------------------------------------------------------


@kernel
def sorted_sample(a):
    """Returns some of the scores, ascending."""
    sample = np.empty(min(SAMPLE_SIZE, a.size))
    for i in range(sample.size):
        value, k = np.float64(a[i * a.size // sample.size]), i
        while k > 0 and sample[k - 1] > value:
            sample[k] = sample[k - 1]
            k -= 1
        sample[k] = value
    return sample


@kernel
def grid_of(a, buckets):
    """Returns a Grid whose buckets hold most of the scores.

    Scores outside of the range of the grid go to the first or the last bucket. That costs time only.
    """
    sample = sorted_sample(a)
    trimmed = sample[sample.size // TRIMMED : sample.size - sample.size // TRIMMED]
    low, high = trimmed[0], trimmed[-1]
    if low == high:
        for i in range(a.size):
            low, high = min(low, np.float64(a[i])), max(high, np.float64(a[i]))
    elif _is_skewed(trimmed):
        margin = (_key(high) >> 1) - (_key(low) >> 1)
        top = min(_key(high) + margin, _key(LARGEST_FLOAT))
        width, shift = (top - max(_key(low) - margin, _key(-LARGEST_FLOAT))) // buckets, 0
        while width >> shift > 0:
            shift += 1
        return Grid(0.0, 0.0, top, shift, True)
    else:
        margin = (high - low) / 2
        low, high = max(low - margin, -LARGEST_FLOAT), min(high + margin, LARGEST_FLOAT)
    width = max(high / (buckets - 1) - low / (buckets - 1), max(abs(low), abs(high)) * STEP_ROUNDING)
    _, exponent = math.frexp(width)
    per = math.ldexp(1.0, min(-exponent, LARGEST_EXPONENT))
    return Grid(per, np.floor(-high * per), 0, 0, False)


@kernel
def _is_skewed(sample):
    """Returns whether a sixth of the sample fills a smaller part of its range than of the range of its keys."""
    share = sample.size // 6
    spread, of_keys = np.inf, np.inf
    for i in range(sample.size - share):
        spread = min(spread, sample[i + share] - sample[i])
        of_keys = min(of_keys, float(_key(sample[i + share]) - _key(sample[i])))
    return spread / (sample[-1] - sample[0]) < CROWDED * of_keys / float(_key(sample[-1]) - _key(sample[0]))


@inlined
def _key(score):
    """Returns an integer that rises with the score, by one for each fourth float: about its logarithm."""
    bits = np.float64(score).view(np.int64)
    return (bits ^ ((bits >> 63) & MAGNITUDE_BITS[1])) >> 2


@inlined
def upper_end(grid, bucket):
    """Returns a number that no score in this bucket exceeds, and all scores in the buckets before do."""
    if not grid.by_key:
        return -(bucket + grid.origin) / grid.per
    bits = ((grid.top - (np.int64(bucket) << grid.shift)) << 2) | 3
    return np.int64(bits ^ ((bits >> 63) & MAGNITUDE_BITS[1])).view(np.float64)


@borrowing_kernel
def write_buckets(a, grid, last, bucket):
    """Write the bucket of each negative. Bucket 0 has the highest scores."""
    if grid.by_key:
        for i in range(a.size):
            bucket[i] = np.uint16(min(max((grid.top - _key(a[i])) >> grid.shift, 0), last))
        return
    per, origin, end = grid.per, grid.origin, float(last)
    for i in range(a.size):
        b = np.floor(-np.float64(a[i]) * per) - origin
        bucket[i] = np.uint16(np.int32(min(max(b, 0.0), end)))


@kernel
def count_before(bucket, buckets):
    """Returns the number of negatives in the buckets before each one, and in all of them as the last entry."""
    before = np.zeros(buckets + 1, np.int64)
    for i in range(bucket.size):
        before[np.int64(bucket[i]) + 1] += 1
    for b in range(buckets):
        before[b + 1] += before[b]
    return before


# --- ranks from the ends of the buckets ----------------------------------------------------------------------------


@kernel
def rank_ends(before, grid, problem):
    """Returns the least rank of each bucket, which is the best one at its upper end, and P + 1 as the last entry.

    The ends are ranked from coarse to fine. Each needs only the ranks between those of its neighbours.
    """
    buckets = before.size - 1
    least = np.empty(buckets + 1, np.int64)
    least[0], least[buckets] = 1, problem.p.size + 1
    step = buckets >> 1
    while step > 0:
        for b in range(step, buckets, 2 * step):
            low, high = least[b - step], least[b + step]
            if low < high and before[b - step] < before[b + step]:
                low = best_rank(upper_end(grid, b), before[b] + 1, low, high, problem)
            least[b] = low
        step >>= 1
    return least


@kernel
def deciding_scores(before, least, problem):
    """Returns (sure, unsure): in bucket b, scores up to sure[b] have rank least[b] + 1, those above unsure[b] least[b].

    In a bucket of two ranks, the cost of the one step at its first and last place bounds the cost at all its places. In
    a bucket of one rank there is nothing to decide. In a bucket of three or more ranks no score is decided.
    """
    p, kind, scale = problem
    sure, unsure = np.empty(least.size - 1), np.empty(least.size - 1)
    for b in range(sure.size):
        sure[b], unsure[b] = -np.inf, -np.inf
        if least[b + 1] > least[b] and before[b + 1] > before[b]:
            unsure[b] = np.inf
            if least[b + 1] == least[b] + 1:
                i = least[b]
                upper, lower = step_cost(i, before[b] + 1, kind, scale), step_cost(i, before[b + 1], kind, scale)
                rounding = (abs(p[i - 1]) + upper) * STEP_ROUNDING
                sure[b], unsure[b] = p[i - 1] - upper - rounding, p[i - 1] - lower + rounding
    return sure, unsure


@borrowing_kernel
def write_sure(a, bucket, least, sure, unsure, ranks, stepped, where):
    """Write the ranks that bucket and score decide, and the indices of the others. Returns the number of the others."""
    m = 0
    for i in range(a.size):
        b = np.int64(bucket[i])
        rank = least[b]
        if a[i] <= unsure[b]:  # rare, so worth a branch; the comparison below is not predictable
            step = np.int64(a[i] <= sure[b])
            rank += step
            stepped[b] += step
            where[m] = i
            m += 1 - step
        ranks[i] = rank
    return m


@borrowing_kernel
def group_by_bucket(a, bucket, where, first, values, indices, start):
    """Write the scores and indices of the open negatives by bucket, and the position at which each bucket starts.

    `where` holds indices in `a`. The index of a[0] is `first`. `start` is zeros, two more than buckets.
    """
    for k in range(where.size):
        start[np.int64(bucket[where[k]]) + 2] += 1
    for b in range(2, start.size):
        start[b] += start[b - 1]
    for k in range(where.size):
        b = np.int64(bucket[where[k]]) + 1
        values[start[b]], indices[start[b]] = a[where[k]], first + where[k]
        start[b] += 1


# --- all negatives -------------------------------------------------------------------------------------------------


@kernel
def fill_buckets(a, problem):
    """Returns the Buckets of the negatives."""
    bucket, buckets = np.empty(a.size, np.uint16), FEWEST_BUCKETS
    while buckets < MOST_BUCKETS and buckets * PER_BUCKET < a.size:
        buckets *= 2
    grid = grid_of(a, buckets)
    write_buckets(a, grid, buckets - 1, bucket)
    before = count_before(bucket, buckets)
    return Buckets(bucket, before, rank_ends(before, grid, problem))


@borrowing_kernel
def crowded_negatives(before, least):
    """Returns how many negatives are in crowded buckets of three or more ranks, in which no score is decided."""
    crowded = 0
    for b in range(before.size - 1):
        size = before[b + 1] - before[b]
        if size > SHORT and least[b + 1] > least[b] + 1:
            crowded += size
    return crowded


@kernel
def rank_by_buckets(a, buckets, problem, ranks):
    """Write the ranks that bucket and score decide. Returns the other negatives."""
    bucket, before, least = buckets
    where, stepped = np.empty(a.size, np.int64), np.zeros(least.size - 1, np.int64)
    sure, unsure = deciding_scores(before, least, problem)
    m = write_sure(a, bucket, least, sure, unsure, ranks, stepped, where)
    values, indices, start = np.empty(m), np.empty(m, np.int64), np.zeros(least.size + 1, np.int64)
    group_by_bucket(a, bucket, where[:m], np.int64(0), values, indices, start)
    return OpenNegatives(values, indices, start, before, stepped, least)


@kernel
def rank_spread(negatives, problem, ranks):
    """Do what `rank_open` does, without Algorithm 1. Returns False if crowded buckets have many open negatives."""
    values, where, start, before, stepped, least = negatives
    crowded = 0
    for b in range(stepped.size):
        if start[b + 1] - start[b] > SHORT:
            crowded += start[b + 1] - start[b]
    if crowded * FEW_CROWDED > before[-1]:
        return False
    for b in range(stepped.size):
        begin, end, after = start[b], start[b + 1], before[b + 1] - stepped[b]
        ranks.counts[least[b]] += after - before[b] - (end - begin)
        if stepped[b] > 0:
            ranks.counts[least[b] + 1] += stepped[b]
        if end - begin > SHORT:
            heap_sort(values, where, begin, end)
        if begin < end:
            rank_short_segment(values, where, begin, end, after + 1 - end, least[b], least[b + 1], problem, ranks)
    return True


@kernel
def rank_open(negatives, problem, ranks):
    """Rank the open negatives by Algorithm 1, and count all ranks.

    Within a bucket the stepped negatives come last, since their scores are the lowest. So the places of the open ones
    are known: they are the last before those.
    """
    values, where, start, before, stepped, least = negatives
    for b in range(stepped.size):
        begin, end, after = start[b], start[b + 1], before[b + 1] - stepped[b]
        ranks.counts[least[b]] += after - before[b] - (end - begin)
        if stepped[b] > 0:
            ranks.counts[least[b] + 1] += stepped[b]
        if end - begin > SHORT:
            rank_segment(values, where, begin, end, after + 1 - end, least[b], least[b + 1], problem, ranks)
        elif begin < end:
            rank_short_segment(values, where, begin, end, after + 1 - end, least[b], least[b + 1], problem, ranks)
