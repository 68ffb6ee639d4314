"""Project rows onto the simplex and the capped simplex (004, section 5, eq. (10))."""

import numpy as np

from .._shared.bits import all_in_range
from .._shared.jit import kernel, merged
from .candidates import Blocks, gather_above, keep_above, representatives, write_clipped, write_row_maxima
from .many import fixed_sum_threshold
from .short import clip_in_place, collect_above, short_memory
from .thresholds import UNCERTAIN, WORST_RATIO, Bracket, CappedProblem, capped_threshold, just_below
from .warm_start import NO_GUESS, project_from_guess

MOST_CAPPED = 64  # if more coordinates than this fit at the cap, finding the largest costs more than it saves
QUOTIENT_ROUNDED_UP = 1 + 1e-12  # times radius / cap, which rounding can take just below an integer


@kernel
def capped_point(x, cap, radius, bias, sum_is_fixed):
    """Project one short row in place onto {0 <= x <= cap, sum x <= radius}, or sum x = radius.

    Returns False if the row is not in range; it is not changed then.
    """
    if not all_in_range(x):
        return False
    capped_in_place(x, *capped_problem(x.size, cap, radius, bias, sum_is_fixed))
    return True


@kernel
def capped_rows(a, cap, radius, bias, sum_is_fixed, x):
    """Project each short row, like `capped_point`. Each row first tries the threshold of the row before."""
    problem, memory = capped_problem(a.shape[1], cap, radius, bias, sum_is_fixed)
    least = -radius if sum_is_fixed else bias * radius  # t of a full sum; if the sum is fixed, a limit to guesses only
    guess = NO_GUESS
    for i in range(len(a)):
        t, _ = project_from_guess(a[i], guess, cap, radius, x[i])
        guess = t if t >= least else NO_GUESS
        if np.isnan(guess):
            for j in range(a.shape[1]):
                x[i, j] = a[i, j]
            if not all_in_range(x[i]):
                return False
            t = capped_in_place(x[i], problem, memory)
            guess = t if t > least else NO_GUESS
    return True


@kernel
def capped_long_rows(bits, size, maxima_bits, cap, radius, bias, sum_is_fixed, x):
    """Project each long row, split into blocks of this size. x is 0 before. Returns False if a row is not in range.

    `bits` are the bits of the rows.
    """
    a, (problem, memory) = bits.view(x.dtype), capped_problem(bits.shape[1], cap, radius, bias, sum_is_fixed)
    indices = np.empty(bits.shape[1], np.int64)
    for i in range(len(a)):
        maxima = maxima_bits[i].view(x.dtype)
        if not write_row_maxima(bits[i], size, 0, maxima.size, maxima_bits[i]):
            return False
        m, shift, t = _capped_long_row(a[i], Blocks(size, maxima), problem, memory, indices)
        write_clipped(a[i], indices[:m], shift, t, cap, x[i])
    return True


@kernel
def capped_of_maxima(a, size, maxima, indices, cap, radius, bias, sum_is_fixed):
    """Find the answer for one long row, given the maxima of its blocks, but write only the indices.

    Returns (m, shift, t, cap): x = clip(a - shift - t, 0, cap) at indices[:m], and 0 elsewhere.
    """
    problem, memory = capped_problem(a.size, cap, radius, bias, sum_is_fixed)
    m, shift, t = _capped_long_row(a, Blocks(size, maxima), problem, memory, indices)
    return m, shift, t, cap


@kernel
def largest_needed(d, cap, radius):
    """Returns (how many of the largest coordinates are needed, whether few coordinates can be at the cap).

    If few can, one more is needed than can be at the cap, otherwise one.
    """
    fit = radius / cap * QUOTIENT_ROUNDED_UP if cap > 0 else np.inf
    few_fit = fit < min(d, MOST_CAPPED)
    return int(fit) + 1 if few_fit else 1, few_fit


