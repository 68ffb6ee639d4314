"""The ranking SVM where the examiner does not look: losses of one's own, warnings, histories, real queries."""

import numpy as np
import pytest
from scipy import sparse

import fast
from reference import datasets
from reference.check import certify
from reference.check.ranking_svm import bounds as certificates
from reference.ground_truth import ranking_svm as ground_truth
from tests.support.ranking_svm import LATE, SOLVED, assert_optimal, instance
from tests.support.ranking_weights import weights_of
from tests.support.twins import BOTH, fit


def assert_proved(got, X, relevant, options):
    """The planes at the points of the fit prove its gap."""
    proved = certificates.fit_ranking_svm(got, X, relevant, **options)
    assert abs(proved - got.gap) <= 2 * certificates.PROVED, f"expected {got.gap}, got {proved}"
    assert (got.shares > 0).all() and len(got.shares) <= got.iterations


# --- losses of one's own -------------------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize("kind", ["float64", "float32", "csr", "weighted"])
def test_a_fit_for_a_loss_of_ones_own_is_optimal_and_proves_it(module, kind):
    X, relevant, groups = instance(4, dtype=np.float32 if kind == "float32" else np.float64)
    options = {"groups": groups, "loss": LATE, "regularization": 0.05}
    if kind == "weighted":
        options["group_weight"] = weights_of(groups, zeros=1)
    weights, minimum = ground_truth.fit_ranking_svm(X, relevant, **options)
    X, tol = sparse.csr_matrix(X) if kind == "csr" else X, 1e-4 if kind == "float32" else 1e-7
    got = module.fit_ranking_svm(X, relevant, tol=tol, **options)
    assert got.gap <= tol
    assert_optimal(got, weights, minimum, tol, 0.05)
    assert_proved(got, X, relevant, options)


@BOTH
def test_groups_are_ranked_by_a_loss_of_ones_own(module):
    X, relevant, groups = instance(12, sizes=(40, 3, 2, 17, 9))
    for scores in (X[:, 0], np.round(X[:, 0]), X[:, 0].astype(np.float32)):
        got = module.grouped_inference(scores, relevant, groups, LATE)
        certificate = certify("grouped_inference", got, scores, relevant, groups, LATE)
        assert certificate.ok, certificate


@pytest.mark.parametrize("loss", ["ap", LATE], ids=["ap", "late"])
def test_planes_as_they_are_needed_lead_where_all_rankings_do(loss, monkeypatch):
    X, relevant, groups = instance(2)
    options = {"groups": groups, "loss": loss, "regularization": 0.05}
    expected = ground_truth.fit_ranking_svm(X, relevant, **options)
    monkeypatch.setattr(ground_truth, "LARGEST_GROUP", 1)
    got = ground_truth.fit_ranking_svm(X, relevant, **options)
    assert abs(got[1] - expected[1]) <= 2 * SOLVED * expected[1], f"expected {expected[1]}, got {got[1]}"
    assert np.abs(got[0] - expected[0]).max() <= 0.01


# --- what the user sees --------------------------------------------------------------------------------------------


@BOTH
def test_the_caller_is_warned_of_groups_that_are_left_out(module):
    X, relevant, groups = instance(18, sizes=(9, 4, 5))
    relevant = relevant | (groups == 4)
    for call in (
        lambda: module.grouped_inference(X[:, 0], relevant, groups),
        lambda: module.fit_ranking_svm(X, relevant, groups=groups, regularization=0.1),
        lambda: module.fit_direct_loss(X, relevant, groups=groups, max_iterations=2),
    ):
        expected = "1 of the 3 groups do not have both classes and are left out"
        with pytest.warns(UserWarning, match=expected) as warned:
            call()
        assert warned[0].filename == __file__


@BOTH
def test_history_of_a_fit(module):
    X, relevant, groups = instance(14, sizes=(9, 5, 9))
    history = module.fit_ranking_svm(X, relevant, groups=groups, regularization=0.02, tol=1e-4).history
    assert history.dtype.names == ("primal", "dual", "gap", "seconds")
    assert (np.diff(history.seconds) >= 0).all() and history.seconds[0] >= 0
    assert np.abs(history.gap - np.maximum(0, (history.primal - history.dual) / history.primal)).max() <= 1e-15
    assert (history.gap[:-1] > 1e-4).all()


def test_fast_proves_its_gap_on_mq2008():
    try:
        X, relevance, query = datasets.load_mq2008()
    except FileNotFoundError as missing:
        pytest.skip(f"MQ2008 is not here: {missing}")
    relevant, options = relevance > 0, {"groups": query, "regularization": 1e-2}
    with pytest.warns(UserWarning, match="left out"):
        got = fast.fit_ranking_svm(X, relevant, **options, tol=1e-3)
    assert got.gap <= 1e-3
    assert_proved(got, X, relevant, options)


# --- the certificate -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        {"shares": np.array([0.5])},
        {"shares": np.array([1.5, -0.5])},
        {"shares": np.array([np.nan])},
        {"points": np.zeros(4)},
    ],
)
def test_what_is_no_convex_combination_is_made_one_or_proves_nothing(change):
    X, relevant, groups = instance(sizes=(12, 5, 9))
    options = {"groups": groups, "regularization": 0.05}
    got = fit(fast.fit_ranking_svm, X, relevant, **options)
    points = np.repeat(got.weights[None], len(change.get("shares", [1])), axis=0)
    lie = got._replace(**{"points": points, "shares": np.ones(1), **change})
    proved = certificates.fit_ranking_svm(lie, X, relevant, **options)
    is_finite = len(lie.shares) == len(points) and np.isfinite(lie.shares).all() and lie.points.ndim == 2
    if is_finite:  # then it is a bound of the minimum, whatever it was made of
        best = fit(fast.fit_ranking_svm, X, relevant, **options, tol=1e-8).primal
        assert 0 < proved <= 1 and (1 - proved) * got.primal <= best
    else:
        assert proved == np.inf


def test_ties_at_a_point_are_no_lie():
    """At (1, 1) the positives tie, and the last negative passes one of them, no matter which."""
    X, relevant = np.array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.6], [0.6, 0.6], [0.43125, 0.43125]]), np.arange(5) < 2
    hinge, other = certificates.MeanHinge(X, relevant), certificates.MeanHinge(X[[1, 0, 2, 3, 4]], relevant)
    point, share = np.ones((1, 2)), np.ones(1)
    apart = np.abs(hinge.plane(point[0])[1] - other.plane(point[0])[1])
    assert apart.min() > 0.1
    assert (apart <= certificates.doubt(hinge, point, share)).all()
    assert not certificates.doubt(hinge, np.array([[1.0, 0.5]]), share).any()
