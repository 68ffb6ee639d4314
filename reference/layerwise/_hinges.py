"""The hinge of a block of examples, as a function of two bounds of their scores.

A structured hinge max_r [loss(r) + score(r) - score(true)] does not grow with the scores of what is right, and does not
fall with the others. So it does not fall if the former are replaced by lower bounds and the latter by upper bounds:

    multiclass:     max(0, 1 + max_{j != y} upper_j - lower_y)
    zero_one:       max(0, 1 - lower) for a positive, max(0, 1 + upper) for a negative
    ap, ndcg, auc:  max_R [loss(R) + F(R) - F(R*)] with lower_i for positives and upper_j for negatives

It is convex and monotone in each score, the bounds are convex and concave: it is convex in the weights. For a ranking,
F(R) - F(R*) = -2/(P N) sum (p_i - n_j) over the pairs that are in the wrong order. So the maximum over all rankings is
`loss_augmented_inference` at these scores.
"""

import numpy as np

from ..ranking import loss_augmented_inference, semigradient

TIES = 2.0**-40  # of the margin 1: a hinge up to this counts as 0, and rivals that differ by less are equal


def block_hinge(problem, block, upper, lower):
    """Returns (value, slopes in upper, slopes in lower) of one block of examples with these bounds (rows, outputs)."""
    y = problem.y[problem.rows[problem.starts[block] : problem.starts[block + 1]]]
    if problem.loss == "multiclass":
        return _multiclass(int(y[0]), upper, lower)
    by_upper, by_lower = np.zeros_like(upper), np.zeros_like(lower)
    if problem.loss == "zero_one":
        (by_lower if y[0] else by_upper)[0] = -1.0 if y[0] else 1.0
        value = 1 + float((by_upper * upper + by_lower * lower)[0, 0])
        return (value, by_upper, by_lower) if value > TIES else (0.0, 0 * upper, 0 * lower)
    p, n = lower[y, 0], upper[~y, 0]
    worst = loss_augmented_inference(p, n, problem.loss, method=problem.method)
    by_lower[y, 0], by_upper[~y, 0] = semigradient(p, n, worst.interleaving)
    return worst.loss + float(np.sum(by_upper * upper + by_lower * lower)), by_upper, by_lower


def _multiclass(y, upper, lower):
    """Returns the hinge of Crammer and Singer and its slopes. Of equal rivals, the first one counts."""
    by_upper, by_lower, rivals = np.zeros_like(upper), np.zeros_like(lower), upper[0].copy()
    rivals[y] = -np.inf
    worst = int((rivals >= rivals.max() - TIES * max(1.0, abs(rivals.max()))).argmax())
    value = float(1 + upper[0, worst] - lower[0, y])
    if value <= TIES:
        return 0.0, by_upper, by_lower
    by_upper[0, worst], by_lower[0, y] = 1.0, -1.0
    return value, by_upper, by_lower
