"""A walk in parts: the random numbers are drawn for some of its steps at a time."""

import numpy as np

from reference.problems import checks

from .._shared.examples import read_only

# Half a megabyte, which fits in a second-level cache. Usually enough for thousands of steps, so that the call of a
# kernel costs little beside them.
NUMBERS_AT_ONCE = 2**16


def walk_in_parts(walk, draws, size, most):
    """Call walk(numbers, count), which returns a Walked, until `size` steps are made.

    A step uses at most `most` numbers. Returns how many steps moved something.
    """
    moves = 0
    while size > 0:
        numbers = draws.coming(min(max(NUMBERS_AT_ONCE, most), size * most))
        walked = walk(read_only(numbers), size)
        if not walked.finite:
            checks.finite_number(np.nan, "a difference of scores")
        if walked.steps == 0:  # so many numbers suffice for a step, unless `draws` has come to its end: it says so here
            draws.take(len(numbers) + 1)
        draws.skip(walked.used)
        size, moves = size - walked.steps, moves + walked.moves
    return moves
