"""Project rows onto the top-k simplex and the top-k cone (004, sections 4.2 and 4.3)."""

import numpy as np

from .._shared.bits import all_in_range
from .._shared.jit import kernel, summing_kernel
from .candidates import (
    Blocks,
    gather_above,
    keep_above,
    representatives,
    write_clipped,
    write_row_maxima,
)
from .many import fixed_sum_threshold
from .short import clip_in_place, collect_above, collect_all, share_in_place, short_memory
from .thresholds import TopKProblem, just_below, top1_threshold, topk_threshold
from .warm_start import NO_GUESS, project_from_guess

MANY = 48  # to find the threshold of a full sum takes less time than to sort so many of the largest
NO_RADIUS = np.inf  # in place of the radius: the sum is not bounded, and the set is the cone
BOUND_ROUNDED_UP = 1 + 1e-14  # times a bound that has been rounded a few times: a bound again


@kernel
def topk_point(x, k, radius, bias):
    """Project one short row in place onto the top-k simplex, or the cone if the radius is NO_RADIUS.

    Returns False if the row is not in range; it is not changed then.
    """
    if not all_in_range(x):
        return False
    topk_in_place(x, TopKProblem(k, radius, bias, 0.0), topk_memory(x.size, k))
    return True


@kernel
def many_point(x, k, radius, bias):
    """Do what `topk_point` does, for k >= MANY. A first point with fewer does not wait until this is compiled."""
    if not all_in_range(x):
        return False
    many_in_place(x, TopKProblem(k, radius, bias, 0.0), topk_memory(x.size, k))
    return True


@kernel
def topk_rows(a, k, radius, bias, x):
    """Project each short row, like `topk_point`. Each row first tries the threshold of the row before."""
    problem, memory, guess = TopKProblem(k, radius, bias, 0.0), topk_memory(a.shape[1], k), NO_GUESS
    for i in range(len(a)):
        t, beyond = project_from_guess(a[i], guess, radius / k, radius, x[i])
        guess = t if t + (1 / k) * beyond >= bias * radius else NO_GUESS  # Lemma 5
        if np.isnan(guess):
            for j in range(a.shape[1]):
                x[i, j] = a[i, j]
            if not all_in_range(x[i]):
                return False
            guess, _ = many_in_place(x[i], problem, memory)
    return True


@kernel
def topk_long_rows(bits, size, maxima_bits, k, radius, bias, x):
    """Project each long row, split into blocks of this size. x is 0 before. Returns False if a row is not in range.

    `bits` are the bits of the rows.
    """
    a, d, problem = bits.view(x.dtype), bits.shape[1], TopKProblem(k, radius, bias, 0.0)
    memory, indices = topk_memory(d, k), np.empty(d, np.int64)
    for i in range(len(a)):
        maxima = maxima_bits[i].view(x.dtype)
        if not write_row_maxima(bits[i], size, 0, maxima.size, maxima_bits[i]):
            return False
        m, shift, t, u = _topk_long_row(a[i], Blocks(size, maxima), problem, memory, indices)
        write_clipped(a[i], indices[:m], shift, t, u, x[i])
    return True


@kernel
def topk_of_maxima(a, size, maxima, indices, k, radius, bias):
    """Find the answer for one long row, given the maxima of its blocks, but write only the indices.

    Returns (m, shift, t, u): x = clip(a - shift - t, 0, u) at indices[:m], and 0 elsewhere.
    """
    problem, memory = TopKProblem(k, radius, bias, 0.0), topk_memory(a.size, k)
    return _topk_long_row(a, Blocks(size, maxima), problem, memory, indices)


@kernel
def topk_memory(d, k):
    """Returns memory for rows of d coordinates."""
    return short_memory(d, min(k + 1, d), k)


@kernel
def many_in_place(x, problem, memory):
    """Do what `topk_in_place` does. For many of the largest, to find the threshold of a full sum takes less time."""
    k, radius = problem.k, problem.radius
    if MANY <= k < x.size and 0 < radius < np.inf:
        shift, t = fixed_sum_threshold(x, radius / k, radius, memory.candidates)
        if _is_full(x, shift, t, problem):
            clip_in_place(x, shift, t, radius / k)
            return shift + t, radius
    return topk_in_place(x, problem, memory)


