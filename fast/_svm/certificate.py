"""The look at all examples that ends an epoch: it certifies the duals, and lists those that may move next.

The examples are looked at in blocks, several at the same time if there are threads. The blocks do not depend on the
number of threads, and their sums are added in the same order. So neither does the certificate.
"""

import numpy as np

from .._shared.threads import MOST_NUMBERS, row_blocks
from .dual_lists import join_regions, own_duals, pack, regions, reserve
from .sdca_step import smoothing_term, work_for
from .shortlist import look, smooth_total


def certify(model, loss, options, lists_anew):
    """Certify the duals as they are returned, rounded to the dtype of X. With `lists_anew`, list those that may move.

    Returns (primal, None, dual): the weights of these duals are those of the model.
    """
    model.recompute_weights(as_returned=True)
    total, inner_products = look_at_all(model, loss, model.m if lists_anew else 0)
    penalty = options.regularization / 2 * model.squared_norm(inner_products)
    dual, n = float(options.regularization * own_total(model) - penalty), model.X.shape[0]
    if options.smoothing > 0:
        dual -= smoothing_term(model.lists, loss, model.is_float32) / n
    return float(penalty + total / n), None, dual


def own_total(model):
    """Returns the sum of the duals of all examples for their labels, each rounded to the dtype of X."""
    return own_duals(model.lists).astype(model.X.dtype).astype(np.float64).sum()


def look_at_all(model, loss, most):
    """Returns (total loss, <duals, scores> as the model needs it) of all examples. Lists their duals anew if most > 0.

    `most` bounds how many classes of an example without a dual are listed, see `look`.
    """
    n, m, sums = model.X.shape[0], model.m, np.zeros(2)
    blocks = [slice(*block) for block in row_blocks(n, max(m, model.X.shape[1] if model.is_float32 else 1))]
    together = max(MOST_NUMBERS // (blocks[0].stop * m), model.n_jobs)
    for first in range(0, len(blocks), together):
        for found in _look_at(model, loss, blocks[first : first + together], most):
            sums += found
    pack(model.lists, m)
    return sums.tolist()


def _look_at(model, loss, blocks, most):
    """Returns (total loss, <duals, scores> as the model needs it) of each block of examples."""

    def look_at(rows, lists):
        scores = model.scores(rows)
        inner_product = model.inner_product(rows, scores)
        total, work = 0.0, work_for(model.m)
        if loss.smoothing == 0 or most:
            total = look(model.examples, lists, scores, rows.start, loss, most, work)
        if loss.smoothing > 0:
            total = smooth_total(model.examples, scores, rows.start, loss, work)
        return total, inner_product

    if most:
        reserve(model.lists, blocks[-1].stop - blocks[0].start + len(blocks) - 1, model.m)
    own = regions(model.lists, blocks, model.m) if most else [model.lists] * len(blocks)
    found = model.each(look_at, zip(blocks, own, strict=True))
    if most:
        join_regions(model.lists, blocks, own, model.m)
    return found
