"""Top-k SVMs on parts: ground truth, one part against all, fast = reference, and what every fit must obey."""

from functools import cache

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning

import reference
from reference.check.certificates import svm as certificates
from reference.ground_truth import topk_svm as ground_truth
from reference.problems.checks import KINDS
from tests.benchmarks.problems import mixture
from tests.support.topk_svm import assert_certified, instance
from tests.support.topk_svm_parts import BOTH, EACH_WAY, TWINS, copies, fit, increases, orders, some_rounds

EACH_KIND = pytest.mark.parametrize("kind", KINDS)
SEARCHED = pytest.mark.parametrize("combine", ["line_search", "conjugate"])
# Every way to make rounds, with the parts' own steps and with gathered ones.
EACH_ROUND = pytest.mark.parametrize(
    "options",
    [{"combine": "adding"}, {"combine": "line_search"}, {"combine": "conjugate"}, {"gather": 0}],
    ids=["adding", "line_search", "gathered", "conjugate"],
)


def nasty(seed=0, n=24, m=5):
    """Examples with rows of zeros, duplicates, weights of which some are 0, and a class that nobody has."""
    X, y = instance(seed, n=n, m=m, zero_rows=3)
    X[-4:], y[y == 1] = X[:4], 2
    s = np.random.default_rng(seed).uniform(0, 3, n)
    s[[2, 5]] = 0
    return X, y, s


# --- ground truth --------------------------------------------------------------------------------------------------


@cache
def solved(k, kind):
    """Returns X, y, the options of a problem, and its minimum by CVXPY."""
    X, y = instance(10 * k, n=16, d=8, zero_rows=2)
    problem = {"k": k, "kind": kind, "regularization": 0.05}
    return X, y, problem, ground_truth.fit_topk_svm(X, y, **problem)[1]


@BOTH
@EACH_KIND
@EACH_ROUND
@pytest.mark.parametrize(("k", "parts"), [(1, 3), (2, 16)])
def test_ground_truth_agrees(module, kind, options, k, parts):
    X, y, problem, primal = solved(k, kind)
    tol = 1e-2 if options.get("combine") == "adding" else 1e-4
    got = module.fit_topk_svm_parts(X, y, parts, **problem, **options, tol=tol, max_rounds=3000)
    assert primal * (1 - 1e-9) <= got.primal <= primal / (1 - tol), f"expected {primal}, got {got.primal}"
    assert got.dual <= primal * (1 + 1e-9)
    assert_certified(got, X, y, tol, **problem)


# --- one part, and parts for themselves, are the ordinary algorithm ------------------------------------------------


@BOTH
@EACH_KIND
@pytest.mark.parametrize("local_epochs", [1, 3])
def test_to_add_one_part_is_coordinate_ascent(module, kind, local_epochs):
    """Its rounds are the epochs of algorithm 1, in the documented orders."""
    X, y, s = nasty(1)
    options = {"k": 2, "kind": kind, "regularization": 0.05, "sample_weight": s, "seed": 7, "tol": 0}
    visits = orders(24, 3, seed=7, local_epochs=local_epochs)
    expected = fit_topk_svm(X, y, **options, order=visits, max_epochs=len(visits))
    got = fit(module, X, y, 1, **options, combine="adding", local_epochs=local_epochs, max_rounds=3)
    assert np.abs(got.duals - expected.duals).max() <= 1e-11 * np.abs(expected.duals).max()
    epochs = slice(local_epochs - 1, None, local_epochs)
    assert np.abs(got.history.gap - expected.history.gap[epochs]).max() <= 1e-11


@BOTH
@EACH_KIND
@pytest.mark.parametrize("sigma", [None, 0.5, 3.0])
def test_a_part_stretches_its_own_change(module, kind, sigma):
    """From zero duals, a part makes the epoch that it would make alone with features sqrt(sigma') X."""
    X, y = instance(2, n=30)
    parts = np.split(np.arange(30), 3)
    for part in parts:
        y[part[:5]] = np.arange(5)  # each part alone has all classes
    options = {"k": 2, "kind": kind, "tol": 0, "seed": 3}
    got = some_rounds(
        module, X, y, parts, rounds=1, k=2, kind=kind, seed=3, sigma=sigma, combine="adding", regularization=0.1
    )
    for p, part in enumerate(parts):
        alone = np.sqrt(sigma or 3) * X[part], y[part]
        visits = orders(len(part), 1, seed=3, part=p)
        expected = fit_topk_svm(*alone, **options, regularization=0.1 * 3, order=visits, max_epochs=1)
        assert np.abs(got.duals[part] - expected.duals).max() <= 1e-11 * np.abs(expected.duals).max()
    assert got.history.sigma[0] == (sigma or 3)


