"""The top-k entropy losses and their gradients: ground truth, reference, fast, and what they must obey."""

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fast
import reference
from reference.check import certify
from reference.ground_truth import entropy_fits
from reference.ground_truth import entropy_losses as ground_truth
from tests.support.topk_svm import BOTH

NAMES = ["topk_entropy", "topk_entropy_gradient", "truncated_topk_entropy", "truncated_topk_entropy_gradient"]
ROUNDINGS = 64  # how many roundings an answer may be off, relative to 1 or the largest score


def instance(seed, n, m, scale=2.0, ties=False, dtype=np.float64):
    rng = np.random.default_rng(seed)
    scores = rng.integers(-2, 3, (n, m)) if ties else scale * rng.standard_normal((n, m))
    return scores.astype(dtype), rng.integers(0, m, n)


def assert_near(got, expected, scores):
    limit = ROUNDINGS * np.finfo(scores.dtype).eps * (1 + np.abs(scores).max())
    error = np.abs(got - expected).max()
    assert error <= limit, f"expected {expected}, got {got}: off by {error:.3g}, allowed {limit:.3g}"


@pytest.mark.parametrize("k", [1, 2, 4])
def test_ground_truth_is_the_conic_programme(k):
    scores, y = instance(k, 6, 5)
    losses = entropy_fits.losses(cp.Constant(scores), y, 5, k)
    value = cp.Problem(cp.Minimize(cp.sum(losses))).solve(solver=cp.CLARABEL)
    assert abs(value - ground_truth.topk_entropy(scores, y, k).sum()) <= 1e-6


@BOTH
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("ties", [False, True])
def test_enumeration_agrees(module, name, ties):
    for m in (2, 3, 6):
        for scale in (1.0, 30.0, 1e3):
            scores, y = instance(m, 20, m, scale, ties)
            for k in range(1, m):
                got = getattr(module, name)(scores, y, k)
                assert_near(got, getattr(ground_truth, name)(scores, y, k), scores)
                assert certify(name, got, scores, y, k=k)


@settings(deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 80), st.booleans(), st.sampled_from([np.float32, np.float64]))
def test_twins_agree(seed, m, ties, dtype):
    scores, y = instance(seed, 7, m, 3.0, ties, dtype)
    for name in NAMES:
        expected, got = (getattr(module, name)(scores, y, 1 + seed % (m - 1)) for module in (reference, fast))
        assert got.dtype == expected.dtype == dtype and got.shape == expected.shape
        assert_near(got, expected, scores)


@BOTH
@pytest.mark.parametrize("name", ["topk_entropy", "truncated_topk_entropy"])
def test_gradients_are_finite_differences(module, name):
    scores, y = instance(4, 8, 6)
    for k in range(1, 6):
        gradient, step = getattr(module, f"{name}_gradient")(scores, y, k), 1e-5
        for j in range(6):
            change = step * (np.arange(6) == j)
            loss = getattr(module, name)
            expected = (loss(scores + change, y, k) - loss(scores - change, y, k)) / (2 * step)
            assert np.abs(gradient[:, j] - expected).max() <= 1e-8
        assert np.abs(gradient.sum(axis=1)).max() <= 1e-14


@BOTH
def test_special_cases_and_bounds(module):
    scores, y = instance(5, 30, 7)
    own = scores[np.arange(30), y]
    softmax = np.logaddexp.reduce(scores, axis=1) - own
    assert_near(module.topk_entropy(scores, y), softmax, scores)
    assert_near(module.truncated_topk_entropy(scores, y), softmax, scores)
    mean = (scores.sum(axis=1) - own) / 6 - own
    assert_near(module.topk_entropy(scores, y, 6), np.log1p(6 * np.exp(mean)), scores)
    losses = [module.topk_entropy(scores, y, k) for k in range(1, 7)]
    assert all((one >= other - 1e-12).all() for one, other in zip(losses, losses[1:], strict=False))
    for k in range(1, 7):
        errors = module.topk_error(scores, y, k)
        assert (module.truncated_topk_entropy(scores, y, k) / np.log(2) >= errors - 1e-12).all()


@BOTH
def test_tiny_and_huge_losses_keep_their_digits(module):
    """1 - sigma would be 0 for the second example, and the loss of the first would be 0 if it was log(1 + tiny)."""
    scores, y = np.array([[60.0, 0.0, 1.0], [0.0, 60.0, 1.0], [0.0, 800.0, 799.0]]), np.zeros(3, int)
    for k, expected in ((1, [np.exp(-60) + np.exp(-59), 60 + np.log1p(np.exp(-59)), 800 + np.log1p(np.exp(-1))]),):
        got = module.topk_entropy(scores, y, k)
        assert np.abs(got / expected - 1).max() <= 1e-14
    assert module.topk_entropy(scores, y, 2)[0] / (2 * np.exp(-59.5)) == pytest.approx(1, abs=1e-13)


@BOTH
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("change", "names"), [({"k": 3}, "k .*3"), ({"k": 0}, "k .*0"), ({"y": [0, 3]}, "y .*3")])
def test_bad_input_is_named(module, name, change, names):
    arguments = {"scores": np.zeros((2, 3)), "y": np.array([0, 1]), "k": 1} | change
    with pytest.raises(ValueError, match=names):
        getattr(module, name)(**arguments)
