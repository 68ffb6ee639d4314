"""Top-k SVMs on parts: what they refuse, and that they say why; and that they change nothing they are given."""

import numpy as np
import pytest
from scipy import sparse

from tests.support.topk_svm import assert_certified, instance
from tests.support.topk_svm_parts import BOTH, EACH_WAY, some_rounds


@BOTH
@pytest.mark.parametrize(
    ("change", "names"),
    [
        ({"parts": 0}, r"parts .*1\.\.4.* 0"),
        ({"parts": 5}, r"parts .*1\.\.4.* 5"),
        ({"parts": True}, "parts .*True"),
        ({"parts": 2.0}, "parts .*2.0"),
        ({"parts": "two"}, "parts .*'two'"),
        ({"parts": None}, "parts .*None"),
        ({"parts": []}, "parts .*example 0 0 times"),
        ({"parts": [[0, 1], [2]]}, "parts .*example 3 0 times"),
        ({"parts": [[0, 1, 2], [2, 3]]}, "parts .*example 2 2 times"),
        ({"parts": [[0, 1], [2, 3], np.zeros(0, int)]}, r"parts .*shape \(0,\) at 2"),
        ({"parts": [[0, 1], [2, 4]]}, r"parts .*0\.\.3.* 2\.\.4 at part 1"),
        ({"parts": [[0, 1], [2, -1]]}, r"parts .*-1\.\.2 at part 1"),
        ({"parts": [[0, 1], [2.0, 3.0]]}, "parts .*part 1.*2.0"),
        ({"parts": [[[0, 1]], [[2, 3]]]}, r"parts .*\(1, 2\)"),
        ({"parts": [[0, 1], [[2], [3, 0]]]}, "parts .*part 1"),
        ({"parts": [True, [0, 1]]}, "parts .*part 0"),
        ({"max_rounds": 0}, "max_rounds .*0"),
        ({"max_rounds": 1.5}, "max_rounds .*1.5"),
        ({"local_epochs": 0}, "local_epochs .*0"),
        ({"sigma": 0.0}, "sigma .*0.0"),
        ({"sigma": -1}, "sigma .*-1"),
        ({"sigma": np.inf}, "sigma .*inf"),
        ({"sigma": "K"}, "sigma .*'K'"),
        ({"combine": "averaging"}, "combine .*'averaging'"),
        ({"combine": None}, "combine .*None"),
        ({"gather": -1}, "gather .*-1"),
        ({"gather": np.nan}, "gather .*nan"),
        ({"gather": -np.inf}, "gather .*-inf"),
        ({"gather": "all"}, "gather .*'all'"),
        ({"seed": -1}, "seed .*-1"),
        ({"seed": 0.5}, "seed .*0.5"),
        ({"seed": None}, "seed .*None"),
        ({"X": np.full((4, 2), np.inf)}, "X .*inf"),
        ({"X": sparse.coo_matrix(np.ones((4, 2)))}, "X .*coo"),
        ({"X": np.full((4, 2), 1e200)}, r"X .*at most 1e\+140 .*1e\+200"),
        ({"y": np.array([0, 1, 2])}, r"y .*\(3,\)"),
        ({"y": np.array([1, 1, 1, 1])}, "y .*two classes.*1"),
        ({"k": 3}, "k .*3"),
        ({"kind": "gamma"}, "kind .*gamma"),
        ({"regularization": 0.0}, "regularization .*0.0"),
        ({"tol": -1.0}, "tol .*-1.0"),
        ({"sample_weight": np.zeros(4)}, "sample_weight .*0"),
        ({"duals": np.ones((4, 3))}, "duals .*domain"),
        ({"n_jobs": 0}, "n_jobs .*0"),
        ({"sparse_duals": 1}, "sparse_duals .*1"),
    ],
)
def test_bad_input_is_named(module, change, names):
    X = np.arange(8.0).reshape(4, 2)
    arguments = {"X": X, "y": np.array([0, 1, 2, 1]), "parts": 2, "regularization": 0.1} | change
    with pytest.raises(ValueError, match=names):
        module.fit_topk_svm_parts(**arguments)


@BOTH
@EACH_WAY
def test_input_is_not_changed(module, combine):
    X, y = instance(1)
    options = {"regularization": 0.1, "combine": combine}
    duals = some_rounds(module, X, y, 2, rounds=2, **options).duals
    parts = [np.arange(24)[::-2], np.arange(24)[::2]]
    given = [X, y, duals, *parts]
    kept = [array.copy() for array in given]
    for array in given:
        array.flags.writeable = False
    some_rounds(module, X, y, parts, rounds=3, duals=duals, **options)
    assert all(np.array_equal(a, b) for a, b in zip(given, kept, strict=True)), "the input has been changed"


@BOTH
@EACH_WAY
def test_parts_are_sets(module, combine):
    """How the examples of a part are ordered or stored does not matter."""
    X, y = instance(2)
    ways = (
        [np.arange(0, 24, 2), np.arange(1, 24, 2)],
        [np.arange(0, 24, 2)[::-1].astype(np.int32), np.arange(1, 24, 2).astype(np.uint8)],
        ([*range(22, -1, -2)], [*range(1, 24, 2)]),
    )
    expected, *others = (
        some_rounds(module, X, y, parts, rounds=3, combine=combine, regularization=0.1) for parts in ways
    )
    for got in others:
        assert np.array_equal(got.duals, expected.duals)


@BOTH
@EACH_WAY
def test_a_number_of_parts_deals_the_examples_out(module, combine):
    X, y = instance(3)
    order = np.random.default_rng(5).permutation(24)
    options = {"rounds": 3, "combine": combine, "regularization": 0.1, "seed": 5}
    got = some_rounds(module, X, y, 5, **options)
    expected = some_rounds(module, X, y, np.array_split(order, 5), **options)
    assert np.array_equal(got.duals, expected.duals)
    other = some_rounds(module, X, y, 5, **(options | {"seed": 6}))
    assert not np.array_equal(other.duals, expected.duals), "the seed does not matter"


@BOTH
@EACH_WAY
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sparse_matrices(module, combine, dtype):
    X, y = instance(4, n=30, d=8, zero_rows=2, dtype=dtype)
    X[np.abs(X) < 0.8] = 0
    options = {"regularization": 0.1, "combine": combine}
    expected = some_rounds(module, X, y, 3, rounds=2, **options)
    for stored in (sparse.csr_matrix(X), sparse.csr_array(X)):
        got = some_rounds(module, stored, y, 3, rounds=2, **options)
        assert got.duals.dtype == got.weights.dtype == dtype
        assert np.abs(got.duals - expected.duals).max() <= 1e3 * np.finfo(dtype).eps * np.abs(expected.duals).max()
        tight = module.fit_topk_svm_parts(stored, y, 3, tol=1e-2, **options)
        assert_certified(tight, X, y, 1e-2, regularization=0.1)
    shared = module.fit_topk_svm_parts(X, y, 3, tol=1e-2, sparse_duals=True, **options)
    assert shared.duals.format == "csr" and (shared.duals.data != 0).all()
    assert np.array_equal(shared.duals.toarray(), module.fit_topk_svm_parts(X, y, 3, tol=1e-2, **options).duals)
