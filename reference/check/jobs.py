"""Several processes that examine functions at the same time, each with an Examination and a TARGET of its own.

The parent hands out one function at a time, to whichever process is free. It only waits for messages, so an interrupt
ends all processes at once.
"""

import multiprocessing
import os
import signal
import traceback
from collections import deque
from contextlib import contextmanager, suppress
from multiprocessing import connection

from .sandbox.worker import die_with_parent

# The functions that take longest, mostly to compile or to judge, as measured on `fast`. They are handed out first, so
# that none of them is left to run alone at the end. Another order costs time and changes nothing else.
LONGEST = ("loss_augmented_inference", "fit_topk_svm", "fit_wsabie", "project_simplex", "fit_passive_aggressive")
MOST_USEFUL = 8  # more jobs take no less time: the longest function takes an eighth of all the time
PATIENCE = 5.0  # seconds in which a process ends by itself and ends its TARGET
BLAS_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


def processors():
    """Returns the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def rows_from(jobs, names, report_progress, report_row):
    """Returns the rows of these functions in the order of the report, or None if functions disturb each other."""
    queue = deque(sorted(names, key=lambda name: LONGEST.index(name) if name in LONGEST else len(LONGEST)))
    rows, last, served, disturbed = {}, [], {job: set() for job in jobs.all}, False
    for job, kind, *content in jobs.work(lambda job: ("examine", queue.popleft()) if queue else None):
        if kind == "case":
            report_progress(*content)
        elif kind == "row":
            report_row(*content)
        else:
            name, rows[name], digits, broke = content
            last += digits
            served[job].add(name)
            disturbed |= broke
    right = [name for name in names if all(row.failure is None for row in rows[name])]
    calls = {job: ("call", [name for name in right if name not in served[job]]) for job in jobs.all if served[job]}
    for _, kind, *content in jobs.work(lambda job: calls.pop(job, None)):
        disturbed |= kind == "done" and content[0]
    return None if disturbed else [row for name in names for row in rows[name]] + last


class Jobs:
    """Running processes. They end when the `with` block ends, in whatever way."""

    def __init__(self, plan, count):
        self._plan, self._count, self.all, self._connections = plan, count, [], {}

    def __enter__(self):
        spawn = multiprocessing.get_context("spawn")
        try:
            with _environment(dict.fromkeys(BLAS_THREADS, str(max(1, processors() // self._count)))):
                for _ in range(self._count):
                    ours, theirs = spawn.Pipe()
                    job = spawn.Process(target=_serve, args=(theirs, self._plan, os.getcwd()), daemon=True)
                    self.all.append(job)
                    self._connections[job] = ours
                    job.start()
                    theirs.close()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        started = [job for job in self.all if job.pid is not None]
        for job in started:
            job.terminate()
        for job in started:
            job.join(PATIENCE)
            if job.exitcode is None:
                job.kill()
                job.join()
        for ours in self._connections.values():
            ours.close()

    def loaded(self):
        """Returns what each job found when it loaded TARGET: all names, those in TARGET, the error, and `limited`."""
        return [self._message(job)[1:] for job in self.all]

    def work(self, next_task):
        """Give each job that is free its next task, until it gets None. Yields (job, kind, ...), all that jobs say."""
        by_connection, busy = {self._connections[job]: job for job in self.all}, set()

        def give(job):
            if (task := next_task(job)) is not None:
                busy.add(self._connections[job])
                self._connections[job].send(task)

        for job in self.all:
            give(job)
        while busy:
            for ready in connection.wait(busy):
                job = by_connection[ready]
                message = self._message(job)
                yield job, *message
                if message[0] == "done":
                    busy.discard(ready)
                    give(job)

    def _message(self, job):
        """Returns the next message of a job. Raises RuntimeError if the job has failed or ended."""
        try:
            message = self._connections[job].recv()
        except (EOFError, OSError):
            job.join(PATIENCE)
            code = job.exitcode
            raise RuntimeError(f"a job has ended (exit code {code}): use fewer jobs if memory is short") from None
        if message[0] == "failed":
            raise RuntimeError(f"a job has failed:\n{message[1]}")
        return message


@contextmanager
def _environment(values):
    """Set environment variables that are not set, for the processes that are started meanwhile."""
    added = {name: value for name, value in values.items() if name not in os.environ}
    os.environ.update(added)
    try:
        yield
    finally:
        for name in added:
            os.environ.pop(name, None)


# --- in a job --------------------------------------------------------------------------------------------------------


def _serve(parent, plan, folder):
    """The program of a job: load TARGET, then do one task after another. An error is told to the parent."""
    os.chdir(folder)  # a spawned process starts where its parent started
    signal.signal(signal.SIGINT, lambda *_: None)  # an interrupt reaches the parent, too, which ends this process
    signal.signal(signal.SIGTERM, _leave)
    die_with_parent()
    try:
        with suppress(EOFError, BrokenPipeError), plan.box() as box:  # which mean that the parent has ended
            box.start()
            parent.send(("loaded", plan.names, box.public, box.error, box.limited))
            examination, csr = plan.examination(
                box, lambda name, done: parent.send(("case", name, done)), lambda row: parent.send(("row", row))
            )
            while True:
                kind, what = parent.recv()
                parent.send(("done", *_TASKS[kind](examination, what, plan.measures, csr)))
    except Exception:
        with suppress(OSError):
            parent.send(("failed", traceback.format_exc()))


def _leave(*_):
    raise SystemExit(0)


def _examine(examination, name, timed, csr):
    """Returns the name, the rows of the function, the rows of digits, and whether a function has disturbed others."""
    rows = examination.rows_of(name, timed, csr)
    return name, rows, examination.digits_after(name, rows), bool(examination.broke)


def _call(examination, names, timed, csr):
    """Call right functions that this process has not called so far. Returns whether a function has disturbed others."""
    wrong = [name for name in names if examination.is_wrong_at_first(name)]
    return (bool(wrong or examination.broke),)


_TASKS = {"examine": _examine, "call": _call}
