"""Which kernel a single inference needs. Each is compiled at its first call, so that a call compiles no other.

Negatives whose scores are sorted, in either direction, are ranked in one pass. Of the others, buckets pay where there
are many negatives for each positive: the two ends of most buckets have the same best rank. The rest is sorted, and so
are those of which many are in crowded buckets with many ranks. `large` has the kernels for very many negatives.
"""

from .._shared.examples import read_only
from .inference import FEW, are_in_range, infer_descending, infer_few, infer_spread, not_in_range
from .large import LARGE, PER_POSITIVE, infer_large
from .ordering import descending_order
from .presorted import ASCENDING, DESCENDING, sorting_of

MANY = 4096  # up to this many negatives, a sort is as fast as buckets, and needs fewer kernels


def infer_by_kernel(p, n, kind, ranks, n_jobs=1):
    """Write the best ranks by the kernel that suits the negatives. Returns (objective, loss)."""
    if len(n) <= FEW:
        return infer_few(p, n, kind, ranks)
    sorting = sorting_of(n)
    if sorting == DESCENDING:
        return infer_descending(p, n, None, kind, ranks)
    if sorting == ASCENDING:
        return infer_descending(p, n[::-1], None, kind, ranks[::-1])
    if len(n) >= LARGE:
        return infer_large(p, n, kind, ranks, n_jobs)
    if len(n) > max(MANY, len(p) * PER_POSITIVE):
        done, *answer = infer_spread(p, n, kind, ranks)
        if done:
            return answer
    return infer_by_sort(p, n, kind, ranks)


def infer_by_sort(p, n, kind, ranks):
    """Write the best ranks of negatives that are sorted first. Returns (objective, loss)."""
    values, order = descending_order(n)
    if not are_in_range(values):
        return not_in_range(ranks)
    return infer_descending(p, read_only(values), order, kind, ranks)
