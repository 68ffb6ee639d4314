"""TopPush and SVMperf with weights: integers are copies, and zeros are absent rows."""

from itertools import product

import numpy as np
import pytest
from scipy import sparse

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
    instance,
)

EXACT = {"regularization": 0.1, "tol": 1e-9, "max_iterations": 20_000}


def weights_of(relevant, seed=0):
    """Returns integer weights 0..3 of the rows, with samples of both classes above 0."""
    weights = np.random.default_rng(seed).integers(0, 4, size=len(relevant))
    weights[[np.nonzero(relevant)[0][0], np.nonzero(~relevant)[0][0]]] = 2
    return weights


# --- ground truth --------------------------------------------------------------------------------------------------


@FLAT_OR_NOT
def test_weights_of_the_ground_truth_are_copies(classes):
    X, relevant = instance(1, n=7, classes=classes)
    s = weights_of(relevant)
    rows = np.repeat(np.arange(7), s)
    _, expected = ground_truth.fit_top_push(X[rows], relevant[rows], regularization=0.1)
    _, got = ground_truth.fit_top_push(X, relevant, regularization=0.1, sample_weight=s)
    assert abs(got - expected) <= SOLVED, f"expected {expected}, got {got}"


@BOTH
@FLAT_OR_NOT
@pytest.mark.parametrize("seed", range(3))
def test_fits_are_those_of_the_ground_truth(module, classes, seed):
    X, relevant = instance(seed, n=9, classes=classes)
    for s in (weights_of(relevant, seed), 10.0 ** np.random.default_rng(seed).uniform(-6, 0, size=9)):
        weights, minimum = ground_truth.fit_top_push(X, relevant, regularization=0.1, sample_weight=s)
        for data in (X, sparse.csr_array(X)):
            got = module.fit_top_push(data, relevant, **EXACT | {"tol": 1e-6}, sample_weight=s)
            assert abs(got.primal - minimum) <= 2e-6 * max(1, minimum), f"expected {minimum}, got {got.primal}"
            options = {"regularization": 0.1, "sample_weight": s}
            assert_honest(PUSH, got, data, relevant, options, tol=1e-6)
        residual = certificates.fit_top_push(weights.reshape(got.weights.shape), got.duals, X, relevant, **options)
        assert residual <= 3e-6


# --- what a weight means -------------------------------------------------------------------------------------------


@BOTH
@FLAT_OR_NOT
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_an_integer_weight_is_so_many_copies(module, classes, dtype):
    X, relevant = instance(2, n=12, classes=classes, dtype=dtype)
    s, options = weights_of(relevant), EXACT | {"tol": 1e-9 if dtype == np.float64 else 1e-5}
    rows = np.repeat(np.arange(12), s)
    expected = module.fit_top_push(X[rows], relevant[rows], **options)
    got = module.fit_top_push(X, relevant, **options, sample_weight=s)
    assert abs(got.primal - expected.primal) <= 3 * options["tol"] * expected.primal
    np.testing.assert_allclose(got.weights, expected.weights, atol=10 * np.sqrt(options["tol"]))
    copies = np.zeros(relevant.shape)
    np.add.at(copies, rows, expected.duals)  # the dual of a positive is the sum of those of its copies
    np.testing.assert_allclose(got.duals[relevant], copies[relevant], atol=0.05 * np.abs(copies).max())


@BOTH
@FLAT_OR_NOT
def test_rows_of_weight_0_are_absent(module, classes):
    X, relevant = instance(3, n=12, classes=classes)
    s = weights_of(relevant).astype(float)
    s[4:7] = 0
    far = X.copy()
    far[s == 0] *= 1e3  # would be the highest negatives, and the lowest positives
    expected = module.fit_top_push(X[s > 0], relevant[s > 0], regularization=0.1, sample_weight=s[s > 0])
    got = module.fit_top_push(far, relevant, regularization=0.1, sample_weight=s)
    np.testing.assert_array_equal(got.weights, expected.weights)
    np.testing.assert_array_equal(got.duals[s > 0], expected.duals)
    assert not got.duals[s == 0].any() and (got.primal, got.dual) == (expected.primal, expected.dual)


@BOTH
def test_negatives_of_any_weight_count_alike(module):
    X, relevant = instance(4, n=12)
    s = np.random.default_rng(0).uniform(0.5, 2, size=12)
    expected = module.fit_top_push(X, relevant, regularization=0.1, sample_weight=s)
    for factor in (1e-300, 0.1, 7.0, 1e140):
        got = module.fit_top_push(X, relevant, regularization=0.1, sample_weight=np.where(relevant, s, factor))
        np.testing.assert_array_equal(got.weights, expected.weights)
        np.testing.assert_array_equal(got.duals, expected.duals)


