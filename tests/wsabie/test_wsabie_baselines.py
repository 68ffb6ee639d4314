"""Nearest means and one-vs-all: ground truth, both twins, scikit-learn, and what they must obey."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_digits
from sklearn.neighbors import NearestCentroid

import fast
import reference
from reference.check.certificates import wsabie as certificates
from reference.ground_truth import wsabie_baselines as ground_truth
from tests.support.wsabie import BOTH, LABELS, SCALES, STEPS, labelled, longest, place

KINDS = list(itertools.product((np.float64, np.float32), (False, True), LABELS))


def with_every_class(seed, what="labels", **kind):
    """Data in which each class has an example."""
    X, Y = labelled(seed, what, n=15, **kind)
    if what == "labels":
        Y[:5] = np.arange(5)
        return X, Y
    Y = Y.toarray() if what == "CSR indicator" else Y
    Y[:5] |= np.eye(5, dtype=int)
    return X, sparse.csr_matrix(Y) if what == "CSR indicator" else Y


def assert_same(got, expected, unit=1e-9):
    """The same prototypes up to `unit` of the longest, and the same counts."""
    assert got.prototypes.dtype == expected.prototypes.dtype and got.prototypes.shape == expected.prototypes.shape
    error = np.abs(got.prototypes.astype(float) - expected.prototypes).max()
    assert error <= unit * longest(expected.prototypes), f"expected {expected.prototypes}, got {got.prototypes}"
    assert (got.steps, got.updates, got.discriminant) == (expected.steps, expected.updates, expected.discriminant)
    assert got.embedding is None and got.last_violators is None
    if expected.prototype_sums is not None:
        assert np.allclose(got.prototype_sums, expected.prototype_sums, rtol=max(unit, 1e-9), atol=0)


# --- ground truth passes its certificate ---------------------------------------------------------------------------


@pytest.mark.parametrize("what", ["labels", "indicator"])
def test_ground_truth_passes_its_certificate(what):
    """Means are where the sum of squares has no slope."""
    for seed in range(4):
        X, Y = with_every_class(seed, what)
        fit = ground_truth.fit_nearest_means(X, Y)
        assert certificates.fit_nearest_means(fit, X, Y) <= 1e-15
        for wrong in (0 * fit.prototypes, fit.prototypes + 1e-6, fit.prototypes[::-1], fit.prototypes[1:]):
            assert certificates.fit_nearest_means(fit._replace(prototypes=wrong), X, Y) > 1e-8


# --- reference = ground truth, and so is fast ----------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize(("dtype", "csr", "what"), KINDS)
def test_means_agree_with_the_ground_truth_at_every_scale(module, dtype, csr, what):
    for seed, scale in enumerate(SCALES):
        X, Y = with_every_class(seed, what, dtype=dtype, csr=csr)
        X = X * dtype(scale)
        expected, got = ground_truth.fit_nearest_means(X, Y), module.fit_nearest_means(X, Y)
        assert_same(got, expected, unit=1e-14 if dtype == np.float64 else 2e-7)
        assert got.discriminant == "euclidean" and got.prototype_sums is None


@BOTH
@pytest.mark.parametrize(("dtype", "csr", "what"), KINDS)
def test_one_vs_all_agrees_with_the_ground_truth_at_every_scale(module, dtype, csr, what):
    for seed, (step, negatives, max_norm) in enumerate(itertools.product(STEPS, (1, 4), (None, 0.2))):
        scale = SCALES[seed % 3]
        X, Y = labelled(seed, what, dtype=dtype, csr=csr)
        chosen = {"step": step, "negatives": negatives, "margin": scale**2, "n_updates": 30, "seed": seed,
                  "step_size": 0.1 * (scale if step == "adagrad" else 1.0)}  # fmt: skip
        chosen["max_norm"] = max_norm and max_norm * scale
        expected, got = (package.fit_one_vs_all(X * dtype(scale), Y, **chosen) for package in (ground_truth, module))
        assert 0 < got.updates and got.steps == 30
        assert_same(got, expected, unit=1e-9 if dtype == np.float64 else 1e-6)


def test_twins_agree_on_digits():
    X, y = load_digits(return_X_y=True)
    for data in (X, sparse.csr_matrix(X), X.astype(np.float32)):
        unit = 1e-9 if data.dtype == np.float64 else 1e-6
        assert_same(fast.fit_nearest_means(data, y), reference.fit_nearest_means(data, y), unit)
        chosen = {"negatives": 3, "n_updates": 300, "max_norm": 0.5, "seed": 4}
        expected, got = (package.fit_one_vs_all(data / 16, y, **chosen) for package in (reference, fast))
        assert_same(got, expected, unit)


# --- nearest means -------------------------------------------------------------------------------------------------


@BOTH
def test_means_are_those_of_scikit_learn(module):
    X, y = load_digits(return_X_y=True)
    X, y = X[:500] + np.random.default_rng(0).normal(size=(500, 64)), y[:500]
    theirs, fit = NearestCentroid().fit(X, y), module.fit_nearest_means(X, y)
    assert np.allclose(fit.prototypes, theirs.centroids_, rtol=1e-12, atol=1e-13)
    expected, got = theirs.predict(X[::5]), module.prototype_scores(X[::5], fit).argmax(axis=1)
    assert (got == expected).all(), f"expected {expected}, got {got}"


@BOTH
def test_an_example_of_two_classes_counts_for_both(module):
    X, Y = np.array([[0.0, 3.0], [6.0, 0.0], [1.0, 1.0]]), np.array([[1, 1], [0, 1], [0, 0]])
    expected, got = [[0.0, 3.0], [3.0, 1.5]], module.fit_nearest_means(X, Y).prototypes
    assert (got == expected).all(), f"expected {expected}, got {got}"


@BOTH
@settings(max_examples=25)
@given(st.integers(0, 10**6))
def test_means_move_with_the_data_and_have_no_slope(module, seed):
    X, y = with_every_class(seed)
    rng = np.random.default_rng(seed)
    b, shuffled, shift = module.fit_nearest_means(X, y).prototypes, rng.permutation(15), rng.standard_normal(4)
    assert np.allclose(module.fit_nearest_means((X + shift)[shuffled], y[shuffled]).prototypes, b + shift, atol=1e-13)
    slope = np.array([2 * (b[g] - X[y == g]).sum(axis=0) for g in range(5)])
    assert np.abs(slope).max() <= 1e-12 * np.abs(X).sum(), f"got {slope}"


def weights_of_every_class(seed=0):
    """Integers, among them 0, but not for the first example of a class."""
    weights = np.random.default_rng(seed).integers(0, 4, size=15)
    weights[:5] = 2
    return weights


@pytest.mark.parametrize("what", ["labels", "indicator"])
def test_weighted_ground_truth_is_that_of_copies_and_passes_its_certificate(what):
    for seed in range(4):
        (X, Y), s = with_every_class(seed, what), weights_of_every_class(seed)
        rows = np.repeat(np.arange(15), s)
        expected = ground_truth.fit_nearest_means(X[rows], Y[rows])
        got = ground_truth.fit_nearest_means(X, Y, sample_weight=s)
        assert_same(got, expected, 1e-14)
        assert certificates.fit_nearest_means(got, X, Y, sample_weight=s) <= 1e-15
        assert certificates.fit_nearest_means(ground_truth.fit_nearest_means(X, Y), X, Y, sample_weight=s) > 1e-8


@BOTH
@pytest.mark.parametrize(("dtype", "csr", "what"), KINDS)
def test_weighted_means_agree_with_the_ground_truth_and_with_copies(module, dtype, csr, what):
    (X, Y), s, unit = with_every_class(3, what, dtype=dtype, csr=csr), weights_of_every_class(), 1e-14
    rows, unit = np.repeat(np.arange(15), s), unit if dtype == np.float64 else 2e-7
    got = module.fit_nearest_means(X, Y, sample_weight=s)
    assert_same(got, module.fit_nearest_means(X[rows], Y[rows]), unit)
    for weights in (s, 10.0 ** np.random.default_rng(0).uniform(-200, 130, size=15), np.full(15, 5e-324)):
        expected = ground_truth.fit_nearest_means(X, Y, sample_weight=weights)
        assert_same(module.fit_nearest_means(X, Y, sample_weight=weights), expected, unit)
    plain = module.fit_nearest_means(X, Y).prototypes
    assert np.array_equal(module.fit_nearest_means(X, Y, sample_weight=np.full(15, 8.0)).prototypes, plain)
    assert np.abs(got.prototypes - plain).max() > 1e-3
    for factor in (2.0**-350, 2.0**350):
        assert np.array_equal(module.fit_nearest_means(X, Y, sample_weight=s * factor).prototypes, got.prototypes)


@BOTH
def test_weights_of_means_that_are_refused(module):
    X, y = with_every_class(0)
    for weights in (np.ones(14), np.ones((15, 1)), -np.ones(15), np.full(15, np.inf), np.zeros(15), ["a"] * 15):
        with pytest.raises(ValueError, match="sample_weight must"):
            module.fit_nearest_means(X, y, sample_weight=weights)
    with pytest.raises(ValueError, match="sample_weight must be above 0 for an example of each class, .* all of 2"):
        module.fit_nearest_means(X, y, sample_weight=(y != 2).astype(float))


# --- one-vs-all ----------------------------------------------------------------------------------------------------


@BOTH
def test_steps_by_hand(module):
    """The class of the example goes towards it, the drawn one away; then both are beyond the margin."""
    X, y = np.array([[3.0, 4.0], [0.0, 0.0]]), np.array([1, 0])
    chosen = {"n_classes": 3, "step": "constant", "step_size": 0.1, "margin": 1.0, "draws": np.array([0, 0, 0.9] * 2)}
    for n in (1, 2):
        fit = module.fit_one_vs_all(X, y, n_updates=n, **chosen)
        expected = np.array([[0.0, 0.0], [0.3, 0.4], [-0.3, -0.4]])
        assert np.allclose(fit.prototypes, expected, rtol=1e-15, atol=0), f"expected {expected}, got {fit.prototypes}"
        assert fit.steps == n and fit.discriminant == "linear"
    fit = module.fit_one_vs_all(X, y, n_updates=2, **chosen | {"step": "adagrad", "margin": 100.0})
    along = 0.1 * (1 + 1 / np.sqrt(2)) / np.sqrt(12.5)
    assert np.allclose(fit.prototypes[1:], along * np.array([[3.0, 4.0], [-3.0, -4.0]]), rtol=1e-14, atol=0)
    assert fit.prototype_sums.tolist() == [0.0, 25.0, 25.0]
    fit = module.fit_one_vs_all(X, y, n_updates=1, max_norm=0.25, **chosen)
    assert np.allclose(fit.prototypes[1:], [[0.15, 0.2], [-0.15, -0.2]], rtol=1e-14, atol=0)


@BOTH
def test_updates_are_the_steps_that_moved_something(module):
    """As the result type says: how many of the steps moved anything, however many classes that were."""
    chosen = {"n_classes": 3, "n_updates": 2, "margin": 100.0, "draws": np.array([0, 0, 0, 0.9] * 2)}
    fit = module.fit_one_vs_all(np.array([[3.0, 4.0]]), [1], negatives=2, **chosen)
    assert (fit.steps, fit.updates) == (2, 2), f"expected 2 of 2 steps, got {fit.updates} of {fit.steps}"


@BOTH
def test_a_class_that_is_drawn_twice_moves_twice_at_most(module):
    chosen = {"n_classes": 2, "step": "constant", "n_updates": 1, "draws": np.zeros(4), "negatives": 2}
    for size, expected in ((0.1, -0.2), (3.0, -3.0)):
        got = module.fit_one_vs_all(np.ones((1, 1)), [0], step_size=size, **chosen).prototypes[1, 0]
        assert abs(got - expected) <= 1e-15, f"expected {expected}, got {got}"


@BOTH
def test_the_mean_step_is_a_gradient_step(module):
    """From prototypes 0 each hinge has its slope: the mean over examples and labels, and over the drawn others."""
    X, Y = np.random.default_rng(0).standard_normal((3, 2)), np.array([[1, 0, 0, 1], [0, 1, 0, 0], [1, 1, 1, 0]])
    expected, got = np.zeros((4, 2)), np.zeros((4, 2))
    for t, labels in enumerate(Y):
        k = labels.sum()
        expected += 0.1 / 3 * np.outer(labels / k - (1 - labels) / (4 - k), X[t])
        for i, j in itertools.product(range(k), range(4 - k)):
            draws = np.array([place(t, 3), place(i, k), place(j, 4 - k)])
            fit = module.fit_one_vs_all(X, Y, step="constant", step_size=0.1, n_updates=1, draws=draws)
            got += fit.prototypes / (3 * k * (4 - k))
    assert np.allclose(got, expected, rtol=0, atol=1e-15), f"expected {expected}, got {got}"


@BOTH
def test_seeds_draw_what_numpy_draws_and_leave_the_generator_there(module):
    X, Y = labelled(3, "indicator")
    numbers, generator = np.random.default_rng(5).random(500), np.random.default_rng(5)
    expected = module.fit_one_vs_all(X, Y, negatives=2, n_updates=60, draws=numbers)
    for seed in (5, generator):
        got = module.fit_one_vs_all(X, Y, negatives=2, n_updates=60, seed=seed)
        assert (got.prototypes == expected.prototypes).all() and got.updates == expected.updates
    used = int(np.flatnonzero(numbers == generator.random())[0])
    assert_identical_prototypes(module.fit_one_vs_all(X, Y, negatives=2, n_updates=60, draws=numbers[:used]), expected)
    with pytest.raises(ValueError, match=f"draws .*{used - 1}"):
        module.fit_one_vs_all(X, Y, negatives=2, n_updates=60, draws=numbers[: used - 1])


def assert_identical_prototypes(got, expected):
    assert (got.prototypes == expected.prototypes).all(), f"expected {expected.prototypes}, got {got.prototypes}"


@BOTH
@pytest.mark.parametrize("csr", [False, True])
def test_the_best_of_several_numbers_of_negatives_is_returned(module, csr):
    X, y = load_digits(return_X_y=True)
    X, y = X[:400] / 16, y[:400]
    X = sparse.csr_matrix(X) if csr else X
    chosen = {"n_updates": 150, "step_size": 0.05}
    validation, candidates, generator = (X[200:], y[200:]), [1, 2, 5, 9], np.random.default_rng(3)
    singles = [module.fit_one_vs_all(X[:200], y[:200], negatives=k, seed=generator, **chosen) for k in candidates]
    accuracies = [np.mean(module.prototype_scores(X[200:], fit).argmax(axis=1) == y[200:]) for fit in singles]
    assert len(set(accuracies)) > 1
    for several in (candidates, tuple(candidates), np.array(candidates)):
        fit = module.fit_one_vs_all(X[:200], y[:200], negatives=several, validation=validation, seed=3, **chosen)
        assert_identical_prototypes(fit, singles[int(np.argmax(accuracies))])
        assert fit.history.score.tolist() == accuracies, f"expected {accuracies}, got {fit.history.score}"
        assert fit.history.steps.tolist() == [150] * 4
    alone = module.fit_one_vs_all(X[:200], y[:200], negatives=2, **chosen)
    assert len(alone.history) == 1 and np.isnan(alone.history.score).all()


@BOTH
def test_the_first_of_equals_is_returned_and_draws_begin_anew_for_each(module):
    X, Y, draws = np.eye(3), np.arange(3), np.random.default_rng(0).random(400)
    chosen = {"n_updates": 60, "draws": draws}
    fit = module.fit_one_vs_all(X, Y, negatives=[2, 1], validation=(X, Y), **chosen)
    assert fit.history.score.tolist() == [1.0, 1.0]
    assert_identical_prototypes(fit, module.fit_one_vs_all(X, Y, negatives=2, **chosen))
    right = np.array([[1, 1, 1], [1, 0, 0], [0, 0, 1]])  # any label will do, and the last example has none of them
    fit = module.fit_one_vs_all(X, Y, negatives=1, validation=(X, right), **chosen)
    assert abs(fit.history.score[0] - 2 / 3) <= 1e-15, f"got {fit.history.score}"


@BOTH
def test_it_learns_digits_and_changes_nothing_that_is_given(module, capsys):
    X, y = load_digits(return_X_y=True)
    X, before = X / 16, X / 16
    X.flags.writeable = y.flags.writeable = False
    fit = module.fit_one_vs_all(X, y, negatives=5, n_updates=1500, progress=True)
    got = np.mean(module.prototype_scores(X[::3], fit).argmax(axis=1) == y[::3])
    assert got > 0.85, f"expected more than 0.85, got {got}"
    assert (X == before).all() and "updates" in capsys.readouterr().out
    assert_same(module.fit_one_vs_all(X, y, negatives=5, n_updates=1500), fit)
