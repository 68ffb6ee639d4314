"""The kernels of the ranking SVM: the rankings of all groups at once, and the small programme in the dual.

The rows of a group stand together, its positives first. Groups share nothing, so that each may have a thread.
"""

from typing import NamedTuple

import numba
import numpy as np

from ._inference import count_ranks, infer, loss_of, rank_by_scores, the_problem
from ._jit import kernel, parallel_kernel
from ._refine import SHORT, heap_sort, insert_all

MOST_STEPS = 20_000  # for a small programme


class Groups(NamedTuple):
    """rows[starts[g]:starts[g + 1]] are the samples of group g, the first positives[g] of them its positives."""

    rows: np.ndarray
    starts: np.ndarray
    positives: np.ndarray


@parallel_kernel
def infer_groups(scores, copies, fixed, groups, kind, passed, values):
    """Write (objective, loss) of each group, and by how many of the other class each sample is passed.

    A negative passes so many positives; a positive is passed by so many negatives, which is written with a minus.
    `copies` has room for the scores group by group; `fixed` is the same memory, which nobody writes to.
    """
    for g in numba.prange(len(groups.positives)):
        begin, end = groups.starts[g], groups.starts[g + 1]
        middle = begin + groups.positives[g]
        for k in range(begin, end):
            copies[k] = scores[groups.rows[k]]
        places, ranks = _sort_positives(copies[begin:middle]), np.empty(end - middle, np.int64)
        values[g, 0], values[g, 1] = infer(copies[begin:middle], fixed[middle:end], kind, ranks)
        _write_passed(groups.rows[begin:end], places, ranks, passed)


@kernel
def _sort_positives(scores):
    """Sort in place, the highest first; where each was before."""
    places = np.arange(len(scores))
    if len(scores) > SHORT:
        heap_sort(scores, places, 0, len(scores))
    else:
        insert_all(scores, places, 0, len(scores))
    return places


@kernel
def _write_passed(rows, places, ranks, passed):
    P = len(places)
    before = np.zeros(P + 2, np.int64)
    for k in range(len(ranks)):
        before[ranks[k]] += 1
        passed[rows[P + k]] = P + 1 - ranks[k]
    for i in range(1, P + 1):
        before[i] += before[i - 1]
        passed[rows[places[i - 1]]] = -before[i]


@kernel
def solve_dual(G, b, alpha, tolerance):
    """argmax <b, alpha> - alpha' G alpha / 2 over the simplex, from `alpha`, in place, to a gap of `tolerance`.

    Weight moves from one plane to another: to the steepest, from the one that gains most by it (SMO). False if it did
    not get there: planes that are nearly the same take more steps than it is given.
    """
    c = len(b)
    slope = np.empty(c)
    for i in range(c):
        slope[i] = b[i]
        for j in range(c):
            slope[i] -= G[i, j] * alpha[j]
    for _ in range(MOST_STEPS):
        up, mean = 0, 0.0
        for i in range(c):
            mean += alpha[i] * slope[i]
            if slope[i] > slope[up]:
                up = i
        if slope[up] - mean <= tolerance:
            return True
        down = _best_giver(G, slope, alpha, up)
        curvature = max(G[up, up] + G[down, down] - 2 * G[up, down], 0.0)
        step = min(alpha[down], (slope[up] - slope[down]) / curvature) if curvature > 0 else alpha[down]
        if alpha[up] + step == alpha[up]:
            break
        alpha[up] += step
        alpha[down] = 0.0 if step == alpha[down] else alpha[down] - step
        for i in range(c):
            slope[i] -= step * (G[i, up] - G[i, down])
    return False


@kernel
def _best_giver(G, slope, alpha, up):
    best, gain = up, -1.0
    for j in range(len(slope)):
        rise = slope[up] - slope[j]
        if alpha[j] > 0 and rise > 0:
            curvature = max(G[up, up] + G[j, j] - 2 * G[up, j], 1e-300)
            step = min(alpha[j], rise / curvature)
            gained = step * (rise - step * curvature / 2)
            if gained > gain:
                best, gain = j, gained
    return best


@parallel_kernel
def rank_groups(scores, copies, fixed, groups, kind, passed, losses):
    """The same for the ranking that the scores make, in which a tie counts against the positive."""
    for g in numba.prange(len(groups.positives)):
        begin, end = groups.starts[g], groups.starts[g + 1]
        middle = begin + groups.positives[g]
        for k in range(begin, end):
            copies[k] = scores[groups.rows[k]]
        places, ranks = _sort_positives(copies[begin:middle]), np.empty(end - middle, np.int64)
        rank_by_scores(copies[begin:middle], fixed[middle:end], ranks)
        P, N = middle - begin, end - middle
        ideal = the_problem(copies[begin:middle], N, kind)[1]
        losses[g] = loss_of(count_ranks(ranks, P), P, N, kind, ideal)
        _write_passed(groups.rows[begin:end], places, ranks, passed)
