"""Fits of the top-k entropy losses: what the examiner does not see. It compares its instances with the optimum."""

import functools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_digits

import fast
import reference
from fast._svm.entropy import ascent, models, newton_cg
from fast._svm.entropy.exponential import exponentials
from fast._svm.entropy.step import SHORT_STEP
from fast._svm.entropy.step import best_shares as fast_shares
from reference._svm.entropy_step import best_shares
from reference.check import certify
from reference.problems import checks
from tests.support.topk_svm import instance
from tests.support.twins import BOTH, fit

OF_DIGITS = pytest.mark.parametrize(("k", "C"), [(1, 1e-2), (2, 1e2), (5, 1e4)])


def shares(h, alpha, k, t=np.nan, g=0):
    memory = np.empty((3, len(h)))
    fast_shares(h, len(h), alpha, k, t, g, SHORT_STEP, *memory)
    return memory[2]


# --- the step of one example ---------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 9), st.floats(-14, 8), st.floats(-1, 2))
def test_steps_of_the_twins_agree_in_all_digits(seed, m, alpha, scale):
    rng = np.random.default_rng(seed)
    h, k, alpha = 10.0**scale * rng.standard_normal(m - 1), int(rng.integers(1, m)), 10.0**alpha
    expected = best_shares(h, alpha, k)
    limit = 1e-13 * (1 + np.abs(h).max() + alpha + 10 * abs(np.log(alpha)))
    for got in (shares(h, alpha, k), shares(h, alpha, k, rng.normal(), k - 1)):
        error = (np.abs(got - expected) / np.maximum(expected, 1e-280)).max()
        assert error <= limit, f"expected {expected}, got {got}: off by {error:.2g}"


@pytest.mark.parametrize("alpha", [1e-14, 1e-3, 1.0, 1e8, 1e12])
def test_steps_of_logits_of_1000(alpha):
    rng = np.random.default_rng(0)
    for k in (1, 3, 9):
        for _ in range(20):
            h = 1e3 * rng.standard_normal(9)
            u, expected = shares(h, alpha, k), best_shares(h, alpha, k)
            assert np.isfinite(u).all() and (u >= 0).all() and u.sum() <= 1 + 1e-12
            assert u.max() <= u.sum() / k * (1 + 1e-12)
            assert np.abs(u - expected).max() <= 1e-12


def test_exponentials_are_those_of_numpy():
    h = np.concatenate([np.random.default_rng(0).uniform(-708, 700, 5000), [0.0, -0.0, 1e-300, 1.0, -708.0]])
    got = np.empty(len(h))
    total = exponentials(h, len(h), np.inf, 0.0, got)
    expected = np.exp(h)
    error = np.abs(got / expected - 1).max()
    assert error <= 2 * np.finfo(np.float64).eps and abs(total / expected.sum() - 1) <= 1e-13
    exponentials(np.array([-709.0, -1e9, 3.0]), 3, 1.0, 0.5, got)
    assert (got[:2] == 0).all() and abs(got[2] / np.exp(1.5) - 1) <= 1e-15


# --- iterates and methods --------------------------------------------------------------------------------------------


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 9), st.sampled_from([1e-6, 1.0, 1e6]))
def test_twins_walk_through_the_same_iterates(seed, m, scale):
    rng = np.random.default_rng(seed)
    X, y = instance(seed, n=12, d=3, m=m, zero_rows=seed % 3)
    X *= scale
    order = np.array([rng.permutation(12) for _ in range(4)])
    options = {"k": int(rng.integers(1, m)), "regularization": scale**2 * 10.0 ** rng.integers(-2, 1)}
    options |= {"tol": 0, "max_epochs": 4, "order": order}
    if seed % 2:
        options["sample_weight"] = rng.integers(0, 3, 12) + (np.arange(12) == 0)
    expected = fit(reference.fit_topk_entropy, X, y, **options)
    radius = 1 / (options["regularization"] * 12)
    for function, data in (
        (fast.fit_topk_entropy, X),
        (fast.fit_topk_entropy, sparse.csr_matrix(X)),
        (fast.fit_topk_entropy_kernel, X @ X.T),
        (reference.fit_topk_entropy_kernel, X @ X.T),
    ):
        got = fit(function, data, y, **options)
        assert np.abs(got.duals - expected.duals).max() <= 1e-9 * radius, f"expected {expected.duals}, got {got.duals}"
        epochs = min(got.epochs, expected.epochs)
        assert np.abs(got.history.gap[:epochs] - expected.history.gap[:epochs]).max() <= 1e-9


