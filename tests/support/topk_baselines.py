"""What the tests of topk baselines share."""

import numpy as np

PUSH, PERF = "fit_top_push", "fit_svm_perf"


def instance(seed=0, n=12, d=3, classes=0, signal=1.0):
    """(X, relevant): flags (n,) of a third of the samples, or one-hot rows (n, classes)."""
    rng = np.random.default_rng(seed)
    if classes:
        relevant = np.eye(classes, dtype=bool)[rng.permutation(n) % classes]
        return rng.standard_normal((n, d)) + signal * np.eye(classes, d)[relevant.argmax(axis=1)], relevant
    relevant = rng.permutation(n) < max(1, n // 3)
    return rng.standard_normal((n, d)) + signal * relevant[:, None], relevant
