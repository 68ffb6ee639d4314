"""RankingSVC: queries in any order, grades, mean average precision by hand."""

import numpy as np
import pytest
from sklearn import config_context
from sklearn.kernel_approximation import Nystroem
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.pipeline import make_pipeline

import fast
from fast.estimators import RankingSVC
from tests.support.ranking_svm import LATE


def binary(**options):
    """The estimator for which a grade says no more than whether a sample is relevant."""
    return RankingSVC(grades="binary", **options)


def queries(seed=0, n=120, d=5, groups=10):
    """Samples in the order of their queries, graded 0..2."""
    rng = np.random.default_rng(seed)
    X, qid = rng.normal(size=(n, d)), np.repeat(np.arange(groups), n // groups)
    noisy = X @ rng.normal(size=d) + rng.normal(size=n)
    return X, np.digitize(noisy, [0.0, 1.5]), qid


@pytest.mark.parametrize("loss", ["ap", "ndcg", "auc", "zero_one", LATE])
def test_lambda_is_one_over_C(loss):
    X, y, qid = queries()
    got = binary(loss=loss, C=5.0, tol=1e-6).fit(X, y, qid=qid)
    expected = fast.fit_ranking_svm(X, y > 0, groups=qid, loss=loss, regularization=0.2, tol=1e-6)
    np.testing.assert_array_equal(got.coef_, expected.weights)
    np.testing.assert_allclose(got.predict(X), X @ expected.weights, atol=1e-12)
    assert (got.duality_gap_, got.n_iter_) == (expected.gap, expected.iterations)
    assert got.history_.gap[-1] == got.duality_gap_ <= 1e-6
    for n_jobs in (2, -1):
        again = binary(loss=loss, C=5.0, tol=1e-6, n_jobs=n_jobs).fit(X, y, qid=qid)
        np.testing.assert_array_equal(again.coef_, expected.weights)


def test_queries_come_in_any_order_and_by_any_name():
    X, y, qid = queries()
    expected = binary(tol=1e-9).fit(X, y, qid)
    shuffled = np.random.default_rng(1).permutation(len(y))
    names = np.array([f"query {g}" for g in 7 * qid])
    got = binary(tol=1e-9).fit(X[shuffled], y[shuffled], qid=names[shuffled].tolist())
    np.testing.assert_allclose(got.coef_, expected.coef_, atol=1e-4)
    assert got.score(X[shuffled], y[shuffled], names[shuffled]) == pytest.approx(got.score(X, y, qid))


def test_without_queries_all_samples_are_of_one_and_a_warning_says_so():
    X, y, qid = queries()
    says = "RankingSVC got no qid and takes all 120 samples for one query: pass qid.*set_score_request"
    with pytest.warns(UserWarning, match=says) as caught:
        got = binary(tol=1e-6).fit(X, y)
    expected = binary(tol=1e-6).fit(X, y, np.zeros(120))  # one query on purpose: no warning
    np.testing.assert_array_equal(got.coef_, expected.coef_)
    with pytest.warns(UserWarning, match=says) as caught_by_score:
        assert got.score(X, y) == got.score(X, y, ["one"] * 120) != got.score(X, y, qid)
    assert [warning.filename for warning in (*caught, *caught_by_score)] == [__file__] * 2


def test_a_grid_search_that_loses_the_queries_warns_and_one_that_does_what_the_warning_says_is_silent():
    X, y, qid = queries()
    with pytest.warns(UserWarning, match="RankingSVC got no qid"):
        GridSearchCV(binary(), {"C": [1.0]}, cv=GroupKFold(2)).fit(X, y, groups=qid)
    with config_context(enable_metadata_routing=True):
        ranker = binary().set_fit_request(qid=True).set_score_request(qid=True)
        search = GridSearchCV(ranker, {"C": [1.0]}, cv=GroupKFold(2)).fit(X, y, qid=qid, groups=qid)
    halves = [(train, test) for train, test in GroupKFold(2).split(X, y, qid)]
    expected = [binary().fit(X[a], y[a], qid[a]).score(X[b], y[b], qid[b]) for a, b in halves]
    assert search.best_score_ == pytest.approx(np.mean(expected))


def test_a_pipeline_with_an_approximate_kernel_ranks_what_no_linear_function_can():
    random = np.random.default_rng(0)
    X, qid = random.normal(size=(600, 2)), np.repeat(np.arange(30), 20)
    y, train = np.digitize(-np.abs(np.hypot(*X.T) - 1), [-0.5, -0.2]), qid < 20
    linear = RankingSVC(C=100.0).fit(X[train], y[train], qid[train])
    model = make_pipeline(Nystroem(random_state=0), RankingSVC(C=100.0))
    model.fit(X[train], y[train], rankingsvc__qid=qid[train])  # the way without metadata routing
    got = model[-1].score(model[:-1].transform(X[~train]), y[~train], qid[~train])
    assert got > linear.score(X[~train], y[~train], qid[~train]) + 0.2
    with config_context(enable_metadata_routing=True):
        model[-1].set_fit_request(qid=True).set_score_request(qid=True)
        routed = model.fit(X[train], y[train], qid=qid[train]).score(X[~train], y[~train], qid=qid[~train])
        search = GridSearchCV(model, {"nystroem__gamma": [1e-3, 0.5]}, cv=GroupKFold(2)).fit(X, y, qid=qid, groups=qid)
    assert routed == got and search.best_params_ == {"nystroem__gamma": 0.5}
    with pytest.raises(TypeError, match="^RankingSVC takes no sample_weight: .*query_weight"):
        linear.score(X, y, qid, sample_weight=np.ones(len(y)))


def test_what_is_relevant_is_for_the_user_to_say():
    X, y, qid = queries()
    got = binary(relevant_from=2, tol=1e-6).fit(X, y, qid)
    expected = binary(tol=1e-6).fit(X, y == 2, qid)
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
    assert Scores().score(X[:3], y[:3], qid[:3]) == pytest.approx(5 / 6)
    with pytest.raises(ValueError, match="y must have a query with both"):
        Scores().score(X, np.ones(8), qid)


def test_queries_without_both_classes_are_left_out_with_a_warning():
    X, y, qid = queries()
    y[qid == 3] = 1
    with pytest.warns(UserWarning, match="1 of the 10 queries have no relevant samples, or no others, and"):
        got = binary(tol=1e-6).fit(X, y, qid)
    expected = binary(tol=1e-6).fit(X[qid != 3], y[qid != 3], qid[qid != 3])
    np.testing.assert_allclose(got.coef_, expected.coef_, atol=1e-3)


def test_what_is_above_the_lowest_grade_of_the_fit_is_relevant_if_nobody_says_otherwise():
    X, y, qid = queries()
    expected = binary(relevant_from=1, tol=1e-6).fit(X, y, qid)
    for lowest, step in ((0, 1), (-3, 2), (1, 1), (0, 0.25)):
        grades = lowest + step * y
        got = binary(tol=1e-6).fit(X, grades, qid)
        np.testing.assert_array_equal(got.coef_, expected.coef_)
        assert got.relevant_from_ == lowest + step
        assert got.score(X, grades, qid) == expected.score(X, y, qid)
        with pytest.raises(ValueError, match="y must have a query with both"):  # all are relevant, as they were before
            got.score(X[y > 0], grades[y > 0], qid[y > 0])


@pytest.mark.parametrize(
    ("change", "names"),
    [
        ({"y": np.zeros(120)}, "y must have a query with both"),
        ({"y": list("ab") * 60}, "could not convert"),
        ({"qid": np.zeros(119)}, "qid must have shape"),
        ({"qid": np.full(120, np.nan)}, "qid must name the query"),
        ({"qid": [None] * 120}, "qid must name the query"),
    ],
)
def test_grades_and_queries_that_are_none_are_refused(change, names):
    X, y, qid = queries()
    with pytest.raises(ValueError, match="n_jobs must be"):
        binary(n_jobs=0).fit(X, y, qid)
    with pytest.raises(ValueError, match="relevant_from"):
        binary(relevant_from=np.nan).fit(X, y, qid)
    with pytest.raises(ValueError, match=names):
        binary().fit(**{"X": X, "y": y, "qid": qid} | change)
    with pytest.raises(ValueError, match="NaN|convert|qid must|y must have a query with both"):
        binary().fit(X, y, qid).score(**{"X": X, "y": np.full(120, np.nan), "qid": qid} | change)


def test_queries_have_weights():
    X, y, qid = queries()
    s = np.random.default_rng(2).uniform(0.2, 2.0, 10)[qid]
    got = binary(C=5.0, tol=1e-6).fit(X, y, qid=qid, query_weight=s.tolist())
    expected = fast.fit_ranking_svm(X, y > 0, groups=qid, regularization=0.2, tol=1e-6, group_weight=s)
    np.testing.assert_array_equal(got.coef_, expected.weights)
    for wrong, names in ((np.arange(len(y)), "query_weight must be the same"), (s[:7], r"query_weight .*\(7,\)")):
        with pytest.raises(ValueError, match=names):
            binary().fit(X, y, qid, query_weight=wrong)
