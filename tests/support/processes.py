"""The processes of this machine, where it has /proc: which a process has started, and which still work."""

from pathlib import Path

import pytest

needs_proc = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs /proc")


def descendants(pid):
    """Returns the ids of all processes that a process has started, and that these have, in a list."""
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*"):
        try:
            children = [int(child) for child in (task / "children").read_text().split()]
        except OSError:
            continue
        found += children + [one for child in children for one in descendants(child)]
    return found


def works(pid):
    """True unless the process is gone, or ended, or is the tracker that multiprocessing keeps for later."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        return state != "Z" and b"resource_tracker" not in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False
