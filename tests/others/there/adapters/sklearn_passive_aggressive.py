"""scikit-learn: SGDClassifier, learning rates "pa1" and "pa2", which replace PassiveAggressiveClassifier. Two classes.

Its one weight vector is the difference of our two rows, so its penalty weighs half: eta0 is twice our aggressiveness.
Its margin is 1, so the weights are divided by ours, and for "pa1" the aggressiveness, too.
"""

import numpy as np
from sklearn.linear_model import SGDClassifier


def multiclass_update(A, x, y, *, margin=1.0, variant="pa", aggressiveness=1.0, k=1):
    price = 2 * aggressiveness / (margin if variant == "pa1" else 1.0)
    model = SGDClassifier(penalty=None, fit_intercept=False, learning_rate=variant, eta0=price, average=False)
    model.partial_fit(x[None], [y], classes=[0, 1])  # makes the arrays
    before = (A[1] - A[0]) / margin
    model.coef_[0] = before
    moved = margin * (model.partial_fit(x[None], [y]).coef_[0] - before) / 2
    return A + np.outer([-1.0, 1.0], moved)
