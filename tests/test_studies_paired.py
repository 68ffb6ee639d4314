"""The statistics of notebook 09: paired differences, Holm's correction, and a number beside a mean of splits."""

import doctest

import numpy as np
import pytest
from scipy import stats

from notebooks.studies import paired


def test_the_examples_of_the_docstrings():
    assert doctest.testmod(paired).failed == 0


def test_without_overlap_it_is_the_paired_t_test():
    random = np.random.default_rng(0)
    one, other = random.normal(1, 1, size=10), random.normal(0.5, 1, size=10)
    got, expected = paired.difference(one, other, 0.0), stats.ttest_rel(one, other)
    low, high = expected.confidence_interval(0.95)
    assert got.p == pytest.approx(expected.pvalue)
    assert (got.mean - got.half, got.mean + got.half) == pytest.approx((low, high))


def test_overlap_makes_the_error_larger():
    one, other = np.arange(10.0), np.zeros(10)
    plain, corrected = (paired.difference(one, other, share) for share in (0.0, 2307 / 4100))
    assert corrected.error / plain.error == pytest.approx(np.sqrt(1 + 10 * 2307 / 4100))
    assert corrected.p > plain.p and corrected.mean == plain.mean


def test_equal_rows_do_not_differ_and_a_constant_gain_does():
    same, more = np.array([60.0, 61.0, 62.0]), np.array([61.0, 62.0, 63.0])
    assert paired.difference(same, same, 0.5) == (0, 0, 0, 1)
    assert paired.difference(more, same, 0.5) == (1, 0, 0, 0)


def test_one_split_has_no_error():
    with pytest.raises(ValueError, match="2 splits or more, got 1"):
        paired.difference([1.0], [0.0], 0.5)


def test_holm_by_hand():
    # 0.001 * 4, then max with 0.01 * 3, then 0.02 * 2, then 0.9 * 1.
    assert paired.holm([0.9, 0.001, 0.02, 0.01]) == pytest.approx([0.9, 0.004, 0.04, 0.03])
    assert paired.holm([0.02, 0.02, 0.02]) == pytest.approx([0.06, 0.06, 0.06])
    assert paired.holm([0.7, 0.9]) == pytest.approx([1.0, 1.0])


def test_holm_rejects_no_more_than_each_alone_and_no_less_than_bonferroni():
    random = np.random.default_rng(1)
    for _ in range(50):
        p = random.uniform(size=8) ** 3
        adjusted = paired.holm(p)
        assert (adjusted >= p).all() and (adjusted <= np.minimum(8 * p, 1) + 1e-15).all()
        assert (np.diff(adjusted[np.argsort(p)]) >= 0).all()


def test_where_nothing_differs_a_whole_family_is_open_nineteen_times_in_twenty():
    random, wrong = np.random.default_rng(2), 0
    for _ in range(400):
        found = [paired.difference(*random.normal(size=(2, 10)), 0.0) for _ in range(12)]
        wrong += set(paired.verdicts(found)) != {"open"}
    assert 0.02 <= wrong / 400 <= 0.08, wrong / 400


def test_verdicts_need_the_correction():
    weak = paired.Difference(1.0, 0.4, 0.9, 0.04)
    assert paired.verdicts([weak]) == ["higher"]
    assert paired.verdicts([weak] * 2) == ["open"] * 2
    assert paired.verdicts([weak._replace(p=0.001), weak._replace(mean=-1.0, p=0.002)]) == ["higher", "lower"]


def test_a_number_beside_a_mean():
    random = np.random.default_rng(3)
    values = random.normal(60, 2, size=(4000, 11))
    apart = [paired.outside(row[:10], row[10]) for row in values]
    expected = 2 * stats.t.sf(2, 9)  # one more draw, in deviations that are themselves estimated
    assert np.mean(np.abs(apart) > 2) == pytest.approx(expected, abs=0.015)
    assert paired.outside([1.0, 3.0], 2.0) == 0
