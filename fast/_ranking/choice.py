"""Which kernel a single inference needs. Each is compiled at its first call, so that a call compiles no other."""

from .inference import FEW, infer_crowded, infer_few, infer_sorted, infer_spread
from .presorted import ASCENDING, UNSORTED, sorting_of

PER_POSITIVE = 16  # with fewer negatives than this for each positive, some buckets are crowded


def infer_by_kernel(p, n, kind, ranks):
    """Write the best ranks by the kernel that suits the negatives. Returns (objective, loss)."""
    if len(n) <= FEW:
        return infer_few(p, n, kind, ranks)
    sorting = sorting_of(n)
    if sorting != UNSORTED:
        return infer_sorted(p, n, sorting == ASCENDING, kind, ranks)
    if len(p) * PER_POSITIVE < len(n):
        done, *answer = infer_spread(p, n, kind, ranks)
        if done:
            return answer
    return infer_crowded(p, n, kind, ranks)
