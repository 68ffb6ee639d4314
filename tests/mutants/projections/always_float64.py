"""project_topk_cone that returns float64 for every input."""

import numpy as np

import reference

FUNCTION = "project_topk_cone"
REASON = "wrong dtype"


def project_topk_cone(a, k, bias=0.0):
    return reference.project_topk_cone(a, k, bias).astype(np.float64)
