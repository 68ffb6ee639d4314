"""multilabel_error that does not count a tie as an error."""

import numpy as np

import reference

FUNCTION = "multilabel_error"
REASON = "differs from the ground truth"


def multilabel_error(scores, Y):
    errors = reference.multilabel_error(scores, Y)
    Y = np.asarray(Y) != 0
    lowest, highest = np.where(Y, scores, np.inf).min(axis=1), np.where(Y, -np.inf, scores).max(axis=1)
    return (highest > lowest).astype(errors.dtype)
