"""Independent pieces of work on several threads. The kernels release Python's lock, so that they run at the same time.

The pieces are the same for any number of threads, and so is each answer, bit for bit. A thread that has no work ends:
none waits in a loop, as the threads of OpenMP do.
"""

from collections import deque
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import copy_context
from functools import cache
from threading import Lock

from threadpoolctl import ThreadpoolController

# A block of rows has at most this many numbers, 256 kB, so that they stay in the cache, and that there are many blocks:
# then threads end at about the same time. But it has at least LEAST_ROWS rows, or 8 MB, as the product of a few rows
# with a matrix takes longest to read the matrix.
NUMBERS, LEAST_ROWS, MOST_NUMBERS = 2**15, 128, 2**20


def in_turn(function, pieces):
    """Returns [function(*piece) for piece in pieces]."""
    return [function(*piece) for piece in pieces]


@contextmanager
def threads(n_jobs):
    """Returns a context that gives a function like `in_turn`, which computes several pieces at the same time."""
    if n_jobs == 1:
        yield in_turn
        return
    with ThreadPoolExecutor(n_jobs - 1) as pool:
        yield lambda function, pieces: _together(pool, n_jobs, function, list(pieces))


def _together(pool, n_jobs, function, pieces):
    """Returns [function(*piece) for piece in pieces], computed by the calling thread and by those of the pool.

    A thread takes a piece when it has none. Only one task is given to each thread of the pool, whatever the number of
    pieces, since giving a task takes longer than computing a small piece.
    """
    results, waiting = [None] * len(pieces), deque(_far_apart(len(pieces), n_jobs))

    def work():
        while True:
            try:
                i = waiting.popleft()
            except IndexError:
                return
            results[i] = function(*pieces[i])

    helpers = [pool.submit(copy_context().run, work) for _ in range(min(n_jobs, len(pieces)) - 1)]
    try:
        work()
    finally:
        waiting.clear()
        started = [helper for helper in helpers if not helper.cancel()]
        wait(started)
    for helper in started:
        helper.result()
    return results


def _far_apart(count, n_jobs):
    """Returns the pieces 0..count-1 in an order in which pieces that are taken at the same time are not neighbours.

    The answers of neighbours may share a page of new memory, 2 MB long. Two threads that write to it for the first time
    would both clear it, and the system would keep one.
    """
    step = -(-count // n_jobs)
    return [i for first in range(step) for i in range(first, count, step)]


def for_each(function, pieces, n_jobs):
    """Returns [function(*piece) for piece in pieces], computed by `n_jobs` threads."""
    pieces = list(pieces)
    with threads(max(1, min(n_jobs, len(pieces)))) as each:
        return each(function, pieces)


def ranges(n, size):
    """Returns ranges (begin, end) of about equal length, at most `size`, that make up 0..n-1."""
    count = -(-n // size)
    return [(n * i // count, n * (i + 1) // count) for i in range(count)]


def row_blocks(n, width):
    """Returns ranges of n rows to compute one after the other, or each by a thread, if a row takes `width` numbers."""
    return ranges(n, max(NUMBERS // width, min(LEAST_ROWS, MOST_NUMBERS // width), 1))


@contextmanager
def one_blas_thread():
    """Returns a context in which NumPy's products use one thread.

    The threads of OpenBLAS wait for the next product in a loop. Between many small products that takes more time of the
    processors than the products. The limit holds for the whole process, so that of several contexts that overlap, the
    first sets it and the last removes it.
    """
    limited = _limit()
    limited.enter()
    try:
        yield
    finally:
        limited.leave()


class BlasLimit:
    """The limit of BLAS to one thread, and how many contexts need it."""

    def __init__(self):
        self._libraries, self._lock, self._needed, self._limiter = ThreadpoolController(), Lock(), 0, None

    def enter(self):
        with self._lock:
            if self._needed == 0:
                self._limiter = self._libraries.limit(limits=1, user_api="blas")
            self._needed += 1

    def leave(self):
        with self._lock:
            self._needed -= 1
            if self._needed == 0:
                self._limiter.restore_original_limits()


@cache
def _limit():
    return BlasLimit()
