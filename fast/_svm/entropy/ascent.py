"""Stochastic dual coordinate ascent for the top-k entropy: passes over all examples, and certificates.

With `order` given, an epoch is one pass, and its steps are those of the reference. Otherwise an epoch makes passes
until the gap is expected to be small. The dual is known after each pass. If the gains of passes decrease like a
geometric sequence, two of them tell what remains to be gained. The gap is a multiple of it, which the last certificate
tells.

Passes over dense features are made in blocks. If the tolerance allows it, their products are in float32, which takes
half the time. Certificates are in float64, and recompute the weights from the duals.
"""

import numpy as np

from reference import contract

from ..._shared.examples import read_only
from ..._shared.jit import borrowing_kernel
from ..._shared.recorder import Recorder
from ..._shared.threads import one_blas_thread, row_blocks, threads
from ..steps import work_for
from .models import BLOCK
from .newton_cg import descend_by_newton
from .passes import EntropyLoss, visit_block, visit_dense, visit_one_by_one
from .shares import capped_softmax, score_differences
from .step import ROUGH_STEP, SHORT_STEP

LEAST_ROUGH_TOL = 1e-5  # up to this tolerance, products in float32 and rough thresholds leave a gap that is far smaller
# Before a certificate tells, the gap is taken as 1 + STEEP * ratio times what remains to be gained, or LARGEST_FACTOR.
STEEP, LARGEST_FACTOR = 10.0, 5.0
LARGEST_RATIO = 0.95  # of two gains
MOST_PASSES_LEFT = 8
MOST_PASSES_OF_EPOCH = 20


def ascend_entropy(model, options, order, seed, progress):
    """Returns the TopKSVMFit of a model with starting duals."""
    recorder = Recorder(options.tol)
    orders = contract.visiting_orders(order, len(model.duals.rows), options.max_epochs, seed)
    shown = contract.progress_bar(progress, options.max_epochs)
    with shown as report, threads(model.n_jobs) as model.each, one_blas_thread():
        if model.duals.rows.any():  # otherwise the weights are 0
            model.recompute_weights(as_returned=False)
        if order is None:
            generator = np.random.default_rng(seed)
            _ascend_freely(model, options, generator, recorder, report)
        else:
            _ascend_in_order(model, options, orders, recorder, report)
    contract.warn_unless_converged(recorder.gap, options.tol, len(recorder.history))
    return contract.TopKSVMFit(model.result(), model.duals.rows.astype(model.X.dtype), *recorder.results())


def _ascend_in_order(model, options, orders, recorder, report):
    """One epoch for each of the orders, over all examples."""
    loss = EntropyLoss(options.k, options.radius * options.sample_weight, SHORT_STEP)
    for epoch, visiting in enumerate(orders):
        if epoch and model.is_float32:
            model.recompute_weights(as_returned=False)
        if model.in_blocks:
            for first in range(0, len(visiting), BLOCK):
                rows = visiting[first : first + BLOCK]
                X = model.X[rows].astype(np.float64, copy=False)
                _visit_block(model, loss, rows, X, X @ X.T, np.arange)
        else:
            _visit_singly(model, loss, visiting)
        recorder.replace(*certify_entropy(model, options))
        if recorder.close_iteration(report):
            return


def _ascend_freely(model, options, generator, recorder, report):
    """Epochs of several passes each, or of Newton's method if many passes would be left."""
    is_rough, dual = options.tol >= LEAST_ROUGH_TOL, 0.0
    loss = EntropyLoss(options.k, options.radius * options.sample_weight, ROUGH_STEP if is_rough else SHORT_STEP)
    dtype, newton_may_help, least_factor = np.float32 if is_rough else np.float64, model.is_linear, 0.0
    for epoch in range(options.max_epochs):
        if epoch and model.is_float32:
            model.recompute_weights(as_returned=False)
        gain = np.inf
        for _ in range(MOST_PASSES_OF_EPOCH):
            entropy = _pass_over_all(model, loss, generator, dtype)
            last_dual, last_gain = dual, gain
            dual = options.regularization * (entropy - model.squared_norm_now() / 2)
            gain = dual - last_dual
            remains, left = _forecast(gain, last_gain, options.tol * dual, least_factor)
            if left == 0:
                break
            if left > MOST_PASSES_LEFT and newton_may_help:
                newton_may_help = descend_by_newton(model, options, options.tol, dtype)
                break
        recorder.replace(*certify_entropy(model, options))
        if recorder.close_iteration(report):
            return
        least_factor, dual = recorder.gap * recorder.primal / remains if remains > 0 else 0.0, recorder.dual