def test_blocks_walk_through_the_same_iterates():
    """With many weights, the scores of blocks of examples are products of matrices."""
    X, y = instance(3, n=70, d=700, m=9)
    assert X.shape[1] * 9 >= models.LEAST_WEIGHTS_OF_BLOCKS
    options = {"k": 3, "regularization": 0.01, "order": np.random.default_rng(0).permutation(70), "max_epochs": 2}
    expected = fit(reference.fit_topk_entropy, X, y, **options, tol=0)
    for data in (X, sparse.csr_matrix(X)):
        got = fit(fast.fit_topk_entropy, data, y, **options, tol=0)
        assert np.abs(got.duals - expected.duals).max() <= 1e-12


@OF_DIGITS
def test_fast_closes_the_gap_on_digits(k, C):
    X, y = load_digits(return_X_y=True)
    options = {"k": k, "regularization": 1 / (C * len(X)), "tol": 1e-9}
    got = fast.fit_topk_entropy(X / 16, y, **options)
    certificate = certify("fit_topk_entropy", got, X / 16, y, **options)
    assert got.gap <= 1e-9 and certificate, certificate.what


@OF_DIGITS
def test_fast_closes_the_gap_on_digits_with_kernels(k, C):
    """The inner products have rank 61. Those of the other kernel have rank 300, and passes alone are slow, too."""
    X, y = load_digits(return_X_y=True)
    X = X / 16
    wide = np.exp(-0.01 * np.square(X[:300, None] - X[:300]).sum(axis=2))
    for K in (X @ X.T, wide):
        options = {"k": k, "regularization": 1 / (C * len(K)), "tol": 1e-9}
        got = fast.fit_topk_entropy_kernel(K, y[: len(K)], **options, max_epochs=8)
        rounded = options | {"tol": 4e-9}  # the objective may be 4e-4 beside scores of 1e3
        certificate = certify("fit_topk_entropy_kernel", got, K, y[: len(K)], **rounded)
        assert got.gap <= 1e-9 and certificate, certificate.what


@pytest.mark.parametrize("left", [-1.0, np.inf], ids=["Newton", "coordinate ascent"])
def test_both_methods_end_at_the_same_optimum(left, monkeypatch):
    for model in (models.LinearEntropyModel, models.KernelEntropyModel):
        monkeypatch.setattr(model, "passes_of_newton", left)
    X, y = instance(5, n=200, d=10, m=6)
    K = (1 + X @ X.T / 10) ** 2
    for k in (1, 2, 5):
        for inner in (K, X @ X.T, K.astype(np.float32)):
            options = {"k": k, "regularization": 1 / 200, "tol": 1e-8 if inner.dtype == np.float64 else 1e-4}
            got = fast.fit_topk_entropy_kernel(inner, y, **options)
            assert certify("fit_topk_entropy_kernel", got, inner, y, **options)
        for data in (X, sparse.csr_matrix(X), X.astype(np.float32)):
            tol = 1e-8 if data.dtype == np.float64 else 1e-4
            options = {"k": k, "regularization": 1 / 200, "tol": tol}
            got = fast.fit_topk_entropy(data, y, **options)
            assert certify("fit_topk_entropy", got, data, y, **options)
            assert got.weights.dtype == got.duals.dtype == data.dtype


