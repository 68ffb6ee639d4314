"""Top-k SVMs with smooth hinges: ground truth, reference, fast, and what every fit must obey."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning

import fast
import reference
from fast._svm import newton
from reference.check import certify
from reference.check.certificates import svm as certificates
from reference.ground_truth import topk_svm as ground_truth
from reference.problems.checks import KINDS, svm_options
from tests.support.topk_svm import BOTH, assert_certified, instance

EACH_KIND = pytest.mark.parametrize("kind", KINDS)


def fit(function, *arguments, **options):
    """A fit that may stop before its tolerance."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return function(*arguments, **options)


# --- ground truth, certificate, reference and fast agree -----------------------------------------------------------


@BOTH
@EACH_KIND
@pytest.mark.parametrize(("k", "m", "smoothing"), [(1, 5, 1e-3), (2, 5, 0.1), (4, 5, 1.0), (1, 2, 0.1)])
def test_ground_truth_agrees(module, kind, k, m, smoothing):
    X, y = instance(10 * k, n=16, d=8, m=m, zero_rows=2)
    s = np.random.default_rng(k).uniform(0.2, 2, 16)
    s[3] = 0
    for sample_weight in (None, s):
        options = {"k": k, "kind": kind, "smoothing": smoothing, "regularization": 0.05}
        options["sample_weight"] = sample_weight
        weights, primal = ground_truth.fit_topk_svm(X, y, **options)
        got = module.fit_topk_svm(X, y, **options, tol=1e-9)
        assert_certified(got, X, y, 1e-9, **options)
        assert abs(got.primal - primal) <= 1e-6 * primal, f"expected {primal}, got {got.primal}"
        assert np.abs(got.weights - weights).max() <= 1e-4 * np.abs(weights).max()
        scores, _ = ground_truth.fit_topk_svm_kernel(X @ X.T, y, **options)
        kernel = module.fit_topk_svm_kernel(X @ X.T, y, **options, tol=1e-9)
        assert abs(kernel.primal - primal) <= 1e-6 * primal
        assert np.abs(X @ X.T @ kernel.duals - scores).max() <= 1e-4 * np.abs(scores).max()


def test_a_certificate_rejects_wrong_duals():
    X, y = instance(d=12)
    options = {"k": 2, "smoothing": 0.5, "regularization": 0.05}
    duals = fast.fit_topk_svm(X, y, **options, tol=1e-9).duals
    hinge = fast.fit_topk_svm(X, y, k=2, regularization=0.05, tol=1e-9).duals
    assert certify("fit_topk_svm", duals, X, y, **options, tol=1e-9)
    assert certify("fit_topk_svm_kernel", duals, X @ X.T, y, **options, tol=1e-9)
    for wrong in (hinge, 0.9 * duals, 0 * duals, -duals, duals[::-1]):
        assert certificates.fit_topk_svm(wrong, X, y, **options) > 1e-4
        assert not certify("fit_topk_svm_kernel", wrong, X @ X.T, y, **options, tol=1e-4)
    other = {**options, "smoothing": 0.4}
    assert not certify("fit_topk_svm", duals, X, y, **other, tol=1e-4), "the duals of another smoothing"


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.integers(2, 9), st.sampled_from(KINDS), st.sampled_from([1e-6, 1.0, 1e6]))
def test_twins_walk_through_the_same_iterates(seed, m, kind, scale):
    rng = np.random.default_rng(seed)
    X, y = instance(seed, n=12, d=3, m=m, zero_rows=seed % 3)
    X *= scale
    order = np.array([rng.permutation(12) for _ in range(4)])
    options = {"k": int(rng.integers(1, m)), "kind": kind, "regularization": scale**2 * 10.0 ** rng.integers(-2, 1)}
    options |= {"smoothing": 10.0 ** rng.integers(-3, 2), "tol": 0, "max_epochs": 4, "order": order}
    expected = fit(reference.fit_topk_svm, X, y, **options)
    radius = 1 / (options["regularization"] * 12)
    for function, data in (
        (fast.fit_topk_svm, X),
        (fast.fit_topk_svm, sparse.csr_matrix(X)),
        (fast.fit_topk_svm_kernel, X @ X.T),
        (reference.fit_topk_svm_kernel, X @ X.T),
    ):
        got = fit(function, data, y, **options)
        assert np.abs(got.duals - expected.duals).max() <= 1e-9 * radius, f"expected {expected.duals}, got {got.duals}"
        epochs = min(got.epochs, expected.epochs)  # where the gap is 0 up to rounding, one of them may stop
        assert np.abs(got.history.gap[:epochs] - expected.history.gap[:epochs]).max() <= 1e-9


