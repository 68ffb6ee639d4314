"""What the tests of topk baselines share."""

from types import SimpleNamespace

import numpy as np
import pytest

import fast.topk_baselines
import reference.topk_baselines
from reference.check.certificates import baselines as certificates

TWINS = [reference.topk_baselines, fast.topk_baselines]
BOTH = pytest.mark.parametrize("module", TWINS, ids=["reference", "fast"])


def by(few):
    """Fast with another number of weights up to which SVMperf with k = P is fitted by planes, not by ascent."""

    def fit_svm_perf(*arguments, **options):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(fast.topk_baselines, "MOST_WEIGHTS_FOR_PLANES", few)
            return fast.fit_svm_perf(*arguments, **options)

    return SimpleNamespace(fit_top_push=fast.fit_top_push, fit_svm_perf=fit_svm_perf)


WAYS = {"reference": reference, "fast by planes": by(10**9), "fast by ascent": by(0)}
EACH_WAY = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
EACH_LOSS = pytest.mark.parametrize("loss", ["recall", "precision"])
FLAT_OR_NOT = pytest.mark.parametrize("classes", [0, 3], ids=["flat", "multiclass"])
SOLVED = 1e-8  # how well CVXPY knows a minimum, of the objective at 0
ROUNDINGS = 64  # of sums of n m terms
PUSH, PERF = "fit_top_push", "fit_svm_perf"


def instance(seed=0, n=12, d=3, classes=0, dtype=np.float64, signal=1.0):
    """(X, relevant): flags (n,) of a third of the samples, or one-hot rows (n, classes)."""
    rng = np.random.default_rng(seed)
    if classes:
        relevant = np.eye(classes, dtype=bool)[rng.permutation(n) % classes]
        X = rng.standard_normal((n, d)) + signal * np.eye(classes, d)[relevant.argmax(axis=1)]
    else:
        relevant = rng.permutation(n) < max(1, n // 3)
        X = rng.standard_normal((n, d)) + signal * relevant[:, None]
    return X.astype(dtype), relevant


def fits_of(relevant, regularization=0.1):
    """(name of the function, its options) for TopPush, and for SVMperf with k = P, less and more."""
    n_positive = int(relevant.sum())
    yield PUSH, {"regularization": regularization}
    for k in (n_positive, max(1, n_positive // 2), (n_positive + relevant.size) // 2):
        for loss in ("recall", "precision"):
            yield PERF, {"k": k, "loss": loss, "regularization": regularization}


def bounds_of(name, got, X, relevant, options):
    bounds = certificates.top_push_bounds if name == PUSH else certificates.svm_perf_bounds
    return bounds(got.weights, got.duals, X, relevant, **options)


def assert_honest(name, got, X, relevant, options, tol=None):
    """Both objectives and the gap are those of the weights and the duals, which are in their domain."""
    bounds = bounds_of(name, got, X, relevant, options)
    size = ROUNDINGS * np.sqrt(relevant.size) * max(1.0, bounds.primal)
    rounding = size * np.finfo(got.weights.dtype).eps
    exact = size * np.finfo(np.float64).eps  # for the weights as they are returned
    for field, expected, allowed in (("primal", bounds.objective, exact), ("dual", bounds.given, rounding)):
        value = getattr(got, field)
        assert abs(value - expected) <= allowed, f"{name}, {field}: expected {expected}, got {value}"
    cost = bounds.given - bounds.repaired
    assert cost <= rounding, f"{name}: to bring the duals into their domain costs {cost}"
    assert got.gap == (max(0.0, (got.primal - got.dual) / got.primal) if got.primal else 0.0)
    assert (got.primal, got.dual, got.gap) == tuple(got.history[-1])[:3] and len(got.history) == got.iterations
    assert got.duals.shape == relevant.shape and got.weights.shape == (X.shape[1], *relevant.shape[1:])
    if tol is not None:
        assert got.gap <= tol, f"{name} {options}: expected a gap of at most {tol}, got {got.gap}"
