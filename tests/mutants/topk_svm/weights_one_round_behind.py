"""fit_topk_svm_parts that returns the weights with which the last round began, and does not recompute them after it."""

import warnings

import reference

FUNCTION = "fit_topk_svm_parts"
REASON = "weights"


def fit_topk_svm_parts(X, y, parts, **options):
    fit = reference.fit_topk_svm_parts(X, y, parts, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        before = reference.fit_topk_svm_parts(X, y, parts, **{**options, "max_rounds": max(fit.epochs - 1, 1)})
    return fit._replace(weights=before.weights)
