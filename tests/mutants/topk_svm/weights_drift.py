"""fit_topk_svm that returns weights a little different from X' duals."""

import reference

FUNCTION = "fit_topk_svm"
REASON = "weights"


def fit_topk_svm(
    X, y, *, k=1, kind="alpha", smoothing=0.0, regularization, tol=1e-3, max_epochs=1000, order=None, seed=0
):
    options = {"k": k, "kind": kind, "smoothing": smoothing, "regularization": regularization, "tol": tol}
    fit = reference.fit_topk_svm(X, y, **options, max_epochs=max_epochs, order=order, seed=seed)
    return fit._replace(weights=fit.weights * fit.weights.dtype.type(1.001))
