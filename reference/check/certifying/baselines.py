"""TopPush and SVMperf: bounds of the suboptimality."""

from ..certificates import baselines
from ._base import needed, numbers, parts_of, suboptimality


def fit_top_push(answer, X, relevant, regularization, tol, sample_weight, **_):
    """`answer` is a fit, a dict, or a pair (weights, duals)."""
    problem = {"regularization": regularization, "sample_weight": sample_weight}
    return _bounded(baselines.top_push_bounds, answer, X, relevant, tol, problem)


def fit_svm_perf(answer, X, relevant, k, loss, regularization, tol, sample_weight, **_):
    """`answer` is a fit, a dict, or a pair (weights, duals)."""
    problem = {"k": k, "loss": loss, "regularization": regularization, "sample_weight": sample_weight}
    return _bounded(baselines.svm_perf_bounds, answer, X, relevant, tol, problem)


def _bounded(bounds_of, answer, X, relevant, tol, problem):
    parts = parts_of(answer, "weights", "duals")
    needed(parts, "weights", "duals")
    weights = numbers(parts["weights"], (X.shape[1], *relevant.shape[1:]), "weights")
    duals = numbers(parts["duals"], relevant.shape, "duals")
    return [suboptimality(bounds_of(weights, duals, X, relevant, **problem), tol)]
