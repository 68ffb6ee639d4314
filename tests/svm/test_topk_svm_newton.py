"""The top-k SVM by Newton's method: ground truth, certificates, nasty instances, and the rule that chooses it."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning

import fast
from fast._svm import ascent, faces, newton
from reference.datasets import make_overlapping_classes
from reference.ground_truth import topk_svm as ground_truth
from reference.problems.checks import svm_options
from tests.support.topk_svm import EACH_KIND, assert_certified, instance


@pytest.fixture
def by_newton(monkeypatch):
    """A function that fits by Newton's method alone, however small the problem, and raises if it gives up."""
    monkeypatch.setattr(ascent, "newton_pays", lambda *problem: True)
    monkeypatch.setattr(ascent, "DUALS_PER_WEIGHT", 0)
    monkeypatch.setattr(ascent, "_ascend_by_coordinates", lambda *arguments: pytest.fail("Newton's method gave up"))
    return fast.fit_topk_svm


# --- the optimum ---------------------------------------------------------------------------------------------------


@EACH_KIND
@pytest.mark.parametrize(("k", "zero_rows", "regularization"), [(1, 0, 0.1), (2, 3, 0.01), (3, 0, 1e-4), (4, 1, 1.0)])
def test_the_optimum_with_and_without_weights_of_examples(by_newton, kind, k, zero_rows, regularization):
    X, y = instance(10 * k, n=40, d=3, zero_rows=zero_rows)
    s = np.random.default_rng(0).uniform(0, 3, size=40)
    s[:7] = 0
    for weights in (None, s):
        options = {"k": k, "kind": kind, "regularization": regularization, "sample_weight": weights}
        got = by_newton(X, y, **options, tol=1e-9)
        assert_certified(got, X, y, 1e-9, **options)
    assert np.abs(got.duals[:7]).max() == 0


@EACH_KIND
@pytest.mark.parametrize("C", [1e-1, 1e3])
def test_smooth_losses(kind, C):
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


# --- the kernels ---------------------------------------------------------------------------------------------------


@EACH_KIND
@pytest.mark.parametrize(
    ("k", "scheduled", "smoothing"),
    [(1, 0.5, 0.2), (3, 0.5, 0.2), (3, 0.1, 0.5), (5, 1.0, 0.3), (1, 1.0, 0), (2, 0.1, 0), (5, 0.1, 0)],
)
def test_gradient_and_hessian_are_those_of_the_smoothed_primal(kind, k, scheduled, smoothing):
    """phi is the integral of its gradient, and the gradient that of H: each segment of a line has one face an example.

    At random points finite differences of a piecewise quadratic function are exact, up to rounding. The smoothing is
    that of the loss itself.
    """
    X, y = instance(4, n=50, d=3, m=6)
    weights = np.random.default_rng(1).uniform(0.1, 3, 50)
    options = svm_options(50, 6, k, kind, 0.02, 1e-3, 10, weights, smoothing)
    problem = newton.SmoothedProblem(X, y, np.zeros((50, 6)), options, scheduled)
    assert problem.proximity == max(scheduled - smoothing, 0)
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
        if problem.proximity == 0:
            assert point.value == pytest.approx(point.primal, rel=1e-12)


@EACH_KIND
def test_the_duals_of_any_weights_are_feasible_and_their_bound_is_one(kind):
    X, y = instance(5, n=30, d=3, m=6)
    rng = np.random.default_rng(2)
    for k in (1, 3, 5):
        options = svm_options(30, 6, k, kind, 0.02, 1e-3, 10, None)
        problem = newton.SmoothedProblem(X, y, np.zeros((30, 6)), options, 0.1)
        optimum = fast.fit_topk_svm(X, y, k=k, kind=kind, regularization=0.02, tol=1e-6, max_epochs=10**4).primal
        scale = 0.02 * problem.unit**2
        for _ in range(10):
            point = problem.at(rng.standard_normal((6, 3)))
            assert scale * point.dual <= optimum * (1 + 1e-9) and scale * point.primal >= optimum * (1 - 1e-5)
            problem.move_centre(point.weights)
            # The contract's check of the domain raises otherwise.
            fast.fit_topk_svm(
                X, y, k=k, kind=kind, regularization=0.02, duals=problem.centre * problem.unit**2, tol=0.99
            )  # fmt: skip
            own = problem.centre[np.arange(30), y].sum()
            square = (problem.weights_of(problem.centre) ** 2).sum() / 2
            assert own - square == pytest.approx(point.dual)
    assert faces.total_loss(np.zeros((30, 6)), y, np.ones(30), 1.0, 0, 5, 0.0) == pytest.approx(30)