def test_newton_is_interrupted_where_passes_are_faster_and_goes_on_where_it_was(monkeypatch):
    monkeypatch.setattr(ascent, "NEWTON_PATIENCE", 0.01)
    monkeypatch.setattr(models.LinearEntropyModel, "passes_of_newton", -1.0)
    descend, states, primals = newton_cg.NewtonMethod.descend, [], []

    def noted(self, most):
        before = self.model.duals.rows.copy()
        state, products = descend(self, most)
        states.append(state)
        if state == newton_cg.INTERRUPTED:
            assert products >= most and (self.model.duals.rows == before).all()
            primals.append(self.point.primal)
        return state, products

    monkeypatch.setattr(newton_cg.NewtonMethod, "descend", noted)
    X, y = instance(5, n=200, d=10, m=6)
    options = {"k": 2, "regularization": 1e-4 / 200, "tol": 1e-9}
    assert certify("fit_topk_entropy", fast.fit_topk_entropy(X, y, **options), X, y, **options)
    assert states[0] == newton_cg.INTERRUPTED and states[-1] == newton_cg.REACHED, f"got {states}"
    assert (np.diff(primals) <= 0).all(), f"got {primals}"


@pytest.mark.parametrize("k", [1, 3])
def test_strong_regularization_needs_no_pass(k, monkeypatch):
    """One step along the gradient is enough, and its duals are certified."""

    def no_pass(self):
        raise AssertionError("a pass was made")

    monkeypatch.setattr(ascent.FreePasses, "run", no_pass)
    X, y = instance(6, n=300, d=40, m=8)
    s = np.random.default_rng(1).uniform(0, 2, 300)
    for data in (X, sparse.csr_matrix(X), X.astype(np.float32)):
        for sample_weight in (None, s):
            options = {"k": k, "regularization": np.mean(X**2) / 2, "sample_weight": sample_weight, "tol": 1e-3}
            got = fast.fit_topk_entropy(data, y, **options)
            certificate = certify("fit_topk_entropy", got, data, y, **options)
            assert certificate, certificate.what


def test_the_next_order_is_near_the_last_one_as_long_as_passes_are_fast():
    X, y = instance(3, n=1500, d=700, m=9)
    options = checks.svm_options(1500, 9, 1, "alpha", 0.01, 1e-3, 1, None)
    model = models.LinearEntropyModel(X, y, 9, 1, np.zeros((1500, 9)))
    passes = ascent.FreePasses(model, options, np.random.default_rng(0))
    last, count = passes.order, model.number_of_blocks
    passes._reorder(True)
    moves = np.argsort(passes.order) - np.argsort(last)
    assert 0 < np.abs(moves).max() <= ascent.MOVED * count
    passes._reorder(False)
    assert (np.sort(passes.order) == np.arange(count)).all()


# --- properties ----------------------------------------------------------------------------------------------------


@BOTH
def test_weak_regularization_and_zero_rows(module):
    """C = 1e8 on examples that no weights separate."""
    X, y = instance(2, n=20, d=2, m=4, zero_rows=3)
    for k in (1, 3):
        options = {"k": k, "regularization": 1e-8 / 20, "tol": 1e-3, "max_epochs": 20_000}
        got = fit(module.fit_topk_entropy, X, y, **options | ({"max_epochs": 30} if module is reference else {}))
        assert np.isfinite(got.duals).all() and got.gap <= (1.0 if module is reference else 1e-3)
        proved = certify("fit_topk_entropy", got.duals, X, y, k=k, regularization=1e-8 / 20).value
        assert proved == pytest.approx(got.gap, abs=1e-5)


@BOTH
def test_duals_continue_a_fit(module):
    X, y = instance(8, n=30, d=6, m=5)
    first = module.fit_topk_entropy(X, y, k=2, regularization=0.05, tol=1e-6)
    again = module.fit_topk_entropy(X, y, k=2, regularization=0.05, tol=1e-5, duals=first.duals)
    assert again.epochs == 1 and again.gap <= 1e-5


