"""Direct loss minimisation and latent ranking: losses of one's own, planted windows."""

import numpy as np
import pytest

from reference.check.ranking_svm import bounds as certificates
from reference.ground_truth import ranking_learners as ground_truth
from tests.support.ranking_svm import LATE, instance
from tests.support.twins import BOTH


def planted(seed, bags=16, windows=4):
    """(X, bags, relevant, planted): half of the bags are positive, and one window of each of these is the right one."""
    rng = np.random.default_rng(seed)
    X, numbers = rng.standard_normal((bags * windows, 5)), np.repeat(rng.permutation(bags), windows)
    relevant = numbers < bags // 2
    X[:, 1] += 0.5 * relevant  # what all windows of a positive bag share does not tell which is right
    right = np.array([rng.choice(np.flatnonzero(numbers == bag)) for bag in range(bags // 2)])
    X[right, 0] += 8
    return X, numbers, relevant, right


@BOTH
def test_direct_loss_of_ones_own_follows_the_trail_of_the_ground_truth(module):
    X, relevant, groups = instance(6)
    options = {"groups": groups, "loss": LATE, "epsilon": 0.3, "step_size": 0.07, "max_iterations": 15}
    expected = ground_truth.fit_direct_loss(X, relevant, **options)
    got = module.fit_direct_loss(X, relevant, **options)
    assert np.abs(got.losses - expected.losses).max() <= 1e-9, f"expected {expected.losses}, got {got.losses}"
    assert np.abs(got.weights - expected.weights).max() <= 1e-9


@BOTH
@pytest.mark.parametrize("loss", ["ap", LATE], ids=["ap", "late"])
def test_latent_ranking_finds_planted_windows_and_proves_its_gap(module, loss):
    X, bags, relevant, right = planted(0)
    options = {"loss": loss, "regularization": 0.1}
    got = module.fit_latent_ranking_svm(X, bags, relevant, **options)
    assert (got.chosen == right).all(), f"expected {right}, got {got.chosen}"
    rows = np.concatenate([got.chosen, np.flatnonzero(~relevant)])
    proved = certificates.fit_ranking_svm(got.last_fit, X[rows], relevant[rows], **options)
    assert got.last_fit.gap == got.gap and abs(proved - got.gap) <= 1e-9, f"expected {got.gap}, got {proved}"