@pytest.mark.parametrize("C", [1e-2, 1.0, 1e4])
@pytest.mark.parametrize("smoothing", [1e-3, 1.0])
def test_fast_reaches_tiny_gaps_on_digits(C, smoothing):
    """Shrinking and conjugate directions must not stop short of the optimum, nor leave the domain of the duals."""
    X, y = load_digits(return_X_y=True)
    for k, kind in ((1, "alpha"), (2, "alpha_inclusive"), (5, "alpha"), (5, "beta")):
        options = {"k": k, "kind": kind, "smoothing": smoothing, "regularization": 1 / (C * len(X))}
        got = fast.fit_topk_svm(X / 16, y, **options, tol=1e-9)
        assert_certified(got, X / 16, y, 1e-9, **options)


# --- properties ----------------------------------------------------------------------------------------------------


@BOTH
@EACH_KIND
def test_a_small_gamma_tends_to_the_hinge(module, kind):
    X, y = instance(1, n=20, d=8, zero_rows=2)
    options = {"k": 2, "kind": kind, "regularization": 0.1, "tol": 1e-6, "max_epochs": 5000}
    hinge = module.fit_topk_svm(X, y, **options)
    above = np.inf
    for smoothing in (1.0, 1e-1, 1e-2, 1e-4):
        got = module.fit_topk_svm(X, y, **options, smoothing=smoothing)
        apart = hinge.primal - got.primal
        assert -2e-6 <= apart <= min(smoothing / 4 + 2e-6, above), f"gamma / (2k) = {smoothing / 4}, got {apart}"
        above = apart + 2e-6
    assert module.fit_topk_svm(X, y, **options, smoothing=0).primal == hinge.primal


@BOTH
@EACH_KIND
@pytest.mark.parametrize("smoothing", [1e-3, 0.5, 3.0, 10.0])
def test_zero_rows_project_without_a_bias(module, kind, smoothing):
    """With x = 0 all margins are 1: the duals of the rivals are equal, r / gamma or r / (m - 1)."""
    X, y = instance(8, zero_rows=24)
    got = module.fit_topk_svm(X, y, k=2, kind=kind, smoothing=smoothing, regularization=0.1, tol=1e-12)
    radius = 1 / (0.1 * 24)
    expected = radius * min(1 / smoothing, 1 / 4)
    assert np.allclose(-got.duals[np.arange(5) != y[:, None]], expected, rtol=1e-13)
    assert (got.gap, got.epochs) == (pytest.approx(0, abs=1e-12), 1)


@BOTH
@EACH_KIND
@pytest.mark.parametrize("C", [1e-8, 1e8])
def test_extreme_c(module, kind, C):
    X, y = instance(6, n=12, d=20)
    for smoothing in (1e-3, 1.0):
        options = {"k": 2, "kind": kind, "smoothing": smoothing, "regularization": 1 / (C * 12)}
        got = module.fit_topk_svm(X, y, **options, tol=1e-6)
        assert_certified(got, X, y, 1e-6, **options)


@BOTH
@EACH_KIND
@pytest.mark.parametrize("scale", [1e-150, 1e-9, 1e60])
def test_units_of_x_do_not_matter(module, kind, scale):
    X, y = instance(5, zero_rows=1)
    options = {"k": 2, "kind": kind, "smoothing": 0.1, "tol": 0, "max_epochs": 3, "order": np.arange(len(X))}
    expected = fit(module.fit_topk_svm, X, y, regularization=0.05, **options)
    got = fit(module.fit_topk_svm, X * scale, y, regularization=0.05 * scale**2, **options)
    assert np.abs(got.duals * scale**2 - expected.duals).max() <= 1e-9 * np.abs(expected.duals).max()
    assert abs(got.gap - expected.gap) <= 1e-9


@BOTH
@EACH_KIND
def test_float32_gap_is_that_of_the_duals_returned(module, kind):
    X, y = instance(3, n=40, d=10, zero_rows=3, dtype=np.float32)
    options = {"k": 2, "kind": kind, "smoothing": 0.1, "regularization": 0.05}
    got = module.fit_topk_svm(X, y, **options, tol=1e-5)
    assert got.duals.dtype == got.weights.dtype == np.float32
    assert_certified(got, X, y, 1e-5, **options)


