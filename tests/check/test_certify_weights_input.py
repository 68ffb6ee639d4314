"""What `certify_weights` and `certify_ranking_weights` take, and what they refuse."""

import numpy as np
import pytest
from scipy import sparse

import fast
from reference.check import certify_ranking_weights, certify_weights
from tests.support.certify_weights import lying, problem


def test_sparse_and_single_precision_input_is_the_same_problem():
    X, y, options = problem(1, largest_scale=0, m=3)
    X, weights = X.astype(np.float32), np.ones((X.shape[1], 3), np.float32)
    for loss in ("topk_hinge", "softmax"):
        expected = certify_weights(X.astype(float), y, weights.astype(float), loss=loss, **options)
        for given in (X, sparse.csr_array(X), sparse.csr_matrix(X)):
            got = certify_weights(given, y, weights, loss=loss, **options)
            assert got.value == pytest.approx(expected.value, rel=1e-9)
    relevant = y == 0
    dense, csr = (certify_ranking_weights(given, relevant, weights[:, 0], regularization=0.1)
                  for given in (X, sparse.csr_array(X)))  # fmt: skip
    assert dense.value == pytest.approx(csr.value, rel=1e-9)


X4, Y4, W4 = np.arange(12.0).reshape(4, 3) / 9, np.array([0, 1, 2, 1]), np.ones((3, 3))
REFUSED = [
    ("weights must be finite", {"weights": np.full((3, 3), np.nan)}),
    (r"weights must have shape \(3, 3\), got \(3,\)", {"weights": np.ones(3)}),
    (r"got \(4, 3\): for an intercept that is penalised", {"weights": np.ones((4, 3))}),
    (r"got \(3, 4\): for an intercept that is penalised", {"weights": np.ones((3, 4))}),
    (r"y has classes 0\.\.2", {"weights": np.ones((3, 5))}),
    (r"got \(5, 3\): transpose", {"X": np.ones((4, 3)), "y": np.array([0, 4, 1, 2]), "weights": np.ones((5, 3))}),
    ("loss must be one of", {"loss": "squared_hinge"}),
    ("k must be an integer in 1..2", {"k": 3}),
    ("k and kind must be left out", {"k": 2, "loss": "softmax"}),
    ("solver must be left out", {"loss": "softmax", "solver": fast.fit_topk_svm}),
    ("y must hold 0 and 1 for loss 'hinge', got 3", {"loss": "hinge"}),
    ("take their first row", {"loss": "logistic", "y": np.array([0, 1, 1, 0]), "weights": np.ones((1, 3))}),
    ("regularization must be > 0", {"regularization": 0.0}),
    ("X must be finite", {"X": np.full((4, 3), np.inf)}),
    ("sample_weight must have shape", {"sample_weight": np.ones(3)}),
    (r"at most 1e\+140", {"weights": np.full((3, 3), 1e200)}),
    ("tol must be >= 0", {"tol": -1.0}),
    ("duals must be finite", {"solver": lying(lambda fit: fit._replace(duals=fit.duals * np.nan))}),
    ("solver must return duals", {"solver": lying(lambda fit: fit._replace(duals=fit.duals[:-1]))}),
    ("smoothing must be >= 0", {"smoothing": -1.0}),
    ("so must smoothing", {"loss": "topk_entropy", "smoothing": 0.1}),
    ("so must smoothing", {"loss": "softmax", "smoothing": 0.1}),
    ("kind must be left out", {"loss": "topk_entropy", "kind": "beta"}),
    ("k must be an integer in 1..2", {"loss": "topk_entropy", "k": 3}),
    ("solver must be left out", {"loss": "topk_entropy", "solver": fast.fit_topk_entropy}),
]


@pytest.mark.parametrize(("message", "wrong"), REFUSED)
def test_wrong_arguments_are_refused(message, wrong):
    right = {"X": X4, "y": Y4, "weights": W4, "regularization": 0.1, "tol": 1e-9}
    with pytest.raises(ValueError, match=message):
        certify_weights(**(right | wrong))


@pytest.mark.parametrize(
    ("message", "wrong"),
    [
        (r"weights must have shape \(3,\)", {"weights": W4}),
        ("weights must be finite", {"weights": np.array([0.0, np.inf, 0.0])}),
        ("loss must be one of", {"loss": "hinge"}),
        ("both classes", {"relevant": np.ones(4, bool)}),
        ("group_weight must have shape", {"group_weight": np.ones(2)}),
    ],
)
def test_wrong_arguments_of_rankings_are_refused(message, wrong):
    right = {"X": X4, "relevant": Y4 == 1, "weights": np.ones(3), "regularization": 0.1}
    with pytest.raises(ValueError, match=message):
        certify_ranking_weights(**(right | wrong))
