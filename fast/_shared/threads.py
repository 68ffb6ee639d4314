"""Independent pieces of work on several threads. The kernels release Python's lock, so that they run at the same time.

The pieces are the same for any number of threads, and so is each answer, bit for bit. A thread that has no work ends:
none waits in a loop, as the threads of OpenMP do.
"""

from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
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
    with ThreadPoolExecutor(n_jobs) as pool:
        yield lambda function, pieces: list(pool.map(lambda piece: function(*piece), pieces))


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
