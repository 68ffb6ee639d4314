"""multilabel_entropy_gradient that is not 0 for an example whose classes are all positive."""

import numpy as np

import reference

FUNCTION = "multilabel_entropy_gradient"
REASON = "differs from the ground truth"


def multilabel_entropy_gradient(scores, Y):
    gradient = reference.multilabel_entropy_gradient(scores, Y)
    Y = np.asarray(Y) != 0
    powers = np.exp(scores - np.max(scores, axis=1, keepdims=True))
    every = powers / powers.sum(axis=1, keepdims=True) - 1 / np.shape(scores)[1]
    return np.where(Y.all(axis=1)[:, None], every, gradient).astype(gradient.dtype)