@pytest.mark.parametrize("k", [1, 3])
def test_threads_do_not_change_the_answer(k):
    X, y = instance(9, n=400, d=12, m=8)
    one, two = (fast.fit_topk_entropy(X, y, k=k, regularization=1e-3, n_jobs=n_jobs) for n_jobs in (1, 2))
    assert (one.duals == two.duals).all() and one.gap == two.gap


@pytest.mark.parametrize("scale", [1e-150, 1e60])
def test_the_scale_of_the_features_does_not_matter(scale):
    """Products of blocks are in float32 only where they do not overflow."""
    X, y = instance(3, n=150, d=700, m=9)
    for regularization in (1e-4, 1e-2, 1e2):
        got = fast.fit_topk_entropy(X * scale, y, regularization=regularization * scale**2)
        expected = fast.fit_topk_entropy(X, y, regularization=regularization)
        assert got.gap <= 1e-3 and abs(got.primal - expected.primal) <= 2e-3 * expected.primal


def test_sorted_classes_do_not_slow_the_passes_down():
    X, y = instance(10, n=600, d=500, m=10)
    order = np.argsort(y, kind="stable")
    epochs = [fast.fit_topk_entropy(X[o], y[o], regularization=1e-2).epochs for o in (order, np.arange(600))]
    assert max(epochs) <= min(epochs) + 1


# --- the truncated entropy -------------------------------------------------------------------------------------------


@BOTH
def test_a_truncated_fit_starts_from_that_of_the_top_k_entropy(module):
    X, y = instance(4, n=15, d=5, m=6)
    got = module.fit_truncated_topk_entropy(X, y, k=4, regularization=0.05)
    start = module.fit_topk_entropy(X, y, k=4, regularization=0.05).weights
    assert got.primal <= 0.025 * np.sum(start**2) + module.truncated_topk_entropy(X @ start, y, 4).mean() + 1e-12


@BOTH
def test_a_gradient_that_only_rounding_keeps_above_tol_is_no_reason_for_a_warning(module):
    """Scores of large features cancel: weights in float32 round them by more than 1e-6. A warning is an error."""
    z, y = np.random.default_rng(0).standard_normal(12), np.arange(12) % 3
    X = np.column_stack([3000 + z, np.full(12, 3000.0)]).astype(np.float32)
    problem = {"regularization": 1e-3}
    got = module.fit_truncated_topk_entropy(X, y, **problem, weights=np.zeros((2, 3)))
    assert got.weights.dtype == np.float32 and 1e-6 < got.gradient_norm < 1e-2
    assert got.gradient_norm == pytest.approx(certify("fit_truncated_topk_entropy", got.weights, X, y, **problem).value)


@BOTH
def test_the_start_of_a_truncated_fit_gives_no_warning(module, monkeypatch):
    """In float32, its gap would stay near 1. The reference takes seconds for 1000 epochs, and 20 do not suffice."""
    n = 24 if module is fast else 12
    few = functools.partial(reference.entropy_fits.fit_topk_entropy, max_epochs=20)
    monkeypatch.setattr(reference.entropy_fits, "fit_topk_entropy", few)
    X, y = 100 * np.abs(np.random.default_rng(0).standard_t(2, size=(n, 3))), np.arange(n) % 3
    got = module.fit_truncated_topk_entropy(X.astype(np.float32), y, regularization=0.01 / n)
    assert got.gradient_norm <= 1e-6


def test_the_truncated_entropy_has_several_local_minima():
    X, y = instance(1, n=40, d=5, m=6)
    starts = np.random.default_rng(0).standard_normal((8, 5, 6))
    primals = [
        fit(fast.fit_truncated_topk_entropy, X, y, k=3, regularization=0.01, weights=3 * start).primal
        for start in starts
    ]
    assert np.ptp(primals) > 1e-3 * min(primals)
