"""scikit-learn: coverage_error and hinge_loss, one example a call, since they return means.

The coverage error of one example is the number of scores as high as that of its class. It is an error if that is more
than k. The hinge loss for several classes is that of Crammer and Singer, which is the top-1 hinge.
"""

import numpy as np
from sklearn.metrics import coverage_error, hinge_loss


def topk_error(scores, y, k=1):
    truths = np.eye(scores.shape[1], dtype=int)[y]
    return np.array([coverage_error(t[None], s[None]) > k for t, s in zip(truths, scores, strict=True)], dtype=float)


def topk_hinge(scores, y, k=1, kind="alpha"):
    m = scores.shape[1]
    return np.array([hinge_loss([c], s[None], labels=range(m)) for c, s in zip(y, scores, strict=True)])
