"""The top-k entropy of one example, its truncated relative, and their gradients: the shares u of the rivals.

`reference.entropy_losses` derives both. h holds s_j - s_y for n rivals, in any order. Rivals with equal h have equal
shares, so that the g largest need not be known by their places: they are those with h > z[g], where z is h in
descending order.
"""

import numpy as np

from ..._shared.jit import borrowing_inlined, borrowing_kernel
from ..biased_projection import candidates_within_reach
from ..hinge import largest
from .exponential import exponentials


@borrowing_kernel
def score_differences(scores, label, out):
    """Write s_j - s_y for the rivals j of class y, in ascending order of j, in float64."""
    own = np.float64(scores[label])
    for j in range(label):
        out[j] = np.float64(scores[j]) - own
    for j in range(label + 1, len(scores)):
        out[j - 1] = np.float64(scores[j]) - own


@borrowing_kernel
def largest_in_order(h, n, k, out):
    """Write the k largest entries, and those that equal the last, to `out`, in descending order. Returns their number.

    For k = 1, one is enough, as nothing depends on how many equal it.
    """
    if k == 1:
        out[0] = largest(h, n)
        return 1
    return candidates_within_reach(h, n, k, 0.0, out)


@borrowing_kernel
def capped_softmax(h, n, k, work, u):
    """Write the shares of the rivals to `u`: the gradient of the top-k entropy. Returns the loss.

    `work` is memory for n numbers. Whatever number g of rivals at the cap is right, all larger ones pass the test of
    the rest, too. So g decreases from k-1 as long as the test is passed, and the sum over the rest gets one more term.
    """
    largest_in_order(h, n, k, work)
    last, g, capped = work[k - 1], k - 1, 0.0
    total = exponentials(h, n, last, -last, u) - (k - 1)  # the k-1 largest have added 1 each
    for c in range(k - 1):
        capped += work[c]
    while g > 0:
        longer = total * np.exp(work[g] - work[g - 1]) + 1.0
        if np.log(longer) < np.log(k - g + 1.0):
            break
        g, total = g - 1, longer
        capped -= work[g]
    share, top = 1 - g / k, work[g]
    value = (capped if g > 0 else 0.0) / k + share * (top + np.log(total / share))
    if g > 0:
        value += g / k * np.log(k)
    loss = soft_plus(value)
    sigma = np.exp(value - loss)
    if top > last:
        exponentials(h, n, top, -top, u)
    factor, cap = sigma * share / total, sigma / k
    for j in range(n):
        u[j] = cap if h[j] > top else min(factor * u[j], cap)
    return loss


@borrowing_inlined
def soft_plus(value):
    """Returns log(1 + exp(value))."""
    return max(value, 0.0) + np.log1p(np.exp(-abs(value)))


@borrowing_kernel
def truncated_softmax(h, n, k, work, u):
    """Write the probabilities of the rivals to `u`, 0 for the k-1 largest h. Returns the truncated top-k entropy.

    Of equal h, the first are left out. `work` is memory for n numbers.
    """
    largest_in_order(h, n, k, work)
    cut, forgiven = work[k - 1], k - 1  # of the entries that are equal to the cut, so many are left out
    for j in range(n):
        forgiven -= h[j] > cut
    total = 0.0
    for j in range(n):
        left_out = h[j] > cut or (h[j] == cut and forgiven > 0)
        forgiven -= left_out and h[j] == cut
        u[j] = 0.0 if left_out else np.exp(h[j] - cut)
        total += u[j]
    value = cut + np.log(total)
    loss = soft_plus(value)
    factor = np.exp(value - loss) / total
    for j in range(n):
        u[j] *= factor
    return loss
