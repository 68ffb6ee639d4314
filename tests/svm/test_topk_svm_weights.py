"""Weights of examples and duals to start from: the domain of an example scales with its weight, and so do its duals."""

import numpy as np
import pytest

from reference.check import certify
from tests.support.topk_svm import EACH_KIND
from tests.support.topk_svm import instance as examples
from tests.support.twins import BOTH, fit

EACH_LOSS = pytest.mark.parametrize(("kind", "smoothing"), [("alpha", 0.1), ("beta", 0.0), ("alpha_inclusive", 0.1)])


def instance(seed=0, n=18, d=5, m=4):
    X, y = examples(seed, n, d, m, zero_rows=1)
    rng = np.random.default_rng(seed)
    s = rng.uniform(0.0, 3.0, size=n)
    s[rng.permutation(n)[:2]] = 0.0
    return X, y, s


@BOTH
@EACH_KIND
def test_a_fit_goes_on_from_the_duals_of_its_first_epoch(module, kind):
    X, y, s = instance(3, n=40, m=6)
    rng = np.random.default_rng(3)
    options = {"k": 2, "kind": kind, "regularization": 0.02, "sample_weight": s, "tol": 0.0}
    order = np.array([rng.permutation(40) for _ in range(3)])
    expected = fit(module.fit_topk_svm, X, y, **options, order=order, max_epochs=3)
    start = fit(module.fit_topk_svm, X, y, **options, order=order[:1], max_epochs=1).duals
    got = fit(module.fit_topk_svm, X, y, **options, order=order[1:], max_epochs=2, duals=start)
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