@BOTH
@FLAT_OR_NOT
def test_only_the_ratios_of_weights_matter(module, classes):
    X, relevant = instance(5, n=12, classes=classes)
    s = np.random.default_rng(0).uniform(0.5, 2, size=12)
    plain = module.fit_top_push(X, relevant, regularization=0.1)
    for weights in (np.ones(12), np.ones(12, int), [1] * 12, np.ones(12, np.float32)):
        got = module.fit_top_push(X, relevant, regularization=0.1, sample_weight=weights)
        np.testing.assert_array_equal(got.weights, plain.weights)
        np.testing.assert_array_equal(got.duals, plain.duals)
    expected = module.fit_top_push(X, relevant, regularization=0.1, sample_weight=s)
    assert np.abs(expected.weights - plain.weights).max() > 1e-3
    for exponent in (-900, -30, 30, 450):
        got = module.fit_top_push(X, relevant, regularization=0.1, sample_weight=s * 2.0**exponent)
        np.testing.assert_array_equal(got.weights, expected.weights)
        np.testing.assert_array_equal(got.duals, expected.duals * 2.0**exponent)


@BOTH
def test_positives_of_tiny_weight_hardly_count(module):
    X, relevant = instance(6, n=12)
    s = np.ones(12)
    tiny = np.flatnonzero(relevant)[0]
    s[tiny] = 0
    expected = module.fit_top_push(X, relevant, **EXACT, sample_weight=s)
    for weight in (1e-12, 1e-200, 5e-324):
        s[tiny] = weight
        got = module.fit_top_push(X, relevant, **EXACT, sample_weight=s)
        assert got.gap <= 1e-9
        np.testing.assert_allclose(got.weights, expected.weights, atol=1e-3)


@BOTH
def test_a_fit_starts_from_the_duals_of_other_weights(module):
    X, relevant = instance(7, n=12)
    s = 0.5 + np.arange(12) % 3
    first = module.fit_top_push(X, relevant, **EXACT, sample_weight=s)
    again = module.fit_top_push(X, relevant, **EXACT | {"tol": 1e-6}, sample_weight=s, duals=first.duals)
    cold = module.fit_top_push(X, relevant, **EXACT | {"tol": 1e-6}, sample_weight=s)
    assert again.iterations < cold.iterations
    other = module.fit_top_push(X, relevant, **EXACT, sample_weight=s[::-1], duals=first.duals)
    expected = module.fit_top_push(X, relevant, **EXACT, sample_weight=s[::-1])
    assert abs(other.primal - expected.primal) <= 3e-9


# --- what is refused -----------------------------------------------------------------------------------------------


@BOTH
def test_wrong_weights_are_refused(module):
    X, relevant = instance(8, n=6)  # two positives
    first = np.flatnonzero(relevant)[0]
    cases = [
        (np.ones(5), r"sample_weight must have shape \(6,\)"),
        (np.ones((6, 1)), "sample_weight must"),
        (-np.ones(6), "sample_weight must be >= 0"),
        (np.full(6, np.nan), "sample_weight must be finite"),
        (np.zeros(6), "both classes, got that for no sample"),
        (relevant.astype(float), "both classes, got that for relevant = True only"),
        (1.0 - relevant, "both classes, got that for relevant = False only"),
        (np.full(6, 1e308), r"sample_weight must be at most 1e\+140 .*1e\+308"),
    ]
    for weights, message in cases:
        with pytest.raises(ValueError, match=message):
            module.fit_top_push(X, relevant, regularization=0.1, sample_weight=weights)
    with pytest.raises(ValueError, match="sum over positives in the range of float32"):
        module.fit_top_push(X.astype(np.float32), relevant, regularization=0.1, sample_weight=np.full(6, 3e38))
    duals = np.where(relevant, 1 / relevant.sum(), -1 / (~relevant).sum())
    with pytest.raises(ValueError, match="duals must be 0 where sample_weight is 0"):
        weights = np.where(np.arange(6) == first, 0.0, 1.0)
        module.fit_top_push(X, relevant, regularization=0.1, sample_weight=weights, duals=duals)


# --- SVMperf -------------------------------------------------------------------------------------------------------


def sums_of(relevant, s):
    """Returns the weights of all positives, and of all samples."""
    shares = np.broadcast_to(np.reshape(s, (-1, *[1] * (relevant.ndim - 1))), relevant.shape)
    return float(shares[relevant].sum()), float(shares.sum())


def sizes_of(relevant, s):
    """Yields k: less than a positive weighs, a part of all positives, all positives, more, and all samples."""
    positives, everything = sums_of(relevant, s)
    yield from (0.1 * np.min(s[s > 0]), 0.6 * positives, positives, 0.4 * positives + 0.6 * everything, everything)


