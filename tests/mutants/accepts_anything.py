"""project_topk_simplex that moves a wrong k into its range."""

import numpy as np

import reference


def project_topk_simplex(a, k, radius=1.0, bias=0.0):
    return reference.project_topk_simplex(a, int(np.clip(k, 1, max(a.shape[-1], 1))), radius, bias)
