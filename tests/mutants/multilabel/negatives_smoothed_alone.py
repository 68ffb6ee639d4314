"""multilabel_hinge_gradient that smooths the negatives alone if there is one positive, as the top-1 hinge does."""

import numpy as np

import reference

FUNCTION = "multilabel_hinge_gradient"
REASON = "differs from the ground truth"


def multilabel_hinge_gradient(scores, Y, smoothing=0.0):
    gradient = reference.multilabel_hinge_gradient(scores, Y, smoothing)
    Y = np.asarray(Y) != 0
    for i in np.flatnonzero((Y.sum(axis=1) == 1) & ~Y.all(axis=1) & (smoothing > 0)):
        y = int(Y[i].argmax())
        b = np.delete(1 + scores[i] - scores[i, y], y).astype(np.float64)
        v = reference.project_capped_simplex(b, smoothing, smoothing) / smoothing
        gradient[i] = np.insert(v, y, -v.sum())
    return gradient
