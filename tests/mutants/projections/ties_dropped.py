"""project_simplex that sorts with np.unique, so that equal coordinates count once."""

import numpy as np

FUNCTION = "project_simplex"
REASON = "differs from the ground truth"


def project_simplex(a, radius=1.0):
    return np.array([_project(row, radius) for row in a]) if a.ndim == 2 else _project(a, radius)


def _project(a, radius):
    descending = np.unique(a.astype(np.float64))[::-1]
    t = (np.cumsum(descending) - radius) / np.arange(1, len(descending) + 1)
    positive = max(np.count_nonzero(descending > t), 1)
    return np.maximum(a - t[positive - 1], 0.0).astype(a.dtype if a.dtype == np.float32 else np.float64)
