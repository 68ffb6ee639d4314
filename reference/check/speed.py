"""How long calls take."""

import math
import time

TIMED_FOR = 0.03  # seconds a measurement takes at least, so that its overhead does not count
MOST_CALLS = 10_000
LONG = 0.1  # seconds of a call that is not repeated, as its first run hardly differs from the next


def timed(function, case, positional, repeat):
    """Returns the seconds of so many calls with the arguments of a case, the leading ones by position."""
    values = list(case.given.items())
    leading, rest = values[:positional], values[positional:]
    start = time.perf_counter()
    for _ in range(repeat):
        function(*(value for _, value in leading), **dict(rest))
    return time.perf_counter() - start


def seconds_a_call(measure):
    """Returns the time of one call, from as many calls as take TIMED_FOR seconds. A short first one does not count."""
    repeat = 1
    if (first := measure(repeat)) > LONG:
        return first
    while (spent := measure(repeat)) < TIMED_FOR and repeat < MOST_CALLS:
        # As many as should take a little more than TIMED_FOR, since each measurement that is too short is lost.
        repeat = min(MOST_CALLS, math.ceil(1.2 * repeat * TIMED_FOR / max(spent, 1e-6)))
    return spent / repeat
