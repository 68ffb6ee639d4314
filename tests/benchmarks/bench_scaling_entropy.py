"""The dual step of the top-k entropy, which solves for a threshold with the omega function, as classes grow in number.

One step, as in fits to a gap of 1e-3, is compared with that of the hinge, which is a projection. A fit's epoch of all
examples is compared with one product of matrices, X @ W, and with an epoch of the hinge.
"""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

import fast
from fast._shared.jit import borrowing_kernel
from fast._svm.entropy.step import ROUGH_STEP, best_shares
from fast._svm.hinge import ALPHA as ALPHA_KIND
from fast._svm.sdca_step import projection_step, work_for
from tests.benchmarks.scaling import point

CLASSES = (10, 30, 100, 300, 1000, 3000, 10_000)
QUICK = (10, 30)
NUMBERS = 100_000  # scores in all
FEATURES, ALPHA = 32, 1.0


def cases(quick=False):
    repeats = 3 if quick else 7
    for m in QUICK if quick else CLASSES:
        for k in (1, 5):
            yield _one_step(m, k, repeats)
        yield from _epochs(m, 1 if quick else 3)


def _one_step(m, k, repeats):
    """Both sides begin where the step before has ended, as they do in a fit: scores change by a few hundredths."""
    rng = np.random.default_rng(m)
    scores = 2 * rng.standard_normal((max(NUMBERS // m, 3), m))
    moved = scores + 0.05 * rng.standard_normal(scores.shape)
    thresholds, at_cap = np.full(len(scores), np.nan), np.zeros(len(scores), np.int64)
    duals, classes, work, memory = np.zeros(scores.shape), np.arange(m, dtype=np.int32), work_for(m), np.empty((3, m))

    def omega():
        for H in (scores, moved):
            _entropy_steps(H, ALPHA, k, thresholds, at_cap, *memory)

    def projection():
        for S in (scores, moved):
            _hinge_steps(S, duals, classes, ALPHA, k, work)

    name = f"one step of the top-k entropy, k = {k}"
    against = "a projection, with the same scores"
    return point("entropy", name, ("m", m), against, omega, projection, repeats, calls=2 * len(scores))


def _epochs(m, repeats):
    rng = np.random.default_rng(m)
    n = max(NUMBERS // m, 100)  # some classes have no example
    y = np.append(m - 1, rng.integers(0, m, n - 1))
    X, W = rng.standard_normal((n, FEATURES)) / FEATURES**0.5, np.ones((FEATURES, m))
    options = {"regularization": 1 / n, "tol": 0.0, "max_epochs": 1, "order": rng.permutation(n)}

    def epoch(function):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            function(X, y, **options)

    def entropy():
        epoch(fast.fit_topk_entropy)

    def hinge():
        epoch(fast.fit_topk_svm)

    name = "fit_topk_entropy, an epoch of all examples"
    yield point("entropy", name, ("m", m), "X @ W", entropy, lambda: X @ W, repeats)
    yield point("entropy", f"{name}, and one of the hinge", ("m", m), "fit_topk_svm", entropy, hinge, repeats)


@borrowing_kernel
def _entropy_steps(scores, alpha, k, thresholds, at_cap, top, powers, u):
    n = scores.shape[1] - 1
    for i in range(len(scores)):
        t, g = best_shares(scores[i], n, alpha, k, thresholds[i], at_cap[i], ROUGH_STEP, top, powers, u)
        thresholds[i], at_cap[i] = t, g


@borrowing_kernel
def _hinge_steps(scores, duals, classes, radius, k, work):
    total = 0.0
    for i in range(len(scores)):
        for j in range(len(classes)):
            work.scores[j] = scores[i, j]
        gain, _ = projection_step(classes, duals[i], 1.0, 0.0, radius, ALPHA_KIND, k, work)
        total += gain
    return total
