"""The data of the study of last violators, half of whose classes are synonyms, and what is measured on them."""

import numpy as np
import pytest

import fast
from notebooks.studies import synonyms
from reference.problems.checks import WsabieFit

DIM = 3


@pytest.fixture(scope="module")
def data():
    return synonyms.problem.__wrapped__(24, 6, 20, 0)


# --- data ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("total", [9, 10, 11, 12, 500, 5000])
def test_families_have_two_to_eight_members(total):
    for seed in range(20):
        sizes = synonyms.sizes_of_families(total, np.random.default_rng(seed))
        assert sum(sizes) == total and min(sizes) >= 2 and max(sizes) <= 8


def test_half_of_the_classes_are_synonyms_and_sizes_are_exponential():
    data = synonyms.problem.__wrapped__(400, 5, 50, 1)
    y, size = data.train[1], np.bincount(data.cloud)
    assert (size[data.cloud[:200]] == 1).all() and (size[data.cloud[200:]] >= 2).all() and data.first_synonym == 200
    counts = np.bincount(y, minlength=400)[:200]
    assert len(y) == 400 * 50 and abs(counts.mean() / 50 - 1) < 0.25
    assert abs(counts.std() / counts.mean() - 1) < 0.25, "an exponential distribution has the spread of its mean"


def test_synonyms_have_one_distribution():
    data = synonyms.problem.__wrapped__(40, 4, 500, 2)
    X, y = data.train
    for cloud in np.unique(data.cloud[20:]):
        members = np.flatnonzero(data.cloud == cloud)
        counts = np.bincount(y, minlength=40)[members]
        assert abs(counts - counts.mean()).max() < 5 * np.sqrt(counts.mean())
        means = np.array([X[y == g].mean(axis=0) for g in members])
        spread = X[y == members[0]].std(axis=0)
        assert (np.ptp(means, axis=0) < 8 * spread / np.sqrt(counts.min())).all()


# --- measures --------------------------------------------------------------------------------------------------------


def test_measures_are_those_of_a_count(data):
    random = np.random.default_rng(3)
    fit = WsabieFit(random.normal(size=(24, DIM)), random.normal(size=(DIM, 6)))
    X, y = data.test
    order = np.argsort(-fast.prototype_scores(X.astype(float), fit), axis=1)
    row, h = synonyms.judged(data, fit), data.first_synonym
    right = data.cloud[order[:, 0]] == data.cloud[y]
    assert row["all"] == pytest.approx(right.mean(), abs=1e-3)
    assert row["separable"] == pytest.approx(right[y < h].mean(), abs=1e-3)
    assert row["synonym"] == pytest.approx(right[y >= h].mean(), abs=1e-3)
    assert row["label"] == pytest.approx((order[:, 0] == y)[y >= h].mean(), abs=1e-3)
    assert row["exact"] == pytest.approx((order[:, 0] == y).mean(), abs=1e-3)
    assert row["unused"] == 24 - h - len(set(order[:, 0][order[:, 0] >= h]))
    family = [np.flatnonzero(data.cloud == data.cloud[g]) for g in y]
    for place, most in enumerate((2, None)):
        found = [np.isin(order[i, : most or len(family[i])], family[i]).mean() for i in np.flatnonzero(y >= h)]
        assert row["precision"][place] == pytest.approx(np.mean(found), abs=1e-3)
    assert synonyms.judged(data, fit, brief=True)["all"] == pytest.approx(row["all"], abs=0.03)


def test_the_shift_of_the_prior_undoes_a_constant_in_the_scores_of_synonyms(data):
    random, W = np.random.default_rng(3), np.vstack([np.eye(6), np.zeros(6)])
    plain = np.hstack([random.normal(size=(24, 6)), np.zeros((24, 1))])
    lowered = plain + np.outer(np.arange(24) >= data.first_synonym, 3.0 * np.eye(7)[6])  # the scores are less by 9
    expected, got = (synonyms.judged(data, WsabieFit(rows, W)) for rows in (plain, lowered))
    assert got["share"] < 0.01 and got["synonym"] < 0.01
    assert got["corrected"] == pytest.approx(expected["corrected"], abs=1e-3)
    answers = synonyms.answers_of(WsabieFit(lowered, W), data.validation[0], data.first_synonym)
    share = (data.validation[1] >= data.first_synonym).mean()
    assert np.mean(answers.classes(np.quantile(answers.lead, 1 - share)) >= 12) == pytest.approx(share, abs=1e-3)
