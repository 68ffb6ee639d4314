"""The study of time and memory on as many features and classes as Places 205 has: its features and measurements."""

import doctest

import numpy as np

from notebooks.studies import feature_scaling as study
from notebooks.studies import memory


def test_the_example_of_the_docstring():
    assert doctest.testmod(study).failed == 0


def test_features_are_as_after_a_relu():
    X, y = study.made_up(300, 40, 6)
    assert X.dtype == np.float32 and X.shape == (300, 40) and X.min() == 0 and 0.4 < (X == 0).mean() < 0.6
    assert np.bincount(y).tolist() == [50] * 6
    again, other = study.made_up(300, 40, 6)[0], study.made_up(300, 40, 6, seed=1)[0]
    assert np.array_equal(X, again) and not np.array_equal(X, other)


def test_a_measurement():
    row = study.measure(200, 30, 8)
    assert row["n"] == 200 and row["seconds"] > 0 and row["epochs"] >= 1 and 0 <= row["gap"] <= study.TOL
    assert row["bytes"] >= 0


def test_the_peak_of_memory_is_counted_from_where_it_begins():
    size = 2**26
    before = memory.begin_peak()
    np.ones(size, np.uint8)  # and freed
    assert 0.9 * size <= memory.peak_above(before) <= 2 * size
    assert memory.peak_above(memory.begin_peak()) <= 0.5 * size or not memory.PEAK.exists()


def test_the_stored_file_grows_as_the_notebook_says():
    rows = study.stored()
    assert [row["n"] for row in rows] == list(study.SIZES)
    sizes = [row["n"] for row in rows]
    assert 0.5 < study.growth(sizes, [row["seconds"] for row in rows]) < 1.2  # not faster than the examples
    assert all(row["gap"] <= study.TOL and row["bytes"] > 4 * study.FEATURES * row["n"] for row in rows)
