"""Project rows onto the simplex and the capped simplex (004, section 5, eq. (10))."""

import numpy as np

from .._shared.jit import kernel
from .._shared.order import largest_sorted
from .candidates import NOT_SPLIT, find_candidates, gather_above, keep_above, memory_for, write_clipped
from .thresholds import WORST_RATIO, Bracket, CappedProblem, capped_threshold, just_below
from .warm_start import NO_GUESS, project_from_guess

MOST_CAPPED = 64  # if more coordinates than this fit at the cap, finding the largest costs more than it saves
QUOTIENT_ROUNDED_UP = 1 + 1e-12  # times radius / cap, which rounding can take just below an integer
UNCERTAIN = 1e-12  # relative: 4500 roundings, more than a threshold has that was found without a shift


@kernel
def capped_rows(a, bits, cap, radius, bias, sum_is_fixed, x):
    """Project each row onto {0 <= x <= cap, sum x <= radius}, or sum x = radius. Returns False if not finite."""
    n, d = a.shape
    problem = CappedProblem(cap, radius, bias, sum_is_fixed)
    least = -radius if sum_is_fixed else bias * radius  # t of a full sum; if the sum is fixed, a limit to guesses only
    fit = radius / cap * QUOTIENT_ROUNDED_UP if cap > 0 else np.inf  # so many coordinates can be at the cap
    few_fit = fit < min(d, MOST_CAPPED)
    largest = np.empty(int(fit) + 1 if few_fit else 1)
    memory = memory_for(bits[0], largest, np.empty(0))
    guess = NO_GUESS
    for i in range(n):
        t, _ = project_from_guess(a[i], guess, cap, radius, x[i])
        guess = t if t >= least else NO_GUESS
        if np.isnan(guess):
            finite, t = _capped_row(a[i], bits[i], problem, memory, few_fit, x[i])
            if not finite:
                return False
            guess = t if t > least else NO_GUESS
    return True


@kernel
def _capped_row(a, bits, problem, memory, few_fit, x):
    """Project one row. Returns whether it is finite, and its threshold (NaN if it has none)."""
    cap, largest = problem.cap, memory.largest
    blocks, m, finite = find_candidates(a, bits, memory)
    if not finite:
        return False, np.nan
    largest_sorted(memory.candidates, m, largest)
    low = -np.inf if problem.sum_is_fixed else 0.0
    if cap == 0 or problem.radius == 0 or largest[0] <= low:
        for i in range(x.size):
            x[i] = 0.0
        return True, np.nan
    level, reach = largest[0], np.inf
    if few_fit:
        reach = min(cap, problem.radius)
        low, level = max(low, just_below(largest[-1] - reach)), max(low, largest[-1])
    m = keep_above(memory.candidates, m, low)
    if blocks.size != NOT_SPLIT:
        bracket = Bracket(low, level, largest[0], largest[-1], reach)
        shift, t = capped_threshold(problem, memory.candidates, m, bracket)
        low = max(low, just_below(shift + t))
        m = gather_above(a, blocks, low, memory)
    bracket = Bracket(low, max(low, level), largest[0], largest[-1], reach)
    shift, t = capped_threshold(problem, memory.candidates, m, bracket)
    if shift == 0 and t > WORST_RATIO * cap:
        bracket = _narrow_bracket(low, t, largest)
        m = gather_above(a, blocks, bracket.low, memory)
        shift, t = capped_threshold(problem, memory.candidates, m, bracket)
    write_clipped(a, blocks, memory.indices[:m], shift, t, cap, x)
    return True, shift + t


@kernel
def _narrow_bracket(low, t, largest):
    """Returns a bracket around a threshold t that is too inaccurate.

    No shift was exact in the whole of the last bracket, and t is so large beside the cap that the sum of a - t lost
    digits. A bracket of a few thousand roundings around t always has an exact shift, so that a second search is exact.
    """
    return Bracket(max(low, t - UNCERTAIN * t), t + UNCERTAIN * t, largest[0], largest[-1], np.inf)
