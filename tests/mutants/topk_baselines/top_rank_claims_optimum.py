"""fit_top_push and fit_svm_perf that stop at a gap of 0.1 and report the primal as the dual."""

import reference

FUNCTIONS = ("fit_top_push", "fit_svm_perf")
REASON = "differs from the ground truth"


def fit_top_push(X, relevant, *, tol=1e-3, **options):
    return _claimed(reference.fit_top_push(X, relevant, tol=max(0.1, tol) if tol >= 0 else tol, **options))


def fit_svm_perf(X, relevant, *, tol=1e-3, **options):
    return _claimed(reference.fit_svm_perf(X, relevant, tol=max(0.1, tol) if tol >= 0 else tol, **options))


def _claimed(fit):
    history = fit.history.copy()
    history.dual[-1], history.gap[-1] = fit.primal, 0.0
    return fit._replace(dual=fit.primal, gap=0.0, history=history)
