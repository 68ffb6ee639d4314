"""topk_hinge_gradient that takes the true class for a rival, with the margin 1."""

import numpy as np

import reference

FUNCTION = "topk_hinge_gradient"
REASON = "differs from the ground truth"


def topk_hinge_gradient(scores, y, k=1, kind="alpha", smoothing=0.0):
    right = reference.topk_hinge_gradient(scores, y, k, kind, smoothing)  # refuses wrong arguments
    own = np.take_along_axis(scores, y[:, None].astype(np.int64), axis=1)
    doubled = np.hstack([own, scores])  # the true class again, as class 0
    gradient = reference.topk_hinge_gradient(doubled, y + 1, k, kind, smoothing)
    merged = gradient[:, 1:].copy()
    merged[np.arange(len(y)), y] += gradient[:, 0]
    return merged.astype(right.dtype)