@kernel
def topk_in_place(x, problem, memory):
    """Project one short and finite row in place.

    Returns a threshold for the next row to try, and the sum of the answer. This sum is more accurate than one of the
    rounded coordinates.
    """
    k, radius, largest = problem.k, problem.radius, memory.largest
    m = collect_all(x, memory) if k == 1 else collect_above(x, -np.inf, radius / k, memory)
    shared, u = _shared_value(problem, largest)
    if shared:
        share_in_place(x, largest[k - 1], u)
        return largest[k - 1] - u if u == radius / k else NO_GUESS, k * u
    low = _lower_bound(problem, largest)
    if k == 1:
        shift, t, u = top1_threshold(problem, largest[0], memory.candidates, m, low)
    else:
        m = keep_above(memory.candidates, m, low)
        shift, t, u = topk_threshold(problem, memory, m, low)
    total = radius if u == radius / k else _sum_below_radius(problem, largest, shift, t, u)
    clip_in_place(x, shift, t, total / k)
    return shift + t if total == radius else NO_GUESS, total


@summing_kernel
def _is_full(x, shift, t, problem):
    """Returns whether the sum of the projection is the radius, if t is the threshold of that sum (Lemma 5)."""
    k, radius, excess, end = problem.k, problem.radius, 0.0, t + problem.radius / problem.k
    for i in range(x.size):
        v = (x[i] - shift) - end
        excess += v if v > 0 else 0.0
    return problem.offset + (shift + t) + excess / k >= problem.bias * radius


@kernel
def _topk_long_row(a, blocks, problem, memory, indices):
    """Find the answer for one long row. Returns what `topk_of_maxima` returns."""
    k, radius, largest = problem.k, problem.radius, memory.largest
    m = representatives(a, blocks, memory)
    shared, u = _shared_value(problem, largest)
    if shared:
        m = gather_above(a, blocks, np.nextafter(largest[k - 1], -np.inf), memory, indices) if u > 0 else 0
        return m, 0.0, -np.inf, u
    low = _lower_bound(problem, largest)
    shift, t = 0.0, 0.0
    for gathered in range(2):  # first among the representatives, whose threshold is a lower bound, then among all
        if gathered:
            low = max(low, just_below(shift + t))
            m = gather_above(a, blocks, low, memory, indices)
        else:
            m = keep_above(memory.candidates, m, low)
        shift, t, u = topk_threshold(problem, memory, m, low)
    total = radius if u == radius / k else _sum_below_radius(problem, largest, shift, t, u)
    return m, shift, t, total / k


@kernel
def _shared_value(problem, largest):
    """Cases 1 and 2 of Lemma 3. Returns whether the k largest share one value and all others are 0, and the value."""
    k, bias = problem.k, problem.bias
    total = 0.0
    for j in range(k):
        total += largest[j]
    total += k * problem.offset
    if problem.radius == 0 or total <= 0:
        return True, 0.0
    u = min(total / (k + bias * k * k), problem.radius / k)
    return largest.size == k or largest[k - 1] - largest[k] >= u, u


@kernel
def _lower_bound(problem, largest):
    """Returns a lower bound of the threshold.

    bias * sum x is the mean of the k largest of a + offset after x has been subtracted. As x >= 0, this mean bounds the
    sum if there is a bias. The cap is at most this bound over k, and the k-th largest of x is at most the cap.
    """
    k, offset, reach = problem.k, problem.offset, problem.radius
    if problem.bias > 0:
        total = 0.0
        for j in range(k):
            total += largest[j]
        reach = min(reach, (total / k + offset) / problem.bias * BOUND_ROUNDED_UP)
    return just_below(max(largest[k - 1] - reach / k, -(k - 1) * (largest[0] + offset) - offset))


@kernel
def _sum_below_radius(problem, largest, shift, t, u):
    """Returns sum x where it is below the radius: k u, or from the mean that `_lower_bound` names.

    Where nearly k coordinates are at the cap, u comes from a difference that loses digits. The mean loses digits, too,
    where the bias is small.
    """
    k, bias = problem.k, problem.bias
    if bias * k < 1:
        return k * u
    remaining = 0.0
    for j in range(k):
        remaining += largest[j] - min(max((largest[j] - shift) - t, 0.0), u)
    return (remaining / k + problem.offset) / bias