@kernel
def capped_problem(d, cap, radius, bias, sum_is_fixed):
    """Returns the CappedProblem, and the memory for rows of d coordinates."""
    largest, few_fit = largest_needed(d, cap, radius)
    return CappedProblem(cap, radius, bias, sum_is_fixed, few_fit), short_memory(d, largest, 0)


@kernel
def capped_in_place(x, problem, memory):
    """Project one short and finite row in place. Returns its threshold, or NaN if it has none."""
    shift, t = capped_row_threshold(x, problem, memory)
    if t == np.inf:
        for i in range(x.size):
            x[i] = 0.0
        return NO_GUESS
    clip_in_place(x, shift, t, problem.cap)
    return shift + t


@merged
def capped_row_threshold(x, problem, memory):
    """Returns (shift, t) of a short and finite row: the answer is clip(x - shift - t, 0, cap). t is inf if it is 0."""
    if problem.sum_is_fixed and not problem.few_fit and problem.cap > 0:
        return fixed_sum_threshold(x, problem.cap, problem.radius, memory.candidates)
    floor = -np.inf if problem.sum_is_fixed else 0.0
    m = collect_above(x, floor, min(problem.cap, problem.radius) if problem.few_fit else np.inf, memory)
    if _is_zero(problem, memory.largest, floor):
        return 0.0, np.inf
    bracket, shift, t = _first_bracket(problem, memory.largest, floor), 0.0, 0.0
    for again in range(2):
        if again:
            bracket, m = _narrow_bracket(bracket.low, t, memory.largest), x.size
            for i in range(x.size):
                memory.candidates[i] = x[i]
        m = keep_above(memory.candidates, m, bracket.low)
        shift, t = capped_threshold(problem, memory.candidates, m, bracket)
        if shift != 0 or abs(t) <= WORST_RATIO * problem.cap:
            break
    return shift, t


@kernel
def _capped_long_row(a, blocks, problem, memory, indices):
    """Find the answer for one long row. Returns (m, shift, t), as `capped_of_maxima` does."""
    largest, floor = memory.largest, -np.inf if problem.sum_is_fixed else 0.0
    m = representatives(a, blocks, memory)
    if _is_zero(problem, largest, floor):
        return 0, 0.0, 0.0
    bracket = _first_bracket(problem, largest, floor)
    level, reach, shift, t = bracket.level, bracket.reach, 0.0, 0.0
    for turn in range(3):  # among the representatives, whose threshold is a lower bound; among all; exactly
        if turn == 0:
            m = keep_above(memory.candidates, m, bracket.low)
        elif turn == 1:
            low = max(bracket.low, just_below(shift + t))
            bracket = Bracket(low, max(low, level), largest[0], largest[-1], reach)
        elif shift == 0 and abs(t) > WORST_RATIO * problem.cap:
            bracket = _narrow_bracket(bracket.low, t, largest)
        else:
            break
        if turn > 0:
            m = gather_above(a, blocks, bracket.low, memory, indices)
        shift, t = capped_threshold(problem, memory.candidates, m, bracket)
    return m, shift, t


@kernel
def _is_zero(problem, largest, floor):
    """Returns whether the answer is 0."""
    return problem.cap == 0 or problem.radius == 0 or largest[0] <= floor


@kernel
def _first_bracket(problem, largest, floor):
    """Returns a bracket of the threshold from the largest coordinates."""
    if not problem.few_fit:
        return Bracket(floor, largest[0], largest[0], largest[-1], np.inf)
    reach = min(problem.cap, problem.radius)
    low, level = max(floor, just_below(largest[-1] - reach)), max(floor, largest[-1])
    return Bracket(low, max(low, level), largest[0], largest[-1], reach)


@kernel
def _narrow_bracket(low, t, largest):
    """Returns a bracket around a threshold t that is too inaccurate.

    No shift was exact in the whole of the last bracket, and t is so large beside the cap that the sum of a - t lost
    digits. A bracket of a few thousand roundings around t always has an exact shift, so that a second search is exact.
    """
    margin = UNCERTAIN * abs(t)
    return Bracket(max(low, t - margin), t + margin, largest[0], largest[-1], np.inf)
