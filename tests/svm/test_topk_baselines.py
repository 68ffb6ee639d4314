"""TopPush and SVMperf: what the examiner does not see. It compares the answers to its instances with the optimum."""

import numpy as np
import pytest
from scipy import sparse

import fast
import fast.topk_baselines
import reference
from fast._svm import interior_point
from reference.check import certify
from reference.ground_truth import topk_baselines as ground_truth
from tests.support.topk_baselines import PERF, PUSH, instance
from tests.support.twins import BOTH

FLAT_OR_NOT = pytest.mark.parametrize("classes", [0, 3], ids=["flat", "multiclass"])
EXACT = {"regularization": 0.1, "tol": 1e-9, "max_iterations": 20_000}


@pytest.fixture(params=["reference", "fast by planes", "fast by ascent"])
def way(request, monkeypatch):
    """The functions of a package. `fast` fits SVMperf with k = P by planes up to some number of weights."""
    few = {"fast by planes": 10**9, "fast by ascent": 0}.get(request.param, 100)
    monkeypatch.setattr(fast.topk_baselines, "MOST_WEIGHTS_FOR_PLANES", few)
    return reference if request.param == "reference" else fast


def fits_of(relevant):
    """Yields (name, options) of TopPush, and of SVMperf with k = P and another k."""
    yield PUSH, {"regularization": 0.1}
    yield PERF, {"k": int(relevant.sum()), "loss": "recall", "regularization": 0.1}
    yield PERF, {"k": (int(relevant.sum()) + relevant.size) // 2, "loss": "precision", "regularization": 0.1}


# --- a hinge that is no bound ----------------------------------------------------------------------------------------


def test_hinge_does_not_bound_the_loss_where_k_is_not_the_number_of_positives():
    """Scores that are all alike, far below 0: with k > P no selection costs anything, and all of it may be wrong."""
    X, relevant = np.ones((6, 1)), np.arange(6) < 2
    options = {"k": 4, "loss": "recall", "regularization": 1e-3}
    for weight in (-1.0, -5.0):
        got = ground_truth.perf_objective(X, relevant, np.array([weight]), **options)
        assert got == pytest.approx(0.0005 * weight**2), "expected the penalty alone"
    selected = np.arange(6) >= 2  # the scores do not tell, and so these four may be the ones
    assert ground_truth.selection_loss(selected, relevant, "recall") == 1.0
    assert ground_truth.perf_objective(X, relevant, np.zeros(1), **options) == 1.0
    got = fast.fit_svm_perf(X, relevant, **options, tol=1e-6)
    assert got.primal <= 0.0006 and got.weights[0] == pytest.approx(-1, rel=1e-2)


def test_integers_and_flags_that_are_floats():
    X, relevant = instance(16, n=15, d=40, classes=3)
    X = np.round(3 * X)
    for name, options in fits_of(relevant):
        expected = getattr(fast, name)(X, relevant, **options)
        got = getattr(fast, name)(X.astype(int), relevant.astype(float), **options)
        assert (got.weights == expected.weights).all() and (got.duals == expected.duals).all()


# --- starts, ends, and ways ------------------------------------------------------------------------------------------


@FLAT_OR_NOT
def test_duals_of_an_earlier_fit_are_where_the_next_one_starts(way, classes):
    X, relevant = instance(12, n=30, d=5, classes=classes, signal=0.5)
    for name, options in fits_of(relevant):
        options |= {"tol": 1e-4, "max_iterations": 20_000}
        cold = getattr(way, name)(X, relevant, **options)
        before = cold.duals.copy()
        warm = getattr(way, name)(X, relevant, **options, duals=cold.duals)
        limit = 5 if name == PUSH else cold.iterations - 1
        assert warm.iterations <= limit, f"{name} {options}: expected at most {limit}, got {warm.iterations}"
        assert certify(name, warm, X, relevant, **options)
        other = options | {"regularization": 0.3}
        again = getattr(way, name)(X, relevant, **other, duals=cold.duals)
        assert certify(name, again, X, relevant, **other)
        assert (cold.duals == before).all(), "the duals have been changed"


def test_the_seed_is_that_of_the_visiting_order():
    X, relevant = instance(25, n=30, d=1001, classes=4)  # too many features for an interior-point method
    for name, options in ((PUSH, {}), (PERF, {"k": 30})):
        fits = [getattr(fast, name)(X, relevant, **options, regularization=0.1, seed=seed) for seed in (1, 2, 1)]
        assert (fits[0].duals != fits[1].duals).any(), name
        assert (fits[0].duals == fits[2].duals).all() and (fits[0].weights == fits[2].weights).all(), name


@FLAT_OR_NOT
@pytest.mark.parametrize("layout", [np.float64, np.float32, sparse.csr_matrix])
def test_negatives_join_the_interior_point_method_a_few_at_a_time(classes, layout, monkeypatch):
    """Columns of other scales, rows given twice, whose scores tie, and a class without positives."""
    X, relevant = instance(27, n=40, d=5, classes=classes)
    X, relevant = np.repeat(X * 10.0 ** np.arange(-2, 3), 2, axis=0), np.repeat(relevant, 2, axis=0)
    if classes:
        relevant = np.column_stack([relevant, np.zeros(len(X), bool)])
    sizes, joined = [], interior_point.joined
    for name, value in {"LEAST_PASSES": 1, "PER_WEIGHT": 0, "FEWEST": 3}.items():
        monkeypatch.setattr(interior_point, name, value)

    def watched(samples, *given):
        wider = joined(samples, *given)
        sizes.append(len(wider[0].rows) - len(samples.rows))
        return wider

    monkeypatch.setattr(interior_point, "joined", watched)
    X, options = layout(X), {"regularization": 1e-4, "tol": 1e-6 if layout is np.float32 else 1e-9}
    fit = fast.fit_top_push(X, relevant, **options)
    assert fit.gap <= options["tol"] and sum(sizes) > 3 and max(sizes) <= 3
    assert certify(PUSH, fit, X, relevant, **options)


# --- roundings -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("module", "regularization"), [(reference, 1e-4), (fast, 1e-4), (fast, 1e-6)])
def test_rounding_to_float32_does_not_leave_margins_just_below_one(module, regularization):
    """Separable data: all hinges are 0 at the optimum, and a rounding of weights would cost more than they do."""
    relevant = np.arange(30) % 2 == 0
    for seed in range(5 if module is fast else 1):  # the reference takes a second for one
        X = np.random.default_rng(seed).standard_normal((30, 200)).astype(np.float32)
        X[:, 0] += np.where(relevant, 2, -2)
        fits = [module.fit_svm_perf(X, relevant, k=k, regularization=regularization) for k in (15, 10)]
        fits.append(module.fit_ranking_svm(X, relevant, loss="auc", regularization=regularization))
        for fit in fits:
            assert fit.gap <= 1e-3, f"expected a gap of 1e-3, got {fit.gap} after {fit.iterations}"


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


@BOTH
@pytest.mark.parametrize("k", [None, 12, 2])
@pytest.mark.parametrize(("scale", "regularization"), [(1e139, 1e-100), (1e70, 1e-200), (1.0, 1e-310)])
def test_objectives_out_of_range_are_refused(module, k, scale, regularization):
    X, relevant = scale * np.random.default_rng(0).normal(size=(30, 120)), np.arange(30) < 12
    name, options = (PUSH, {}) if k is None else (PERF, {"k": k})
    with pytest.raises(ValueError, match="in range|finite"):
        getattr(module, name)(X, relevant, **options, regularization=regularization, max_iterations=3)


# --- weights ---------------------------------------------------------------------------------------------------------


def weights_of(relevant):
    """Returns integer weights 0..3 of the rows, with samples of both classes above 0."""
    weights = np.random.default_rng(0).integers(0, 4, size=len(relevant))
    weights[[np.nonzero(relevant)[0][0], np.nonzero(~relevant)[0][0]]] = 2
    return weights


@FLAT_OR_NOT
def test_an_integer_weight_is_so_many_copies(classes):
    X, relevant = instance(2, n=12, d=5, classes=classes)
    s = weights_of(relevant)
    rows = np.repeat(np.arange(12), s)
    total = int(relevant[rows].sum())
    for name, options in ((PUSH, {}), (PERF, {"k": 1}), (PERF, {"k": total}), (PERF, {"k": total + 2})):
        expected = getattr(fast, name)(X[rows], relevant[rows], **options, **EXACT)
        got = getattr(fast, name)(X, relevant, **options, **EXACT, sample_weight=s)
        assert abs(got.primal - expected.primal) <= 3e-9 * expected.primal
        np.testing.assert_allclose(got.weights, expected.weights, atol=10 * np.sqrt(1e-9))
        copies = np.zeros(relevant.shape)
        np.add.at(copies, rows, expected.duals)  # the duals of copies are those of a start for the weights
        if name == PERF:
            start = fast.fit_svm_perf(X, relevant, **options, **EXACT, sample_weight=s, duals=copies)
            assert start.history.primal[0] < got.history.primal[0]
        else:  # the dual of a positive is the sum of those of its copies
            np.testing.assert_allclose(got.duals[relevant], copies[relevant], atol=0.05 * np.abs(copies).max())


def test_only_the_ratios_of_weights_and_k_matter(way):
    X, relevant = instance(5, n=12, d=4)
    s = np.random.default_rng(0).uniform(0.5, 2, size=12)
    total = s[relevant].sum()
    for name, k in ((PUSH, {}), (PERF, {"k": 0.7 * total}), (PERF, {"k": total})):
        expected = getattr(way, name)(X, relevant, **k, regularization=0.1, sample_weight=s)
        for factor in (2.0**-900, 2.0**450):
            some = {"k": k["k"] * factor} if k else {}
            got = getattr(way, name)(X, relevant, **some, regularization=0.1, sample_weight=s * factor)
            np.testing.assert_array_equal(got.weights, expected.weights)
            np.testing.assert_array_equal(got.duals, expected.duals * factor)


def test_a_size_that_differs_from_a_sum_by_roundings_is_that_sum(way):
    X, relevant = instance(4, n=12, d=4)
    s = np.random.default_rng(0).uniform(0.5, 2, size=12)
    for whole in (s[relevant].sum(), s.sum()):
        expected = way.fit_svm_perf(X, relevant, k=whole, regularization=0.1, sample_weight=s)
        for k in (np.nextafter(whole, 0), np.nextafter(whole, np.inf)):
            got = way.fit_svm_perf(X, relevant, k=k, regularization=0.1, sample_weight=s)
            np.testing.assert_array_equal(got.weights, expected.weights)
            np.testing.assert_array_equal(got.duals, expected.duals)


@BOTH
def test_a_fit_starts_from_the_duals_of_other_weights(module):
    X, relevant = instance(7, n=12)
    s, loose = 0.5 + np.arange(12) % 3, EXACT | {"tol": 1e-6}
    first = module.fit_top_push(X, relevant, **EXACT, sample_weight=s)
    again = module.fit_top_push(X, relevant, **loose, sample_weight=s, duals=first.duals)
    assert again.iterations < module.fit_top_push(X, relevant, **loose, sample_weight=s).iterations
    other = module.fit_top_push(X, relevant, **EXACT, sample_weight=s[::-1], duals=first.duals)
    assert certify(PUSH, other, X, relevant, **EXACT, sample_weight=s[::-1])


# --- what is refused, besides what the examiner gives ----------------------------------------------------------------


FLAGS, ONE_HOT = np.array([1, 0, 0, 1, 0, 1]), np.eye(3, dtype=int)[[0, 1, 2, 1, 0, 2]]
FEATURES = np.arange(12.0).reshape(6, 2) % 5


@pytest.mark.parametrize(
    ("change", "names"),
    [
        ({"relevant": ONE_HOT - 1}, "relevant must hold booleans.*-1"),
        ({"relevant": [[1, 0], [1], 0, 0, 0, 0]}, "relevant .*1, 0"),
        ({"sample_weight": 0 * FLAGS}, "both classes, got that for no sample"),
        ({"sample_weight": FLAGS}, "both classes, got that for relevant = True only"),
        ({"sample_weight": 1 - FLAGS}, "both classes, got that for relevant = False only"),
        (
            {"X": FEATURES.astype(np.float32), "sample_weight": np.full(6, 3e38)},
            "sum over positives in the range of float32",
        ),
        (
            {"duals": np.where(FLAGS, 1.0, -1.0), "sample_weight": np.arange(6)},
            "duals must be 0 where sample_weight is 0",
        ),
        ({"duals": 1e-9 * FLAGS}, "duals .*sum to 0"),
    ],
)
def test_bad_input_is_named(change, names):
    with pytest.raises(ValueError, match=names):
        fast.fit_top_push(**{"X": FEATURES, "relevant": FLAGS, "regularization": 0.1} | change)


def test_sizes_of_selections_are_named():
    for change, message in (
        ({"k": 7}, "k must be an integer in 1..6, got 7"),
        ({"k": 19, "relevant": ONE_HOT}, "k must be an integer in 1..18, got 19"),
        ({"loss": "ap"}, "loss must be one of 'recall', 'precision', got"),
        ({"k": 6.01, "sample_weight": np.ones(6)}, r"k must be above 0, and at most the weight of all samples, 6\.0"),
        ({"duals": np.array([1.0, 1.0, 1.0, 0.0, 0.0, 0.0])}, r"duals .*k = 2, got"),
    ):
        with pytest.raises(ValueError, match=message):
            fast.fit_svm_perf(**{"X": FEATURES, "relevant": FLAGS, "k": 2, "regularization": 0.1} | change)
