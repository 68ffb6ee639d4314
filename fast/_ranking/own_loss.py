"""Loss-augmented inference for a loss that the user defines by its discrete derivative (a `QSLoss`).

Only single values of the derivative are known. So this is Algorithm 1 as 002 prints it, which tries every rank from low
to high, without buckets and without bounds of the costs. The cost of a step is scale * derivative(j, i), where `scale`
is P N / 2 divided by the total of the loss. `cost` explains the symbols.
"""

from functools import lru_cache

import numba
import numpy as np

from .._shared.jit import kernel
from .._shared.order import SHORT, first_depth, insert_all, split
from .cost import STEP_ROUNDING

SORTED = -1  # the depth by which `split` is told that a segment is in order
KEPT = 64  # compiled derivatives, so that a program with many losses does not keep all of them


@kernel
def scan_by_derivative(p, n, j, low, high, derivative, scale):
    """Returns the highest of the best ranks in low..high, for score n and place j, by trying every step.

    The same rule as `scan` in `cost`, for a cost that may also be negative. It is written out in both places, since
    with one function for the rule the compiler chooses other instructions, and inference becomes about 10 % slower.
    """
    best, gain, rounding = low, 0.0, 0.0
    for i in range(low, high):
        cost = scale * derivative(j, i)
        gain += (p[i - 1] - n) - cost
        if gain >= -rounding:
            best, gain, rounding = i + 1, 0.0, 0.0
        else:
            rounding += (abs(cost) + abs(gain)) * STEP_ROUNDING
    return best


@kernel
def infer_by_derivative(p, values, derivative, scale, ranks):
    """Write the best ranks by Algorithm 1. `values` are the scores of the negatives, which are reordered in place."""
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
                depth = SORTED
            middle, depth = split(values, where, begin, end, depth)
            best = scan_by_derivative(p, values[middle], middle + 1, low, high, derivative, scale)
            ranks[where[middle]] = best
            stack.append((middle + 1, end, best, high, depth))
            stack.append((begin, middle, low, best, depth))


@kernel
def greedy_by_derivative(p, n, order, derivative, scale, ranks):
    """Write the best of all ranks of each negative. n[order] must be in descending order."""
    for j in range(1, order.size + 1):
        index = order[j - 1]
        ranks[index] = scan_by_derivative(p, n[index], j, 1, p.size + 1, derivative, scale)


@kernel
def loss_by_derivative(counts, P, derivative):
    """Returns sum_j sum_{i >= r_j} derivative(j, i), given the number of negatives of each rank.

    The j-th highest negative has the j-th lowest rank.
    """
    total, j = 0.0, 0
    for rank in range(1, P + 2):
        for _ in range(counts[rank]):
            j += 1
            for i in range(rank, P + 1):
                total += derivative(j, i)
    return total


def compiled_derivative(loss):
    """Returns the derivative of a loss in the form that the kernels above call."""
    try:
        return _compiled(loss.derivative)
    except (numba.core.errors.NumbaError, AttributeError, TypeError) as error:
        said = [line for line in str(error).splitlines() if line and not line.startswith("Failed in nopython mode")]
        raise ValueError(f"loss must have a derivative that Numba compiles, got {loss.name!r}: {said[0]}") from None


@lru_cache(maxsize=KEPT)
def _compiled(derivative):
    """Returns a pointer to the compiled function: a kernel that takes a pointer is compiled once, not once a loss."""
    function = getattr(derivative, "py_func", derivative)  # the user may have compiled it already
    return numba.cfunc("float64(int64, int64)", error_model="numpy", nogil=True)(function)
