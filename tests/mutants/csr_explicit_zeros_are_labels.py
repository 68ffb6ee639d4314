"""pairwise_loss that takes every entry of a CSR indicator for a label, zeros that are stored among them."""

import reference


def pairwise_loss(scores, Y, **options):
    if hasattr(Y, "tocsr"):
        reference.pairwise_loss(scores, Y, **options)  # refuses what is wrong
        Y = type(Y)((0 * Y.data + 1, Y.indices, Y.indptr), shape=Y.shape).toarray()
    return reference.pairwise_loss(scores, Y, **options)