# --- nasty instances -----------------------------------------------------------------------------------------------


@EACH_KIND
@pytest.mark.parametrize("scale", [1e-150, 1e60])
def test_units_of_x_do_not_matter(by_newton, kind, scale):
    X, y = instance(5, n=50, zero_rows=1)
    options = {"k": 2, "kind": kind, "tol": 1e-8}
    expected = by_newton(X, y, regularization=0.05, **options)
    got = by_newton(X * scale, y, regularization=0.05 * scale**2, **options)
    assert got.primal == pytest.approx(expected.primal, rel=1e-8) and got.gap <= 1e-8


@pytest.mark.parametrize(
    ("scale", "tol", "n", "d"), [(1e-18, 1e-9, 60, 3), (1e-6, 1e-9, 60, 3), (1e3, 1e-5, 60, 3), (1e6, 1e-2, 12, 20)]
)
def test_short_and_long_examples(monkeypatch, scale, tol, n, d):
    """For the longest, rounding errors of W are too large for the duals A(W), and coordinate ascent takes over."""
    monkeypatch.setattr(ascent, "newton_pays", lambda *problem: True)
    X, y = instance(6, n=n, d=d)
    got = fast.fit_topk_svm(X * scale, y, k=2, regularization=0.1, tol=tol)
    assert_certified(got, X * scale, y, tol, k=2, regularization=0.1)


@EACH_KIND
def test_edges(by_newton, kind):
    X, y = instance(9, n=40, m=6)
    fits = [
        (X, y, 5),  # k = m - 1
        (X, y % 2, 1),  # two classes
        (X, np.where(y == 3, 4, y), 3),  # a class that nobody has
        (np.vstack([X, X, X]), np.concatenate([y, y, y[::-1]]), 2),  # duplicates that contradict each other
        (np.zeros((40, 2)), y, 2),
        (np.ones((40, 1)), y, 2),
        (np.round(X), y, 3),  # ties
        (np.eye(6)[y], y, 1),  # separable, with equal rows
    ]
    for data, labels, k in fits:
        options = {"k": k, "kind": kind, "regularization": 0.01}
        got = by_newton(data, labels, **options, tol=1e-7)
        assert_certified(got, data, labels, 1e-7, **options)
        assert np.abs(got.duals.sum(axis=1)).max() <= 1e-14 / 0.01


@EACH_KIND
def test_sparse_float32_and_warm(by_newton, kind):
    X, y = instance(11, n=200, d=4)
    X[np.abs(X) < 0.7] = 0
    options = {"k": 2, "kind": kind, "regularization": 0.01}
    expected = by_newton(X, y, **options, tol=1e-8)
    got = by_newton(sparse.csr_matrix(X), y, **options, tol=1e-8)
    assert got.primal == pytest.approx(expected.primal, rel=1e-8)
    for data in (X.astype(np.float32), sparse.csr_matrix(X.astype(np.float32))):
        got = by_newton(data, y, **options, tol=1e-4)
        assert got.duals.dtype == got.weights.dtype == np.float32
        assert_certified(got, X.astype(np.float32), y, 1e-4, **options)
    warm = by_newton(X, y, **options, tol=1e-6, duals=expected.duals)
    assert warm.epochs == 1
    later = by_newton(X, y, k=2, kind=kind, regularization=0.005, tol=1e-8, duals=2 * expected.duals)
    assert_certified(later, X, y, 1e-8, k=2, kind=kind, regularization=0.005)


