"""ir_evaluation: average_precision and ndcg, of lists of document numbers, at the length of the list."""

import numpy as np
from ir_evaluation.metrics import average_precision, ndcg
from rankings import ranked


def ap_loss(interleaving, n_positive):
    relevant, _ = ranked(interleaving, n_positive)
    return 1 - average_precision(np.flatnonzero(relevant).tolist(), list(range(len(relevant))), len(relevant))


def ndcg_loss(interleaving, n_positive):
    relevant, _ = ranked(interleaving, n_positive)
    return 1 - ndcg(np.flatnonzero(relevant).tolist(), list(range(len(relevant))), len(relevant))
