"""fit_topk_svm that leaves the duals of an example with |x| = 0 at zero."""

import numpy as np

import reference

FUNCTION = "fit_topk_svm"
REASON = "certificate"


def fit_topk_svm(
    X, y, *, k=1, kind="alpha", smoothing=0.0, regularization, tol=1e-3, max_epochs=1000, order=None, seed=0
):
    options = {"k": k, "kind": kind, "smoothing": smoothing, "regularization": regularization, "tol": tol}
    fit = reference.fit_topk_svm(X, y, **options, max_epochs=max_epochs, order=order, seed=seed)
    return fit._replace(duals=np.where(np.any(X, axis=1, keepdims=True), fit.duals, 0).astype(fit.duals.dtype))
