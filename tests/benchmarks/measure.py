"""Times two callables in turn, so that other work of the machine affects both."""

import gc
from time import perf_counter


def measure(ours, theirs, repeats, clock=perf_counter):
    """Returns the seconds of each run, of ours and of theirs. The first run of each may compile and does not count."""
    ours()
    theirs()
    seconds = ([], [])
    collects = gc.isenabled()
    gc.disable()
    try:
        for _ in range(repeats):
            for side, function in zip(seconds, (ours, theirs), strict=True):
                start = clock()
                function()
                side.append(clock() - start)
    finally:
        if collects:
            gc.enable()
    return seconds