@FLAT_OR_NOT
@EACH_LOSS
def test_weights_of_the_ground_truth_of_selections_are_copies(classes, loss):
    """The copies are tried in all selections; fractions of a common denominator are the same as the integers."""
    X, relevant = instance(1, n=4 if classes else 7, classes=classes)
    s = np.where(np.arange(len(X)) == np.nonzero(relevant)[0][0], 2, weights_of(relevant) % 3)
    rows = np.repeat(np.arange(len(X)), s)
    for k in {1, 2, int(sums_of(relevant, s)[0]), int(sums_of(relevant, s)[1]) - 1}:
        options = {"k": k, "loss": loss, "regularization": 0.1}
        _, expected = ground_truth.fit_svm_perf(X[rows], relevant[rows], **options)
        weights, got = ground_truth.fit_svm_perf(X, relevant, **options, sample_weight=s)
        assert abs(got - expected) <= SOLVED, f"expected {expected}, got {got}"
        weights = weights if classes else weights[:, 0]
        tried = ground_truth.perf_objective(X[rows], relevant[rows], weights, **options)
        assert abs(tried - expected) <= SOLVED, f"expected {expected}, got {tried}"
        fractions = options | {"k": k / 3, "sample_weight": s / 3}
        assert abs(ground_truth.fit_svm_perf(X, relevant, **fractions)[1] - expected) <= SOLVED


@EACH_LOSS
def test_weighted_selections_are_the_worst_of_all_vertices(loss):
    """Vertices of {0 <= x <= s, sum x = k}: some samples in full, and at most one in part."""
    rng = np.random.default_rng(3)
    relevant, s = np.arange(6) < 3, np.array([0.5, 0.0, 2.25, 1e-3, 3.0, 0.7])
    for k in sizes_of(relevant, s):
        scores, P, worst = np.round(rng.standard_normal(6), 1), s[relevant].sum(), -np.inf
        for full in product((0.0, 1.0), repeat=6):
            for i in range(6):
                x = s * full
                x[i] = k - (x.sum() - x[i])
                if -1e-12 <= x[i] <= s[i] + 1e-12:
                    lost = 1 - x[relevant].sum() / (P if loss == "recall" else k)
                    worst = max(worst, lost + ((x - s * relevant) @ scores) / P)
        got = certificates.worst_selection(scores, relevant, k, loss, s)
        assert abs(got - worst) <= 1e-12 * max(1, k), f"expected {worst}, got {got}"


@EACH_WAY
@FLAT_OR_NOT
@EACH_LOSS
def test_fits_of_weighted_selections_are_those_of_the_ground_truth(way, classes, loss):
    X, relevant = instance(2, n=9, d=4, classes=classes)
    for s in (weights_of(relevant, 2), 10.0 ** np.random.default_rng(2).uniform(-4, 1, size=9)):
        for k in sizes_of(relevant, s):
            options = {"k": k, "loss": loss, "regularization": 0.1, "sample_weight": s}
            _, minimum = ground_truth.fit_svm_perf(X, relevant, **options)
            for data in (X, sparse.csr_array(X)):
                got = way.fit_svm_perf(data, relevant, **options, tol=1e-5, max_iterations=5000)
                assert abs(got.primal - minimum) <= 2e-5 * max(1, minimum), f"expected {minimum}, got {got.primal}"
                assert_honest(PERF, got, data, relevant, options)