def test_a_hundred_copies_of_iris():
    """Each example a hundred times, and hardly any regularization."""
    X, y = load_iris(return_X_y=True)
    options = {"regularization": 1 / (1000 * 150_000), "tol": 1e-4}
    got = fast.fit_topk_svm(np.tile(X, (100, 1)), np.tile(y, 100), **options)
    _, primal = ground_truth.fit_topk_svm(X, y, regularization=options["regularization"])
    assert got.gap <= 1e-4 and got.epochs <= 10
    assert primal * (1 - 1e-6) <= got.primal <= primal * (1 + 1e-6) / (1 - 1e-4)


# --- how it ascends ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [1, 3])
def test_the_number_of_steps_hardly_grows_with_c(monkeypatch, k):
    """Measured by evaluations of phi, each a pass over the examples: coordinate ascent takes 30 times longer."""
    X, y = make_overlapping_classes(n_samples=4000)
    evaluations, at = [], newton.SmoothedProblem.at
    monkeypatch.setattr(newton.SmoothedProblem, "at", lambda self, W: evaluations.append(len(self.y)) or at(self, W))
    passes = []
    for C in (1, 1000):
        evaluations.clear()
        got = fast.fit_topk_svm(X, y, k=k, regularization=1 / (C * 4000))
        assert got.gap <= 1e-3 and got.epochs <= 5
        passes.append(sum(evaluations) / 4000)
    assert passes[0] <= 40 and passes[-1] <= 3 * passes[0], passes


@EACH_KIND
def test_each_epoch_raises_the_dual_to_a_small_gap(kind):
    X, y = make_overlapping_classes(5, 1500, 4)
    options = {"k": 2, "kind": kind, "regularization": 1 / (100 * 1500)}
    got = fast.fit_topk_svm(X, y, **options, tol=1e-9)
    assert (np.diff(got.history.dual) >= -1e-12).all() and got.epochs <= 30
    assert_certified(got, X, y, 1e-9, **options)
    assert (got.primal, got.dual, got.gap) == tuple(got.history[-1])[:3]
    again = fast.fit_topk_svm(X, y, **options, tol=1e-9)
    assert (again.duals == got.duals).all(), "the same seed, another answer"


def test_coordinates_take_over_where_newtons_method_gives_up(monkeypatch):
    X, y = make_overlapping_classes(5, 1500, 4)
    monkeypatch.setattr(newton, "_minimise", lambda problem, weights, *options: weights)
    got = fast.fit_topk_svm(X, y, regularization=1 / 1500)
    assert got.gap <= 1e-3 and got.epochs > newton.PATIENCE
    with pytest.warns(ConvergenceWarning, match="after 2 epochs"):
        assert fast.fit_topk_svm(X, y, regularization=1 / 1500, max_epochs=2).epochs == 2


# --- the rule ------------------------------------------------------------------------------------------------------


def chosen(n, d, m, reach=1.0):
    return newton.newton_pays(np.full(n, reach), d, m, svm_options(n, m, 1, "alpha", 1 / n, 1e-3, 10, None))


