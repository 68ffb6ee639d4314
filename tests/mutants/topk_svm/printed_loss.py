"""fit_topk_svm that minimises eq. (3) as printed and calls it alpha."""

import reference

FUNCTION = "fit_topk_svm"
REASON = "certificate"


def fit_topk_svm(
    X, y, *, k=1, kind="alpha", smoothing=0.0, regularization, tol=1e-3, max_epochs=1000, order=None, seed=0
):
    kind = "alpha_inclusive" if kind == "alpha" else kind
    options = {"k": k, "kind": kind, "smoothing": smoothing, "regularization": regularization, "tol": tol}
    return reference.fit_topk_svm(X, y, **options, max_epochs=max_epochs, order=order, seed=seed)
