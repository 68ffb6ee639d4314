"""topk_error with the strict inequality of the paper, by which constant scores are never wrong."""

import numpy as np

FUNCTION = "topk_error"
REASON = "differs from the ground truth"


def topk_error(scores, y, k=1):
    own = np.take_along_axis(scores, y[:, None].astype(np.int64), axis=1)
    dtype = np.float32 if scores.dtype == np.float32 else np.float64
    return ((scores > own).sum(axis=1) >= k).astype(dtype)
