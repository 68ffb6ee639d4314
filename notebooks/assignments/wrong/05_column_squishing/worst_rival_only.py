"""What most libraries call passive-aggressive: the label and its worst rival move, and nobody else."""

import numpy as np

LOSES = {"multiclass_update": 5}
FEEDBACK = "you move the label and the worst rival only"


def exact_steps(scores, y, squared_norm, margin, squish):
    steps = np.zeros(len(scores))
    worst = max((j for j in range(len(scores)) if j != y), key=lambda j: scores[j])
    violation = scores[worst] - scores[y] + margin
    if squared_norm > 0 and violation > 0:
        steps[y], steps[worst] = violation / (2 * squared_norm), -violation / (2 * squared_norm)
    return steps
