"""fit_topk_svm_kernel that solves alpha with the domain of beta."""

import reference

FUNCTION = "fit_topk_svm_kernel"
REASON = "certificate"


def fit_topk_svm_kernel(
    K, y, *, k=1, kind="alpha", smoothing=0.0, regularization, tol=1e-3, max_epochs=1000, order=None, seed=0
):
    kind = "beta" if kind == "alpha" else kind
    options = {"k": k, "kind": kind, "smoothing": smoothing, "regularization": regularization, "tol": tol}
    return reference.fit_topk_svm_kernel(K, y, **options, max_epochs=max_epochs, order=order, seed=seed)
