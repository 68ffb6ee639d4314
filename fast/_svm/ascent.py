"""Algorithm 1 of 004, with shrinking if no order is given.

The first epoch visits all examples. A later epoch visits the listed duals, many times over. An epoch ends with a look
at all examples, which certifies the gap and lists the duals that may move next. With `order` given, every epoch visits
all examples, and the iterates are those of the reference.
"""

from itertools import islice

import numpy as np

from reference.problems import checks

from .._shared.directions import GOAL, MOST_PASSES, MOST_WEIGHTS_PER_DUAL, NEAR_GOAL
from .._shared.recorder import Recorder
from .._shared.threads import one_blas_thread, ranges, threads
from .certificate import certify
from .conjugate import Directions
from .dual_lists import append_duals, dual_rows, empty_lists, reserve
from .hinge import KIND_NUMBERS
from .newton import ascend_by_newton, newton_pays
from .sdca_step import Passes, TopKLoss, visit

ALL_CLASSES = Passes(True, 1, 0.0)
# Directions may take the memory that a dense array of all duals would take, or three times that of the weights if it is
# more. They may always take this much.
SMALL_MEMORY = 2**26
# Where examples and listed duals are at most so many for each weight, Newton's method has to wait for some epochs of
# coordinate ascent: these are enough, and take less time, unless features have very different scales.
DUALS_PER_WEIGHT, FIRST_EPOCHS = 10, 10
DUALS_OF_A_VISIT = 2**20  # 12 MB: the lists of a first pass need not all have room at once


def ascend(model, problem, visit_all, seed):
    """Returns the TopKSVMFit of a model. With `visit_all`, every epoch visits all examples, in the given order.

    Newton's method is tried where it pays, after a few epochs of coordinate ascent where these may be enough.
    Coordinate ascent does the rest, or all.
    """
    options, starting_duals, sparse_duals = problem.options, problem.chunks_of_duals(), problem.sparse_duals
    recorder, n, duals = Recorder(options.tol), model.X.shape[0], None
    with checks.progress_bar(problem.progress, options.max_epochs) as report:

        def goes_on():
            return recorder.gap > options.tol and len(recorder.history) < options.max_epochs

        def ascend_by_coordinates(epochs, most_listed=np.inf):
            orders = islice(problem.orders, min(epochs, options.max_epochs - len(recorder.history)))
            _ascend_by_coordinates(model, starting_duals, options, orders, visit_all, most_listed, recorder, report)

        norms, d = model.examples.squared_norms, model.X.shape[1]
        if not visit_all and model.is_linear and newton_pays(norms, d, model.m, options):
            most_listed = DUALS_PER_WEIGHT * d * model.m
            if n <= most_listed:
                ascend_by_coordinates(FIRST_EPOCHS, most_listed)
            if goes_on():
                model.lists, starting_duals = empty_lists(n, model.m), problem.chunks_of_duals()
                duals = checks.assembled_duals(starting_duals, n, model.m, np.float64, False)
                ascend_by_newton(model.X, model.examples.labels, duals, options, seed, recorder, report)
                starting_duals = [(0, duals)]
        if goes_on():
            ascend_by_coordinates(options.max_epochs)
            duals = None
        if duals is None:
            weights, model.weights = model.result(), None
            starting_duals = dual_rows(model.lists, model.examples.labels, model.m)
        else:
            weights = np.ascontiguousarray(checks.in_range(recorder.answer.T, model.X.dtype, "weights"))
            is_result = duals.dtype == model.X.dtype and not sparse_duals
            parts = ranges(n, max(DUALS_OF_A_VISIT // model.m, 1))
            starting_duals = None if is_result else ((first, duals[first:last]) for first, last in parts)
    X = model.X if model.is_linear else None
    checks.warn_unless_converged(recorder.gap, options.tol, len(recorder.history), X=X)
    if starting_duals is not None:
        duals = checks.assembled_duals(starting_duals, n, model.m, model.X.dtype, sparse_duals)
    return checks.TopKSVMFit(weights, duals, *recorder.results())


def _ascend_by_coordinates(model, starting_duals, options, orders, visit_all, most_listed, recorder, report):
    """Algorithm 1, with one epoch for each of the orders, or until there are more listed duals than `most_listed`.

    With `visit_all`, every epoch visits all examples.
    """
    loss = TopKLoss(KIND_NUMBERS[options.kind], options.k, options.radius, options.sample_weight, options.smoothing)
    for first, duals in starting_duals:
        append_duals(model.lists, first, duals, model.examples.labels[first : first + len(duals)])
    with threads(model.n_jobs) as model.each, one_blas_thread():
        model.recompute_weights(as_returned=False)
        for epoch, visiting in enumerate(orders):
            if epoch and model.is_float32:
                model.recompute_weights(as_returned=False)
            if visit_all or epoch == 0:
                _visit_all(model, loss, visiting)
            else:
                visit_listed(model, loss, int(visiting[0]), options.tol / recorder.gap)
            recorder.replace(*certify(model, loss, options, lists_anew=not visit_all))
            if recorder.close_iteration(report) or model.lists.counts.sum() > most_listed:
                return


def _visit_all(model, loss, visiting):
    """One step over all classes for each example."""
    size = max(DUALS_OF_A_VISIT // model.m, 1)
    for first in range(0, len(visiting), size):
        rows = visiting[first : first + size].copy()
        reserve(model.lists, len(rows), model.m)
        visit(model.examples, model.lists, model.weights, loss, rows, ALL_CLASSES, 0, 0.0, model.work)


def visit_listed(model, loss, seed, wanted):
    """Make passes over the listed duals; `wanted` is tol / gap."""
    rows = np.flatnonzero((model.lists.counts > 0) & (model.examples.squared_norms > 0) & (loss.sample_weight > 0))
    directions = Directions(model, loss, rows) if _accelerates(model) else None
    passes, largest = Passes(False, MOST_PASSES if directions is None else 1, max(GOAL, NEAR_GOAL * wanted)), 0.0
    for _ in range(MOST_PASSES // passes.most):
        if directions:
            directions.before_pass()
        seed, gain, largest = visit(
            model.examples, model.lists, model.weights, loss, rows, passes, seed, largest, model.work
        )
        if gain <= passes.goal * largest:
            return
        if directions:
            directions.after_pass()


def _accelerates(model):
    """Returns whether passes are accelerated by conjugate directions: if these are cheap, and there is room."""
    listed, weights, duals = int(model.lists.counts.sum()), model.weights.size, model.X.shape[0] * model.m
    room = max(8 * duals - 12 * listed, 24 * weights, SMALL_MEMORY)
    cheap = model.is_linear and weights <= MOST_WEIGHTS_PER_DUAL * listed
    return cheap and Directions.bytes_for(listed, weights) <= room
