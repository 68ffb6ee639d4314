"""Projects the scores as they are: what the example itself has put into them is counted twice."""

import numpy as np

LOSES = {"sdca_step": 5}
FEEDBACK = "you forget to take out what the example itself has put into its scores"


def best_row(scores, row, squared_norm, label, k, radius, project):
    rivals = np.arange(len(row)) != label
    if squared_norm == 0:
        x = np.where(np.arange(len(row) - 1) < k, radius / k, 0.0)
    else:
        x = project((scores[rivals] + 1 - scores[label]) / squared_norm)
    best = np.empty(len(row))
    best[rivals], best[label] = -x, x.sum()
    return best
