"""Timing two callables so that whatever else the machine does falls on both."""

import gc
from time import perf_counter


def measure(ours, theirs, repeats):
    """Seconds of each run, ours and theirs in turn after one run of each that does not count (it compiles)."""
    ours()
    theirs()
    seconds = ([], [])
    collects = gc.isenabled()
    gc.disable()
    try:
        for _ in range(repeats):
            for side, function in zip(seconds, (ours, theirs), strict=True):
                start = perf_counter()
                function()
                side.append(perf_counter() - start)
    finally:
        if collects:
            gc.enable()
    return seconds