def fit_topk_svm(*arguments, **options):
    """The fit of the reference without parts, which does not reach a gap of 0."""
    with pytest.warns(ConvergenceWarning):
        return reference.fit_topk_svm(*arguments, **options)


# --- fast = reference ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("module", TWINS[1:], ids=lambda module: module.__name__)
@EACH_KIND
@pytest.mark.parametrize("combine", ["adding", "line_search"])
@pytest.mark.parametrize("parts", [1, 3, 24])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_twins_walk_through_the_same_iterates(module, kind, combine, parts, dtype):
    X, y, s = nasty(parts)
    options = {"k": 2, "kind": kind, "combine": combine, "regularization": 0.05, "sample_weight": s}
    options |= {"local_epochs": 2, "rounds": 8}
    expected = some_rounds(reference, X.astype(dtype), y, parts, **options)
    limit = (1e-10 if dtype == np.float64 else 1e-3) * np.abs(expected.duals).max()
    for stored in (X.astype(dtype), sparse.csr_matrix(X.astype(dtype))):
        got = some_rounds(module, stored, y, parts, **options)
        assert np.abs(got.duals - expected.duals).max() <= limit
        assert np.array_equal(got.history.communications, expected.history.communications)
        assert got.history.dtype == expected.history.dtype
        if dtype == np.float64:
            assert np.allclose(got.history.sigma, expected.history.sigma, rtol=1e-9)


@pytest.mark.parametrize("module", TWINS[1:], ids=lambda module: module.__name__)
@EACH_KIND
@pytest.mark.parametrize("gather", [0, np.inf])
def test_twins_agree_on_the_optimum(module, kind, gather):
    X, y, s = nasty(5, n=40, m=7)
    options = {"k": 3, "kind": kind, "gather": gather, "regularization": 0.02, "sample_weight": s, "tol": 1e-5}
    expected = reference.fit_topk_svm_parts(X, y, 4, **options)
    got = module.fit_topk_svm_parts(X, y, 4, **options)
    assert abs(got.primal - expected.primal) <= 1e-5 * expected.primal
    assert abs(got.dual - expected.dual) <= 1e-5 * expected.primal
    assert list(got.history.gathered[1:]) == [gather > 0] * (got.epochs - 1)


# --- the dual, and its certificate ---------------------------------------------------------------------------------


@BOTH
@EACH_KIND
@SEARCHED
@pytest.mark.parametrize("gather", [0, np.inf])
@pytest.mark.parametrize("sigma", [None, 0.3])
def test_a_searched_length_never_decreases_the_dual(module, kind, combine, gather, sigma):
    X, y, s = nasty(6)
    options = {"k": 2, "kind": kind, "regularization": 0.01, "combine": combine, "gather": gather, "sigma": sigma}
    for parts in (3, 24):
        got = some_rounds(module, X, y, parts, sample_weight=s, **options)
        assert increases(got), f"{parts} parts: {got.history.dual}"
        assert got.history.dual[0] > 0


@BOTH
@EACH_KIND
@pytest.mark.parametrize("local_epochs", [1, 20])
def test_to_add_is_safe_with_the_number_of_parts(module, kind, local_epochs):
    X, y, s = nasty(7)
    options = {"k": 2, "kind": kind, "regularization": 0.01, "combine": "adding", "local_epochs": local_epochs}
    for parts in (1, 3, 24):
        got = some_rounds(module, X, y, parts, sample_weight=s, **options)
        assert increases(got), f"{parts} parts: {got.history.dual}"
        assert (got.history.sigma == parts).all()


@BOTH
def test_to_add_goes_too_far_where_sigma_is_smaller(module):
    """Eight parts that make the same change: with sigma' = 1 each of them corrects the whole error."""
    X, y, parts = copies(8)
    options = {"combine": "adding", "regularization": 0.02}
    assert increases(some_rounds(module, X, y, parts, **options))
    too_far = some_rounds(module, X, y, parts, sigma=1.0, **options)
    assert too_far.history.dual.min() < 0, "expected a dual below that of zero duals"
    assert increases(some_rounds(module, X, y, parts, sigma=1.0, **(options | {"combine": "line_search"})))


