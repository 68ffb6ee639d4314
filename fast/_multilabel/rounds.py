"""A round of passes over the duals that may move, between two looks at all scores."""

import numpy as np

from .._shared.directions import GOAL, MOST_PASSES, MOST_WEIGHTS_PER_DUAL, NEAR_GOAL
from .conjugate import MultilabelDirections
from .listed_steps import pass_over_lists
from .lists import listed_duals, write_back

OVERHEAD = 0.1  # of a pass over few duals, as a share of the time of a pass over all of them


def ascend_listed(model, marks, seed, wanted, memory):
    """Improve the duals and weights of the model; `wanted` is tol / gap. Returns the work, in passes over all duals."""
    problem, weights, random = model.problem, model.weights, np.random.default_rng(seed)
    lists = listed_duals(problem, model.duals, marks)
    is_cheap = weights.size <= MOST_WEIGHTS_PER_DUAL * len(lists.values)
    directions = MultilabelDirections(problem, lists, weights, memory) if is_cheap else None
    largest, passes, goal = 0.0, 0, max(GOAL, NEAR_GOAL * wanted)
    while passes < MOST_PASSES:
        if directions:
            directions.before_pass()
        gain = pass_over_lists(problem, lists, weights, random.permutation(len(lists.rows)), memory)
        largest, passes = max(largest, gain), passes + 1
        if gain <= goal * largest:
            break
        if directions:
            directions.after_pass()
    write_back(lists, model.duals)
    return passes * (OVERHEAD + len(lists.values) / model.duals.size)
