"""river: linear_model.PAClassifier, modes 0, 1 and 2. Two classes.

Its one weight vector is the difference of our two rows, so its penalty weighs half: its C is twice our aggressiveness.
Its margin is 1, so the weights are divided by ours, and for "pa1" the aggressiveness, too. An example is a dict.
"""

import numpy as np
from river.linear_model import PAClassifier


def multiclass_update(A, x, y, *, margin=1.0, variant="pa", aggressiveness=1.0, k=1):
    price = 2 * aggressiveness / (margin if variant == "pa1" else 1.0)
    model = PAClassifier(C=price, mode=("pa", "pa1", "pa2").index(variant), learn_intercept=False)
    before = (A[1] - A[0]) / margin
    model.weights.update(enumerate(before.tolist()))
    model.learn_one(dict(enumerate(x.tolist())), bool(y))
    after = np.array([model.weights[j] for j in range(len(x))])
    return A + np.outer([-1.0, 1.0], margin * (after - before) / 2)
