"""fit_topk_entropy whose step forgets alpha: the row of duals becomes the gradient at the scores without it."""

from tests.mutants._altered import altered

FUNCTION = "fit_topk_entropy"
REASON = "certificate"
MOST_EPOCHS = 30  # the gap of the right function is small after so many, or at least smaller

_module = altered("entropy_fits", "if alpha == 0:", "if alpha >= 0:")


def fit_topk_entropy(X, y, *, k=1, regularization, tol=1e-3, max_epochs=1000, order=None, seed=0):
    options = {"k": k, "regularization": regularization, "tol": tol, "order": order, "seed": seed}
    _module.checks.count(max_epochs, "max_epochs")
    return _module.fit_topk_entropy(X, y, **options, max_epochs=min(max_epochs, MOST_EPOCHS))
