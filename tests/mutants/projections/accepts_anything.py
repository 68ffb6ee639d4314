"""project_topk_simplex that clips a wrong k to its range instead of raising."""

import numpy as np

import reference

FUNCTION = "project_topk_simplex"
REASON = "did not raise"


def project_topk_simplex(a, k, radius=1.0, bias=0.0):
    return reference.project_topk_simplex(a, int(np.clip(k, 1, max(a.shape[-1], 1))), radius, bias)
