"""Weights of groups in the mean that the ranking SVM minimises: ground truth, reference, fast."""

import numpy as np
import pytest
from scipy import sparse

import fast
import reference
from reference.ground_truth import ranking_svm as ground_truth
from tests.support.ranking_svm import BOTH, EACH_LOSS, SOLVED, assert_optimal, instance
from tests.support.ranking_weights import weighted_primal, weights_of

TOL = 1e-7


@EACH_LOSS
@pytest.mark.parametrize("zeros", [0, 1])
def test_minimum_of_the_ground_truth_is_the_weighted_objective_at_its_weights(loss, zeros):
    X, relevant, groups = instance(3)
    s = weights_of(groups, zeros=zeros)
    options = {"groups": groups, "loss": loss, "regularization": 0.05, "group_weight": s}
    weights, minimum = ground_truth.fit_ranking_svm(X, relevant, **options)
    expected = weighted_primal(weights, X, relevant, groups, loss, 0.05, s)
    assert abs(minimum - expected) <= SOLVED * expected, f"expected {expected}, got {minimum}"


@BOTH
@EACH_LOSS
@pytest.mark.parametrize("zeros", [0, 1])
@pytest.mark.parametrize("kind", ["float64", "float32", "csr"])
def test_a_weighted_fit_is_optimal_and_certified(module, loss, zeros, kind):
    X, relevant, groups = instance(4, sizes=(4, 3, 5), dtype=np.float32 if kind == "float32" else np.float64)
    s = weights_of(groups, seed=1, zeros=zeros)
    options = {"groups": groups, "loss": loss, "regularization": 0.1, "group_weight": s}
    weights, minimum = ground_truth.fit_ranking_svm(X, relevant, **options)
    tol = 1e-4 if kind == "float32" else TOL
    got = module.fit_ranking_svm(sparse.csr_matrix(X) if kind == "csr" else X, relevant, tol=tol, **options)
    assert got.gap <= tol
    expected = weighted_primal(got.weights, X, relevant, groups, loss, 0.1, s)
    assert abs(got.primal - expected) <= 1e-12 * expected, f"expected {expected}, got {got.primal}"
    assert_optimal(got, weights, minimum, tol, 0.1)


@BOTH
@EACH_LOSS
def test_a_weight_of_two_is_a_group_that_comes_twice_and_one_of_zero_a_group_that_is_not_there(module, loss):
    X, relevant, groups = instance(5, sizes=(6, 5, 4))
    twice, gone = groups == groups[0], groups == np.unique(groups[groups != groups[0]])[0]
    s = np.where(twice, 2.0, np.where(gone, 0.0, 1.0))
    options = {"loss": loss, "regularization": 0.1, "tol": TOL}
    got = module.fit_ranking_svm(X, relevant, groups=groups, group_weight=s, **options)
    rows = np.append(np.flatnonzero(~gone), np.flatnonzero(twice))
    again = np.append(groups[~gone], np.full(np.count_nonzero(twice), 99))
    expected = module.fit_ranking_svm(X[rows], relevant[rows], groups=again, **options)
    assert abs(got.primal - expected.primal) <= 2 * TOL * expected.primal, (expected.primal, got.primal)
    np.testing.assert_allclose(got.weights, expected.weights, atol=3 * np.sqrt(TOL / 0.1))


@BOTH
@pytest.mark.parametrize("constant", [1, 3, 1e-300, 1e140, np.float32(0.1), True])
def test_equal_weights_are_none(module, constant):
    X, relevant, groups = instance(6)
    options = {"groups": groups, "regularization": 0.1}
    got = module.fit_ranking_svm(X, relevant, group_weight=np.full(len(X), constant, type(constant)), **options)
    np.testing.assert_allclose(got.weights, module.fit_ranking_svm(X, relevant, **options).weights, rtol=1e-9)


@BOTH
def test_weights_of_groups_that_are_left_out_do_not_matter(module):
    X, relevant, groups = instance(7)
    relevant = relevant | (groups == groups[0])
    s = np.where(groups == groups[0], np.arange(len(X)), 1.0)
    with pytest.warns(UserWarning, match="1 of the 3 groups"):
        got = module.fit_ranking_svm(X, relevant, groups=groups, regularization=0.1, group_weight=s)
    with pytest.warns(UserWarning, match="1 of the 3 groups"):
        expected = module.fit_ranking_svm(X, relevant, groups=groups, regularization=0.1)
    np.testing.assert_array_equal(got.weights, expected.weights)


@EACH_LOSS
def test_the_twins_agree_where_weights_are_far_apart(loss):
    X, relevant, groups = instance(8, sizes=(30, 20, 25, 12), d=6)
    s = 10.0 ** (groups - groups.max())
    options = {"groups": groups, "loss": loss, "regularization": 1e-2, "tol": 1e-6, "group_weight": s}
    slow, quick = (twin.fit_ranking_svm(X, relevant, **options) for twin in (reference, fast))
    assert max(slow.dual, quick.dual) <= min(slow.primal, quick.primal) * (1 + 1e-12)
    np.testing.assert_allclose(quick.weights, slow.weights, atol=1e-2)


@BOTH
@pytest.mark.parametrize(
    ("group_weight", "names"),
    [
        (np.ones(13), r"group_weight must have shape \(14,\)"),
        (np.ones((14, 1)), r"group_weight .*\(14, 1\)"),
        (np.full(14, -1.0), "group_weight .*>= 0"),
        (np.full(14, np.nan), "group_weight .*nan"),
        (np.full(14, np.inf), "group_weight .*inf"),
        (np.arange(14.0), "same for all samples of a group"),
        (np.zeros(14), "group_weight must not be 0"),
        ("heavy", "group_weight .*heavy"),
    ],
)
def test_bad_weights_are_named(module, group_weight, names):
    X, relevant, groups = instance(9)
    with pytest.raises(ValueError, match=names):
        module.fit_ranking_svm(X, relevant, groups=groups, regularization=0.1, group_weight=group_weight)
