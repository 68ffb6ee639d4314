"""Passive-aggressive updates: what they refuse, and that they say why."""

import numpy as np
import pytest
from scipy import sparse

import fast
import reference

OUTSIDE = sparse.csr_matrix((np.ones(4), np.array([0, 7, 0, 1]), np.arange(5)), shape=(4, 2))
BOTH = pytest.mark.parametrize("module", [reference, fast], ids=lambda module: module.__name__)


@BOTH
@pytest.mark.parametrize(
    ("change", "names"),
    [
        ({"z": np.array([0.0, np.nan])}, "z .*nan"),
        ({"z": np.array([[0.0, np.inf]])}, "z .*inf"),
        ({"z": np.zeros(0)}, r"z .*\(0,\)"),
        ({"z": np.zeros((1, 2, 3))}, r"z .*\(1, 2, 3\)"),
        ({"z": "column"}, "z .*column"),
        ({"lower": 2.0, "upper": 1.0}, "lower 2.0 > upper 1.0"),
        ({"lower": np.nan}, "lower .*nan"),
        ({"lower": np.inf}, "lower .*inf"),
        ({"upper": -np.inf}, "upper .*-inf"),
        ({"upper": np.ones(2)}, r"upper .*\(2,\)"),
        ({"upper": "high"}, "upper .*high"),
        ({"upper": "0.5"}, "upper .*0.5"),
        ({"z": np.array(["1", "2"], dtype=object)}, "z .*object"),
        ({"z": np.zeros(2, np.float32), "lower": 1e300}, r"lower .*at most 3.402823e\+38 .*1e\+300"),
    ],
)
def test_columns_that_are_refused(module, change, names):
    with pytest.raises(ValueError, match=names):
        module.squish_column(**({"z": np.arange(2.0)} | change))


@BOTH
@pytest.mark.parametrize(
    ("change", "names"),
    [
        ({"A": np.full((3, 2), np.nan)}, "A .*nan"),
        ({"A": np.array([[0.0, 1.0], [np.inf, 0.0], [0.0, 0.0]])}, "A .*inf"),
        ({"A": np.ones((1, 2))}, r"A .*\(1, 2\)"),
        ({"A": np.ones(2)}, r"A .*\(2,\)"),
        ({"A": np.full((3, 2), 1e300)}, r"A .*at most 1e\+140 .*1e\+300"),
        ({"A": sparse.csr_matrix(np.ones((3, 2)))}, "A .*sparse"),
        ({"x": np.ones(3)}, r"x .*\(3,\)"),
        ({"x": np.ones((1, 2))}, r"x .*\(1, 2\)"),
        ({"x": np.array([0.0, np.nan])}, "x .*nan"),
        ({"x": np.array([0.0, -np.inf])}, "x .*-inf"),
        ({"x": np.full(2, 1e200)}, r"x .*at most 1e\+140 .*1e\+200"),
        ({"x": np.full(2, 1e-150), "margin": 1e10}, "margin .*range"),
        ({"A": np.array([[1e139, 0], [0, 0], [0, 0]]), "x": np.full(2, 1e-145), "margin": 0.0}, r"\(A x .*1e\+280"),
        ({"A": np.zeros((3, 2), np.float32), "x": np.full(2, 1e-40)}, "float32|A must leave .*range"),
        ({"x": np.full(2, 1e-120), "variant": "pa2"}, "aggressiveness .*1e-200"),
        ({"y": -1}, "y .*-1"),
        ({"y": 3}, "y .*3"),
        ({"y": 1.0}, "y .*1.0"),
        ({"y": np.array([1])}, "y .*1"),
        ({"margin": -1.0}, "margin .*-1.0"),
        ({"margin": np.nan}, "margin .*nan"),
        ({"variant": "pa3"}, "variant .*pa3"),
        ({"variant": None}, "variant .*None"),
        ({"aggressiveness": 0.0}, "aggressiveness .*0.0"),
        ({"aggressiveness": np.inf}, "aggressiveness .*inf"),
        ({"k": 0}, "k .*0"),
        ({"k": 3}, "k .*3"),
        ({"k": 1.0}, "k .*1.0"),
    ],
)
def test_updates_that_are_refused(module, change, names):
    arguments = {"A": np.arange(6.0).reshape(3, 2), "x": np.ones(2), "y": 1} | change
    with pytest.raises(ValueError, match=names):
        module.multiclass_update(**arguments)


@BOTH
@pytest.mark.parametrize(
    ("change", "names"),
    [
        ({"X": np.full((4, 2), np.inf)}, "X .*inf"),
        ({"X": np.zeros((4, 0))}, r"X .*\(4, 0\)"),
        ({"X": np.full((4, 2), 1e200)}, r"X .*at most 1e\+140 .*1e\+200"),
        ({"X": sparse.csc_matrix(np.ones((4, 2)))}, "X .*csc"),
        ({"X": sparse.csr_matrix(np.full((4, 2), 1e200))}, r"X .*at most 1e\+140 .*1e\+200"),
        ({"X": sparse.csr_array(np.ones(4))}, r"X .*\(4,\)"),
        ({"X": sparse.csr_matrix(np.array([[1.0, 0], [0, 1], [np.nan, 1], [1, 1]]))}, r"X .*nan at index \(2, 0\)"),
        ({"X": OUTSIDE}, "X .*0..1, got 7"),
        ({"averaged": "no"}, "averaged .*no"),
        ({"weights": np.full((3, 2), 1e308)}, r"weights .*at most 1e\+140 .*1e\+308"),
        ({"y": np.array([0, 1, 2])}, r"y .*\(3,\)"),
        ({"y": np.array([0, 1, -2, 1])}, "y .*-2"),
        ({"y": np.array([0.5, 1, 2, 1])}, "y .*float64"),
        ({"y": np.array([0, 0, 0, 0])}, "y .*two classes.*0"),
        ({"n_classes": 2}, "y .*0..1, got 2"),
        ({"n_classes": 1}, "n_classes .*1"),
        ({"n_classes": 3.0}, "n_classes .*3.0"),
        ({"weights": np.zeros((3, 5))}, r"weights .*\(3, 5\)"),
        ({"weights": np.zeros((1, 2))}, r"weights .*\(1, 2\)"),
        ({"weights": np.zeros((4, 2)), "n_classes": 3}, r"weights .*\(4, 2\)"),
        ({"weights": np.full((3, 2), np.nan)}, "weights .*nan"),
        ({"epochs": 0}, "epochs .*0"),
        ({"epochs": 1.5}, "epochs .*1.5"),
        ({"seed": -1}, "seed .*-1"),
        ({"order": np.arange(3)}, "order .*3"),
        ({"order": np.array([0, 1, 2, 4])}, "order .*4"),
        ({"order": np.zeros((2, 4), int)}, "order .*2 rows"),
        ({"order": np.zeros((2, 4), int), "epochs": 3}, "order .*2 rows"),
        ({"order": [[0, 1], [2]]}, "order .*0, 1"),
        ({"variant": "PA"}, "variant .*PA"),
        ({"k": 3}, "k .*3"),
        ({"margin": -0.5}, "margin .*-0.5"),
        ({"aggressiveness": -1.0}, "aggressiveness .*-1.0"),
    ],
)
def test_streams_that_are_refused(module, change, names):
    arguments = {"X": np.arange(8.0).reshape(4, 2), "y": np.array([0, 1, 2, 1])} | change
    with pytest.raises(ValueError, match=names):
        module.fit_passive_aggressive(**arguments)