def test_the_rule_at_its_border():
    few = newton.FEW_WEIGHTS
    assert chosen(10, few // 5, 5) and not chosen(10, few // 5 + 1, 5)
    weights = newton.MOST_WEIGHTS
    assert chosen(10**6, weights // 5, 5) and not chosen(10**6, weights // 5 + 1, 5)
    n = (16 * 26) ** 2 // newton.SQUARED_WEIGHTS_PER_EXAMPLE
    assert chosen(n + 1, 16, 26) and not chosen(n, 16, 26)
    assert chosen(10_500, 16, 26, newton.LEAST_REACH) and not chosen(10_500, 16, 26, 0.99 * newton.LEAST_REACH)
    assert not chosen(1797, 64, 10), "digits have too many weights for their examples"


def test_the_rule_chooses_the_method_and_an_order_overrules_it(monkeypatch):
    calls = []
    monkeypatch.setattr(ascent, "ascend_by_newton", lambda *arguments: calls.append(arguments))
    X, y = make_overlapping_classes(5, 1500, 4)
    options = {"regularization": 1 / 1500, "tol": 0.1}
    fast.fit_topk_svm(X, y, **options)
    assert len(calls) == 1
    wide = np.random.default_rng(6).normal(size=(500, 60))  # too many weights for so few examples
    fast.fit_topk_svm(wide, y[:500], regularization=1 / 500, tol=0.1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        fast.fit_topk_svm(X, y, **options, order=np.arange(1500), max_epochs=2)
        fast.fit_topk_svm_kernel(X @ X.T, y, **options, max_epochs=2)
    assert len(calls) == 1


# --- coordinate ascent comes first ---------------------------------------------------------------------------------


@pytest.fixture
def newtons(monkeypatch):
    """Collects how many epochs came before each call of Newton's method."""
    before, ascend_by_newton = [], ascent.ascend_by_newton

    def watched(X, y, duals, options, seed, recorder, report):
        before.append(len(recorder.history))
        ascend_by_newton(X, y, duals, options, seed, recorder, report)

    monkeypatch.setattr(ascent, "ascend_by_newton", watched)
    return before


@EACH_KIND
@pytest.mark.parametrize("C", [0.1, 1.0, 100.0])
def test_few_scaled_examples_end_before_newtons_method(newtons, kind, C):
    X, y = instance(3, n=120, d=20, m=6)
    got = fast.fit_topk_svm(X + 2 * np.eye(6, 20)[y], y, k=3, kind=kind, regularization=1 / (C * 120))
    assert got.gap <= 1e-3 and got.epochs <= ascent.FIRST_EPOCHS and not newtons


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
@pytest.mark.parametrize("C", [1.0, 100.0])
def test_features_of_different_scales_are_left_to_newtons_method(newtons, load, C):
    X, y = load(return_X_y=True)
    for rows in (slice(None), np.random.default_rng(0).choice(len(y), 40, replace=False)):
        got = fast.fit_topk_svm(X[rows], y[rows], regularization=1 / (C * len(y[rows])))
        assert_certified(got, X[rows], y[rows], 1e-3, regularization=1 / (C * len(y[rows])))
        assert got.epochs <= 50
    assert newtons and max(newtons) <= ascent.FIRST_EPOCHS


def test_the_epochs_before_newtons_method_leave_nothing_behind(newtons, monkeypatch):
    """Newton's method starts from the given duals, and all epochs together are at most `max_epochs`."""
    X, y = load_wine(return_X_y=True)
    rows = np.random.default_rng(0).choice(len(y), 40, replace=False)
    options = {"regularization": 1 / 40, "duals": fast.fit_topk_svm(X[rows], y[rows], regularization=1 / 4).duals}
    got = fast.fit_topk_svm(X[rows], y[rows], **options, tol=1e-6)
    assert newtons[-1] == ascent.FIRST_EPOCHS
    monkeypatch.setattr(ascent, "DUALS_PER_WEIGHT", 0)
    alone = fast.fit_topk_svm(X[rows], y[rows], **options, tol=1e-6)
    assert newtons[-1] == 0 and np.array_equal(got.duals, alone.duals) and np.array_equal(got.weights, alone.weights)
    monkeypatch.undo()
    for most in (ascent.FIRST_EPOCHS - 1, ascent.FIRST_EPOCHS, ascent.FIRST_EPOCHS + 1):
        with pytest.warns(ConvergenceWarning, match=f"after {most} epochs"):
            got = fast.fit_topk_svm(X[rows], y[rows], **options, max_epochs=most, tol=1e-9)
        assert len(got.history) == most
        assert_certified(got, X[rows], y[rows], 1.0, regularization=1 / 40)
