"""Top-k SVMs on parts: orders, weights of examples, the dual from round to round, the number of rounds, histories."""

import numpy as np
import pytest
from scipy import sparse

import fast
import reference
from reference.check import certify
from reference.problems.checks import COMBINATIONS
from tests.benchmarks.problems import mixture
from tests.support.estimators import digits
from tests.support.topk_svm import EACH_KIND, assert_certified, instance
from tests.support.twins import BOTH, fit

# Every way to make rounds, with gathered steps and with the parts' own.
ROUNDS = [{"combine": "adding"}, {"combine": "line_search"}, {"combine": "conjugate"}, {"gather": 0}]
EACH_ROUND = pytest.mark.parametrize("options", ROUNDS, ids=["adding", "line_search", "gathered", "conjugate"])


def nasty(seed=0, n=24, m=5):
    """Examples with rows of zeros, duplicates, weights of which some are 0, and a class that nobody has."""
    X, y = instance(seed, n=n, m=m, zero_rows=3)
    X[-4:], y[y == 1] = X[:4], 2
    s = np.random.default_rng(seed).uniform(0, 3, n)
    s[[2, 5]] = 0
    return X, y, s


def some_rounds(module, *arguments, rounds=6, **options):
    """A fit of so many rounds."""
    return fit(module.fit_topk_svm_parts, *arguments, tol=0, max_rounds=rounds, **options)


def copies(K, m=3):
    """Returns (X, y, parts): the same m orthogonal examples in each of K parts, which all make the same change."""
    X, y = np.tile(np.eye(m), (K, 1)), np.tile(np.arange(m), K)
    return X, y, [np.arange(m) + m * p for p in range(K)]


def increases(got):
    """Whether the dual never decreases, up to rounding, from round to round."""
    return np.diff(got.history.dual).min(initial=0) >= -1e-12 * got.history.primal.max()


# --- iterates, and weights of examples -----------------------------------------------------------------------------


@BOTH
def test_to_add_one_part_is_coordinate_ascent(module):
    """Its rounds are the epochs of algorithm 1, in the orders that the documentation of `seed` promises."""
    X, y, s = nasty(1)
    options = {"k": 2, "kind": "alpha_inclusive", "regularization": 0.05, "sample_weight": s, "seed": 7, "tol": 0}
    passes = [(7, t, q, 0) for t in range(3) for q in range(3)]
    orders = np.array([np.random.default_rng(numbers).permutation(24) for numbers in passes])
    expected = fit(reference.fit_topk_svm, X, y, **options, order=orders, max_epochs=9)
    got = fit(module.fit_topk_svm_parts, X, y, 1, **options, combine="adding", local_epochs=3, max_rounds=3)
    assert np.abs(got.duals - expected.duals).max() <= 1e-11 * np.abs(expected.duals).max()
    assert np.abs(got.history.gap - expected.history.gap[2::3]).max() <= 1e-11


@EACH_KIND
@pytest.mark.parametrize(("combine", "parts"), [("adding", 3), ("line_search", 8)])
def test_twins_walk_through_the_same_iterates(kind, combine, parts):
    X, y, s = nasty(parts)
    options = {"k": 2, "kind": kind, "combine": combine, "regularization": 0.05, "sample_weight": s}
    options |= {"local_epochs": 2, "rounds": 8}
    for dtype, rounding in ((np.float32, 1e-3), (np.float64, 1e-10)):
        expected = some_rounds(reference, X.astype(dtype), y, parts, **options)
        for stored in (X.astype(dtype), sparse.csr_matrix(X.astype(dtype))):
            got = some_rounds(fast, stored, y, parts, **options)
            assert np.abs(got.duals - expected.duals).max() <= rounding * np.abs(expected.duals).max()
            assert np.array_equal(got.history.communications, expected.history.communications)
            assert got.history.dtype == expected.history.dtype
            assert dtype == np.float32 or np.allclose(got.history.sigma, expected.history.sigma, rtol=1e-9)


@BOTH
@EACH_ROUND
def test_zero_rows_and_zero_weights(module, options):
    X, y, s = nasty(11)
    got = some_rounds(module, X, y, 4, k=2, kind="beta", regularization=0.05, sample_weight=s, **options)
    radius = s / (0.05 * 24)
    assert np.abs(got.duals[s == 0]).max() == 0
    for i in np.flatnonzero(~X.any(axis=1)):
        rivals = np.delete(np.arange(5), y[i])[:2]
        expected = np.zeros(5)
        expected[rivals], expected[y[i]] = -radius[i] / 2, radius[i]
        assert np.allclose(got.duals[i], expected, rtol=1e-14), f"row {i}: {got.duals[i]}"


