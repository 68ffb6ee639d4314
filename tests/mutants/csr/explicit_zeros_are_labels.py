"""pairwise_loss that takes every stored entry of a CSR indicator for a label, even a stored zero."""

import reference

FUNCTION = "pairwise_loss"
REASON = "differs from the ground truth"


def pairwise_loss(scores, Y, **options):
    if hasattr(Y, "tocsr"):
        reference.pairwise_loss(scores, Y, **options)  # refuses what is wrong
        Y = type(Y)((0 * Y.data + 1, Y.indices, Y.indptr), shape=Y.shape).toarray()
    return reference.pairwise_loss(scores, Y, **options)