@BOTH
@SEARCHED
def test_sigma_is_what_the_passes_measure(module, combine):
    """The coupling is the number of parts where all make the same change, and 1 where their features are disjoint."""
    options = {"combine": combine, "regularization": 0.005, "gather": 0, "rounds": 12}
    X, y, parts = copies(8)
    same = some_rounds(module, X, y, parts, **options)
    assert (same.history.sigma == 8).all()
    rng = np.random.default_rng(8)
    X, y = np.kron(np.eye(8), rng.standard_normal((12, 3))), np.tile(np.arange(12) % 3, 8)
    apart = some_rounds(module, X, y, np.split(np.arange(96), 8), **options)
    assert apart.history.sigma[0] == 8 and apart.history.sigma[-1] <= 2
    got = some_rounds(module, X, y, np.split(np.arange(96), 8), sigma=3.0, **options)
    assert (got.history.sigma == 3).all(), "a given sigma is kept"


@EACH_ROUND
def test_a_corrupted_part_leaves_the_certificate_true(options, monkeypatch):
    """A part may return any duals of the domain, and any change of the weights."""
    X, y, s = nasty(9)
    problem = {"k": 2, "regularization": 0.05, "sample_weight": s}
    rng, right = np.random.default_rng(9), reference.topk_svm_parts._pass_of_part
    others = some_rounds(reference, X, y, 3, rounds=2, **problem).duals

    def corrupted(model, rows, *rest):
        if 0 not in rows:
            return right(model, rows, *rest)
        change = rng.uniform() * others[rows] - model.duals[rows]
        return change, rng.standard_normal(model.weights.shape), rng.standard_normal()

    monkeypatch.setattr(reference.topk_svm_parts, "_pass_of_part", corrupted)
    got = some_rounds(reference, X, y, 3, **problem, **options)
    certificate = certificates.fit_topk_svm(got.duals, X, y, **problem)
    assert got.gap > 1e-3 and certificate == pytest.approx(got.gap, rel=1e-9)


# --- how many rounds -----------------------------------------------------------------------------------------------


def hard_problem(name, module):
    """Returns (X, y) of the digits or of overlapping Gaussian classes, some of them for the reference."""
    if name == "digits":
        X, y = load_digits(return_X_y=True)
        X = X / 16
    else:
        X, y = mixture(quick=module is reference)
    n = 250 if module is reference else len(y)
    return X[:n], y[:n]


@cache
def rounds_of_one_part(module, name, C):
    X, y = hard_problem(name, module)
    return module.fit_topk_svm_parts(X, y, 1, regularization=1 / (C * len(y))).epochs


@BOTH
@pytest.mark.parametrize(
    ("name", "C", "gather"), [("digits", 100, 0), ("digits", 1, 2**26), ("mixture", 100, 2**26), ("mixture", 1, 0)]
)
def test_rounds_hardly_grow_with_the_parts(module, name, C, gather):
    X, y = hard_problem(name, module)
    expected = 2 * rounds_of_one_part(module, name, C)
    got = module.fit_topk_svm_parts(X, y, 16, regularization=1 / (C * len(y)), gather=gather, max_rounds=expected)
    assert_certified(got, X, y, 1e-3, regularization=1 / (C * len(y)))


@BOTH
def test_conjugate_directions_mend_what_makes_adding_slow(module):
    """At the same number of communications."""
    X, y = (part[:150] for part in hard_problem("digits", reference))
    options = {"regularization": 1 / len(y)}
    got = module.fit_topk_svm_parts(X, y, 8, gather=0, **options)
    rounds = got.history.communications[-1] // 2
    for combine in ("line_search", "adding"):
        slow = some_rounds(module, X, y, 8, rounds=rounds, combine=combine, **options)
        assert slow.history.communications[-1] >= got.history.communications[-1] - 1
        assert slow.gap > 5 * got.gap, f"{combine}: expected a gap above {5 * got.gap}, got {slow.gap}"


# --- properties ----------------------------------------------------------------------------------------------------


