"""Independent pieces of work on several threads. The kernels release Python's lock, so that they run at the same time.

The pieces are the same for any number of threads, and so is each answer, bit for bit. A thread that has no work ends:
none waits in a loop, as the threads of OpenMP do.
"""

from collections import deque
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import copy_context
from functools import cache

from threadpoolctl import ThreadpoolController


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


def one_blas_thread():
    """Returns a context in which NumPy's products use one thread.

    The threads of OpenBLAS wait for the next product in a loop. Between many small products that takes more time of the
    processors than the products.
    """
    return _libraries().limit(limits=1, user_api="blas")


@cache
def _libraries():
    return ThreadpoolController()
