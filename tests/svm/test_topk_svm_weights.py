"""Weights of examples and duals to start from: the domain of an example scales with its weight, and so do its duals."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

import fast
import reference
from reference.check.certificates import svm as certificates
from reference.ground_truth import topk_svm as ground_truth
from reference.problems.checks import KINDS

BOTH = pytest.mark.parametrize("module", [reference, fast], ids=lambda module: module.__name__)
EACH_KIND = pytest.mark.parametrize("kind", KINDS)


def instance(seed=0, n=18, d=5, m=4, zero_rows=1):
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((n, d)), rng.integers(0, m, n)
    y[:m] = np.arange(m)
    X[rng.permutation(n)[:zero_rows]] = 0
    s = rng.uniform(0.0, 3.0, size=n)
    s[rng.permutation(n)[:2]] = 0.0
    return X, y, s


@BOTH
@EACH_KIND
@pytest.mark.parametrize("k", [1, 2, 3])
def test_ground_truth_agrees_with_weights(module, kind, k):
    X, y, s = instance(k)
    options = {"k": k, "kind": kind, "regularization": 0.05, "sample_weight": s}
    _, expected = ground_truth.fit_topk_svm(X, y, **options)
    for got in (
        module.fit_topk_svm(X, y, **options, tol=1e-5, max_epochs=20_000),
        module.fit_topk_svm_kernel(X @ X.T, y, **options, tol=1e-5, max_epochs=20_000),
    ):
        assert expected * (1 - 1e-8) <= got.primal <= expected / (1 - 1e-5), f"expected {expected}, got {got.primal}"
        assert certificates.fit_topk_svm(got.duals, X, y, **options) <= 1.001e-5
        assert np.abs(got.duals[s == 0]).max() == 0
    unweighted = certificates.fit_topk_svm(got.duals, X, y, k=k, kind=kind, regularization=0.05)
    assert unweighted > 1e-2, f"the certificate of another problem passed with {unweighted}"


@BOTH
@EACH_KIND
def test_a_weight_of_three_is_an_example_three_times(module, kind):
    X, y, _ = instance(7)
    times = np.random.default_rng(7).integers(1, 4, size=len(y))
    repeated = np.repeat(np.arange(len(y)), times)
    expected = module.fit_topk_svm(
        X[repeated], y[repeated], k=2, kind=kind, regularization=0.05, tol=1e-7, max_epochs=50_000
    )
    got = module.fit_topk_svm(
        X, y, k=2, kind=kind, tol=1e-7, max_epochs=50_000,
        regularization=0.05 * len(repeated) / len(y), sample_weight=times,
    )  # fmt: skip
    # The primal is strongly convex: gaps of 1e-7 leave W within their root.
    assert np.abs(got.weights - expected.weights).max() <= 1e-2
    assert got.primal == pytest.approx(expected.primal * len(repeated) / len(y), rel=1e-6)


@EACH_KIND
def test_twins_agree_on_weighted_iterates(kind):
    X, y, s = instance(3, n=40, m=6)
    rng = np.random.default_rng(3)
    options = {"k": 2, "kind": kind, "regularization": 0.02, "sample_weight": s, "tol": 0.0, "max_epochs": 3}
    options["order"] = np.array([rng.permutation(40) for _ in range(3)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        expected = reference.fit_topk_svm(X, y, **options)
        for got in (fast.fit_topk_svm(X, y, **options), fast.fit_topk_svm(sparse.csr_matrix(X), y, **options)):
            assert np.abs(got.duals - expected.duals).max() <= 1e-10 * np.abs(expected.duals).max()
        later = {**options, "order": options["order"][1:], "max_epochs": 2}
        first = {**options, "order": options["order"][:1], "max_epochs": 1}
        for module in (reference, fast):
            start = module.fit_topk_svm(X, y, **first).duals
            kept = start.copy()
            got = module.fit_topk_svm(X, y, **later, duals=start)
            assert np.array_equal(start, kept)
            assert np.abs(got.duals - expected.duals).max() <= 1e-10 * np.abs(expected.duals).max()


@BOTH
@EACH_KIND
def test_an_optimum_to_start_from_is_one(module, kind):
    X, y, s = instance(5, n=60, m=5)
    options = {"k": 2, "kind": kind, "sample_weight": s}
    cold = module.fit_topk_svm(X, y, **options, regularization=0.02, tol=1e-4, max_epochs=50_000)
    warm = module.fit_topk_svm(X, y, **options, regularization=0.02, tol=1e-3, duals=cold.duals)
    assert warm.epochs == 1 and cold.epochs > 1
    # Along a path the domain scales with 1 / regularization, and so do the duals.
    later = module.fit_topk_svm(X, y, **options, regularization=0.01, tol=1e-3, duals=2 * cold.duals)
    assert certificates.fit_topk_svm(later.duals, X, y, **options, regularization=0.01) <= 1.001e-3


@BOTH
def test_float32_duals_start_again(module):
    X, y, s = instance(6)
    options = {"k": 2, "regularization": 0.05, "sample_weight": s.astype(np.float32), "tol": 1e-4, "max_epochs": 5000}
    cold = module.fit_topk_svm(X.astype(np.float32), y, **options)
    warm = module.fit_topk_svm(X.astype(np.float32), y, **options, duals=cold.duals)
    assert warm.gap <= 1e-4 and warm.duals.dtype == np.float32


@BOTH
@pytest.mark.parametrize(
    "wrong",
    [np.ones(17), np.ones((18, 1)), -np.ones(18), np.zeros(18), np.full(18, np.nan), np.full(18, np.inf), "heavy"],
    ids=["short", "matrix", "negative", "zero", "nan", "inf", "text"],
)
def test_wrong_weights_are_refused(module, wrong):
    X, y, _ = instance()
    for function, data in ((module.fit_topk_svm, X), (module.fit_topk_svm_kernel, X @ X.T)):
        with pytest.raises(ValueError, match="sample_weight must"):
            function(data, y, regularization=0.1, sample_weight=wrong)


@BOTH
@EACH_KIND
def test_wrong_duals_are_refused(module, kind):
    X, y, _ = instance()
    radius, own = 1 / (0.1 * len(y)), np.arange(4) == y[:, None]
    worst = np.where(own, radius, 0.0) - np.where(~own & (np.cumsum(~own, axis=1) == 1), radius, 0.0)
    wrong = [np.zeros((17, 4)), np.zeros(18), np.full((18, 4), np.nan), np.where(own, radius, 0.0), -worst, worst]
    for duals in wrong:
        with pytest.raises(ValueError, match="duals must"):
            module.fit_topk_svm(X, y, k=2, kind=kind, regularization=0.1, duals=duals)
    assert module.fit_topk_svm(X, y, k=1, kind=kind, regularization=0.1, duals=worst).gap <= 1e-3


@BOTH
def test_weights_that_overflow_the_domain_are_refused(module):
    X, y, _ = instance()
    with pytest.raises(ValueError, match="sample_weight must leave"):
        module.fit_topk_svm(X, y, regularization=1e-200, sample_weight=np.full(len(y), 1e140))


@BOTH
def test_duals_beyond_the_domain_of_a_small_weight_are_refused(module):
    """An order that leaves their row out would never bring them back."""
    X, y = np.array([[1.0, 0], [0, 1], [-1, -1], [0.5, 0.5]]), np.array([0, 1, 2, 0])
    duals = np.zeros((4, 3), np.float32)
    duals[3] = np.array([1e-5, -1e-5, 0]) / (0.1 * 4)
    with pytest.raises(ValueError, match="duals must"):
        module.fit_topk_svm(X, y, regularization=0.1, sample_weight=np.full(4, 1e-9), duals=duals)
