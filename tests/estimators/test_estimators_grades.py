"""RankingSVC(grades="thresholds"): the graded NDCG as a weighted sum, its upper bound, and the fit that lowers it."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import Ridge
from sklearn.metrics import ndcg_score

import fast
import reference
from fast.estimators import RankingSVC
from fast.estimators._queries import threshold_copies, threshold_shares

DISCOUNT = 1 / np.log2(np.arange(2, 1000))


def graded_loss(scores, grades):
    return 1 - ndcg_score([2.0**grades - 1], [scores])


def shares_by_definition(grades):
    """w_t = 2^(t-1) IDCG_t / IDCG for t = 1, 2, ..., with the ideal ranking written out."""
    ideal = np.sort(grades)[::-1]
    gain = ((2.0**ideal - 1) * DISCOUNT[: len(ideal)]).sum()
    return [2.0 ** (t - 1) * DISCOUNT[: np.count_nonzero(ideal >= t)].sum() / gain for t in range(1, ideal[0] + 1)]


def hinges(scores, copies):
    """The structured hinge of NDCG for each copy."""
    s = scores[copies.rows]
    worst = fast.grouped_inference(s, copies.relevant, copies.groups, loss="ndcg").objective
    sides = [(s[copies.groups == g], copies.relevant[copies.groups == g]) for g in np.unique(copies.groups)]
    return worst - np.array([part[flag].mean() - part[~flag].mean() for part, flag in sides])


def query(random, n=12, highest=4):
    """Grades of one query, at least two of them different."""
    grades = random.integers(0, highest + 1, size=n)
    grades[:2] = random.permutation(highest + 1)[:2]
    return grades


def two_steps(seed, queries=60, documents=15, d=6):
    """Whether a sample is relevant depends on the first three features, its grade 1..3 on the other three."""
    random = np.random.default_rng(seed)
    X, qid = random.normal(size=(queries * documents, d)), np.repeat(np.arange(queries), documents)
    quality = X[:, 3:].sum(axis=1) + 0.3 * random.normal(size=len(X))
    grades = np.where(X[:, :3].sum(axis=1) > 0, 1 + np.digitize(quality, [0.0, 1.5]), 0)
    return X, grades, qid


# --- the weights and the bound -------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_the_graded_loss_is_the_weighted_sum_of_binary_losses(seed):
    random = np.random.default_rng(seed)
    grades = query(random)
    scores = random.permutation(len(grades)).astype(float)
    copies = threshold_copies(grades.astype(float), np.zeros(len(grades), np.int64))
    got = 0.0
    for g in range(copies.groups.max() + 1):
        part = copies.groups == g
        s, flag = scores[copies.rows[part]], copies.relevant[part]
        ranks = reference.interleaving_ranks(s[flag], s[~flag])
        got += copies.weights[part][0] * reference.ndcg_loss(ranks, flag.sum())
    assert got == pytest.approx(graded_loss(scores, grades), abs=1e-12)


# --- copies --------------------------------------------------------------------------------------------------------


def test_copies_by_hand():
    # Query 0: grades 0, 3, 3. Query 1: grades 2, 1. Query 2: one grade.
    grades, qid = np.array([0.0, 2.0, 3.0, 1.0, 3.0, 1.0, 1.0]), np.array([0, 1, 0, 1, 0, 2, 2])
    with pytest.warns(UserWarning, match="1 of the 3 queries have samples of one grade only"):
        copies = threshold_copies(grades, qid)
    assert copies.rows.tolist() == [0, 2, 4, 1, 3] and copies.groups.tolist() == [0, 0, 0, 1, 1]
    assert copies.relevant.tolist() == [False, True, True, True, False]
    ideal = 1 + DISCOUNT[1]  # both samples of query 1 have grade 1 or more: that threshold costs nothing
    upper = 2 / (ideal + 2)
    np.testing.assert_allclose(copies.weights, [1, 1, 1, upper, upper], atol=1e-12)
    assert copies.share == pytest.approx((1 + upper) / 2)
    with pytest.warns(UserWarning):
        weighted = threshold_copies(grades, qid, np.array([1.0, 3.0, 1.0, 3.0, 1.0, 5.0, 5.0]))
    np.testing.assert_allclose(weighted.weights, [1, 1, 1, 3 * upper, 3 * upper], atol=1e-12)
    assert weighted.share == pytest.approx((1 + 3 * upper) / 4)


def test_high_grades_do_not_overflow_and_low_ones_do_not_cancel():
    shares = threshold_shares(np.array([0.0, 1.0, 5000.0]), np.array([1, 1, 1]))
    np.testing.assert_allclose(shares, [0, 0, 1], atol=1e-300)
    near_zero = threshold_shares(np.array([0.0, 1e-20, 2e-20]), np.array([1, 1, 1]))  # gains ln 2 times the grades
    np.testing.assert_allclose(near_zero, [0, (1 + DISCOUNT[1]) / (2 + DISCOUNT[1]), 1 / (2 + DISCOUNT[1])])
    X = np.random.default_rng(0).normal(size=(6, 2))
    grades, qid = [0, 1, 5000, 1, 0, 4999], np.zeros(6)
    graded = RankingSVC(loss="ndcg", grades="thresholds").fit(X, grades, qid)
    assert np.isfinite(graded.coef_).all() and 0 <= graded.score(X, grades, qid) <= 1


def test_grades_between_integers_have_gains_between_theirs():
    shares = threshold_shares(np.array([0.0, 0.5, 2.0]), np.array([2, 1, 1]))
    gained = np.array([(2**0.5 - 1) * (1 + DISCOUNT[1]), (4 - 2**0.5) * 1])
    np.testing.assert_allclose(shares[1:], gained / gained.sum(), atol=1e-12)


# --- the estimator ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("weighted", [False, True])
def test_the_fit_is_that_of_one_copy_for_each_threshold(weighted):
    X, y, qid = two_steps(0, queries=8)
    s = np.random.default_rng(1).uniform(0.5, 2.0, 8) if weighted else np.ones(8)
    got = RankingSVC(loss="ndcg", grades="thresholds", C=5.0, tol=1e-6).fit(
        X, y, qid=qid, query_weight=s[qid] if weighted else None
    )
    parts, relevant, groups, weights = [], [], [], []
    for q in range(8):  # the definition, threshold by threshold; none of these queries has only relevant samples
        for t, share in enumerate(shares_by_definition(y[qid == q]), start=1):
            parts.append(X[qid == q])
            relevant.append(y[qid == q] >= t)
            groups.append(np.full(len(parts[-1]), len(parts)))
            weights.append(np.full(len(parts[-1]), s[q] * share))
    expected = reference.fit_ranking_svm(
        np.concatenate(parts), np.concatenate(relevant), groups=np.concatenate(groups), loss="ndcg",
        regularization=0.2, tol=1e-6, group_weight=np.concatenate(weights),
    )  # fmt: skip
    radius = 2 * np.sqrt(2 / 0.2 * 1e-6 * expected.primal)
    assert np.linalg.norm(got.coef_ - expected.weights) <= radius
    assert got.history_.primal.min() == pytest.approx(expected.primal, rel=2e-6)
    assert got.relevant_from_ is None and got.duality_gap_ <= 1e-6


def test_losses_that_cannot_be_do_not_change_what_C_means():
    # All grades one higher: the threshold 1 has no loss any more, and the weights of the others are smaller.
    X, y, qid = two_steps(0, queries=8)
    got = RankingSVC(loss="ndcg", grades="thresholds", C=5.0, tol=1e-6).fit(X, y + 1, qid)
    bound = 0.0
    for q in range(8):
        copies = threshold_copies(y[qid == q] + 1.0, np.zeros(np.count_nonzero(qid == q), np.int64))
        weights = copies.weights[np.unique(copies.groups, return_index=True)[1]]
        assert weights.sum() < 0.95
        bound += weights @ hinges(X[qid == q] @ got.coef_, copies) / 8
    objective = 0.2 / 2 * got.coef_ @ got.coef_ + bound
    assert got.history_.primal.min() == pytest.approx(objective, rel=1e-9)


@pytest.mark.parametrize("loss", ["ndcg", "zero_one"])
def test_two_grades_are_relevant_or_not(loss):
    X, y, qid = two_steps(1)
    expected = RankingSVC(loss=loss, C=5.0, tol=1e-6).fit(X, y > 0, qid)
    got = RankingSVC(loss=loss, C=5.0, tol=1e-6, grades="thresholds").fit(X, (y > 0).astype(int), qid)
    np.testing.assert_allclose(got.coef_, expected.coef_, atol=1e-12)


def test_queries_of_one_grade_are_left_out_with_a_warning():
    X, y, qid = two_steps(3, queries=10)
    y[qid == 4] = 2
    graded = RankingSVC(loss="ndcg", grades="thresholds", tol=1e-6)
    with pytest.warns(UserWarning, match="1 of the 10 queries have samples of one grade only"):
        got = clone(graded).fit(X, y, qid)
    expected = clone(graded).fit(X[qid != 4], y[qid != 4], qid[qid != 4])
    np.testing.assert_array_equal(got.coef_, expected.coef_)
    assert got.score(X, y, qid) == expected.score(X[qid != 4], y[qid != 4], qid[qid != 4])


def test_rows_of_sparse_features_and_shuffled_queries():
    X, y, qid = two_steps(4, queries=10)
    graded = RankingSVC(loss="ndcg", grades="thresholds", tol=1e-9)
    expected = clone(graded).fit(X, y, qid)
    shuffled = np.random.default_rng(0).permutation(len(y))
    for made in (np.asarray, sparse.csr_array):
        got = clone(graded).fit(made(X[shuffled]), y[shuffled], qid=qid[shuffled])
        np.testing.assert_allclose(got.coef_, expected.coef_, atol=1e-4)
    assert clone(graded).set_params(tol=1e-3).fit(X.astype(np.float32), y, qid).coef_.dtype == np.float32


@pytest.mark.parametrize(
    ("options", "change", "match"),
    [
        ({"grades": "graded"}, {}, "grades must be one of 'auto', 'binary', 'thresholds'"),
        ({"relevant_from": 2}, {}, "relevant_from must be None with grades='thresholds', got 2"),
        ({}, {"y": np.arange(-1, 149)}, "y must hold grades >= 0 .*, got -1"),
        ({}, {"y": np.ones(150)}, "y must have a query whose samples have different grades"),
        ({}, {"query_weight": np.zeros(150)}, "query_weight must be above zero"),
        ({}, {"query_weight": np.arange(150)}, "query_weight must be the same for all samples of a query, got"),
        ({}, {"query_weight": -np.ones(150)}, "query_weight must be >= 0, got -1"),
        ({}, {"query_weight": np.full(150, np.nan)}, "query_weight contains NaN"),
    ],
)
def test_what_it_refuses(options, change, match):
    X, y, qid = two_steps(5, queries=10)
    with pytest.raises(ValueError, match=match):
        RankingSVC(**{"loss": "ndcg", "grades": "thresholds"} | options).fit(**{"X": X, "y": y, "qid": qid} | change)


# --- grades="auto", the default ------------------------------------------------------------------------------------


@pytest.mark.parametrize("change", [lambda y: y, lambda y: 2 * y + 1, lambda y: y / 4])
def test_auto_uses_the_thresholds_between_three_to_ten_grades(change):
    X, y, qid = two_steps(6, queries=10)
    y = change(y)
    assert RankingSVC().get_params()["grades"] == "auto"
    expected, got = (RankingSVC(tol=1e-6, **given).fit(X, y, qid) for given in ({"grades": "thresholds"}, {}))
    np.testing.assert_array_equal(got.coef_, expected.coef_)
    assert got.relevant_from_ is None and got.score(X, y, qid) == expected.score(X, y, qid)


@pytest.mark.parametrize("values", [(0, 1), (1, 3), (-1, 1), (False, True)])
def test_auto_is_binary_for_two_grades_without_a_warning(values):
    X, y, qid = two_steps(6, queries=10)
    y = np.array(values)[(y > 0).astype(int)]
    expected, got = (RankingSVC(tol=1e-6, **given).fit(X, y, qid) for given in ({"grades": "binary"}, {}))
    np.testing.assert_array_equal(got.coef_, expected.coef_)
    assert got.relevant_from_ == values[1]


@pytest.mark.parametrize(
    ("change", "options", "why"),
    [
        (lambda y: y - 1.0, {}, r"a grade is negative \(-1\)"),
        (lambda y: np.where(y > 0, y + np.arange(len(y)) % 5 / 8, 0), {}, r"there are 1\d different grades, more than"),
        (lambda y: y, {"relevant_from": 2}, "relevant_from=2 is given"),
    ],
)
def test_auto_says_why_it_does_not_use_all_grades(change, options, why):
    X, y, qid = two_steps(6, queries=10)
    y = change(y)
    expected = RankingSVC(tol=1e-6, grades="binary", **options).fit(X, y, qid)
    with pytest.warns(UserWarning, match=rf"tells the relevant samples of a query .*, because {why}") as caught:
        got = RankingSVC(tol=1e-6, **options).fit(X, y, qid)
    assert len(caught) == 1 and caught[0].filename == __file__ and "class" not in str(caught[0].message)
    np.testing.assert_array_equal(got.coef_, expected.coef_)
    assert got.relevant_from_ == expected.relevant_from_


def test_auto_makes_better_lists_than_binary_and_than_ridge_where_grades_say_more():
    X, y, qid = two_steps(2)
    train, test = qid < 40, qid >= 40
    models = RankingSVC(C=10.0), RankingSVC(C=10.0, grades="binary"), Ridge()
    ndcg = []
    for model in models:
        scores = model.fit(X[train], y[train], **({} if model is models[2] else {"qid": qid[train]})).predict(X[test])
        parts = [(scores[qid[test] == q], y[qid == q]) for q in np.unique(qid[test])]
        ndcg.append(np.mean([ndcg_score([2.0**grades - 1], [given], k=10) for given, grades in parts]))
    by_hand = [1 - graded_loss(models[0].predict(X[qid == q]), y[qid == q]) for q in np.unique(qid[test])]
    assert models[0].score(X[test], y[test], qid[test]) == pytest.approx(np.mean(by_hand))
    assert ndcg[0] > ndcg[1] + 0.05 and ndcg[0] > ndcg[2] - 0.01, ndcg
