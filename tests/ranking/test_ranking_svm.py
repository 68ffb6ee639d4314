"""The ranking SVM, and rankings of many groups: ground truth, reference, fast, properties."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

import fast.ranking_svm
import reference.ranking_svm
from reference import datasets, ranking
from reference.ground_truth import ranking_svm as ground_truth
from tests.support.ranking_svm import (
    BOTH,
    EACH_LOSS,
    EACH_RANKING_LOSS,
    LOSSES,
    ROUNDING,
    SOLVED,
    TWINS,
    assert_optimal,
    fit,
    instance,
    primal_of,
)


def assert_honest(got, X, relevant, groups, loss, regularization):
    """Primal, gap and history are those of the weights as returned."""
    expected = primal_of(got.weights, X, relevant, groups, loss, regularization)
    assert abs(got.primal - expected) <= ROUNDING * max(1, expected), f"expected {expected}, got {got.primal}"
    assert got.gap == max(0.0, (got.primal - got.dual) / got.primal)
    assert (got.primal, got.dual, got.gap) == tuple(got.history[-1])[:3]
    assert len(got.history) == got.iterations
    assert got.weights.shape == (X.shape[1],) and got.weights.dtype == X.dtype


# --- ground truth passes its certificate ---------------------------------------------------------------------------


@EACH_LOSS
def test_minimum_of_the_ground_truth_is_the_objective_at_its_weights(loss):
    X, relevant, groups = instance(1)
    weights, minimum = ground_truth.fit_ranking_svm(X, relevant, groups=groups, loss=loss, regularization=0.05)
    expected = primal_of(weights, X, relevant, groups, loss, 0.05)
    assert abs(minimum - expected) <= SOLVED * expected, f"expected {expected}, got {minimum}"


@EACH_RANKING_LOSS
def test_planes_as_they_are_needed_lead_where_all_rankings_do(loss, monkeypatch):
    X, relevant, groups = instance(2)
    options = {"groups": groups, "loss": loss, "regularization": 0.05}
    expected = ground_truth.fit_ranking_svm(X, relevant, **options)
    monkeypatch.setattr(ground_truth, "LARGEST_GROUP", 1)
    got = ground_truth.fit_ranking_svm(X, relevant, **options)
    assert abs(got[1] - expected[1]) <= 2 * SOLVED * expected[1], f"expected {expected[1]}, got {got[1]}"
    assert np.abs(got[0] - expected[0]).max() <= 0.01


@EACH_RANKING_LOSS
def test_rankings_of_the_ground_truth_are_the_best(loss):
    """No interleaving that is drawn at random does better, with the objective by its definition."""
    rng, (X, relevant, groups) = np.random.default_rng(3), instance(3)
    got = ground_truth.grouped_inference(X[:, 0], relevant, groups, loss)
    for g, number in enumerate(sorted(set(groups))):
        here = groups == number
        p, n = np.sort(X[here & relevant, 0])[::-1], X[here & ~relevant, 0]

        def objective(ranks, p=p, n=n):
            signs = np.where(np.arange(1, len(p) + 1)[:, None] < ranks, 1, -1)
            return ranking.rank_loss(ranks, len(p), loss) + np.mean(signs * (p[:, None] - n))

        assert abs(objective(got.interleaving[here & ~relevant]) - got.objective[g]) <= ROUNDING
        for _ in range(50):
            assert objective(rng.integers(1, len(p) + 2, len(n))) <= got.objective[g] + ROUNDING


# --- reference = ground truth, and so is fast ----------------------------------------------------------------------


@BOTH
@EACH_LOSS
@pytest.mark.parametrize("regularization", [1e-3, 0.05, 2.0])
def test_ground_truth_agrees(module, loss, regularization):
    X, relevant, groups = instance(int(100 * regularization))
    options = {"groups": groups, "loss": loss, "regularization": regularization}
    weights, minimum = ground_truth.fit_ranking_svm(X, relevant, **options)
    got = module.fit_ranking_svm(X, relevant, **options, tol=1e-5)
    assert got.gap <= 1e-5
    assert_optimal(got, weights, minimum, 1e-5, regularization)
    assert_honest(got, X, relevant, **options)


@EACH_RANKING_LOSS
def test_ground_truth_agrees_on_larger_groups(loss):
    X, relevant, groups = instance(11, sizes=(30, 4), d=2)
    options = {"groups": groups, "loss": loss, "regularization": 0.05}
    weights, minimum = ground_truth.fit_ranking_svm(X, relevant, **options)
    for module in TWINS:
        got = module.fit_ranking_svm(X, relevant, **options, tol=1e-5)
        assert_optimal(got, weights, minimum, 1e-5, 0.05)


@BOTH
@EACH_RANKING_LOSS
@pytest.mark.parametrize("ties", [False, True])
def test_rankings_are_those_of_the_ground_truth(module, loss, ties):
    X, relevant, groups = instance(4, sizes=(5, 6, 2, 3))
    scores = np.round(2 * X[:, 0]) / 2 if ties else X[:, 0]
    expected = ground_truth.grouped_inference(scores, relevant, groups, loss)
    got = module.grouped_inference(scores, relevant, groups, loss)
    assert np.abs(got.objective - expected.objective).max() <= ROUNDING
    if not ties or loss != "ndcg":  # whose ties are broken by rounding
        assert (got.interleaving == expected.interleaving).all(), (expected.interleaving, got.interleaving)
        assert np.abs(got.loss - expected.loss).max() <= ROUNDING


@BOTH
def test_zero_one_is_the_binary_svm(module):
    import cvxpy as cp

    X, relevant, _ = instance(5, sizes=(40,))
    w, signs = cp.Variable(4), np.where(relevant, 1, -1)
    hinge = cp.sum(cp.pos(1 - cp.multiply(signs, X @ w))) / 40
    minimum = cp.Problem(cp.Minimize(0.05 * cp.sum_squares(w) + hinge)).solve(solver=cp.CLARABEL)
    got = module.fit_ranking_svm(X, relevant, loss="zero_one", regularization=0.1, tol=1e-5)
    assert_optimal(got, w.value, minimum, 1e-5, 0.1)


# --- fast = reference ----------------------------------------------------------------------------------------------


@settings(max_examples=12)
@given(st.integers(0, 10**6), st.sampled_from([*LOSSES, "zero_one"]), st.sampled_from([1e-2, 1.0]), st.booleans())
def test_twins_agree_on_the_optimum(seed, loss, regularization, single):
    rng = np.random.default_rng(seed)
    X, relevant, groups = instance(seed, sizes=rng.integers(2, 16, size=int(rng.integers(1, 6))), d=3)
    if single:
        groups = None
    options = {"groups": groups, "loss": loss, "regularization": regularization}
    expected = fit(reference.ranking_svm.fit_ranking_svm, X, relevant, **options, tol=1e-3)
    got = fast.ranking_svm.fit_ranking_svm(X, relevant, **options, tol=1e-4)
    assert got.gap <= 1e-4 and expected.gap <= 1e-3
    assert expected.dual * (1 - ROUNDING) <= got.primal <= expected.primal / (1 - 1e-4) * (1 + ROUNDING)
    assert got.dual <= expected.primal * (1 + ROUNDING)
    assert_honest(got, X, relevant, **options)
    assert_honest(expected, X, relevant, **options)


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.sampled_from(LOSSES), st.sampled_from([np.float32, np.float64]), st.booleans())
def test_twins_rank_alike(seed, loss, dtype, ties):
    rng = np.random.default_rng(seed)
    X, relevant, groups = instance(seed, sizes=rng.integers(2, 60, size=4), d=1, dtype=dtype)
    scores = np.round(4 * X[:, 0]) / 4 if ties else X[:, 0]
    expected = reference.ranking_svm.grouped_inference(scores, relevant, groups, loss)
    got = fast.ranking_svm.grouped_inference(scores, relevant, groups, loss)
    assert np.abs(got.objective - expected.objective).max() <= 1e-11
    if not ties:  # of which some are broken by rounding
        assert (got.interleaving == expected.interleaving).all()
        assert np.abs(got.loss - expected.loss).max() <= 1e-11


@pytest.mark.parametrize("loss", ["ap", "ndcg"])
def test_fast_proves_its_gap_on_mq2008(loss):
    try:
        X, relevance, query = datasets.load_mq2008()
    except FileNotFoundError as missing:
        pytest.skip(f"MQ2008 is not here: {missing}")
    relevant, options = relevance > 0, {"loss": loss, "regularization": 1e-3}
    with pytest.warns(UserWarning, match="left out"):
        got = fast.ranking_svm.fit_ranking_svm(X, relevant, groups=query, **options, tol=1e-3)
    assert got.gap <= 1e-3
    assert_honest(got, X, relevant, query, **options)
    # Lower bounds do not depend on who finds them: the reference, a little short of the optimum, must be above.
    rough = 1.01 * got.weights
    assert got.dual <= primal_of(rough, X, relevant, query, **options)


# --- properties ---------------------------------------------------------------------------------------------------


@BOTH
@EACH_LOSS
def test_small_gaps_are_reached(module, loss):
    X, relevant, groups = instance(13, sizes=(12, 5, 9))
    options = {"groups": groups, "loss": loss, "regularization": 0.05}
    got = module.fit_ranking_svm(X, relevant, **options, tol=1e-6)
    assert got.gap <= 1e-6
    assert_honest(got, X, relevant, **options)


@BOTH
@EACH_LOSS
def test_history_of_a_fit(module, loss):
    X, relevant, groups = instance(14, sizes=(9, 5, 9))
    history = module.fit_ranking_svm(X, relevant, groups=groups, loss=loss, regularization=0.02, tol=1e-4).history
    assert history.dtype.names == ("primal", "dual", "gap", "seconds")
    assert (np.diff(history.primal) <= 0).all() and (np.diff(history.dual) >= 0).all()
    assert (np.diff(history.seconds) >= 0).all() and history.seconds[0] >= 0
    assert np.abs(history.gap - np.maximum(0, (history.primal - history.dual) / history.primal)).max() <= 1e-15
    assert (history.gap[:-1] > 1e-4).all()


@BOTH
@EACH_LOSS
def test_float32_gap_is_that_of_the_weights_returned(module, loss):
    X, relevant, groups = instance(15, sizes=(12, 9), dtype=np.float32)
    options = {"groups": groups, "loss": loss, "regularization": 0.05}
    for data in (X, sparse.csr_matrix(X)):
        got = module.fit_ranking_svm(data, relevant, **options, tol=1e-4)
        assert got.gap <= 1e-4
        assert_honest(got, data, relevant, **options)


@BOTH
def test_layouts_of_x_do_not_matter(module, tmp_path):
    X, relevant, groups = instance(16, sizes=(12, 9))
    X[np.abs(X) < 0.3] = 0
    before, read_only, mapped = X.copy(), X.copy(), np.memmap(tmp_path / "X", np.float64, "w+", shape=X.shape)
    read_only.flags.writeable = False
    mapped[:] = X
    options = {"groups": groups, "regularization": 0.2, "tol": 1e-3}
    expected = module.fit_ranking_svm(X, relevant, **options)
    gaps = np.repeat(X, 2, axis=1)[:, ::2]
    for other in (np.asfortranarray(X), read_only, mapped, gaps, X.tolist(), sparse.csr_matrix(X)):
        got = module.fit_ranking_svm(other, relevant, **options)
        assert abs(got.primal - expected.primal) <= 1e-3 * expected.primal
        assert type(got.weights) is np.ndarray
    flags = module.fit_ranking_svm(X, relevant.astype(int), **options | {"groups": groups.tolist()})
    assert (flags.weights == expected.weights).all()
    assert (X == before).all(), "the input has been changed"


@BOTH
def test_one_group_is_what_no_groups_are(module):
    X, relevant, _ = instance(17, sizes=(25,))
    expected = module.fit_ranking_svm(X, relevant, regularization=0.05)
    got = module.fit_ranking_svm(X, relevant, groups=np.full(25, -3), regularization=0.05)
    assert (got.weights == expected.weights).all() and got.gap == expected.gap


@BOTH
@EACH_LOSS
def test_groups_of_one_class_change_nothing(module, loss):
    X, relevant, groups = instance(18, sizes=(9, 4, 5))
    expected = module.fit_ranking_svm(X, relevant, groups=groups, loss=loss, regularization=0.05)
    twice = {"regularization": 0.05, "max_iterations": 2}
    more = np.random.default_rng(0).standard_normal((5, 4))
    X, relevant = np.vstack([more, X]), np.concatenate([[True, True, False, False, False], relevant])
    groups = np.concatenate([[0, 0, 100, 100, 100], groups])
    with pytest.warns(UserWarning, match="2 of the 5 groups do not have both classes") as warned:
        got = module.fit_ranking_svm(X, relevant, groups=groups, loss=loss, regularization=0.05)
    assert warned[0].filename == __file__
    assert abs(got.primal - expected.primal) <= 1e-3 * expected.primal
    first = fit(module.fit_ranking_svm, X[5:], relevant[5:], groups=groups[5:], loss=loss, **twice)
    with pytest.warns(UserWarning, match="left out"):
        got = fit(module.fit_ranking_svm, X, relevant, groups=groups, loss=loss, **twice)
    for field in ("primal", "dual"):  # later on, a tie that rounding breaks may lead another way
        assert np.abs(got.history[field] - first.history[field]).max() <= ROUNDING


@BOTH
@EACH_LOSS
def test_order_of_samples_and_numbers_of_groups_do_not_matter(module, loss):
    X, relevant, groups = instance(19, sizes=(9, 5))
    options = {"loss": loss, "regularization": 0.05, "tol": 1e-5}
    expected = module.fit_ranking_svm(X, relevant, groups=groups, **options)
    order = np.random.default_rng(1).permutation(len(X))
    got = module.fit_ranking_svm(X[order], relevant[order], groups=-(groups[order] ** 2), **options)
    assert abs(got.primal - expected.primal) <= 1e-5 * expected.primal
    assert np.linalg.norm(got.weights - expected.weights) ** 2 <= 8e-5 * expected.primal / 0.05


@BOTH
@pytest.mark.parametrize("scale", [1e-100, 1e-9, 1e9, 1e60])
def test_units_of_x_do_not_matter(module, scale):
    X, relevant, groups = instance(20, sizes=(9, 5))
    expected = module.fit_ranking_svm(X, relevant, groups=groups, regularization=0.05, tol=1e-4)
    got = module.fit_ranking_svm(X * scale, relevant, groups=groups, regularization=0.05 * scale**2, tol=1e-4)
    assert got.gap <= 1e-4
    assert abs(got.primal - expected.primal) <= 1e-4 * expected.primal
    assert np.abs(got.weights * scale - expected.weights).max() <= 0.05


@BOTH
@EACH_LOSS
def test_edges(module, loss):
    X, relevant, groups = instance(21, sizes=(12, 6))
    fits = [
        (np.zeros_like(X), relevant, groups, 0.05),  # nothing to learn
        (X[:, :1], relevant, groups, 0.05),
        (X[:2], np.array([False, True]), None, 0.05),
        (np.vstack([X, X]), np.append(relevant, ~relevant), None, 0.05),  # duplicates that contradict each other
        (X, np.arange(len(X)) == 3, None, 0.05),  # one positive
        (X, np.arange(len(X)) != 3, None, 0.05),  # one negative
        (X, relevant, groups, 1e4),
        (X, relevant, groups, 0.01),
        (X, relevant, np.arange(len(X)) // 2 if (relevant[::2] != relevant[1::2]).all() else groups, 0.05),
    ]
    for data, flags, numbers, regularization in fits:
        options = {"groups": numbers, "loss": loss, "regularization": regularization}
        got = module.fit_ranking_svm(data, flags, **options, tol=1e-3)
        assert got.gap <= 1e-3
        assert_honest(got, data, flags, **options)


@BOTH
def test_a_group_counts_once_however_large(module):
    """The mean is over groups: a small group that is there twice, under two numbers, counts as two."""
    X, relevant, groups = instance(22, sizes=(6, 15))
    small = groups == 7
    data, flags = np.vstack([X, X[small]]), np.append(relevant, relevant[small])
    numbers = np.append(groups, np.full(small.sum(), 100))
    options = {"loss": "ap", "regularization": 0.05}
    got = module.fit_ranking_svm(data, flags, groups=numbers, **options, tol=1e-5)
    p, n = (X[~small & which] @ got.weights for which in (relevant, ~relevant))
    q, m = (X[small & which] @ got.weights for which in (relevant, ~relevant))
    hinges = [
        ranking.loss_augmented_inference(a, b).objective - a.mean() + b.mean() for a, b in ((p, n), (q, m), (q, m))
    ]
    expected = 0.025 * (got.weights @ got.weights) + np.mean(hinges)
    assert abs(got.primal - expected) <= ROUNDING


@BOTH
def test_running_out_of_iterations_warns_and_tells_the_true_gap(module):
    X, relevant, groups = instance(23, sizes=(5, 5))
    options = {"groups": groups, "loss": "ap", "regularization": 1e-3}
    with pytest.warns(ConvergenceWarning, match="after 2 iterations"):
        got = module.fit_ranking_svm(X, relevant, **options, tol=1e-9, max_iterations=2)
    assert got.gap > 1e-9 and got.iterations == 2
    assert_honest(got, X, relevant, **options)
    _, minimum = ground_truth.fit_ranking_svm(X, relevant, **options)
    assert got.dual <= minimum * (1 + SOLVED) and got.primal >= minimum * (1 - SOLVED)


@BOTH
def test_progress_bar(module, capsys):
    X, relevant, groups = instance(24)
    module.fit_ranking_svm(X, relevant, groups=groups, regularization=0.1, progress=True)
    assert "gap" in capsys.readouterr().out