@BOTH
@EACH_KIND
@EACH_ROUND
def test_edges(module, kind, options):
    X, y = instance(9, n=20, m=6)
    everyone = np.arange(20)
    cases = [
        (X, y, 20, 5),  # k = m - 1, and one example a part
        (X, y % 2, 4, 1),  # two classes
        (X, np.where(y == 3, 4, y), 4, 3),  # a class that nobody has
        (X, y, [everyone[:1], everyone[1:]], 2),  # a part with one example
        (X, y, [everyone[y == label] for label in np.unique(y)], 2),  # a class a part
        (np.vstack([X, X, X]), np.concatenate([y, y, y[::-1]]), 3, 2),  # duplicates that contradict each other
        (X[:2], np.array([1, 0]), 2, 1),
        (X[:, :1], y, 3, 2),
    ]
    for data, labels, parts, k in cases:
        problem = {"k": k, "kind": kind, "regularization": 0.1}
        tol = 2e-2 if options.get("combine") == "adding" else 1e-4
        got = module.fit_topk_svm_parts(data, labels, parts, **problem, **options, tol=tol, max_rounds=2000)
        assert_certified(got, data, labels, tol, **problem)
        assert got.weights.shape == (data.shape[1], labels.max() + 1)
        assert np.abs(got.duals.sum(axis=1)).max() <= 1e-14 / 0.1


@BOTH
@EACH_KIND
@EACH_ROUND
def test_zero_rows_and_zero_weights(module, kind, options):
    X, y, s = nasty(11)
    problem = {"k": 2, "kind": kind, "regularization": 0.05, "sample_weight": s}
    got = some_rounds(module, X, y, 4, **problem, **options)
    radius = s / (0.05 * 24)
    hollow = ~X.any(axis=1)
    assert np.abs(got.duals[s == 0]).max() == 0
    for i in np.flatnonzero(hollow):
        rivals = np.delete(np.arange(5), y[i])[:2]
        expected = np.zeros(5)
        expected[rivals], expected[y[i]] = -radius[i] / 2, radius[i]
        assert np.allclose(got.duals[i], expected, rtol=1e-14), f"row {i}: {got.duals[i]}"
    alone = module.fit_topk_svm_parts(
        np.zeros((6, 2)), np.arange(6) % 3, 3, k=2, kind=kind, regularization=1, **options
    )
    assert (alone.primal, alone.epochs) == (1.0, 1) and alone.gap <= 1e-12


@BOTH
@EACH_KIND
@EACH_ROUND
@pytest.mark.parametrize("scale", [1e-9, 1e9])
def test_units_of_x_do_not_matter(module, kind, options, scale):
    X, y = instance(12, zero_rows=1)
    problem = {"k": 2, "kind": kind}
    if options.get("combine", "conjugate") != "conjugate":
        expected = some_rounds(module, X, y, 3, rounds=3, regularization=0.05, **problem, **options)
        got = some_rounds(module, X * scale, y, 3, rounds=3, regularization=0.05 * scale**2, **problem, **options)
        assert np.abs(got.duals * scale**2 - expected.duals).max() <= 1e-9 * np.abs(expected.duals).max()
    else:  # rounding decides how far a conjugate step may go
        problem["regularization"] = 0.05 * scale**2
        assert_certified(module.fit_topk_svm_parts(X * scale, y, 3, **problem, tol=1e-6), X * scale, y, 1e-6, **problem)


@BOTH
@EACH_KIND
@EACH_ROUND
def test_float32_gap_is_that_of_the_duals_returned(module, kind, options):
    X, y = instance(13, n=40, d=10, zero_rows=3, dtype=np.float32)
    problem = {"k": 2, "kind": kind, "regularization": 0.1}
    tol = 2e-2 if options.get("combine") == "adding" else 1e-4
    got = module.fit_topk_svm_parts(X, y, 4, **problem, **options, tol=tol)
    assert got.duals.dtype == got.weights.dtype == np.float32
    assert_certified(got, X, y, tol, **problem)