@BOTH
def test_fitted_duals_are_a_start(module):
    X, y = instance(4, n=30, d=6)
    options = {"k": 2, "smoothing": 0.1, "regularization": 0.05, "tol": 1e-6}
    first = module.fit_topk_svm(X, y, **options)
    again = module.fit_topk_svm(X, y, **options, duals=first.duals)
    assert again.epochs <= 4 < first.epochs, f"expected at most 4 epochs, got {again.epochs} after {first.epochs}"
    doubled = module.fit_topk_svm(np.vstack([X, X]), np.tile(y, 2), **options)
    weighted = module.fit_topk_svm(np.vstack([X, X]), np.tile(y, 2), **options, sample_weight=np.repeat([2.0, 0.0], 30))
    assert abs(doubled.primal - first.primal) <= 2e-6 * first.primal
    assert abs(weighted.primal - first.primal) <= 2e-6 * first.primal
    assert not weighted.duals[30:].any()


def test_fast_in_threads_with_sparse_duals():
    X, y = instance(2, n=200, d=30, m=8, zero_rows=3)
    options = {"k": 2, "smoothing": 0.1, "regularization": 1e-2, "tol": 1e-6}
    got = fast.fit_topk_svm(X, y, **options)
    again = fast.fit_topk_svm(X, y, **options, n_jobs=2, sparse_duals=True)
    assert (again.duals.toarray() == got.duals).all() and again.gap == got.gap


# --- Newton's method -----------------------------------------------------------------------------------------------


@EACH_KIND
@pytest.mark.parametrize("C", [1e-1, 1e3])
def test_newton_with_few_weights(kind, C):
    """Many examples and few weights, rows of zeros and weights of 0 among them."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((2000, 4))
    y = (X @ rng.standard_normal((4, 5)) + rng.standard_normal((2000, 5))).argmax(axis=1)
    X[::50], s = 0, rng.uniform(0.5, 2, 2000)
    s[:10] = 0
    for smoothing in (1e-3, 0.05, 2.0):
        options = {"k": 2, "kind": kind, "smoothing": smoothing, "regularization": 1 / (C * 2000), "sample_weight": s}
        got = fast.fit_topk_svm(X, y, **options, tol=1e-9)
        assert_certified(got, X, y, 1e-9, **options)
        assert got.epochs <= 30
        by_coordinates = fit(fast.fit_topk_svm, X, y, **options, tol=1e-4, order=np.arange(2000), max_epochs=200)
        assert by_coordinates.dual <= got.primal * (1 + 1e-12) and got.dual <= by_coordinates.primal * (1 + 1e-12)


@EACH_KIND
@pytest.mark.parametrize(("k", "gamma", "delta"), [(1, 0.5, 0.2), (3, 0.5, 0.2), (3, 0.1, 0.5), (5, 1.0, 0.3)])
def test_gradient_and_hessian_are_those_of_the_primal_of_a_proximal_step(kind, k, gamma, delta):
    """At random points finite differences of a piecewise quadratic function are exact, up to rounding."""
    X, y = instance(4, n=50, d=3, m=6)
    weights = np.random.default_rng(1).uniform(0.1, 3, 50)
    options = svm_options(50, 6, k, kind, 0.02, 1e-3, 10, weights, delta)
    problem = newton.SmoothedProblem(X, y, np.zeros((50, 6)), options, gamma)
    assert problem.gamma == max(gamma - delta, 0)
    rng = np.random.default_rng(k)
    problem.move_centre(rng.standard_normal((6, 3)))
    for _ in range(5):
        W, direction, step = rng.standard_normal((6, 3)), rng.standard_normal((6, 3)), 1e-6
        before, after, point = (problem.at(W + s * step * direction) for s in (-1, 1, 0))
        hessian = np.tril(point.hessian) + np.tril(point.hessian, -1).T
        expected = (after.gradient - before.gradient) / (2 * step)
        got = (hessian @ direction.ravel()).reshape(6, 3)
        assert np.abs(got - expected).max() <= 1e-6 * np.abs(expected).max(), f"expected {expected}, got {got}"
        expected = (after.value - before.value) / (2 * step)
        assert np.vdot(point.gradient, direction) == pytest.approx(expected, rel=1e-6)
        if problem.gamma == 0:
            assert point.value == pytest.approx(point.primal, rel=1e-12)


@BOTH
def test_bad_smoothing_is_named(module):
    X, y = instance(n=6, d=2, m=3)
    for wrong in (-1.0, np.nan, np.inf, 1e-320, None):
        with pytest.raises(ValueError, match="smoothing"):
            module.fit_topk_svm(X, y, regularization=0.1, smoothing=wrong)
        with pytest.raises(ValueError, match="smoothing"):
            module.fit_topk_svm_kernel(X @ X.T, y, regularization=0.1, smoothing=wrong)
