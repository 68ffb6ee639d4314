"""The study of direct loss and wrong judgements: its data, its loss, and the stored file."""

import numpy as np
import pytest

import reference
from notebooks.studies import direct_noise as study
from notebooks.studies.paired import INDEPENDENT, difference

FOUND = study.stored()


def test_a_query_that_is_upside_down_has_its_worst_samples_marked():
    fair, upside_down = (study.queries(30, np.random.default_rng(0), share) for share in (0.0, 1.0))
    for X, relevant, groups in (fair, upside_down):
        assert (np.bincount(groups[relevant]) == study.RELEVANT).all() and len(X) == 30 * study.SAMPLES
    means = [study.untrained(*data[:2]) @ study.WEIGHTS for data in (fair, upside_down)]
    assert means[0] > 0.5 and means[1] < -0.5


def test_the_loss_is_the_mean_of_the_ap_losses():
    X, relevant, groups = study.queries(10, np.random.default_rng(1))
    scores, losses = X @ study.WEIGHTS, []
    for query in range(10):
        p, n = (scores[(groups == query) & (relevant == kind)] for kind in (True, False))
        losses.append(reference.ap_loss(reference.interleaving_ranks(p, n), len(p)))
    assert study.loss(X, relevant, study.WEIGHTS) == pytest.approx(np.mean(losses), abs=1e-12)


def test_the_file_has_every_share_and_seed():
    assert list(FOUND) == [f"{share:g}" for share in study.SHARES]
    assert {len(values) for row in FOUND.values() for values in row.values()} == {study.SEEDS}


@pytest.mark.parametrize("share", [0.0, 0.3])
def test_a_set_is_measured_again(share):
    for name, value in study.measure(share, seed=0).items():
        assert value == pytest.approx(FOUND[f"{share:g}"][name][0], abs=0.005), name


def test_what_the_page_on_direct_loss_says():
    found = [difference(row["svm"], row["direct"], INDEPENDENT, comparisons=len(FOUND)) for row in FOUND.values()]
    assert [gain.verdict for gain in found] == ["lower", "higher", "higher", "higher", "higher"]


def test_the_epsilons_are_judged_on_the_same_sets():
    found = study.stored_epsilons()
    assert list(found) == [f"{epsilon:g}" for epsilon in study.EPSILONS]
    assert {len(values) for values in found.values()} == {study.SEEDS}
    assert found["1"] == pytest.approx(FOUND[f"{study.EPSILONS_SHARE:g}"]["direct"], abs=0.005)
    assert study.measure_epsilon(0.1, seed=0) == pytest.approx(found["0.1"][0], abs=0.005)