@BOTH
@EACH_KIND
@EACH_ROUND
def test_fits_start_from_duals(module, kind, options):
    X, y, s = nasty(14)
    problem = {"k": 2, "kind": kind, "sample_weight": s}
    cold = module.fit_topk_svm_parts(X, y, 3, **problem, regularization=0.05, tol=1e-6)
    for duals in (cold.duals, sparse.csr_array(cold.duals)):
        warm = module.fit_topk_svm_parts(X, y, 4, **problem, **options, regularization=0.05, duals=duals)
        assert warm.epochs == 1
        assert certificates.fit_topk_svm(warm.duals, X, y, **problem, regularization=0.05) <= 1.001e-3
    # Duals of a larger lambda, rescaled, are feasible, and better than zeros.
    start = 2 * cold.duals
    later = some_rounds(module, X, y, 3, **problem, **options, rounds=2, regularization=0.025, duals=start)
    squared = ((X.T @ start) ** 2).sum()
    assert later.history.dual[0] >= 0.025 * (start[np.arange(24), y].sum() - squared / 2) * (1 - 1e-12)
    start[~X.any(axis=1)] = 0  # rows of zeros that have not got their optimal duals
    right = module.fit_topk_svm_parts(X, y, 3, **problem, regularization=0.025, duals=start)
    assert_certified(right, X, y, 1e-3, **problem, regularization=0.025)


@BOTH
@EACH_ROUND
def test_history(module, options):
    X, y = instance(15)
    got = some_rounds(module, X, y, 3, **options, regularization=0.01)
    names = ("primal", "dual", "gap", "seconds", "communications", "sigma", "gathered")
    history = got.history
    assert history.dtype.names == names and len(history) == got.epochs == 6
    assert (got.primal, got.dual, got.gap) == tuple(history[-1])[:3]
    assert (np.diff(history.seconds) >= 0).all() and (np.diff(history.communications) >= 2).all()
    gathers = options == {"combine": "conjugate"}
    assert list(history.gathered) == [0] + 5 * [int(gathers)]
    if options != {"gather": 0}:
        assert list(history.communications) == [2, 4, 6, 8, 10, 12]
    again = some_rounds(module, X, y, 3, **options, regularization=0.01)
    assert np.array_equal(again.duals, got.duals), "the same seed, another answer"


@BOTH
def test_examples_are_gathered_if_they_fit(module):
    """Rows of 3 features and lists of at most 4 duals: 16 examples take at most 16 (8 * 3 + 12 * 4) = 1152 bytes."""
    X, y = instance(16, n=16, d=3, m=4)
    options = {"regularization": 1e-4, "rounds": 2}  # so small that every example has a loss
    for gather, expected in ((1152, 1), (np.inf, 1), (16 * 8 * 3, 0), (0, 0)):
        got = some_rounds(module, X, y, 4, gather=gather, **options)
        assert list(got.history.gathered) == [0, expected], f"gather = {gather}"


@BOTH
@EACH_WAY
def test_running_out_of_rounds_warns_and_tells_the_true_gap(module, combine):
    X, y = instance(17)
    with pytest.warns(ConvergenceWarning, match="after 2 rounds") as caught:
        got = module.fit_topk_svm_parts(X, y, 3, regularization=1e-4, tol=0, max_rounds=2, combine=combine)
    assert caught[0].filename == __file__
    certificate = certificates.fit_topk_svm(got.duals, X, y, regularization=1e-4)
    assert got.gap > 0 and certificate == pytest.approx(got.gap, rel=1e-9)


@BOTH
def test_progress_bar(module, capsys):
    X, y = instance(18)
    module.fit_topk_svm_parts(X, y, 2, regularization=0.1, progress=True)
    assert "gap" in capsys.readouterr().out


@BOTH
@EACH_WAY
def test_threads_do_not_matter(module, combine):
    X, y = instance(19)
    options = {"combine": combine, "regularization": 0.05, "gather": 0}
    one, two = (some_rounds(module, X, y, 5, n_jobs=n_jobs, **options) for n_jobs in (1, 2))
    assert np.array_equal(one.duals, two.duals) and np.array_equal(one.weights, two.weights)


@BOTH
@pytest.mark.parametrize("rows", [0, 20], ids=["no example", "the first part"])
def test_zero_rows_converge_from_duals_that_some_parts_do_not_have(module, rows):
    """A part whose given duals are all 0 has to give its examples with x = 0 their optimal duals, too."""
    X, y = instance(3, n=40, d=5, m=4)
    X[::7] = 0
    options = {"regularization": 0.05, "tol": 1e-6}
    given = module.fit_topk_svm(X, y, **options).duals
    given[rows:] = 0
    got = module.fit_topk_svm_parts(X, y, [np.arange(20), np.arange(20, 40)], duals=given, max_rounds=60, **options)
    assert got.gap <= 1e-6, f"expected a gap of 1e-6, got {got.gap}"