# --- the dual, and its certificate ---------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize(
    ("kind", "parts", "options"),
    [
        ("alpha", 3, {"combine": "line_search"}),
        ("beta", 8, {"gather": 0}),
        ("alpha_inclusive", 3, {"gather": np.inf}),
    ],
)
def test_a_searched_length_never_decreases_the_dual(module, kind, parts, options):
    X, y, s = nasty(6)
    options = {"k": 2, "kind": kind, "regularization": 0.01, "sample_weight": s, **options}
    for sigma in (None, 0.3):
        got = some_rounds(module, X, y, parts, sigma=sigma, rounds=4, **options)
        assert increases(got), f"sigma = {sigma}: {got.history.dual}"
        assert got.history.dual[0] > 0


@BOTH
@pytest.mark.parametrize(("kind", "local_epochs"), [("alpha", 1), ("beta", 20)])
def test_to_add_is_safe_with_the_number_of_parts(module, kind, local_epochs):
    X, y, s = nasty(7)
    options = {"k": 2, "kind": kind, "regularization": 0.01, "combine": "adding", "local_epochs": local_epochs}
    for parts in (3, 24):
        got = some_rounds(module, X, y, parts, sample_weight=s, **options)
        assert increases(got), f"{parts} parts: {got.history.dual}"
        assert (got.history.sigma == parts).all()


@BOTH
@pytest.mark.parametrize("combine", ["line_search", "conjugate"])
def test_sigma_is_what_the_passes_measure(module, combine):
    """The coupling is the number of parts where all make the same change, and 1 where their features are disjoint."""
    options = {"combine": combine, "regularization": 0.005, "gather": 0}
    X, y, parts = copies(8)
    same = some_rounds(module, X, y, parts, rounds=3, **options)
    assert (same.history.sigma == 8).all()
    given = some_rounds(module, X, y, parts, sigma=3.0, rounds=3, **options)
    assert (given.history.sigma == 3).all(), "a given sigma is kept"
    X, y = np.kron(np.eye(8), np.random.default_rng(8).standard_normal((6, 3))), np.tile(np.arange(6) % 3, 8)
    apart = some_rounds(module, X, y, np.split(np.arange(48), 8), rounds=12, **options)
    assert apart.history.sigma[0] == 8 and apart.history.sigma[-1] <= 2


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
    certificate = certify("fit_topk_svm", got.duals, X, y, **problem).value
    assert got.gap > 1e-3 and certificate == pytest.approx(got.gap, rel=1e-9)


# --- how many rounds -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("module", "examples", "gather"),
    [(reference, lambda: digits(24), 0), (fast, lambda: digits(250), 0), (fast, lambda: mixture(True), 2**26)],
    ids=["reference, digits", "fast, digits", "fast, overlapping Gaussian classes"],
)
def test_rounds_hardly_grow_with_the_parts(module, examples, gather):
    X, y = examples()
    problem = {"regularization": 1 / (100 * len(y))}
    most = 2 * module.fit_topk_svm_parts(X, y, 1, **problem).epochs
    got = module.fit_topk_svm_parts(X, y, 16, **problem, gather=gather, max_rounds=most)
    assert_certified(got, X, y, 1e-3, **problem)


# --- units, starting points, histories and threads -------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize(("options", "scale"), [({"combine": "adding"}, 1e9), ({"combine": "line_search"}, 1e-9),
                                                ({}, 1e9), ({"gather": 0}, 1e-9)])  # fmt: skip
def test_units_of_x_do_not_matter(module, options, scale):
    X, y = instance(12, zero_rows=1)
    problem, scaled = {"k": 2, "regularization": 0.05}, {"k": 2, "regularization": 0.05 * scale**2}
    if options.get("combine", "conjugate") != "conjugate":
        expected = some_rounds(module, X, y, 3, rounds=3, **problem, **options)
        got = some_rounds(module, X * scale, y, 3, rounds=3, **scaled, **options)
        assert np.abs(got.duals * scale**2 - expected.duals).max() <= 1e-9 * np.abs(expected.duals).max()
    else:  # rounding decides how far a conjugate step may go
        got = module.fit_topk_svm_parts(X * scale, y, 3, **scaled, **options, tol=1e-6)
        assert_certified(got, X * scale, y, 1e-6, **scaled)


@BOTH
def test_fits_start_from_duals(module):
    X, y, s = nasty(14)
    problem = {"k": 2, "kind": "beta", "sample_weight": s}
    cold = module.fit_topk_svm_parts(X, y, 3, **problem, regularization=0.05, tol=1e-6)
    start = 2 * cold.duals  # duals of a larger lambda, rescaled, are feasible, and better than zeros
    squared = ((X.T @ start) ** 2).sum()
    least = 0.025 * (start[np.arange(24), y].sum() - squared / 2) * (1 - 1e-12)
    for options in ROUNDS:
        for duals in (cold.duals, sparse.csr_array(cold.duals)):
            warm = module.fit_topk_svm_parts(X, y, 4, **problem, **options, regularization=0.05, duals=duals)
            assert warm.epochs == 1
            assert certify("fit_topk_svm", warm.duals, X, y, **problem, regularization=0.05).value <= 1.001e-3
        later = some_rounds(module, X, y, 3, **problem, **options, rounds=2, regularization=0.025, duals=start)
        assert later.history.dual[0] >= least
    start[~X.any(axis=1)] = 0  # rows of zeros that have not got their optimal duals
    right = module.fit_topk_svm_parts(X, y, 3, **problem, regularization=0.025, duals=start)
    assert_certified(right, X, y, 1e-3, **problem, regularization=0.025)


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


