"""Top-k SVMs: what they refuse, and that they say why; and sparse matrices."""

import numpy as np
import pytest
from scipy import sparse

import fast
import reference
from tests.support.topk_svm import BOTH, assert_certified, instance


@BOTH
@pytest.mark.parametrize(
    ("change", "names"),
    [
        ({"X": np.full((4, 2), np.inf)}, "X .*inf"),
        ({"X": np.zeros((4, 0))}, r"X .*\(4, 0\)"),
        ({"X": np.zeros((4, 2, 1))}, r"X .*\(4, 2, 1\)"),
        ({"X": np.full((4, 2), 1e200)}, r"X .*at most 1e\+140 .*1e\+200"),
        ({"y": np.array([0, 1, 2])}, r"y .*\(3,\)"),
        ({"y": np.array([0, 1, -2, 1])}, "y .*-2"),
        ({"y": np.array([0.5, 1, 2, 1])}, "y .*float64"),
        ({"y": np.array([1, 1, 1, 1])}, "y .*two classes.*1"),
        ({"k": 0}, "k .*0"),
        ({"k": 3}, "k .*3"),
        ({"kind": "gamma"}, "kind .*gamma"),
        ({"regularization": 0.0}, "regularization .*0.0"),
        ({"regularization": np.nan}, "regularization .*nan"),
        ({"tol": -1.0}, "tol .*-1.0"),
        ({"max_epochs": 0}, "max_epochs .*0"),
        ({"max_epochs": "5"}, r"max_epochs must be an integer in 1..2147483647, got the string '5'"),
        ({"y": [[0, 1], [0], [1], [2]]}, "y .*0, 1"),
        ({"y": np.array([0, 1, 2, 2**63], np.uint64)}, "y .*at most 9223372036854775807 .*got 9223372036854775808"),
        ({"seed": -1}, "seed .*-1"),
        ({"seed": "a"}, "seed .*'a'"),
        ({"order": [[0, 1], [2]]}, "order .*0, 1"),
        ({"order": np.arange(3)}, "order .*3"),
        ({"order": np.array([0, 1, 2, 4])}, "order .*4"),
    ],
)
def test_bad_input_is_named(module, change, names):
    X = np.arange(8.0).reshape(4, 2)
    arguments = {"X": X, "y": np.array([0, 1, 2, 1]), "regularization": 0.1} | change
    with pytest.raises(ValueError, match=names):
        module.fit_topk_svm(**arguments)


@BOTH
@pytest.mark.parametrize(
    ("K", "names"),
    [
        (np.ones((3, 2)), r"K .*\(3, 2\)"),
        (-np.eye(3), "K .*-1.0"),
        (np.eye(3) + np.triu(np.ones((3, 3)), 1), "K .*symmetric"),
        (np.full((3, 3), np.nan), "K .*nan"),
        (np.eye(3) + 5 - 5 * np.eye(3), "K .*semidefinite"),  # of which 0 is not even the worst fit
    ],
)
def test_bad_kernels_are_named(module, K, names):
    with pytest.raises(ValueError, match=names):
        module.fit_topk_svm_kernel(K, np.array([0, 1, 2]), regularization=0.1)


@pytest.mark.parametrize("module", [reference, fast], ids=["reference", "fast"])
def test_sparse_matrices(module):
    X, y = instance(16)
    with pytest.raises(ValueError, match="X .*coo"):
        module.fit_topk_svm(sparse.coo_matrix(X), y, regularization=0.1)
    bad = sparse.csr_matrix(X)
    bad.data[3] = np.nan
    with pytest.raises(ValueError, match="X .*nan"):
        module.fit_topk_svm(bad, y, regularization=0.1)
    X[np.abs(X) < 0.7] = 0
    for dtype in (np.float32, np.float64):
        got = module.fit_topk_svm(sparse.csr_matrix(X.astype(dtype)), y, regularization=0.1, tol=1e-4)
        assert got.duals.dtype == got.weights.dtype == dtype
        assert_certified(got, X.astype(dtype), y, 1e-4, regularization=0.1)
    empty = sparse.csr_matrix((24, 4))
    assert module.fit_topk_svm(empty, y, regularization=0.1).primal == 1
