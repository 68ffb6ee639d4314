"""What is computed for one part. Each task is a function (part, state, problem, ...) -> Answer.

Let U = W + sigma' V, where W are the weights of all duals and V = X' change is what a part has changed so far. The step
of an example has the scores x'U and the curvature sigma' |x|^2. With duals that are multiplied by sigma', and a domain
that is, too, this is the ordinary step: a change c of these duals adds c x to U. So the kernels are the ordinary ones.
"""

import numpy as np

from ..._shared.directions import MEMORY
from ..ascent import ALL_CLASSES, DUALS_OF_A_VISIT
from ..certificate import look_at_all, own_total
from ..conjugate import leave_out_blocked, move_duals
from ..dual_lists import LISTED_BYTES, append_duals, dual_rows, empty_lists, own_duals, reserve
from ..sdca_step import Passes, visit
from ..shortlist import most_listed
from .part import Answer, PartModel, copied, movable, part_loss, trimmed, writable

SPARSE_BYTES = 12  # of an entry of a CSR row and its column
ONE_PASS = Passes(False, 1, 0.0)


def weigh(part, state, problem, as_returned, change=None, amount=None):
    """Make a pending change of the duals, `follow`, `blend` or `replace`. Returns the weights of this part."""
    if change is not None:
        state = change(part, state, problem, amount)
    state = state._replace(before=None, start=None, change=None, directions=())
    return Answer(PartModel(part, state, problem.m, copied(state.lists)).own_weights(as_returned), (), state)


def look_at_part(part, state, problem, weights, lists_anew):
    """Look at all examples, with the weights of all duals, and list the duals that may move.

    The facts are (total loss, sum of the duals of the labels, bytes of the listed examples with their duals).
    """
    model = PartModel(part, state, problem.m, copied(state.lists), writable(weights))
    loss = part_loss(part, problem)
    total, _ = look_at_all(model, loss, most_listed(loss) if lists_anew else 0)
    state = state._replace(lists=trimmed(model.lists, problem.m))
    rows = movable(part, state)
    entries = np.diff(part.X.indptr)[rows].sum() if model.by_features else len(rows) * part.X.shape[1]
    listed = (SPARSE_BYTES if model.by_features else 8) * entries + LISTED_BYTES * model.lists.counts[rows].sum()
    return Answer(None, (total, own_total(model), float(listed)), state)


def pass_over_all(part, state, problem, weights, sigma, number):
    """Passes over all examples and classes, from the weights of all duals. Returns the change of the weights.

    The facts are (gain, change of the sum of the duals of the labels, squared change of the weights).
    """
    model, loss = PartModel.to_move(part, state, problem.m, weights, sigma), part_loss(part, problem, sigma)
    n, size, gain = len(part.labels), max(DUALS_OF_A_VISIT // problem.m, 1), 0.0
    for order in problem.rule.orders(n, number, 0, part.number):
        for first in range(0, n, size):
            rows = order[first : first + size].copy()
            reserve(model.lists, len(rows), problem.m)
            gain += visit(model.examples, model.lists, model.weights, loss, rows, ALL_CLASSES, 0, 0.0, model.work)[1]
    model.lists = trimmed(model.lists, problem.m)
    return _moved(state, model, weights, sigma, gain, state.lists)


def step_of_listed(part, state, problem, weights, sigma, number, step, move):
    """Take a share of the last step, step along a new direction, and make passes over the listed duals.

    `weights` are those after the new step if no example blocks it. Those that leave their domain before a step of this
    length are left out of it. The array has the change of the weights by the passes, and that by the examples left out.
    The facts are those of a pass, with the change of the sum of the duals of the labels by the step along the
    direction, and how many examples were left out of it.
    """
    state, correction, own, blocked = _step_along(part, state, problem, move, weights.shape)
    model, loss = PartModel.to_move(part, state, problem.m, weights, sigma), part_loss(part, problem, sigma)
    model.weights += 0.0 if move is None else move.length * correction
    listed, gain, start = movable(part, state), 0.0, model.weights.copy()
    for order in problem.rule.orders(len(listed), number, step, part.number):
        rows = listed[order]
        gain += visit(model.examples, model.lists, model.weights, loss, rows, ONE_PASS, step, 0.0, model.work)[1]
    answer = _moved(state, model, start, sigma, gain, state.lists.values)
    return answer._replace(total=np.stack([answer.total, correction]), facts=(answer.facts, own, blocked))


def _step_along(part, state, problem, move, shape):
    """Take shares of the last step, and step along a new direction, without the examples that block the step.

    Returns (state, correction of the image, change of the sum of the duals of the labels, examples left out).
    """
    correction = np.zeros(shape)
    if move is None:
        return state._replace(start=state.lists.values), correction, 0.0, 0
    state = take_shares(part, state, problem, move.shares)
    direction, rows = state.change, movable(part, state)
    earlier = state.directions[len(state.directions) - len(move.conjugate) :]
    for share, old in zip(move.conjugate, earlier, strict=True):
        direction = direction - share * old
    lists, loss = copied(state.lists), part_loss(part, problem)
    direction = direction.copy()  # it may be the change itself
    work = PartModel(part, state, problem.m, lists)
    blocked, _ = leave_out_blocked(work.examples, lists, loss, rows, direction, correction, move.length, work.work)
    move_duals(lists, rows, direction, move.length)
    directions = (*state.directions, direction)[-MEMORY:]
    own = direction[lists.starts[rows]].sum()
    state = state._replace(start=state.lists.values, lists=lists, change=None, directions=directions)
    return state, correction, own, blocked


def _moved(state, model, weights, sigma, gain, before):
    """Returns the Answer of a pass that moved the duals and weights of a model, both stretched by sigma."""
    np.divide(model.lists.values, sigma, out=model.lists.values)
    change = (model.weights - weights) / sigma
    own = (own_duals(model.lists) - own_duals(state.lists))[state.squared_norms > 0].sum()
    return Answer(
        change, (gain / sigma, own, np.vdot(change, change)), state._replace(lists=model.lists, before=before)
    )


# --- changes that a later task makes -------------------------------------------------------------------------------


def take_shares(part, state, problem, shares):
    """Returns the state with only these shares of the last step along a direction, and of the passes after it.

    With the shares 1 and 1 it is as it is, and with 0 and 0 it is what it was before the step.
    """
    (along, passed), (start, before, values) = shares, (state.start, state.before, state.lists.values)
    change = values - before
    if passed < along:
        values = before + passed / along * change
    if along < 1:
        values = start + along * (values - start)
    return state._replace(lists=state.lists._replace(values=values), change=change, before=None, start=None)


def blend(part, state, problem, theta):
    """Returns the state with the duals old + theta (new - old), where the last pass has changed old to new.

    An example with x = 0 takes the new duals: they are optimal whatever all others are.
    """
    if theta == 1:
        return state
    theta = np.where(state.squared_norms > 0, theta, 1.0)[:, None]
    old, new, lists = copied(state.before), copied(state.lists), empty_lists(len(part.labels), problem.m)
    labels = writable(part.labels)
    for (first, a), (_, b) in zip(*(dual_rows(each, labels, problem.m) for each in (old, new)), strict=True):
        append_duals(lists, first, a + theta[first : first + len(a)] * (b - a), labels[first : first + len(a)])
    return state._replace(lists=trimmed(lists, problem.m))
