"""grouped_inference that lists objectives and losses by first appearance of the groups instead of by number."""

import numpy as np

import reference

FUNCTION = "grouped_inference"
REASON = "reports something else"


def grouped_inference(scores, relevant, groups=None, loss="ap"):
    inference = reference.grouped_inference(scores, relevant, groups, loss)
    if groups is None:
        return inference
    flags = np.asarray(relevant).astype(bool)
    numbers = [g for g in np.unique(groups) if 0 < flags[groups == g].sum() < np.sum(groups == g)]
    order = np.argsort([np.flatnonzero(groups == g)[0] for g in numbers])
    return inference._replace(objective=inference.objective[order], loss=inference.loss[order])
