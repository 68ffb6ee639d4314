"""truncated_topk_entropy that forgives k rivals instead of k-1, if there are enough."""

import numpy as np

import reference

FUNCTION = "truncated_topk_entropy"
REASON = "differs from the ground truth"


def truncated_topk_entropy(scores, y, k=1):
    right = reference.truncated_topk_entropy(scores, y, k)
    return reference.truncated_topk_entropy(scores, y, min(k + 1, np.shape(scores)[1] - 1)).astype(right.dtype)
