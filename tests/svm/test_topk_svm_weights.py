"""Weights of examples and duals to start from: the domain of an example scales with its weight, and so do its duals."""

import numpy as np
import pytest
from scipy import sparse

import fast
import reference
from reference.check import certify
from reference.ground_truth import topk_svm as ground_truth
from reference.problems.checks import KINDS
from tests.support.topk_svm import instance as examples
from tests.support.twins import BOTH, fit

EACH_KIND = pytest.mark.parametrize("kind", KINDS)
EACH_LOSS = pytest.mark.parametrize(("kind", "smoothing"), [("alpha", 0.1), ("beta", 0.0), ("alpha_inclusive", 0.1)])


def instance(seed=0, n=18, d=5, m=4):
    X, y = examples(seed, n, d, m, zero_rows=1)
    rng = np.random.default_rng(seed)
    s = rng.uniform(0.0, 3.0, size=n)
    s[rng.permutation(n)[:2]] = 0.0
    return X, y, s


@EACH_LOSS
def test_ground_truth_agrees_with_weights(kind, smoothing):
    X, y, s = instance(2)
    options = {"k": 2, "kind": kind, "smoothing": smoothing, "regularization": 0.05, "sample_weight": s}
    _, expected = ground_truth.fit_topk_svm(X, y, **options)
    for module in (reference, fast):
        for got in (
            module.fit_topk_svm(X, y, **options, tol=1e-5, max_epochs=20_000),
            module.fit_topk_svm_kernel(X @ X.T, y, **options, tol=1e-5, max_epochs=20_000),
        ):
            assert expected * (1 - 1e-8) <= got.primal <= expected / (1 - 1e-5), f"{expected}, got {got.primal}"
            assert certify("fit_topk_svm", got.duals, X, y, **options).value <= 1.001e-5
            assert np.abs(got.duals[s == 0]).max() == 0
    unweighted = certify("fit_topk_svm", got.duals, X, y, **options | {"sample_weight": None}).value
    assert unweighted > 1e-2, f"the certificate of another problem passed with {unweighted}"


@EACH_KIND
def test_twins_agree_on_weighted_iterates(kind):
    X, y, s = instance(3, n=40, m=6)
    rng = np.random.default_rng(3)
    options = {"k": 2, "kind": kind, "regularization": 0.02, "sample_weight": s, "tol": 0.0, "max_epochs": 3}
    options["order"] = np.array([rng.permutation(40) for _ in range(3)])
    expected = fit(reference.fit_topk_svm, X, y, **options)
    for data in (X, sparse.csr_matrix(X)):
        got = fit(fast.fit_topk_svm, data, y, **options)
        assert np.abs(got.duals - expected.duals).max() <= 1e-10 * np.abs(expected.duals).max()
    later = {**options, "order": options["order"][1:], "max_epochs": 2}
    first = {**options, "order": options["order"][:1], "max_epochs": 1}
    for module in (reference, fast):
        start = fit(module.fit_topk_svm, X, y, **first).duals
        kept = start.copy()
        got = fit(module.fit_topk_svm, X, y, **later, duals=start)
        assert np.array_equal(start, kept)
        assert np.abs(got.duals - expected.duals).max() <= 1e-10 * np.abs(expected.duals).max()


@BOTH
@EACH_LOSS
def test_an_optimum_to_start_from_is_one(module, kind, smoothing):
    X, y, s = instance(5)
    problem = {"k": 2, "kind": kind, "smoothing": smoothing, "sample_weight": s}
    options = {**problem, "regularization": 0.02}
    cold = module.fit_topk_svm(X, y, **options, tol=1e-4, max_epochs=50_000, sparse_duals=True)
    warm, same = (
        module.fit_topk_svm(X, y, **options, tol=1e-3, duals=duals) for duals in (cold.duals.toarray(), cold.duals)
    )
    assert warm.epochs == 1 <= cold.epochs and np.array_equal(warm.duals, same.duals)
    # Along a path the domain scales with 1 / regularization, and so do the duals.
    later = module.fit_topk_svm(X, y, **problem, regularization=0.01, tol=1e-3, duals=2 * cold.duals)
    assert certify("fit_topk_svm", later.duals, X, y, **problem, regularization=0.01).value <= 1.001e-3


@BOTH
def test_float32_duals_start_again(module):
    X, y, s = instance(6)
    options = {"k": 2, "regularization": 0.05, "sample_weight": s.astype(np.float32), "tol": 1e-4, "max_epochs": 5000}
    cold = module.fit_topk_svm(X.astype(np.float32), y, **options)
    warm = module.fit_topk_svm(X.astype(np.float32), y, **options, duals=cold.duals)
    assert warm.gap <= 1e-4 and warm.duals.dtype == np.float32
