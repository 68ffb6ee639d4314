"""Project rows onto the top-k simplex and the top-k cone (004, sections 4.2 and 4.3)."""

import numpy as np

from .._shared.jit import inlined, kernel
from .._shared.order import largest_sorted
from .candidates import NOT_SPLIT, find_candidates, gather_above, keep_above, memory_for, write_clipped, write_shared
from .thresholds import TopKProblem, just_below, topk_threshold
from .warm_start import NO_GUESS, project_from_guess

NO_RADIUS = np.inf  # in place of the radius: the sum is not bounded, and the set is the cone
BOUND_ROUNDED_UP = 1 + 1e-14  # times a bound that has been rounded a few times: a bound again


@kernel
def topk_rows(a, bits, k, radius, bias, x):
    """Project each row onto the top-k simplex, or the cone if the radius is NO_RADIUS. Returns False if not finite."""
    n, d = a.shape
    problem = TopKProblem(k, radius, bias, 0.0)
    largest, excess = np.empty(min(k + 1, d)), np.empty(k)
    memory = memory_for(bits[0], largest, excess)
    guess = NO_GUESS
    for i in range(n):
        t, beyond = project_from_guess(a[i], guess, radius / k, radius, x[i])
        guess = t if t + (1 / k) * beyond >= bias * radius else NO_GUESS  # Lemma 5
        if np.isnan(guess):
            finite, guess, _ = topk_row(a[i], bits[i], problem, memory, x[i])
            if not finite:
                return False
    return True


@kernel
def topk_row(a, bits, problem, memory, x):
    """Project one row; a long row is written only where the answer is not 0.

    The memory has room for the k + 1 largest coordinates, or all if d = k, and for k excesses.
    Returns whether the row is finite, a threshold for the next row to try, and the sum of the answer. This sum is more
    accurate than one of the rounded coordinates.
    """
    k, radius, largest = problem.k, problem.radius, memory.largest
    blocks, m, finite = find_candidates(a, bits, memory)
    if not finite:
        return False, NO_GUESS, 0.0
    largest_sorted(memory.candidates, m, largest)
    shared, u = _shared_value(problem, largest)
    if shared:
        write_shared(a, blocks, largest[k - 1], u, x)
        return True, largest[k - 1] - u if u == radius / k else NO_GUESS, k * u
    low = _lower_bound(problem, largest)
    m = keep_above(memory.candidates, m, low)
    if blocks.size != NOT_SPLIT:
        shift, t, u = topk_threshold(problem, memory, m, low)
        low = max(low, just_below(shift + t))
        m = gather_above(a, blocks, low, memory)
    shift, t, u = topk_threshold(problem, memory, m, low)
    total = radius if u == radius / k else _sum_below_radius(problem, largest, shift, t, u)
    write_clipped(a, blocks, memory.indices[:m], shift, t, total / k, x)
    return True, shift + t if total == radius else NO_GUESS, total


@inlined
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


@inlined
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


@inlined
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
