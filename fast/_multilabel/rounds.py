"""A round of passes over the duals that may move, between two looks at all scores."""

import numpy as np

from .._shared.directions import GOAL, MOST_WEIGHTS_PER_DUAL, NEAR_GOAL
from .conjugate import Directions
from .listed_steps import pass_over_lists
from .lists import listed_duals, lists_of_rows, write_back

DUALS_OF_A_VISIT = 2**20  # 12 MB: the lists of a first pass need not all be in memory at once
MOST_PASSES = 30  # of a round: the gap after it tells whether more passes would take too long
OVERHEAD = 0.1  # of a pass over few duals, as a share of the time of a pass over all of them


def visit_all(problem, duals, weights, order, work):
    """One step of the hinge over all classes for each example, by the kernels that the other rounds need, too."""
    norms, size = problem.examples.squared_norms, max(DUALS_OF_A_VISIT // duals.shape[1], 1)
    if problem.smoothing == 0:  # without any curvature, the first positive and the first negative are an optimal vertex
        rows = np.flatnonzero((norms == 0) & (problem.radii > 0))
        for member, sign in ((problem.Y, 1), (~problem.Y, -1)):
            duals[rows, member[rows].argmax(axis=1)] = sign * problem.radii[rows]
    order = order[((problem.radii > 0) & ((norms > 0) | (problem.smoothing > 0)))[order]]
    for first in range(0, len(order), size):
        rows = order[first : first + size]
        lists = lists_of_rows(problem, duals, np.sort(rows))
        pass_over_lists(problem, lists, weights, np.searchsorted(lists.rows, rows), work)
        write_back(lists, duals)


def visit_listed(model, marks, seed, wanted, work):
    """Improve the duals and weights of the model; `wanted` is tol / gap. Returns the work, in passes over all duals."""
    problem, weights, random = model.problem, model.weights, np.random.default_rng(seed)
    lists = listed_duals(problem, model.duals, marks)
    is_cheap = weights.size <= MOST_WEIGHTS_PER_DUAL * len(lists.values)
    directions = Directions(problem, lists, weights, work) if is_cheap else None
    largest, passes, goal = 0.0, 0, max(GOAL, NEAR_GOAL * wanted)
    while passes < MOST_PASSES:
        if directions:
            directions.before_pass()
        gain = pass_over_lists(problem, lists, weights, random.permutation(len(lists.rows)), work)
        largest, passes = max(largest, gain), passes + 1
        if gain <= goal * largest:
            break
        if directions:
            directions.after_pass()
    write_back(lists, model.duals)
    return passes * (OVERHEAD + len(lists.values) / model.duals.size)