def _forecast(gain, last_gain, allowed, least_factor):
    """Returns (what remains to be gained, the number of passes that are left before the gap is as allowed)."""
    if gain <= 0:
        return 0.0, 0.0  # rounding prevails
    if last_gain == np.inf:
        return 0.0, 1.0
    ratio = min(gain / last_gain, LARGEST_RATIO) if last_gain > 0 else LARGEST_RATIO
    remains, factor = gain * ratio / (1 - ratio), max(min(1 + STEEP * ratio, LARGEST_FACTOR), least_factor)
    if allowed <= 0:
        return remains, np.inf
    return remains, max(np.log(factor * remains / allowed) / -np.log(ratio), 0.0)


def _pass_over_all(model, loss, generator, dtype):
    """One pass in random order. Returns the sum of radius times entropy of all shares."""
    n = len(model.duals.rows)
    if not model.in_blocks:
        return _visit_singly(model, loss, generator.permutation(n))
    weights, entropy = model.weights, 0.0
    model.weights = weights.astype(dtype, copy=False)
    for b in generator.permutation(model.number_of_blocks):
        entropy += _visit_block(model, loss, *model.block(b, dtype), generator.permutation)
    weights[:] = model.weights
    model.weights = weights
    return entropy


def _visit_singly(model, loss, visiting):
    """One step for each example in this order, without blocks."""
    state = model.examples, model.duals, model.weights, loss, visiting, model.work
    if model.is_linear and not model.by_features:
        return visit_dense(read_only(model.X), *state)
    return visit_one_by_one(*state)


def _visit_block(model, loss, rows, X, products, order_of):
    """One step for each example of a block, given its features in the dtype of the weights."""
    scores, changes = (X @ model.weights.T).astype(np.float64, copy=False), np.empty((len(rows), model.m))
    order = order_of(len(rows))
    entropy = visit_block(scores, products, rows, order, model.examples, model.duals, loss, changes, model.work)
    model.weights += changes.T.astype(X.dtype, copy=False) @ X
    return entropy


def certify_entropy(model, options):
    """Certify the duals as they are returned. Returns (primal, None, dual): the model has their weights."""
    model.recompute_weights(as_returned=True)
    n, m, sums = len(model.duals.rows), model.m, np.zeros(3)
    blocks = [slice(*block) for block in row_blocks(n, max(m, model.X.shape[1] if model.is_float32 else 1))]

    def look_at(rows):
        scores, duals = model.scores(rows), model.returned_duals(rows)
        radius = options.radius * options.sample_weight[rows]
        loss, entropy = objectives(scores, model.examples.labels[rows], duals, radius, options.k, work_for(m))
        return loss, entropy, model.inner_product(rows, scores)

    for found in model.each(look_at, ((rows,) for rows in blocks)):
        sums += found
    loss, entropy, inner_products = sums.tolist()
    penalty = options.regularization / 2 * model.squared_norm(inner_products)
    return float(penalty + options.regularization * loss), None, float(options.regularization * entropy - penalty)


@borrowing_kernel
def objectives(scores, labels, duals, radius, k, work):
    """Returns the sums over the examples of radius times loss, and of radius times the entropy of the shares."""
    loss, entropy, m = 0.0, 0.0, duals.shape[1]
    for p in range(len(scores)):
        r, label = radius[p], labels[p]
        if r == 0:
            continue
        score_differences(scores[p], label, work.b)
        loss += r * capped_softmax(work.b, m - 1, k, work.candidates, work.changes)
        sigma, own = 0.0, 0.0
        for j in range(m):
            u = -duals[p, j] / r
            if j != label and u > 0:
                sigma += u
                own -= u * np.log(u)
        if sigma < 1:
            own -= (1 - sigma) * np.log1p(-sigma)
        entropy += r * own
    return loss, entropy
