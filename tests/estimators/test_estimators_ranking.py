"""RankingSVC: queries in any order, grades, mean average precision by hand."""

import numpy as np
import pytest

import fast
from fast.estimators import RankingSVC
from reference import QSLoss

LOSSES = ("ap", "ndcg", "auc", "zero_one")


def queries(seed=0, n=120, d=5, groups=10):
    """Samples in the order of their queries, graded 0..2."""
    rng = np.random.default_rng(seed)
    X, qid = rng.normal(size=(n, d)), np.repeat(np.arange(groups), n // groups)
    noisy = X @ rng.normal(size=d) + rng.normal(size=n)
    return X, np.digitize(noisy, [0.0, 1.5]), qid


@pytest.mark.parametrize("loss", LOSSES)
def test_lambda_is_one_over_C(loss):
    X, y, qid = queries()
    got = RankingSVC(loss=loss, C=5.0, tol=1e-6).fit(X, y, qid=qid)
    expected = fast.fit_ranking_svm(X, y > 0, groups=qid, loss=loss, regularization=0.2, tol=1e-6)
    np.testing.assert_array_equal(got.coef_, expected.weights)
    np.testing.assert_allclose(got.predict(X), X @ expected.weights, atol=1e-12)
    assert (got.duality_gap_, got.n_iter_) == (expected.gap, expected.iterations)
    assert got.history_.gap[-1] == got.duality_gap_ <= 1e-6


def test_a_loss_of_ones_own():
    X, y, qid = queries()
    by_name = RankingSVC(loss="ap", tol=1e-6).fit(X, y, qid)
    ap = QSLoss("mine", lambda j, i: i / (i + j - 1) - i / (i + j), lambda P, N: P)
    given = RankingSVC(loss=ap, tol=1e-6).fit(X, y, qid)
    np.testing.assert_allclose(given.coef_, by_name.coef_, atol=1e-3)


def test_queries_come_in_any_order_and_by_any_name():
    X, y, qid = queries()
    expected = RankingSVC(tol=1e-9).fit(X, y, qid)
    shuffled = np.random.default_rng(1).permutation(len(y))
    names = np.array([f"query {g}" for g in 7 * qid])
    got = RankingSVC(tol=1e-9).fit(X[shuffled], y[shuffled], qid=names[shuffled].tolist())
    np.testing.assert_allclose(got.coef_, expected.coef_, atol=1e-4)
    assert got.score(X[shuffled], y[shuffled], names[shuffled]) == pytest.approx(got.score(X, y, qid))


def test_without_queries_all_samples_are_of_one():
    X, y, _ = queries()
    got = RankingSVC(tol=1e-6).fit(X, y)
    expected = fast.fit_ranking_svm(X, y > 0, regularization=1.0, tol=1e-6)
    np.testing.assert_array_equal(got.coef_, expected.weights)


def test_what_is_relevant_is_for_the_user_to_say():
    X, y, qid = queries()
    got = RankingSVC(relevant_from=2, tol=1e-6).fit(X, y, qid)
    expected = RankingSVC(tol=1e-6).fit(X, y == 2, qid)
    np.testing.assert_array_equal(got.coef_, expected.coef_)
    assert got.score(X, y, qid) == expected.score(X, y == 2, qid)


class Scores(RankingSVC):
    """Scores that are given instead of X."""

    relevant_from_ = 1

    def predict(self, X):
        return np.asarray(X)[:, 0]


def test_mean_average_precision_by_hand():
    # Query 7: relevant at ranks 1 and 3, (1 + 2/3) / 2. Query 2: relevant at rank 2 of 3, 1/2. Query 9: no pair.
    X = np.array([[3.0], [2.0], [1.0], [0.5], [0.9], [0.1], [0.4], [5.0]])
    qid, y = np.array([7, 7, 7, 2, 2, 2, 7, 9]), np.array([2, 0, 1, 1, 0, 0, 0, 1])
    assert Scores().score(X, y, qid) == pytest.approx((5 / 6 + 1 / 2) / 2)
    shuffled = np.random.default_rng(0).permutation(8)
    assert Scores().score(X[shuffled], y[shuffled], qid=qid[shuffled].tolist()) == pytest.approx(2 / 3)
    assert Scores().score(X[:3], y[:3]) == pytest.approx(5 / 6)
    with pytest.raises(ValueError, match="y must have a query with both"):
        Scores().score(X, np.ones(8), qid)


def test_queries_without_both_classes_are_left_out_with_a_warning():
    X, y, qid = queries()
    y[qid == 3] = 1
    with pytest.warns(UserWarning, match="1 of the 10 groups do not have both classes"):
        got = RankingSVC(tol=1e-6).fit(X, y, qid)
    expected = RankingSVC(tol=1e-6).fit(X[qid != 3], y[qid != 3], qid[qid != 3])
    np.testing.assert_allclose(got.coef_, expected.coef_, atol=1e-3)


def test_what_cannot_be_ranked_is_refused():
    X, y, qid = queries()
    with pytest.raises(ValueError, match="y must have a query with both"):
        RankingSVC().fit(X, np.zeros(120), qid)
    with pytest.raises(ValueError, match="qid must have shape"):
        RankingSVC().fit(X, y, qid[:-1])
    with pytest.raises(ValueError, match="relevant_from"):
        RankingSVC(relevant_from=np.nan).fit(X, y, qid)


def test_a_better_ranking_of_queries_that_were_not_seen():
    X, y, qid = queries(n=600, groups=30)
    train, test = qid < 20, qid >= 20
    fitted = RankingSVC(C=100.0).fit(X[train], y[train], qid[train])
    assert fitted.score(X[test], y[test], qid[test]) > 0.8


def test_what_is_above_the_lowest_grade_of_the_fit_is_relevant_if_nobody_says_otherwise():
    X, y, qid = queries()
    expected = RankingSVC(relevant_from=1, tol=1e-6).fit(X, y, qid)
    for lowest, step in ((0, 1), (-3, 2), (1, 1), (0, 0.25)):
        grades = lowest + step * y
        got = RankingSVC(tol=1e-6).fit(X, grades, qid)
        np.testing.assert_array_equal(got.coef_, expected.coef_)
        assert got.relevant_from_ == lowest + step
        assert got.score(X, grades, qid) == expected.score(X, y, qid)
        with pytest.raises(ValueError, match="y must have a query with both"):  # all are relevant, as they were before
            got.score(X[y > 0], grades[y > 0], qid[y > 0])


@pytest.mark.parametrize(
    ("change", "names"),
    [
        ({"y": list("ab") * 60}, "could not convert"),
        ({"qid": np.full(120, np.nan)}, "qid must name the query"),
        ({"qid": [None] * 120}, "qid must name the query"),
    ],
)
def test_grades_and_queries_that_are_none_are_refused(change, names):
    X, y, qid = queries()
    with pytest.raises(ValueError, match=names):
        RankingSVC().fit(**{"X": X, "y": y, "qid": qid} | change)
    with pytest.raises(ValueError, match="NaN|convert|qid must name"):
        RankingSVC().fit(X, y, qid).score(**{"X": X, "y": np.full(120, np.nan), "qid": qid} | change)


def test_queries_have_weights():
    X, y, qid = queries()
    s = np.random.default_rng(2).uniform(0.2, 2.0, 10)[qid]
    got = RankingSVC(C=5.0, tol=1e-6).fit(X, y, qid=qid, query_weight=s.tolist())
    expected = fast.fit_ranking_svm(X, y > 0, groups=qid, regularization=0.2, tol=1e-6, group_weight=s)
    np.testing.assert_array_equal(got.coef_, expected.weights)
    for wrong, names in ((np.arange(len(y)), "same for all samples of a group"), (s[:7], r"query_weight .*\(7,\)")):
        with pytest.raises(ValueError, match=names):
            RankingSVC().fit(X, y, qid, query_weight=wrong)


def test_a_ranking_does_not_depend_on_the_number_of_threads():
    rng = np.random.default_rng(0)
    X, qid = rng.standard_normal((9000, 5)), np.arange(9000) // 30
    y = X[:, 0] + rng.standard_normal(9000) > 1
    expected = RankingSVC().fit(X, y, qid=qid)
    for n_jobs in (2, -1):
        assert (RankingSVC(n_jobs=n_jobs).fit(X, y, qid=qid).coef_ == expected.coef_).all()
    with pytest.raises(ValueError, match="n_jobs must be"):
        RankingSVC(n_jobs=0).fit(X, y, qid=qid)
