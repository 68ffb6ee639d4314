"""fit_topk_svm that shuffles although an order is given."""

import reference

FUNCTION = "fit_topk_svm"
REASON = "differs from algorithm 1"


def fit_topk_svm(
    X, y, *, k=1, kind="alpha", smoothing=0.0, regularization, tol=1e-3, max_epochs=1000, order=None, seed=0
):
    options = {"k": k, "kind": kind, "smoothing": smoothing, "regularization": regularization, "tol": tol}
    if order is not None:
        reference.fit_topk_svm(X, y, **{**options, "tol": 1e9}, order=order, max_epochs=1)  # refuses a wrong one
    return reference.fit_topk_svm(X, y, **options, max_epochs=max_epochs, seed=seed)
