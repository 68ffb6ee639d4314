"""Answers that once passed though they were wrong, and right ones that were refused: each by a fault of its own."""

import numpy as np
import pytest
import scipy.sparse

import reference
from reference.check import certify, certify_weights

X, Y = np.array([[1.0, 0], [0, 1], [0, 0]]), np.array([[1, 0], [0, 1], [1, 0]])


@pytest.mark.parametrize("loss", ["hinge", "entropy"])
@pytest.mark.parametrize("size, weights", [(1.0, [1, 1, 1e-309]), (1.7e308, None)])
def test_a_lower_bound_that_is_not_a_number_proves_nothing(loss, size, weights):
    duals = np.zeros((3, 2))
    duals[2] = size, -size
    got = certify("fit_multilabel", duals, X, Y, loss=loss, regularization=1.0, sample_weight=weights)
    assert not got.ok and got.value > 0.2


def test_tiny_duals_of_a_cone_do_not_underflow():
    rows, relevant = np.array([[2.0, -2], [1, 1], [-1, 0], [0, 1]]), np.array([0, 0, 0, 1], bool)
    duals = np.array([-5.60612257e-164, -1.92828609e-162, -6.61039589e-163, 4.49970628e-162])
    options = {"regularization": 0.01, "sample_weight": [0.5, 0.5, 0.125, 0.125]}
    assert certify("fit_top_push", (np.zeros(2), duals), rows, relevant, **options).value > 0.97


def test_a_class_far_below_all_others_costs_no_digits():
    rows, y = np.array([[1.0, 0], [-1, 0], [0.5, 0], [0, 1e20]]), np.array([0, 1, 2, 0])
    fit = reference.fit_topk_entropy(rows[:3, :1], y[:3], regularization=4e-3 / 3, tol=1e-9)
    weights = np.array([fit.weights[0], [0, 50 / 1e20, -0.01]])
    options = {"regularization": 1e-3, "sample_weight": np.array([1, 1, 1, 1e-3])}
    got, expected = (certify_weights(rows, y, weights, loss=loss, **options) for loss in ("topk_entropy", "softmax"))
    assert not got.ok and got.value == pytest.approx(expected.value, rel=1e-6)


@pytest.mark.parametrize("block", [[[1, -5], [-5, 1]], [[1, 5], [-5, 1]]])
def test_a_large_inner_product_does_not_hide_a_negative_eigenvalue(block):
    K, y = np.diag([1e16, 1.0, 1.0, 1.0]), np.array([0, 1, 0, 1])
    duals = reference.fit_topk_svm_kernel(K, y, regularization=0.5).duals
    assert certify("fit_topk_svm_kernel", duals, K, y, regularization=0.5).ok
    K[1:3, 1:3] = block
    assert not certify("fit_topk_svm_kernel", duals, K, y, regularization=0.5).ok


def test_an_objective_below_zero_settles_nothing():
    rng = np.random.default_rng(0)
    rows, bags = rng.normal(size=(12, 2)), np.repeat(np.arange(6), 2)
    chosen = np.array([0, 2, 5])
    fit = reference.fit_ranking_svm(rows[np.r_[chosen, 6:12]], np.arange(9) < 3, regularization=0.1)
    answer = {"chosen": chosen, "last_fit": fit, "weights": fit.weights, "objectives": np.array([-5.0, fit.primal])}
    assert not certify("fit_latent_ranking_svm", answer, rows, bags, bags < 3, regularization=0.1).ok


@pytest.mark.parametrize("smoothing", [1e12, 1e14])
def test_a_fit_with_large_smoothing_is_certified(smoothing):
    rows, y = np.array([[1.0, 0], [0, 1], [1, 1], [-1, 0.5]]), np.array([0, 1, 2, 0])
    fit = reference.fit_topk_svm(rows, y, smoothing=smoothing, regularization=0.1, tol=1e-6)
    assert certify("fit_topk_svm", fit, rows, y, smoothing=smoothing, regularization=0.1, tol=1e-9).ok


def test_weights_near_overflow_are_an_answer_like_others():
    y = np.array([0, 1, 2])
    with np.errstate(all="ignore"):
        got = certify("fit_topk_svm", (np.full((2, 3), 1.2e154), np.zeros((3, 3))), X, y, regularization=0.1)
    assert not got.ok and got.value == np.inf


class Odd:
    """An answer whose conversion and whose text raise."""

    def __array__(self, *_, **__):
        raise KeyError("no")

    def __repr__(self):
        raise RuntimeError("no")


ROWS, RELEVANT = np.array([[1.0, 0], [0.8, 1], [0, 1], [-1, 0.5]]), np.array([1, 1, 0, 0])
FIT = reference.fit_ranking_svm(ROWS, RELEVANT, regularization=0.1)


@pytest.mark.parametrize(
    "answer",
    [
        Odd(),
        {1: 2},
        (FIT.weights, [[1.0, 2], [1]], FIT.shares),
        (FIT.weights, Odd(), FIT.shares),
        (FIT.weights, np.full(FIT.points.shape, 1e308), FIT.shares),
        (FIT.weights * 1e308, FIT.points, FIT.shares),
        (scipy.sparse.csr_array((10**7, 10**7)), FIT.points, FIT.shares),
    ],
    ids=["object", "other key", "ragged points", "points", "far points", "long weights", "huge"],
)
def test_whatever_is_no_answer_is_refused_without_an_error(answer):
    got = certify("fit_ranking_svm", answer, ROWS, RELEVANT, regularization=0.1)
    assert not got.ok and got.value == np.inf


@pytest.mark.parametrize("weights", [5, [1], ["a", "b"], [[[1, 2], [3]], 1], [Odd(), Odd()]])
def test_weights_that_are_none_are_refused_without_an_error(weights):
    problem, options = (X, np.array([0, 1, 2]), [("dense", 2)]), {"regularization": 0.1, "max_rounds": 1, "tol": 0.5}
    answer = reference.fit_layerwise(*problem, **options)._asdict()
    assert certify("fit_layerwise", answer, *problem, **options).ok
    assert not certify("fit_layerwise", answer | {"weights": weights}, *problem, **options).ok


@pytest.mark.parametrize("loss", ["zero_one", "ap", "auc"])
def test_weights_whose_scores_are_out_of_range_are_refused_without_an_error(loss):
    problem, options = (ROWS, RELEVANT == 1, [("dense", 2)]), {"loss": loss, "regularization": 0.1, "max_rounds": 1}
    answer = reference.fit_layerwise(*problem, **options, tol=0.5)
    assert certify("fit_layerwise", answer, *problem, **options, tol=0.5).ok
    for scale in (1e150, 1e200, 1e300):
        huge = answer._replace(trail=tuple(scale * part for part in answer.trail), weights=None)
        assert not certify("fit_layerwise", huge, *problem, **options, tol=0.5).ok


class Lying(float):
    """A number that says it is a float32."""

    dtype = np.dtype(np.float32)


def test_a_number_is_of_the_type_that_it_is_converted_to():
    right = reference.ap_loss([1, 2], 2)
    assert certify("ap_loss", Lying(right), [1, 2], 2).ok
    assert not certify("ap_loss", Lying(right + 1e-7), [1, 2], 2).ok
