"""Top-k SVMs: ground truth, reference, fast, and what every fit must obey."""

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
from reference.check.certificates import svm as certificates
from reference.ground_truth import topk_svm as ground_truth
from reference.problems.checks import KINDS
from tests.support.topk_svm import BOTH, assert_certified, instance

EACH_KIND = pytest.mark.parametrize("kind", KINDS)


def fit(function, *arguments, **options):
    """A fit that may stop before its tolerance."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return function(*arguments, **options)


# --- ground truth passes its certificate ---------------------------------------------------------------------------


@EACH_KIND
@pytest.mark.parametrize("k", [1, 2, 4])
def test_primal_of_the_ground_truth_meets_a_certified_dual(kind, k):
    """The programme has no duals; but a feasible dual point that meets its primal proves both."""
    X, y = instance(k, n=16, d=8, zero_rows=2)
    options = {"k": k, "kind": kind, "regularization": 0.05}
    weights, primal = ground_truth.fit_topk_svm(X, y, **options)
    got = reference.fit_topk_svm(X, y, **options, tol=1e-6)
    assert certificates.fit_topk_svm(got.duals, X, y, **options) <= 1.1e-6
    assert abs(primal - got.dual) <= 1.1e-6 * primal, f"expected a dual of {primal}, got {got.dual}"
    scores, kernel_primal = ground_truth.fit_topk_svm_kernel(X @ X.T, y, **options)
    assert abs(kernel_primal - primal) <= 1e-8 * primal
    assert np.abs(scores - X @ weights).max() <= 1e-4


def test_a_certificate_rejects_wrong_duals():
    X, y = instance(d=12)
    options = {"k": 2, "kind": "alpha", "regularization": 0.05}
    duals = fast.fit_topk_svm(X, y, **options, tol=1e-9).duals
    radius = 1 / (0.05 * len(X))
    pushed = duals.copy()
    pushed[0, y[0]] += 1e-4 * radius
    wrongs = [np.zeros_like(duals), 0.9 * duals, 1.1 * duals, -duals, duals[::-1], pushed]
    wrongs += [duals[:-1], duals[:, :-1], duals.T, np.full_like(duals, np.nan), None, "duals"]
    assert certificates.fit_topk_svm(duals, X, y, **options) <= 1.1e-9
    for wrong in wrongs:
        got = certificates.fit_topk_svm(wrong, X, y, **options)
        assert got > 1e-5, f"{wrong} passed with {got}"
        assert certificates.fit_topk_svm_kernel(wrong, X @ X.T, y, **options) > 1e-5


# --- reference = ground truth, and so is fast ----------------------------------------------------------------------


@BOTH
@EACH_KIND
@pytest.mark.parametrize(("k", "zero_rows", "regularization"), [(1, 0, 0.1), (2, 3, 0.01), (3, 0, 0.01), (4, 1, 1.0)])
def test_ground_truth_agrees(module, kind, k, zero_rows, regularization):
    X, y = instance(10 * k, n=16, d=8, zero_rows=zero_rows)
    options = {"k": k, "kind": kind, "regularization": regularization}
    _, primal = ground_truth.fit_topk_svm(X, y, **options)
    tol = 1e-4
    for got in (
        module.fit_topk_svm(X, y, **options, tol=tol, max_epochs=10_000),
        module.fit_topk_svm_kernel(X @ X.T, y, **options, tol=tol, max_epochs=10_000),
    ):
        assert primal * (1 - 1e-9) <= got.primal <= primal / (1 - tol), f"expected {primal}, got {got.primal}"
        assert got.dual <= primal * (1 + 1e-9)
    assert_certified(module.fit_topk_svm(X, y, **options, tol=1e-3), X, y, 1e-3, **options)


# --- fast = reference ----------------------------------------------------------------------------------------------


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.integers(2, 9), st.sampled_from(KINDS), st.sampled_from([1e-6, 1.0, 1e6]))
def test_twins_walk_through_the_same_iterates(seed, m, kind, scale):
    rng = np.random.default_rng(seed)
    X, y = instance(seed, n=12, d=3, m=m, zero_rows=seed % 3)
    X *= scale
    order = np.array([rng.permutation(12) for _ in range(4)])
    options = {"k": int(rng.integers(1, m)), "kind": kind, "regularization": scale**2 * 10.0 ** rng.integers(-2, 1)}
    options |= {"tol": 0, "max_epochs": 4, "order": order}
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


@EACH_KIND
@pytest.mark.parametrize("k", [1, 3, 6])
def test_twins_agree_on_the_optimum(kind, k):
    X, y = instance(k, n=40, d=20, m=7, zero_rows=5)
    options = {"k": k, "kind": kind, "regularization": 0.1, "tol": 1e-4}
    expected = reference.fit_topk_svm(X, y, **options)
    for function, data in (
        (fast.fit_topk_svm, X),
        (fast.fit_topk_svm, sparse.csr_matrix(X)),
        (fast.fit_topk_svm_kernel, X @ X.T),
    ):
        got = function(data, y, **options)
        assert got.gap <= 1e-4
        assert abs(got.primal - expected.primal) <= 1e-4 * expected.primal
        assert abs(got.dual - expected.dual) <= 1e-4 * expected.primal


def test_fast_reaches_small_gaps_on_digits():
    """Shrinking and conjugate directions must not stop short of the optimum, nor leave the domain of the duals."""
    X, y = load_digits(return_X_y=True)
    for k, kind in ((1, "alpha"), (3, "alpha"), (3, "beta"), (3, "alpha_inclusive")):
        options = {"k": k, "kind": kind, "regularization": 1 / len(X)}
        got = fast.fit_topk_svm(X / 16, y, **options, tol=1e-8)
        assert_certified(got, X / 16, y, 1e-8, **options)


def test_fast_with_many_classes_and_a_large_k():
    X, y = instance(1, n=150, d=20, m=60)
    for k in (1, 30, 59):
        for kind in KINDS:
            options = {"k": k, "kind": kind, "regularization": 1e-2}
            assert_certified(fast.fit_topk_svm(X, y, **options, tol=1e-6), X, y, 1e-6, **options)


# --- properties ----------------------------------------------------------------------------------------------------


@BOTH
@EACH_KIND
def test_layouts_of_x_do_not_matter(module, kind, tmp_path):
    X, y = instance(7)
    read_only, mapped = X.copy(), np.memmap(tmp_path / "X", np.float64, "w+", shape=X.shape)
    read_only.flags.writeable = False
    mapped[:] = X
    options = {"k": 2, "kind": kind, "regularization": 0.05, "tol": 0, "max_epochs": 3, "order": np.arange(len(X))}
    expected = fit(module.fit_topk_svm, X, y, **options)
    for other in (np.asfortranarray(X), read_only, mapped, np.repeat(X, 2, axis=1)[:, ::2], X.tolist()):
        got = fit(module.fit_topk_svm, other, y, **options)
        assert np.abs(got.duals - expected.duals).max() <= 1e-12
        assert type(got.weights) is type(got.duals) is np.ndarray
    assert (X == instance(7)[0]).all(), "the input has been changed"


@BOTH
@EACH_KIND
def test_float32_gap_is_that_of_the_duals_returned(module, kind):
    X, y = instance(3, n=40, d=10, zero_rows=3, dtype=np.float32)
    options = {"k": 2, "kind": kind, "regularization": 0.05}
    got = module.fit_topk_svm(X, y, **options, tol=1e-4)
    assert got.duals.dtype == got.weights.dtype == np.float32
    assert_certified(got, X, y, 1e-4, **options)
    kernel = module.fit_topk_svm_kernel(X @ X.T, y, **options, tol=1e-4)
    assert kernel.duals.dtype == np.float32 and kernel.weights is None
    certificate = certificates.fit_topk_svm_kernel(kernel.duals, X @ X.T, y, **options)
    assert certificate <= kernel.gap + 1e-5, f"expected {kernel.gap}, got {certificate}"


@BOTH
@EACH_KIND
@pytest.mark.parametrize("scale", [1e-150, 1e-9, 1e9, 1e60])
def test_units_of_x_do_not_matter(module, kind, scale):
    """Scaling X by s and the regularization by s^2 is a change of units: the same duals, in units of the radius."""
    X, y = instance(5, zero_rows=1)
    options = {"k": 2, "kind": kind, "tol": 0, "max_epochs": 3, "order": np.arange(len(X))}
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
def test_zero_rows_take_the_lowest_indexed_rivals(module, kind):
    X, y = instance(8, zero_rows=24)
    got = module.fit_topk_svm(X, y, k=2, kind=kind, regularization=0.1, tol=1e-12)
    radius = 1 / (0.1 * 24)
    expected = [0.0, -radius / 2, -radius / 2, radius, 0.0]
    assert np.allclose(got.duals[y == 2][0][[3, 0, 1, 2, 4]], expected, rtol=1e-14)
    assert (got.primal, got.gap, got.epochs) == (1.0, pytest.approx(0, abs=1e-12), 1)


@BOTH
@EACH_KIND
def test_edges(module, kind):
    X, y = instance(9, n=20, m=6)
    fits = [
        (X, y, 5),  # k = m - 1
        (X, y % 2, 1),  # two classes
        (X, np.where(y == 3, 4, y), 3),  # a class that nobody has
        (np.vstack([X, X, X]), np.concatenate([y, y, y[::-1]]), 2),  # duplicates that contradict each other
        (X[:2], np.array([1, 0]), 1),
        (X[:, :1], y, 2),
    ]
    for data, labels, k in fits:
        options = {"k": k, "kind": kind, "regularization": 0.1}
        got = module.fit_topk_svm(data, labels, **options, tol=1e-4)
        assert_certified(got, data, labels, 1e-4, **options)
        assert got.weights.shape == (data.shape[1], labels.max() + 1)
        assert np.abs(got.duals.sum(axis=1)).max() <= 1e-14 / 0.1


@BOTH
def test_more_permissive_losses_have_smaller_minima(module):
    X, y = instance(11, n=40, d=8)
    primals = [
        module.fit_topk_svm(X, y, k=3, kind=kind, regularization=0.05, tol=1e-4).primal
        for kind in ("alpha", "alpha_inclusive", "beta")
    ]
    assert primals[0] < primals[1] < primals[2], f"got {primals}"


@BOTH
def test_printed_loss_does_not_close_the_gap_of_alpha(module):
    """Proposition 3 as printed: the dual of alpha with the loss of eq. (3) leaves a gap at the very optimum."""
    X, y = instance(12, n=40, d=30)
    options = {"k": 2, "regularization": 0.01, "tol": 1e-5}
    got = module.fit_topk_svm(X, y, kind="alpha", **options)
    printed = module.topk_hinge(X @ got.weights, y, 2, "alpha_inclusive").mean()
    primal = 0.005 * (got.weights**2).sum() + printed
    assert (primal - got.dual) / primal > 0.2
    assert module.fit_topk_svm(X, y, kind="alpha_inclusive", **options).gap <= 1e-5


@BOTH
def test_history_and_order(module):
    X, y = instance(13)
    options = {"k": 2, "regularization": 0.01, "tol": 1e-4}
    got = module.fit_topk_svm(X, y, **options)
    assert got.history.dtype.names == ("primal", "dual", "gap", "seconds")
    assert len(got.history) == got.epochs
    assert (got.primal, got.dual, got.gap) == tuple(got.history[-1])[:3]
    assert (np.diff(got.history.dual) >= -1e-12).all() and (np.diff(got.history.seconds) >= 0).all()
    again = module.fit_topk_svm(X, y, **options)
    assert (again.duals == got.duals).all(), "the same seed, another answer"
    short = fit(module.fit_topk_svm, X, y, **options, order=np.array([np.arange(24), np.arange(24)[::-1]]))
    assert short.epochs == 2
    nobody = fit(module.fit_topk_svm, X, y, **options, order=np.zeros(24, int), max_epochs=1)
    assert np.count_nonzero(nobody.duals.any(axis=1)) == 1, "an order that repeats one example visits only that one"


@BOTH
def test_running_out_of_epochs_warns_and_tells_the_true_gap(module):
    X, y = instance(14)
    with pytest.warns(ConvergenceWarning, match="after 2 epochs"):
        got = module.fit_topk_svm(X, y, regularization=1e-4, tol=1e-9, max_epochs=2)
    certificate = certificates.fit_topk_svm(got.duals, X, y, regularization=1e-4)
    assert got.gap > 1e-9 and certificate == pytest.approx(got.gap, rel=1e-9)


@BOTH
def test_progress_bar(module, capsys):
    X, y = instance(15)
    module.fit_topk_svm(X, y, regularization=0.1, progress=True)
    assert "gap" in capsys.readouterr().out
