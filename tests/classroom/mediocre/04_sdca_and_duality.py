# === first_k_classes
"""Where x = 0, it gives r/k to the first k classes, the label among them, where the first k rivals are meant."""

import numpy as np

LOSES = {"sdca_step": 2.5}
FEEDBACK = "you give r/k to the first k classes"
SAYS = ["where x = 0, you give r/k to the first k classes, and the label may be among them. It is the first k rivals."]


def best_row(scores, row, squared_norm, label, k, radius, project):
    best = np.zeros(len(row))
    if squared_norm == 0:
        best[:k] = -radius / k
        best[label] = 0.0
    else:
        rivals = np.arange(len(row)) != label
        q = scores - squared_norm * row
        best[rivals] = -project((q[rivals] + 1 - q[label]) / squared_norm)
    best[label] = -best.sum()
    return best


# === gap_in_duals_only
"""Takes |A|^2 for |W|^2: the kernel is forgotten."""

import numpy as np

LOSES = {"duality_gap": 4}
FEEDBACK = "you take |A|^2 for |W|^2"
SAYS = ["you take |A|^2 for |W|^2; W is made of the examples, and so K stands between: sum of A * (K A)."]


def objectives(K, duals, y, losses, regularization):
    penalty = regularization / 2 * np.sum(duals**2)
    return penalty + losses.mean(), regularization * duals[np.arange(len(y)), y].sum() - penalty
