"""Stochastic dual coordinate ascent for the top-k entropy: epochs over all examples, each with a certificate."""

import numpy as np

from reference import contract

from ..._shared.jit import borrowing_inlined, borrowing_kernel
from ..._shared.recorder import Recorder
from ..._shared.threads import one_blas_thread, row_blocks, threads
from ..steps import work_for
from ..weights import move_weights, scores_of_classes
from .shares import capped_softmax, score_differences
from .step import best_shares


def ascend_entropy(model, options, order, seed, progress):
    """Returns the TopKSVMFit of a model with starting duals."""
    recorder = Recorder(options.tol)
    orders = contract.visiting_orders(order, len(model.duals), options.max_epochs, seed)
    shown = contract.progress_bar(progress, options.max_epochs)
    with shown as report, threads(model.n_jobs) as model.each, one_blas_thread():
        _ascend_in_epochs(model, options, orders, recorder, report)
    contract.warn_unless_converged(recorder.gap, options.tol, len(recorder.history))
    return contract.TopKSVMFit(model.result(), model.duals.astype(model.X.dtype), *recorder.results())


def _ascend_in_epochs(model, options, orders, recorder, report):
    """One epoch for each of the orders, over all examples."""
    if model.duals.any():  # otherwise the weights are 0
        model.recompute_weights(as_returned=False)
    for epoch, visiting in enumerate(orders):
        if epoch and model.is_float32:
            model.recompute_weights(as_returned=False)
        state = model.duals, model.thresholds, model.at_cap
        visit_all_entropies(
            model.examples,
            *state,
            model.weights,
            options.k,
            options.radius,
            options.sample_weight,
            visiting,
            model.work,
        )
        recorder.replace(*certify_entropy(model, options))
        if recorder.close_iteration(report):
            return


def certify_entropy(model, options):
    """Certify the duals as they are returned. Returns (primal, None, dual): the model has their weights."""
    model.recompute_weights(as_returned=True)
    n, m, sums = len(model.duals), model.m, np.zeros(3)
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
def visit_all_entropies(examples, duals, thresholds, at_cap, weights, k, radius, sample_weight, rows, work):
    """One step for each example of `rows`, in this order."""
    m = duals.shape[1]
    for i in rows:
        r, norm, label, row = radius * sample_weight[i], examples.squared_norms[i], examples.labels[i], duals[i]
        if r == 0:
            continue
        scores_of_classes(examples.rows, i, weights, work.moved, work.scores)
        _own_differences(work.scores, row, norm, label, work.b)
        thresholds[i], at_cap[i] = best_shares(
            work.b, m - 1, r * norm, k, thresholds[i], at_cap[i], work.candidates, work.scores, work.changes
        )
        total, changes = 0.0, work.changes
        for c in range(m - 2, -1, -1):
            j, x = c + (c >= label), r * changes[c]
            total += x
            changes[j] = -x - row[j]
            row[j] = -x
        changes[label] = total - row[label]
        row[label] = total
        move_weights(examples, i, weights, work, m)


@borrowing_inlined
def _own_differences(scores, row, norm, label, h):
    """Write s_j - s_y for the rivals, from the scores without the example's own part of the weights."""
    own = scores[label] - norm * row[label]
    for j in range(label):
        h[j] = (scores[j] - norm * row[j]) - own
    for j in range(label + 1, len(row)):
        h[j - 1] = (scores[j] - norm * row[j]) - own


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
