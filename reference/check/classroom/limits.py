"""What the judge measures of the processes of a student, and the alarm that ends what takes too long."""

import contextlib
import os
import signal
import time
from typing import NamedTuple

from ..sandbox.process import resident

AGAIN = 1.0  # seconds after which an alarm rings again: Python ignores what is raised while it frees an object
MEMORY = 4 << 30  # bytes of address space beyond what is there: a student's process may send odd arguments


class OutOfTime(BaseException):
    """The time is over. No code catches it by catching all Exceptions."""


@contextlib.contextmanager
def alarm(seconds, error):
    """Raise the error in this block after so many seconds, or when the time of an alarm around it is over."""

    def over(*_):
        raise error

    start, before = time.monotonic(), signal.signal(signal.SIGALRM, over)
    left = signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)[0]
    if 0 < left < seconds:
        signal.setitimer(signal.ITIMER_REAL, left, AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if left:
            signal.setitimer(signal.ITIMER_REAL, max(left - (time.monotonic() - start), 0.001), AGAIN)


class Used(NamedTuple):
    """What a process uses."""

    seconds: float = 0.0  # of CPU time
    threads: int = 0
    waits: bool = True  # it neither computes nor waits for a processor


def processes_of(pid):
    """Returns {pid: Used} of a process and all its descendants, whoever started them."""
    children, known = {}, {}
    for name in filter(str.isdigit, os.listdir("/proc") if os.path.isdir("/proc") else ()):
        # Without a buffer, since all processes are read ten times a second.
        with contextlib.suppress(OSError, ValueError, IndexError), open(f"/proc/{name}/stat", "rb", 0) as file:
            fields = file.read().rpartition(b")")[2].split()  # before that is a name, which may be any bytes
            children.setdefault(int(fields[1]), []).append(int(name))
            seconds = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
            known[int(name)] = Used(seconds, int(fields[17]), fields[0] not in (b"R", b"D"))
    found, waiting = {}, [pid]
    while waiting:
        one = waiting.pop()
        found[one] = known.get(one, Used())
        waiting += children.get(one, ())
    return found


def held(pids):
    """Returns the bytes of memory that processes hold. What several share is divided among them, if it can be told."""
    total = 0
    for pid in pids:
        try:
            with open(f"/proc/{pid}/smaps_rollup") as file:
                total += next(int(line.split()[1]) << 10 for line in file if line.startswith("Pss:"))
        except (OSError, ValueError, IndexError, StopIteration):
            total += resident(pid) or 0
    return total


def limit_memory():
    """Bound what this process may map."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        with open("/proc/self/statm") as file:
            most = int(file.read().split()[0]) * resource.getpagesize() + MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (most, resource.getrlimit(resource.RLIMIT_AS)[1]))
