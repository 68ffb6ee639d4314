"""The memory that this process takes at its peak."""

import resource
import sys
from pathlib import Path

STATUS, PEAK = Path("/proc/self/status"), Path("/proc/self/clear_refs")  # of Linux
KILOBYTE, MEGABYTE = 2**10, 2**20
UNIT = 1 if sys.platform == "darwin" else KILOBYTE  # of ru_maxrss, in bytes


def begin_peak():
    """Forget the peak so far. Returns the bytes that are in use now.

    Elsewhere than on Linux, neither can be had: the peak is kept, and returned.
    """
    if not PEAK.exists():
        return _peak()
    PEAK.write_text("5")
    return _field("VmRSS")


def peak_above(before):
    """Returns by how many bytes the peak since then was above what `begin_peak` had returned."""
    return max(0, _peak() - before)


def _peak():
    return _field("VmHWM") if PEAK.exists() else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * UNIT


def _field(name):
    line = next(line for line in STATUS.read_text().splitlines() if line.startswith(name))
    return int(line.split()[1]) * KILOBYTE
