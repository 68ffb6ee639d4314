"""What the tests of ranking weights share."""

import numpy as np

from tests.support.ranking_svm import members, primal_of


def weights_of(groups, seed=0, zeros=0):
    """A weight for each sample, the same within a group; some groups may have none."""
    names = np.unique(groups)
    each = np.random.default_rng(seed).uniform(0.1, 3.0, len(names))
    each[:zeros] = 0.0
    return each[np.searchsorted(names, groups)]


def weighted_primal(weights, X, relevant, groups, loss, regularization, group_weight):
    """The objective, from those of single groups."""
    penalty, hinges, shares = regularization / 2 * (weights.astype(np.float64) ** 2).sum(), [], []
    for p, n in members(relevant, groups):
        own = np.append(p, n)
        hinges.append(primal_of(weights, X[own], relevant[own], None, loss, regularization) - penalty)
        shares.append(group_weight[own[0]])
    return penalty + np.average(hinges, weights=shares)
