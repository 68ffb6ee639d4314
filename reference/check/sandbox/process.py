"""Starts the child process, a fresh interpreter or a fork, and reads its answers from a pipe."""

import gc
import multiprocessing
import os
import queue
import signal
import subprocess
import sys
import threading
import time
import warnings
from contextlib import suppress

from . import worker

LONGER = 10  # times as long as the processor time of an answer may be the time until it comes


class Inbox:
    """Bytes from a pipe. A thread reads them, so that waiting can time out; at most a few MiB are in memory."""

    def __init__(self, descriptor):
        self.buffer, self.ended = bytearray(), False
        self._chunks, self._closed = queue.Queue(maxsize=4), threading.Event()
        self._thread = threading.Thread(target=self._read, args=(descriptor,), daemon=True)
        self._thread.start()

    def _read(self, descriptor):
        chunk = b"-"
        while chunk and not self._closed.is_set():
            try:
                chunk = os.read(descriptor, 1 << 20)
            except OSError:
                chunk = b""
            while not self._closed.is_set():
                with suppress(queue.Full):
                    self._chunks.put(chunk, timeout=0.1)
                    break
        os.close(descriptor)

    def more(self, timeout):
        """Wait for a chunk. Returns False if none came."""
        try:
            chunk = self._chunks.get(timeout=timeout)
        except queue.Empty:
            return False
        self.buffer += chunk
        self.ended = not chunk
        return bool(chunk)

    def close(self):
        self._closed.set()
        self._thread.join(1.0)


def spawn(errors):
    """Returns a function that starts a fresh interpreter for a target."""

    def start(target):
        command = [sys.executable, "-P", "-X", "faulthandler", worker.__file__]
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, start_new_session=os.name == "posix"
        )
        inbox = Inbox(os.dup(process.stdout.fileno()))
        process.stdout.close()
        return process, process.stdin, inbox, {"target": str(target), "path": sys.path}

    return start


def fork(errors):
    """Returns a function that forks this process, for functions that exist only in its memory (a notebook's)."""
    if "fork" not in multiprocessing.get_all_start_methods():
        raise NotImplementedError("a dict of functions needs a platform that can fork; put them into a .py file")

    def start(functions):
        (get, request), (inbox, answer) = os.pipe(), os.pipe()
        child = multiprocessing.get_context("fork").Process(
            target=_forked, args=(functions, get, answer, errors.fileno(), (request, inbox)), daemon=True
        )
        with warnings.catch_warnings():
            # Python 3.12 warns about a fork beside threads. The child uses none of what the threads share.
            warnings.simplefilter("ignore", DeprecationWarning)
            child.start()
        os.close(get)
        os.close(answer)
        return child, os.fdopen(request, "wb"), Inbox(inbox), {}

    return start


def _forked(functions, get, answer, errors, others):
    """The program of a forked child: the same as `worker.main`, without loading a module."""
    os.setsid()
    gc.freeze()  # what exists already stays: to look through all of it for garbage would copy the parent's memory
    for descriptor in others:
        os.close(descriptor)
    for descriptor, standard in ((get, 0), (answer, 1), (errors, 2)):
        os.dup2(descriptor, standard)
        os.close(descriptor)
    sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115
    worker.die_with_parent()
    requests, answers, printed = worker.private_channels()
    worker.serve(requests, answers, printed, functions, worker.receive(requests), worker.numpy_as_it_was())
    os._exit(0)


def end(process):
    """End a process and all processes that it started, and wait for it."""
    with suppress(OSError, AttributeError):  # it may be gone; Windows has no groups
        os.killpg(process.pid, signal.SIGKILL)
    with suppress(OSError):
        process.kill()
    wait_for(process, 10.0)


def last_lines(errors):
    """Returns the last lines of a file of standard error."""
    errors.seek(max(0, errors.seek(0, os.SEEK_END) - 4000))
    return errors.read().decode(errors="replace").strip().splitlines()


def wait_for(process, seconds):
    """Returns the exit code of a process, or None if it is still running after so many seconds."""
    if isinstance(process, subprocess.Popen):
        with suppress(subprocess.TimeoutExpired):
            return process.wait(seconds)
        return None
    process.join(seconds)
    return process.exitcode


class Clock:
    """The time of an answer. While the process could run but gets no processor, which is so under load, none passes.

    It is over after so many seconds in which the process computed or waited, or after ten times as many by the clock.
    Where the platform does not tell what a process does, all time counts.
    """

    def __init__(self, pid, seconds):
        self._pid, self.seconds = pid, seconds
        self._begun, self._last, self._waited = doing_of(pid), time.monotonic(), 0.0
        self._start = self._last

    def is_over(self):
        now, (waits, computed) = time.monotonic(), doing_of(self._pid)
        self._waited += now - self._last if waits else 0.0
        self._last, ready = now, now - self._start - self._waited
        used = self._waited + min(ready, computed - self._begun[1])
        return used > self.seconds or now - self._start > LONGER * self.seconds


def doing_of(pid):
    """Returns (whether a process waits, the processor time that it has used); (True, 0.0) if this is not known."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            state, *numbers = file.read().rpartition(")")[2].split()
        return state not in "RD", (int(numbers[10]) + int(numbers[11])) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        return True, 0.0


def resident(pid):
    """Returns the resident memory of the process in bytes, or None if the platform does not report it."""
    try:
        with open(f"/proc/{pid}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return None
