"""Functions that are right for arrays and wrong for CSR."""

import numpy as np

import reference
from tests.mutants import wrong


@wrong("fit_nearest_means")
def duplicates_overwrite(X, Y, **options):
    """It writes CSR entries into an array: of two entries in one place the last one remains."""
    if hasattr(X, "tocsr"):
        reference.fit_nearest_means(X, Y, **options)  # refuses what is wrong
        dense = np.zeros(X.shape, dtype=X.dtype)
        dense[np.repeat(np.arange(X.shape[0]), np.diff(X.indptr)), X.indices] = X.data
        X = dense
    return reference.fit_nearest_means(X, Y, **options)


@wrong("fit_passive_aggressive")
def empty_rows(X, y, **options):
    """It sums CSR rows by np.add.reduceat, which takes the next entry for an empty row."""
    if hasattr(X, "tocsr"):
        reference.fit_passive_aggressive(X, y, **options)  # refuses what is wrong
        entries = np.zeros((len(X.data) + 1, X.shape[1]), dtype=X.dtype)
        entries[np.arange(len(X.data)), X.indices] = X.data
        X = np.add.reduceat(entries, X.indptr[:-1], axis=0)
    return reference.fit_passive_aggressive(X, y, **options)


@wrong("pairwise_loss")
def explicit_zeros_are_labels(scores, Y, **options):
    """It takes every stored entry of a CSR indicator for a label, even a stored zero."""
    if hasattr(Y, "tocsr"):
        reference.pairwise_loss(scores, Y, **options)  # refuses what is wrong
        Y = type(Y)((0 * Y.data + 1, Y.indices, Y.indptr), shape=Y.shape).toarray()
    return reference.pairwise_loss(scores, Y, **options)


@wrong("prototype_scores", "raised")
def refused(X, fit):
    """It raises."""
    return reference.prototype_scores(np.asarray(X) if not hasattr(X, "tocsr") else X.A, fit)


@wrong("fit_ranking_svm", "changed its input")
def sorts_in_place(X, relevant, **options):
    """It sorts the indices of its argument in place."""
    if hasattr(X, "tocsr"):
        X.sum_duplicates()
    return reference.fit_ranking_svm(X, relevant, **options)