@EACH_WAY
@FLAT_OR_NOT
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_an_integer_weight_is_so_many_copies_in_a_selection(way, classes, dtype):
    X, relevant = instance(2, n=12, d=5, classes=classes, dtype=dtype)
    s, tol = weights_of(relevant), 1e-8 if dtype == np.float64 else 1e-5
    rows = np.repeat(np.arange(12), s)
    positives, everything = (int(total) for total in sums_of(relevant, s))
    for k in (1, positives - 1, positives, (positives + everything) // 2):
        options = {"k": k, "regularization": 0.1, "tol": tol, "max_iterations": 5000}
        expected = way.fit_svm_perf(X[rows], relevant[rows], **options)
        got = way.fit_svm_perf(X, relevant, **options, sample_weight=s)
        assert abs(got.primal - expected.primal) <= 3 * tol * expected.primal
        np.testing.assert_allclose(got.weights, expected.weights, atol=10 * np.sqrt(tol))
        copies = np.zeros(relevant.shape)
        np.add.at(copies, rows, expected.duals)  # the duals of copies are those of a start for the weights
        start = way.fit_svm_perf(X, relevant, **options, sample_weight=s, duals=copies.astype(dtype))
        assert start.history.primal[0] < got.history.primal[0]


@EACH_WAY
@FLAT_OR_NOT
def test_only_the_ratios_of_weights_and_k_matter_to_a_selection(way, classes):
    X, relevant = instance(5, n=12, d=4, classes=classes)
    s = np.random.default_rng(0).uniform(0.5, 2, size=12)
    for share in (0.7, 1.0, 1.4):
        n_positive, k = int(relevant.sum()), share * sums_of(relevant, s)[0]
        plain = way.fit_svm_perf(X, relevant, k=round(share * n_positive), regularization=0.1)
        for weights in (np.ones(12), np.ones(12, int), [1] * 12, np.ones(12, np.float32)):
            got = way.fit_svm_perf(X, relevant, k=round(share * n_positive), regularization=0.1, sample_weight=weights)
            np.testing.assert_array_equal(got.weights, plain.weights)
            np.testing.assert_array_equal(got.duals, plain.duals)
        expected = way.fit_svm_perf(X, relevant, k=k, regularization=0.1, sample_weight=s)
        assert np.abs(expected.weights - plain.weights).max() > 1e-3
        for factor in (2.0**-900, 2.0**30, 2.0**450):
            got = way.fit_svm_perf(X, relevant, k=k * factor, regularization=0.1, sample_weight=s * factor)
            np.testing.assert_array_equal(got.weights, expected.weights)
            np.testing.assert_array_equal(got.duals, expected.duals * factor)


@EACH_WAY
@FLAT_OR_NOT
def test_rows_of_weight_0_are_in_no_selection(way, classes):
    X, relevant = instance(3, n=12, classes=classes)
    s = weights_of(relevant).astype(float)
    s[4:7] = 0
    far = X.copy()
    far[s == 0] *= 1e3
    for k in sizes_of(relevant, s):
        options = {"k": k, "loss": "precision", "regularization": 0.1}
        expected = way.fit_svm_perf(X[s > 0], relevant[s > 0], **options, sample_weight=s[s > 0])
        got = way.fit_svm_perf(far, relevant, **options, sample_weight=s)
        np.testing.assert_array_equal(got.weights, expected.weights)
        np.testing.assert_array_equal(got.duals[s > 0], expected.duals)
        assert not got.duals[s == 0].any() and (got.primal, got.dual) == (expected.primal, expected.dual)


@EACH_WAY
def test_a_size_that_differs_from_a_sum_by_roundings_is_that_sum(way):
    X, relevant = instance(4, n=12, d=4)
    s = np.random.default_rng(0).uniform(0.5, 2, size=12)
    for whole in sums_of(relevant, s):
        expected = way.fit_svm_perf(X, relevant, k=whole, regularization=0.1, sample_weight=s)
        for k in (np.nextafter(whole, 0), np.nextafter(whole, np.inf)):
            got = way.fit_svm_perf(X, relevant, k=k, regularization=0.1, sample_weight=s)
            np.testing.assert_array_equal(got.weights, expected.weights)
            np.testing.assert_array_equal(got.duals, expected.duals)


@BOTH
def test_wrong_weights_and_sizes_of_selections_are_refused(module):
    X, relevant = instance(8, n=6)  # two positives
    s = np.array([1.0, 0.5, 2.0, 0.25, 1.0, 0.25])
    cases = [
        ({"sample_weight": np.ones(5)}, r"sample_weight must have shape \(6,\)"),
        ({"sample_weight": -s}, "sample_weight must be >= 0"),
        ({"sample_weight": 0 * s}, "both classes, got that for no sample"),
        ({"sample_weight": 1.0 * relevant}, "both classes, got that for relevant = True only"),
        ({"sample_weight": np.full(6, 7e307)}, r"sample_weight must be at most 1e\+140 .*7e\+307"),
        ({"sample_weight": np.where(relevant, 1e-300, 1e140)}, "sample_weight must leave its sums, and their ratio"),
        ({"k": 0.0}, "k must be > 0, got 0.0"),
        ({"k": True}, "k must be a finite number"),
        ({"k": 5.01}, r"k must be above 0, and at most the weight of all samples, 5\.0, got 5\.01"),
        ({"k": 1e-310}, "k must be above 0"),
        ({"k": 1.5, "sample_weight": None}, "k must be an integer in 1..6, got 1.5"),
        ({"duals": np.where(relevant, 0.3, 0.1)}, r"duals must be in 0\.\.sum/k, times the weights"),
        ({"duals": s}, "duals must be in .* with sum <= k = 1.5"),
        ({"duals": -0.01 * s}, "duals must be in"),
    ]
    for change, message in cases:
        with pytest.raises(ValueError, match=message):
            module.fit_svm_perf(X, relevant, **{"k": 1.5, "regularization": 0.1, "sample_weight": s} | change)
    got = module.fit_svm_perf(X, relevant, k=1.5, regularization=0.1, sample_weight=s, duals=0.3 * s)
    assert got.gap <= 1e-3
