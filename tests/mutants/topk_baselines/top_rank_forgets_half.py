"""fit_top_push and fit_svm_perf with lambda |w|^2 where lambda/2 |w|^2 belongs."""

import reference

FUNCTIONS = ("fit_top_push", "fit_svm_perf")
REASON = "differs from the ground truth"


def fit_top_push(X, relevant, *, regularization, **options):
    return reference.fit_top_push(X, relevant, regularization=2 * regularization, **options)


def fit_svm_perf(X, relevant, *, regularization, **options):
    return reference.fit_svm_perf(X, relevant, regularization=2 * regularization, **options)
