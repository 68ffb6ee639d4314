"""Top-k SVMs: iterates, extreme numbers, weights, starts, histories, warnings, counterexamples to the paper."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_digits

import fast
import reference
from reference.check import certify
from reference.problems.checks import KINDS
from tests.support.topk_svm import EACH_KIND, assert_certified, instance
from tests.support.twins import BOTH, fit

EACH_LOSS = pytest.mark.parametrize("smoothing", [0.0, 0.1], ids=["hinge", "smooth"])


# --- fast = reference ----------------------------------------------------------------------------------------------


@settings(max_examples=40)
@given(
    st.integers(0, 10**6), st.integers(2, 9), st.sampled_from(KINDS), st.sampled_from([1e-6, 1.0, 1e6]), st.booleans(),
    st.booleans(),
)  # fmt: skip
def test_twins_walk_through_the_same_iterates(seed, m, kind, scale, smooth, weighted):
    rng = np.random.default_rng(seed)
    X, y = instance(seed, n=12, d=3, m=m, zero_rows=seed % 3)
    X *= scale
    order = np.array([rng.permutation(12) for _ in range(4)])
    options = {"k": int(rng.integers(1, m)), "kind": kind, "regularization": scale**2 * 10.0 ** rng.integers(-2, 1)}
    options |= {"smoothing": smooth * 10.0 ** rng.integers(-3, 2), "tol": 0, "max_epochs": 4, "order": order}
    if weighted:
        options["sample_weight"] = rng.integers(0, 3, 12) + (np.arange(12) == 0)
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


# --- larger problems -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("C", "smoothing", "tol"),
    [(1.0, 0.0, 1e-8), (1e-2, 1e-3, 1e-9), (1e4, 1e-3, 1e-9), (1e4, 1.0, 1e-9)],
)
def test_fast_reaches_small_gaps_on_digits(C, smoothing, tol):
    """Shrinking and conjugate directions must not stop short of the optimum, nor leave the domain of the duals."""
    X, y = load_digits(return_X_y=True)
    for k, kind in ((1, "alpha"), (3, "alpha"), (5, "beta"), (3, "alpha_inclusive")):
        options = {"k": k, "kind": kind, "smoothing": smoothing, "regularization": 1 / (C * len(X))}
        got = fast.fit_topk_svm(X / 16, y, **options, tol=tol)
        assert_certified(got, X / 16, y, tol, **options)


def test_fast_with_many_classes_and_a_large_k():
    X, y = instance(1, n=150, d=20, m=60)
    for k in (1, 30, 59):
        for kind in KINDS:
            options = {"k": k, "kind": kind, "regularization": 1e-2}
            assert_certified(fast.fit_topk_svm(X, y, **options, tol=1e-6), X, y, 1e-6, **options)


# --- numbers of extreme sizes --------------------------------------------------------------------------------------


@BOTH
@EACH_LOSS
@pytest.mark.parametrize("scale", [1e-150, 1e60])
def test_units_of_x_do_not_matter(module, smoothing, scale):
    """Scaling X by s and the regularization by s^2 is a change of units: the same duals, in units of the radius."""
    X, y = instance(5, zero_rows=1)
    for kind in KINDS:
        options = {"k": 2, "kind": kind, "smoothing": smoothing, "tol": 0, "max_epochs": 3, "order": np.arange(len(X))}
        expected = fit(module.fit_topk_svm, X, y, regularization=0.05, **options)
        got = fit(module.fit_topk_svm, X * scale, y, regularization=0.05 * scale**2, **options)
        assert np.abs(got.duals * scale**2 - expected.duals).max() <= 1e-9 * np.abs(expected.duals).max()
        assert abs(got.gap - expected.gap) <= 1e-9


@BOTH
@EACH_KIND
@pytest.mark.parametrize(("scale", "tol"), [(1e-18, 1e-9), (1e-6, 1e-9), (1e3, 1e-5), (1e6, 1e-2)])
def test_short_and_long_examples(module, kind, scale, tol):
    """At one regularization: short examples are all but without curvature, and long ones are separated by a tiny W.

    The rounding of a margin of 1 bounds the gap from below, relative to a primal of 1 / scale^2.
    """
    X, y = instance(6, n=12, d=20)
    options = {"k": 2, "kind": kind, "regularization": 0.1}
    got = module.fit_topk_svm(X * scale, y, **options, tol=tol)
    assert_certified(got, X * scale, y, tol, **options)


@BOTH
@EACH_KIND
def test_smooth_losses_with_an_extreme_c(module, kind):
    X, y = instance(6, n=12, d=20)
    for C in (1e-8, 1e8):
        for smoothing in (1e-3, 1.0):
            options = {"k": 2, "kind": kind, "smoothing": smoothing, "regularization": 1 / (C * 12)}
            assert_certified(module.fit_topk_svm(X, y, **options, tol=1e-6), X, y, 1e-6, **options)


# --- examples with x = 0 -------------------------------------------------------------------------------------------


@BOTH
@EACH_KIND
def test_zero_rows_take_the_lowest_indexed_rivals(module, kind):
    X, y = instance(8, zero_rows=24)
    got = module.fit_topk_svm(X, y, k=2, kind=kind, regularization=0.1, tol=1e-12)
    radius = 1 / (0.1 * 24)
    expected = [0.0, -radius / 2, -radius / 2, radius, 0.0]
    assert np.allclose(got.duals[y == 2][0][[3, 0, 1, 2, 4]], expected, rtol=1e-14)
    assert (got.primal, got.gap, got.epochs) == (1.0, pytest.approx(0, abs=1e-12), 1)


@BOTH
@EACH_KIND
def test_zero_rows_of_a_smooth_loss_project_without_a_bias(module, kind):
    """With x = 0 all margins are 1: the duals of the rivals are equal, r / gamma or r / (m - 1)."""
    X, y = instance(8, zero_rows=24)
    for smoothing in (1e-3, 10.0):
        got = module.fit_topk_svm(X, y, k=2, kind=kind, smoothing=smoothing, regularization=0.1, tol=1e-12)
        expected = 1 / (0.1 * 24) * min(1 / smoothing, 1 / 4)
        assert np.allclose(-got.duals[np.arange(5) != y[:, None]], expected, rtol=1e-13)
        assert (got.gap, got.epochs) == (pytest.approx(0, abs=1e-12), 1)


# --- the paper -----------------------------------------------------------------------------------------------------


def test_printed_loss_does_not_close_the_gap_of_alpha():
    """Proposition 3 as printed: the dual of alpha with the loss of eq. (3) leaves a gap at the very optimum."""
    X, y = instance(12, n=40, d=30)
    options = {"k": 2, "regularization": 0.01, "tol": 1e-5}
    got = fast.fit_topk_svm(X, y, kind="alpha", **options)
    printed = reference.topk_hinge(X @ got.weights, y, 2, "alpha_inclusive").mean()
    primal = 0.005 * (got.weights**2).sum() + printed
    assert (primal - got.dual) / primal > 0.2
    assert fast.fit_topk_svm(X, y, kind="alpha_inclusive", **options).gap <= 1e-5


# --- weights of examples, and duals to start from --------------------------------------------------------------------


def weighted(seed, n=18, d=5, m=4):
    X, y = instance(seed, n, d, m, zero_rows=1)
    rng = np.random.default_rng(seed)
    s = rng.uniform(0.0, 3.0, size=n)
    s[rng.permutation(n)[:2]] = 0.0
    return X, y, s


@BOTH
@EACH_KIND
def test_a_fit_goes_on_from_the_duals_of_its_first_epoch(module, kind):
    X, y, s = weighted(3, n=40, m=6)
    rng = np.random.default_rng(3)
    options = {"k": 2, "kind": kind, "regularization": 0.02, "sample_weight": s, "tol": 0.0}
    order = np.array([rng.permutation(40) for _ in range(3)])
    expected = fit(module.fit_topk_svm, X, y, **options, order=order, max_epochs=3)
    start = fit(module.fit_topk_svm, X, y, **options, order=order[:1], max_epochs=1).duals
    got = fit(module.fit_topk_svm, X, y, **options, order=order[1:], max_epochs=2, duals=start)
    assert np.abs(got.duals - expected.duals).max() <= 1e-10 * np.abs(expected.duals).max()


@BOTH
@pytest.mark.parametrize(("kind", "smoothing"), [("alpha", 0.1), ("beta", 0.0), ("alpha_inclusive", 0.1)])
def test_an_optimum_to_start_from_is_one(module, kind, smoothing):
    """Along a path, the domain of an example scales with 1 / regularization, and so do its duals."""
    X, y, s = weighted(5)
    problem = {"k": 2, "kind": kind, "smoothing": smoothing, "sample_weight": s}
    options = {**problem, "regularization": 0.02}
    cold = module.fit_topk_svm(X, y, **options, tol=1e-4, max_epochs=50_000, sparse_duals=True)
    warm, same = (
        module.fit_topk_svm(X, y, **options, tol=1e-3, duals=duals) for duals in (cold.duals.toarray(), cold.duals)
    )
    assert warm.epochs == 1 <= cold.epochs and np.array_equal(warm.duals, same.duals)
    later = module.fit_topk_svm(X, y, **problem, regularization=0.01, tol=1e-3, duals=2 * cold.duals)
    assert certify("fit_topk_svm", later.duals, X, y, **problem, regularization=0.01).value <= 1.001e-3
    few = X.astype(np.float32)
    again = module.fit_topk_svm(few, y, **options, duals=module.fit_topk_svm(few, y, **options).duals)
    assert again.gap <= 1e-3 and again.duals.dtype == np.float32


# --- how a fit is called, and what it says -------------------------------------------------------------------------


@BOTH
def test_history_and_order(module):
    X, y = instance(13)
    options = {"k": 2, "regularization": 0.01, "tol": 1e-2}
    got = module.fit_topk_svm(X, y, **options)
    assert (np.diff(got.history.dual) >= -1e-12).all() and (np.diff(got.history.seconds) >= 0).all()
    again = module.fit_topk_svm(X, y, **options)
    assert (again.duals == got.duals).all(), "the same seed, another answer"
    short = fit(module.fit_topk_svm, X, y, **options, order=np.array([np.arange(24), np.arange(24)[::-1]]))
    assert short.epochs == 2
    nobody = fit(module.fit_topk_svm, X, y, **options, order=np.zeros(24, int), max_epochs=1)
    assert np.count_nonzero(nobody.duals.any(axis=1)) == 1, "an order that repeats one example visits only that one"


# What the examiner's catalogue cannot hold: texts for numbers, ragged lists, and sparse formats other than CSR and CSC.
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y": [[0, 1], [0], [1], [2]]}, "y .*0, 1"),
        ({"y": np.array([0, 1, 2, 2**63], np.uint64)}, "y .*at most 9223372036854775807 .*got 9223372036854775808"),
        ({"max_epochs": "5"}, r"max_epochs must be an integer in 1..2147483647, got the string '5'"),
        ({"smoothing": None}, "smoothing .*None"),
        ({"seed": "a"}, "seed .*'a'"),
        ({"order": [[0, 1], [2]]}, "order .*0, 1"),
        ({"sample_weight": "heavy"}, "sample_weight must"),
        ({"duals": sparse.coo_matrix((4, 3))}, "duals must"),
        ({"sparse_duals": "yes"}, "sparse_duals .*'yes'"),
    ],
)
def test_bad_input_is_named(change, message):
    arguments = {"X": np.arange(8.0).reshape(4, 2), "y": np.array([0, 1, 2, 1]), "regularization": 0.1} | change
    with pytest.raises(ValueError, match=message):
        reference.fit_topk_svm(**arguments)
