"""fit_passive_aggressive that counts the mistakes that remain after each update."""

import numpy as np

import reference

FUNCTION = "fit_passive_aggressive"
REASON = "mistakes"


def fit_passive_aggressive(X, y, *, epochs=1, order=None, weights=None, n_classes=None, averaged=False, seed=0, **rule):
    options = {"averaged": averaged, "n_classes": n_classes, **rule}
    fit = reference.fit_passive_aggressive(X, y, epochs=epochs, order=order, weights=weights, seed=seed, **options)
    if order is None:
        return fit
    m, A, wrong = len(fit.weights), weights, []
    for i in np.resize(order, len(fit.mistakes)):
        step = reference.fit_passive_aggressive(X[[i]], y[[i]], n_classes=m, weights=A, **rule)
        A = step.weights
        scores = A @ X[i]
        wrong.append(np.sum(np.delete(scores, y[i]) >= scores[y[i]]) >= rule.get("k", 1))
    return fit._replace(mistakes=np.cumsum(wrong))
