"""Independent pieces of work on several threads. The kernels release Python's lock, so that they run at the same time.

The pieces are the same for any number of threads, and so is each answer, bit for bit. A thread that has no work ends:
none waits in a loop, as the threads of OpenMP do.
"""

from concurrent.futures import ThreadPoolExecutor


def for_each(function, pieces, n_jobs):
    """Returns [function(*piece) for piece in pieces], computed by `n_jobs` threads."""
    pieces = list(pieces)
    if min(n_jobs, len(pieces)) <= 1:
        return [function(*piece) for piece in pieces]
    with ThreadPoolExecutor(min(n_jobs, len(pieces))) as pool:
        return list(pool.map(lambda piece: function(*piece), pieces))


def ranges(n, size):
    """Returns the ranges (begin, end) of `size` numbers each that make up 0..n-1; the last one may be shorter."""
    return [(begin, min(begin + size, n)) for begin in range(0, n, size)]
