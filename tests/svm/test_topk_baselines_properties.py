"""TopPush and SVMperf, continued: the reduction, units, ties, edges, starts, and fits that are not finished."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

import fast
from reference.check.certificates import baselines as certificates
from reference.ground_truth import topk_baselines as ground_truth
from tests.support.topk_baselines import (
    BOTH,
    EACH_LOSS,
    EACH_WAY,
    FLAT_OR_NOT,
    PERF,
    PUSH,
    SOLVED,
    assert_honest,
    bounds_of,
    fits_of,
    instance,
)

LONG = {"tol": 1e-3, "max_iterations": 20_000}


# --- properties ----------------------------------------------------------------------------------------------------


@EACH_WAY
def test_reduction_is_the_samples_written_out(way):
    """The same steps on (n, m) flags as on the m d features of each of the n m samples."""
    X, relevant = instance(10, n=8, d=3, classes=3)
    features, flags = ground_truth.reduce_multiclass(X, relevant.argmax(axis=1), 3)
    assert (flags == relevant.ravel()).all() and features.shape == (24, 9)
    weights = np.random.default_rng(0).standard_normal((3, 3))
    assert np.abs(features @ weights.ravel() - (X @ weights).ravel()).max() <= 1e-14
    for name, options in fits_of(relevant):
        expected = getattr(way, name)(features, flags, **options, tol=1e-5, max_iterations=20_000)
        got = getattr(way, name)(X, relevant, **options, tol=1e-5, max_iterations=20_000)
        assert abs(got.primal - expected.primal) <= 1e-5 * expected.primal
        distance = np.sum((got.weights.ravel() - expected.weights) ** 2)  # the objective is strongly convex
        assert distance <= 4 * 2e-5 * expected.primal / options["regularization"], (name, options, distance)


@BOTH
def test_hinge_does_not_bound_the_loss_where_k_is_not_the_number_of_positives(module):
    """Scores that are all alike, far below 0: with k > P no selection costs anything, and all of it may be wrong."""
    X, relevant = np.ones((6, 1)), np.arange(6) < 2
    options = {"k": 4, "loss": "recall", "regularization": 1e-3}
    for weight in (-1.0, -5.0):
        got = ground_truth.perf_objective(X, relevant, np.array([weight]), **options)
        assert got == pytest.approx(0.0005 * weight**2), "expected the penalty alone"
    selected = np.arange(6) >= 2  # the scores do not tell, and so these four may be the ones
    assert ground_truth.selection_loss(selected, relevant, "recall") == 1.0
    assert ground_truth.perf_objective(X, relevant, np.zeros(1), **options) == 1.0
    got = module.fit_svm_perf(X, relevant, **options, tol=1e-6)
    assert got.primal <= 0.0006 and got.weights[0] == pytest.approx(-1, rel=1e-2)
    assert_honest(PERF, got, X, relevant, options, tol=1e-6)


@settings(max_examples=50)
@given(st.integers(0, 10**6))
def test_precision_is_recall_in_other_units(seed):
    """hinge(precision) at P/k scores = 1 - P/k + P/k hinge(recall) at the scores, before the maximum with 0."""
    rng = np.random.default_rng(seed)
    n, scores = int(rng.integers(2, 30)), rng.standard_normal(30)
    relevant, k = rng.permutation(n) < rng.integers(1, n), int(rng.integers(1, n + 1))
    ratio = relevant.sum() / k
    expected = 1 - ratio + ratio * certificates.worst_selection(scores[:n], relevant, k, "recall")
    got = certificates.worst_selection(ratio * scores[:n], relevant, k, "precision")
    assert abs(got - expected) <= 1e-12 * max(1, ratio), f"expected {expected}, got {got}"


@BOTH
def test_fits_for_precision_are_those_for_recall_in_other_units(module):
    X, relevant = instance(11, n=20, signal=0.3)
    n_positive = int(relevant.sum())
    for k in (n_positive, n_positive - 2, n_positive + 2):
        ratio, strong = n_positive / k, 2.0  # strong enough for both hinges to be above 0
        precision = module.fit_svm_perf(X, relevant, k=k, loss="precision", regularization=strong, tol=1e-6)
        recall = module.fit_svm_perf(X, relevant, k=k, loss="recall", regularization=strong * ratio, tol=1e-6)
        assert certificates.worst_selection(X @ recall.weights, relevant, k, "recall") > 1 - 1 / ratio + 0.1
        expected = 1 - ratio + ratio * recall.primal
        assert abs(precision.primal - expected) <= 3e-6, f"k = {k}: expected {expected}, got {precision.primal}"
        assert np.abs(precision.weights - ratio * recall.weights).max() <= 0.02


@EACH_WAY
@FLAT_OR_NOT
def test_duals_of_an_earlier_fit_are_where_the_next_one_starts(way, classes):
    X, relevant = instance(12, n=30, d=5, classes=classes, signal=0.5)
    for name, options in fits_of(relevant):
        cold = getattr(way, name)(X, relevant, **options, tol=1e-4, max_iterations=20_000)
        before = cold.duals.copy()
        warm = getattr(way, name)(X, relevant, **options, tol=1e-4, max_iterations=20_000, duals=cold.duals)
        limit = 5 if name == PUSH else cold.iterations - 1
        assert warm.iterations <= limit, f"{name} {options}: expected at most {limit}, got {warm.iterations}"
        assert_honest(name, warm, X, relevant, options, tol=1e-4)
        other = options | {"regularization": 0.3}
        assert_honest(name, getattr(way, name)(X, relevant, **other, **LONG, duals=before), X, relevant, other, 1e-3)
        assert (cold.duals == before).all(), "the duals have been changed"


@EACH_WAY
@pytest.mark.parametrize("scale", [1e-100, 1e-9, 1e9, 1e60])
def test_units_of_x_do_not_matter(way, scale):
    X, relevant = instance(13, n=15)
    for name, options in fits_of(relevant):
        expected = getattr(way, name)(X, relevant, **options, **LONG)
        units = options | {"regularization": scale**2 * options["regularization"]}
        got = getattr(way, name)(scale * X, relevant, **units, **LONG)
        assert abs(got.primal - expected.primal) <= 1e-3 * expected.primal
        assert_honest(name, got, scale * X, relevant, units, tol=1e-3)


@BOTH
@FLAT_OR_NOT
def test_order_of_samples_does_not_matter(module, classes):
    X, relevant = instance(14, n=15, classes=classes)
    order = np.random.default_rng(1).permutation(15)
    for name, options in fits_of(relevant):
        expected = getattr(module, name)(X, relevant, **options, tol=1e-5, max_iterations=20_000)
        got = getattr(module, name)(X[order], relevant[order], **options, tol=1e-5, max_iterations=20_000)
        assert abs(got.primal - expected.primal) <= 1e-5 * expected.primal
        assert np.sum((got.weights - expected.weights) ** 2) <= 8e-5 * expected.primal / options["regularization"]


@EACH_WAY
@FLAT_OR_NOT
def test_float32_gap_is_that_of_what_is_returned(way, classes):
    X, relevant = instance(15, n=30, d=5, classes=classes, dtype=np.float32, signal=0.5)
    for name, options in fits_of(relevant):
        for data in (X, sparse.csr_matrix(X)):
            got = getattr(way, name)(data, relevant, **options, **LONG)
            assert got.weights.dtype == got.duals.dtype == np.float32
            assert_honest(name, got, data, relevant, options, tol=1e-3)


@EACH_WAY
@FLAT_OR_NOT
def test_layouts_of_x_and_kinds_of_flags_do_not_matter(way, classes, tmp_path):
    X, relevant = instance(16, n=15, classes=classes)
    X[np.abs(X) < 0.3] = 0
    before, read_only, mapped = X.copy(), X.copy(), np.memmap(tmp_path / "X", np.float64, "w+", shape=X.shape)
    read_only.flags.writeable = False
    mapped[:] = X
    gaps, flags = np.repeat(X, 2, axis=1)[:, ::2], relevant.copy()
    for name, options in fits_of(relevant):
        expected = getattr(way, name)(X, relevant, **options, **LONG)
        for other in (np.asfortranarray(X), read_only, mapped, gaps, X.tolist(), sparse.csr_matrix(X)):
            got = getattr(way, name)(other, relevant, **options, **LONG)
            assert abs(got.primal - expected.primal) <= 1e-3 * expected.primal
            assert type(got.weights) is type(got.duals) is np.ndarray
        for other in (relevant.astype(int), relevant.astype(float), relevant.tolist(), np.asfortranarray(relevant)):
            assert (getattr(way, name)(X, other, **options, **LONG).weights == expected.weights).all()
    assert (X == before).all() and (relevant == flags).all(), "the input has been changed"


EDGES = {
    "two samples": lambda X, relevant: (X[:2], np.array([True, False])),
    "one feature": lambda X, relevant: (X[:, :1], relevant),
    "one positive": lambda X, relevant: (X, np.arange(20) == 3),
    "one negative": lambda X, relevant: (X, np.arange(20) != 3),
    "ties": lambda X, relevant: (np.round(X), relevant),
    "all zeros": lambda X, relevant: (0 * X, relevant),
    "zero rows": lambda X, relevant: (X * (np.arange(20) % 3 > 0)[:, None], relevant),
    "contradictions": lambda X, relevant: (np.vstack([X, X]), np.append(relevant, ~relevant)),
    "one column of flags": lambda X, relevant: (X, relevant[:, None]),
    "rows of several classes, and of none": lambda X, relevant: (X[:5], relevant.reshape(5, 4)),
}


@EACH_WAY
@pytest.mark.parametrize("edge", EDGES)
def test_edges(way, edge):
    X, relevant = EDGES[edge](*instance(17, n=20))
    everything = [(PERF, {"k": k, "loss": "recall", "regularization": 0.3}) for k in (1, relevant.size)]
    for name, options in [*fits_of(relevant, 0.3), *everything]:
        got = getattr(way, name)(X, relevant, **options, **LONG)
        assert_honest(name, got, X, relevant, options, tol=1e-3)
        if relevant.size <= 20:
            minimum = getattr(ground_truth, name)(X, relevant, **options)[1]
            assert minimum - SOLVED <= got.primal <= (minimum + SOLVED) / (1 - 1e-3), f"{name} {options}"


@BOTH
@EACH_LOSS
def test_who_selects_all_samples_loses_what_nobody_can_help(module, loss):
    """With k = n all positives are found: recall is perfect at w = 0, and precision is what it is."""
    X, relevant = instance(18, n=9)
    got = module.fit_svm_perf(X, relevant, k=9, loss=loss, regularization=0.1, tol=1e-9)
    if loss == "recall":
        assert (got.primal, got.gap) == (0.0, 0.0) and not got.weights.any() and not got.duals.any()
    else:
        expected = ground_truth.fit_svm_perf(X, relevant, k=9, loss=loss, regularization=0.1)[1]
        assert abs(got.primal - expected) <= SOLVED and got.weights.any()


@BOTH
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_true_gap_of_fits_that_are_not_finished(module, seed):
    """Hardly any penalty, features of very different sizes: the optimum is between the bounds, however far apart."""
    X, relevant = instance(20 + seed, n=12, signal=0.3)
    X = X * [0.1, 1.0, 10.0]
    for name, options in fits_of(relevant, 3e-3):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            got = getattr(module, name)(X, relevant, **options, tol=0, max_iterations=5)
        assert_honest(name, got, X, relevant, options)
        minimum = getattr(ground_truth, name)(X, relevant, **options)[1]
        assert got.dual - SOLVED <= minimum <= got.primal + SOLVED, f"{name}: {got.dual}, {minimum}, {got.primal}"


@BOTH
def test_running_out_of_iterations_warns_and_tells_the_true_gap(module):
    X, relevant = instance(23, n=40, d=5, signal=0.2)
    for name, options in fits_of(relevant, 1e-3):
        with pytest.warns(ConvergenceWarning, match="after 2 iterations"):
            got = getattr(module, name)(X, relevant, **options, tol=1e-9, max_iterations=2)
        assert got.iterations == 2
        bounds = bounds_of(name, got, X, relevant, options)
        assert got.gap > 1e-9 and got.gap == pytest.approx(1 - bounds.given / bounds.objective, rel=1e-9)
        assert_honest(name, got, X, relevant, options)


@EACH_WAY
def test_history_of_a_fit_and_seeds(way):
    X, relevant = instance(24, n=30, d=4, signal=0.4)
    for name, options in fits_of(relevant):
        got = getattr(way, name)(X, relevant, **options, **LONG, seed=5)
        history = got.history
        assert history.dtype.names == ("primal", "dual", "gap", "seconds")
        assert (np.diff(history.primal) <= 0).all() and (np.diff(history.dual) >= 0).all()
        assert (np.diff(history.seconds) >= 0).all() and history.seconds[0] >= 0
        assert (history.gap[:-1] > 1e-3).all()
        again = getattr(way, name)(X, relevant, **options, **LONG, seed=5)
        assert (again.weights == got.weights).all() and (again.duals == got.duals).all()


def test_seed_is_that_of_the_visiting_order():
    X, relevant = instance(25, n=30, d=30, classes=4)
    for name, options in ((PUSH, {}), (PERF, {"k": 30})):
        fits = [getattr(fast, name)(X, relevant, **options, regularization=0.1, seed=seed) for seed in (1, 2)]
        assert (fits[0].duals != fits[1].duals).any(), name


@BOTH
def test_progress_bar(module, capsys):
    X, relevant = instance(26)
    for name, options in fits_of(relevant):
        getattr(module, name)(X, relevant, **options, **LONG, progress=True)
        assert "gap" in capsys.readouterr().out, name


@pytest.mark.parametrize("regularization", [1e-6, 1e-9, 1e-12])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_planes_that_are_nearly_the_same_are_solved_and_their_shares_stay_in_the_simplex(regularization):
    for seed in range(4):
        rng = np.random.default_rng(seed)
        X, relevant = rng.normal(size=(12, 3)), rng.random(12) < 0.4
        relevant[0], relevant[-1] = True, False
        k = int(relevant.sum())
        options = {"k": k, "regularization": regularization, "max_iterations": 60}
        fit = fast.fit_svm_perf(X, relevant, **options)
        assert fit.gap <= 1e-2
        assert fit.duals.max() <= fit.duals.sum() / k * (1 + 1e-14) and fit.duals.sum() <= k * (1 + 1e-14)
        again = fast.fit_svm_perf(X, relevant, duals=fit.duals, **options)  # are not refused
        assert again.gap <= 1e-2


def test_an_objective_near_zero_is_added_up_without_cancellation():
    rng = np.random.default_rng(0)
    X, relevant = rng.normal(size=(30, 120)), np.arange(30) < 29
    fit = fast.fit_svm_perf(X, relevant, k=29, regularization=1e-12, tol=1e-6, max_iterations=3000)
    assert 0 < fit.dual <= fit.primal * (1 + 1e-12)
