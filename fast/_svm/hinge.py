"""The top-k hinge loss of one example, as the losses and the training see it."""

import numpy as np

from .._shared.jit import kernel
from .._shared.order import heap_of_largest
from .dual_step import ALPHA_INCLUSIVE, BETA


@kernel
def rivals_margins(scores, label, out):
    """1 + s_j - s_y of the classes other than the true one, in their order, in float64."""
    n, own = 0, np.float64(scores[label])
    for j in range(len(scores)):
        if j != label:
            out[n] = 1.0 + (np.float64(scores[j]) - own)
            n += 1


@kernel
def hinge(margins, n, kind, k, work):
    """The loss of one example from the margins of its n rivals."""
    top, total = work[:k], 0.0
    heap_of_largest(margins, n, top)
    for margin in top:
        total += max(margin, 0.0) if kind == BETA else margin
    if kind == ALPHA_INCLUSIVE:  # the true class, with margin 0, may take the place of the last of them
        total = max(total, total - top[0])
    return max(total, 0.0) / k
