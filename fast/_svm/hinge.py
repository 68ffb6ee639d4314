"""The top-k hinge loss of one example. Both the public losses and the training use it."""

import numpy as np

from .._shared.jit import borrowing_inlined, inlined, kernel
from .._shared.order import heap_of_largest

# The kinds of loss as numbers, for the kernels. The public names are in `reference.problems.checks.KINDS`.
ALPHA, BETA, ALPHA_INCLUSIVE = 0, 1, 2
KIND_NUMBERS = {"alpha": ALPHA, "beta": BETA, "alpha_inclusive": ALPHA_INCLUSIVE}


@kernel
def rivals_margins(scores, label, out):
    """Write 1 + s_j - s_y for the classes j other than the true class y, in ascending order of j, in float64."""
    own = np.float64(scores[label])
    for j in range(label):
        out[j] = 1.0 + (np.float64(scores[j]) - own)
    for j in range(label + 1, len(scores)):
        out[j - 1] = 1.0 + (np.float64(scores[j]) - own)


@inlined
def hinge(margins, n, kind, k, work):
    """Returns the loss of one example, given the margins of its n rivals. `work` is memory for k numbers."""
    if k > 1:
        return _hinge_of_several(margins, n, kind, k, work)
    return max(largest(margins, n), 0.0)


@borrowing_inlined
def largest(values, n):
    """Returns the largest of n values."""
    even = odd = values[n - 1]  # two maxima do not wait for each other
    for c in range(0, n - 1, 2):
        even, odd = max(even, values[c]), max(odd, values[c + 1])
    return max(even, odd)


@kernel
def _hinge_of_several(margins, n, kind, k, work):
    top, total = work[:k], 0.0
    heap_of_largest(margins, n, top)
    for margin in top[1:]:
        total += max(margin, 0.0) if kind == BETA else margin
    last = top[0]  # the k-th largest; for ALPHA_INCLUSIVE, the 0 of the true class may replace it
    return max(total + (last if kind == ALPHA else max(last, 0.0)), 0.0) / k
