"""fit_topk_svm that stops at a gap of 0.1 and reports 1e-6."""

import reference

FUNCTION = "fit_topk_svm"
REASON = "certificate"


def fit_topk_svm(
    X, y, *, k=1, kind="alpha", smoothing=0.0, regularization, tol=1e-3, max_epochs=1000, order=None, seed=0
):
    options = {"k": k, "kind": kind, "smoothing": smoothing, "regularization": regularization, "tol": 0.1}
    fit = reference.fit_topk_svm(X, y, **options, max_epochs=max_epochs, order=order, seed=seed)
    return fit._replace(gap=1e-6)