@BOTH
@EACH_ROUND
def test_history(module, options):
    X, y = instance(15)
    got = some_rounds(module, X, y, 3, **options, rounds=4, regularization=0.01)
    names = ("primal", "dual", "gap", "seconds", "communications", "sigma", "gathered")
    history = got.history
    assert history.dtype.names == names and len(history) == got.epochs == 4
    assert (got.primal, got.dual, got.gap) == tuple(history[-1])[:3]
    assert (np.diff(history.seconds) >= 0).all() and (np.diff(history.communications) >= 2).all()
    gathers = options == {"combine": "conjugate"}
    assert list(history.gathered) == [0] + 3 * [int(gathers)]
    if options != {"gather": 0}:
        assert list(history.communications) == [2, 4, 6, 8]
    again = some_rounds(module, X, y, 3, **options, rounds=4, regularization=0.01)
    assert np.array_equal(again.duals, got.duals), "the same seed, another answer"


@BOTH
def test_examples_are_gathered_if_they_fit(module):
    """Rows of 3 features and lists of at most 4 duals: 16 examples take at most 16 (8 * 3 + 12 * 4) = 1152 bytes."""
    X, y = instance(16, n=16, d=3, m=4)
    options = {"regularization": 1e-4, "rounds": 2}  # so small that every example has a loss
    for gather, expected in ((1152, 1), (np.inf, 1), (16 * 8 * 3, 0), (0, 0)):
        got = some_rounds(module, X, y, 4, gather=gather, **options)
        assert list(got.history.gathered) == [0, expected], f"gather = {gather}"


@pytest.mark.parametrize("combine", COMBINATIONS)
def test_threads_do_not_matter(combine):
    X, y = instance(19)
    options = {"combine": combine, "regularization": 0.05, "gather": 0}
    one, two = (some_rounds(fast, X, y, 5, n_jobs=n_jobs, **options) for n_jobs in (1, 2))
    assert np.array_equal(one.duals, two.duals) and np.array_equal(one.weights, two.weights)


# --- how a fit is called -------------------------------------------------------------------------------------------


def test_parts_are_sets_and_a_number_deals_the_examples_out():
    X, y = instance(3)
    order = np.random.default_rng(5).permutation(24)
    parts = np.array_split(order, 5)
    options = {"rounds": 3, "regularization": 0.1, "seed": 5}
    expected = some_rounds(fast, X, y, 5, **options)
    for same in (parts, [part[::-1].astype(np.uint8) for part in parts], tuple(part.tolist() for part in parts)):
        assert np.array_equal(some_rounds(fast, X, y, same, **options).duals, expected.duals)
    other = some_rounds(fast, X, y, 5, **(options | {"seed": 6}))
    assert not np.array_equal(other.duals, expected.duals), "the seed does not matter"


# What the examiner's catalogue does not have: texts, flags, ragged lists, and the words for parts.
@pytest.mark.parametrize(
    ("change", "names"),
    [
        ({"parts": True}, "parts .*True"),
        ({"parts": "two"}, "parts .*'two'"),
        ({"parts": None}, "parts .*None"),
        ({"parts": []}, "parts .*example 0 0 times"),
        ({"parts": [[0, 1], [2, 3], np.zeros(0, int)]}, r"parts .*shape \(0,\) at 2"),
        ({"parts": [[0, 1], [2.0, 3.0]]}, "parts .*part 1.*2.0"),
        ({"parts": [[[0, 1]], [[2, 3]]]}, r"parts .*\(1, 2\)"),
        ({"parts": [[0, 1], [[2], [3, 0]]]}, "parts .*part 1"),
        ({"parts": [True, [0, 1]]}, "parts .*part 0"),
        ({"sigma": "K"}, "sigma .*'K'"),
        ({"combine": None}, "combine .*None"),
        ({"gather": "all"}, "gather .*'all'"),
        ({"sparse_duals": 1}, "sparse_duals .*1"),
    ],
)
def test_bad_input_is_named(change, names):
    X = np.arange(8.0).reshape(4, 2)
    arguments = {"X": X, "y": np.array([0, 1, 2, 1]), "parts": 2, "regularization": 0.1} | change
    with pytest.raises(ValueError, match=names):
        reference.fit_topk_svm_parts(**arguments)
