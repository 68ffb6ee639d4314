"""topk_entropy_gradient without the true class."""

import numpy as np

import reference

FUNCTION = "topk_entropy_gradient"
REASON = "differs from the ground truth"


def topk_entropy_gradient(scores, y, k=1):
    return np.maximum(reference.topk_entropy_gradient(scores, y, k), 0)
