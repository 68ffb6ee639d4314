"""fit_topk_entropy with the step of the authors' library: |U| in its second equation, where |U|/k is right.

The share |U|/k is in three terms of the equation, and in the slopes of these. In the first equation it stays.
"""

from tests.mutants._altered import altered

FUNCTION = "fit_topk_entropy"
REASON = "certificate"
MOST_EPOCHS = 30  # the gap of the right function is small after so many, or at least smaller

RIGHT = """alpha * (1 + g / k**2)
    log_w = -share * t + square * sigma - z[:g].sum() / k + g / k * (log_sigma - np.log(k))
    slope_w = -share + (square * sigma + g / k) * slope"""
WRONG = """alpha * (1 + g / k)
    log_w = -(1 - g) * t + square * sigma - z[:g].sum() / k + g * (log_sigma - np.log(k))
    slope_w = -(1 - g) + (square * sigma + g) * slope"""

_module = altered("entropy_fits", RIGHT, WRONG)


def fit_topk_entropy(X, y, *, k=1, regularization, tol=1e-3, max_epochs=1000, order=None, seed=0):
    options = {"k": k, "regularization": regularization, "tol": tol, "order": order, "seed": seed}
    _module.checks.count(max_epochs, "max_epochs")
    return _module.fit_topk_entropy(X, y, **options, max_epochs=min(max_epochs, MOST_EPOCHS))
