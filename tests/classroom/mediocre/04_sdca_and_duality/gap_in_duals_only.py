"""Takes |A|^2 for |W|^2: the kernel is forgotten."""

import numpy as np

LOSES = {"duality_gap": 4}
FEEDBACK = "you take |A|^2 for |W|^2"
SAYS = ["you take |A|^2 for |W|^2; W is made of the examples, and so K stands between: sum of A * (K A)."]


def objectives(K, duals, y, losses, regularization):
    penalty = regularization / 2 * np.sum(duals**2)
    return penalty + losses.mean(), regularization * duals[np.arange(len(y)), y].sum() - penalty
