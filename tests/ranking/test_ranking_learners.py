"""Direct loss minimisation and latent ranking: ground truth, reference, fast, properties."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

import fast
import reference
from reference import ranking
from reference.check.certificates import ranking_svm as certificates
from reference.ground_truth import ranking_learners as learners_ground_truth
from tests.support.ranking_learners import BOTH_LEARNERS
from tests.support.ranking_svm import EACH_LOSS, EACH_RANKING_LOSS, ROUNDING, instance, members, primal_of


def loss_of(weights, X, relevant, groups, loss):
    """The mean over the groups of the loss of the ranking that the scores make."""
    scores, losses = X @ weights, []
    for p, n in members(relevant, groups):
        losses.append(ranking.rank_loss(ranking.interleaving_ranks(scores[p], scores[n]), len(p), loss))
    return np.mean(losses)


def planted(seed, bags=16, windows=4):
    """(X, bags, relevant, planted): half of the bags are positive, and one window of each of these is the right one."""
    rng = np.random.default_rng(seed)
    X, numbers = rng.standard_normal((bags * windows, 5)), np.repeat(rng.permutation(bags), windows)
    relevant = numbers < bags // 2
    X[:, 1] += 0.5 * relevant  # what all windows of a positive bag share does not tell which is right
    right = np.array([rng.choice(np.flatnonzero(numbers == bag)) for bag in range(bags // 2)])
    X[right, 0] += 8
    return X, numbers, relevant, right


# --- reference = ground truth, and so is fast ---------------------------------------------------------------------


@BOTH_LEARNERS
@EACH_RANKING_LOSS
def test_direct_loss_follows_the_trail_of_the_ground_truth(module, loss):
    X, relevant, groups = instance(6)
    options = {"groups": groups, "loss": loss, "epsilon": 0.3, "step_size": 0.07, "max_iterations": 15}
    expected = learners_ground_truth.fit_direct_loss(X, relevant, **options)
    got = module.fit_direct_loss(X, relevant, **options)
    assert np.abs(got.losses - expected.losses).max() <= 1e-9, f"expected {expected.losses}, got {got.losses}"
    assert np.abs(got.weights - expected.weights).max() <= 1e-9


@BOTH_LEARNERS
def test_latent_windows_are_those_of_the_ground_truth(module):
    rng = np.random.default_rng(7)
    X, bags = rng.standard_normal((12, 3)), np.repeat([3, 1, 2, 9], 3)
    relevant = np.isin(bags, (2, 3))
    options = {"regularization": 0.05, "weights": np.array([1.0, 0.0, 0.0])}
    expected = learners_ground_truth.fit_latent_ranking_svm(X, bags, relevant, **options)
    got = module.fit_latent_ranking_svm(X, bags, relevant, **options, tol=1e-6)
    assert (got.chosen == expected.chosen).all(), f"expected {expected.chosen}, got {got.chosen}"
    assert abs(got.objectives[-1] - expected.objectives[-1]) <= 2e-6 * expected.objectives[-1]
    assert np.abs(got.weights - expected.weights).max() <= 0.01


# --- fast = reference ---------------------------------------------------------------------------------------------


@EACH_RANKING_LOSS
def test_twins_of_direct_loss_agree(loss):
    X, relevant, groups = instance(8, sizes=(20, 9, 31))
    options = {"groups": groups, "loss": loss, "step_size": 0.02, "max_iterations": 20}
    expected = reference.fit_direct_loss(X, relevant, **options)
    for data in (X, sparse.csr_matrix(X)):
        got = fast.fit_direct_loss(data, relevant, **options)
        assert np.abs(got.losses - expected.losses).max() <= 1e-9, f"expected {expected.losses}, got {got.losses}"
        assert np.abs(got.weights - expected.weights).max() <= 1e-9


def test_twins_of_latent_ranking_agree():
    X, bags, relevant, _ = planted(9)
    expected = reference.fit_latent_ranking_svm(X, bags, relevant, regularization=0.1)
    for data in (X, sparse.csr_matrix(X)):
        got = fast.fit_latent_ranking_svm(data, bags, relevant, regularization=0.1)
        assert (got.chosen == expected.chosen).all()
        assert abs(got.objectives[-1] - expected.objectives[-1]) <= 2e-3 * expected.objectives[-1]


# --- properties ---------------------------------------------------------------------------------------------------


@BOTH_LEARNERS
@EACH_RANKING_LOSS
def test_direct_loss_returns_the_best_weights_on_the_way(module, loss):
    X, relevant, groups = instance(25, sizes=(20, 9, 31))
    start = np.array([0.0, 1.0, -1.0, 0.0])
    options = {"groups": groups, "loss": loss}
    steps = {"weights": start, "epsilon": 1.0, "step_size": 0.5, "max_iterations": 40}
    for dtype in (np.float64, np.float32):
        data = X.astype(dtype)
        got = module.fit_direct_loss(data, relevant, **options, **steps)
        assert got.losses.shape == (41,)
        assert abs(got.losses[0] - loss_of(start, X, relevant, **options)) <= (1e-9 if dtype == np.float64 else 0.05)
        assert got.losses.min() < got.losses[0]
        assert got.weights.dtype == dtype
    got = module.fit_direct_loss(X, relevant, **options, **steps)
    assert abs(got.losses.min() - loss_of(got.weights, X, relevant, **options)) <= 1e-9
    means = [X[p].mean(axis=0) - X[n].mean(axis=0) for p, n in members(relevant, groups)]
    expected = loss_of(np.mean(means, axis=0), X, relevant, **options)
    assert abs(module.fit_direct_loss(X, relevant, **options).losses[0] - expected) <= 1e-9
    assert (start == [0.0, 1.0, -1.0, 0.0]).all(), "the input has been changed"


@BOTH_LEARNERS
def test_direct_loss_leaves_out_groups_of_one_class(module):
    X, relevant, groups = instance(26)
    expected = module.fit_direct_loss(X, relevant, groups=groups)
    with pytest.warns(UserWarning, match="left out") as warned:
        got = module.fit_direct_loss(
            np.vstack([X, X[:2]]), np.append(relevant, [True, True]), groups=np.append(groups, [99, 99])
        )
    assert warned[0].filename == __file__
    assert np.abs(got.losses - expected.losses).max() <= 1e-9


@BOTH_LEARNERS
@pytest.mark.parametrize("seed", range(3))
def test_latent_ranking_finds_planted_windows(module, seed):
    X, bags, relevant, right = planted(seed)
    got = module.fit_latent_ranking_svm(X, bags, relevant, regularization=0.1)
    assert (got.chosen == right).all(), f"expected {right}, got {got.chosen}"


@BOTH_LEARNERS
@EACH_LOSS
@pytest.mark.parametrize("max_rounds", [1, 20])
def test_latent_ranking_goes_down_until_it_stops(module, loss, max_rounds):
    rng = np.random.default_rng(27)
    X, bags = rng.standard_normal((48, 4)), np.repeat(np.arange(12), 4)
    relevant, tol = bags % 3 == 0, 1e-3
    options = {"loss": loss, "regularization": 0.1, "tol": tol, "max_rounds": max_rounds}
    got = module.fit_latent_ranking_svm(X, bags, relevant, **options)
    assert 1 <= len(got.objectives) <= max_rounds
    assert (got.objectives[1:] <= got.objectives[:-1] * (1 + 2 * tol)).all(), f"it rises: {got.objectives}"
    assert 0 <= got.gap <= tol
    assert (bags[got.chosen] == [0, 3, 6, 9]).all()
    samples = np.concatenate([got.chosen, np.flatnonzero(~relevant)])
    expected = primal_of(got.weights, X[samples], relevant[samples], None, loss, 0.1)
    assert abs(got.objectives[-1] - expected) <= ROUNDING
    scores = X @ got.weights
    highest = all(scores[chosen] == scores[bags == bags[chosen]].max() for chosen in got.chosen)
    settled = len(got.objectives) > 1 and got.objectives[-2] - got.objectives[-1] <= tol * got.objectives[-1]
    assert highest or settled or len(got.objectives) == max_rounds


@BOTH_LEARNERS
def test_latent_ranking_of_single_windows_is_the_ranking_svm(module):
    X, relevant, _ = instance(28, sizes=(20,))
    expected = reference.ranking_svm.fit_ranking_svm(X, relevant, regularization=0.1, tol=1e-4)
    got = module.fit_latent_ranking_svm(X, np.arange(20), relevant, regularization=0.1, tol=1e-4)
    assert abs(got.objectives[-1] - expected.primal) <= 1e-4 * expected.primal
    assert (got.chosen == np.flatnonzero(relevant)).all() and len(got.objectives) == 1


@BOTH_LEARNERS
def test_latent_ranking_warns_where_a_round_stops_early(module):
    X, bags, relevant, _ = planted(29)
    with pytest.warns(ConvergenceWarning, match="iterations"):
        module.fit_latent_ranking_svm(X, bags, relevant, regularization=1e-3, tol=1e-9, max_iterations=2, max_rounds=1)


@BOTH_LEARNERS
@EACH_LOSS
@pytest.mark.parametrize("kind", ["float64", "float32", "csr"])
def test_the_last_round_proves_its_gap(module, loss, kind):
    X, bags, relevant, _ = planted(30)
    X = X.astype(np.float32) if kind == "float32" else X
    options = {"loss": loss, "regularization": 0.1}
    got = module.fit_latent_ranking_svm(sparse.csr_matrix(X) if kind == "csr" else X, bags, relevant, **options)
    last, rows = got.last_fit, np.concatenate([got.chosen, np.flatnonzero(~relevant)])
    assert (last.weights == got.weights).all() and last.primal == got.objectives[-1] and last.gap == got.gap
    proved = certificates.fit_ranking_svm(last, X[rows], relevant[rows], **options)
    rounded = 1e-8 if kind == "float32" else 1e-9
    assert abs(proved - got.gap) <= rounded, f"expected {got.gap}, got {proved}"
