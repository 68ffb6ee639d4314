"""The proof that a ranking SVM carries: a plane below the mean hinge, which anybody can build again."""

import numpy as np
import pytest
from scipy import sparse

from reference.check.certificates import ranking_svm as certificates
from tests.support.ranking_svm import BOTH, EACH_LOSS, fit, instance, primal_of
from tests.support.ranking_weights import weighted_primal, weights_of

KINDS = ("float64", "float32", "csr", "weighted")
ROUNDING = 1e-12


def problem(kind, seed=0, sizes=(12, 5, 9)):
    """(X, relevant, options): options are the keywords of the fit and of its certificate."""
    X, relevant, groups = instance(seed, sizes=sizes, dtype=np.float32 if kind == "float32" else np.float64)
    options = {"groups": groups, "regularization": 0.05}
    if kind == "weighted":
        options["group_weight"] = weights_of(groups, zeros=1)
    return sparse.csr_matrix(X) if kind == "csr" else X, relevant, options


def hinge_of(weights, X, relevant, options, loss):
    """The mean hinge by the inference of the reference."""
    options = {name: value for name, value in options.items() if name != "regularization"}
    if "group_weight" in options:
        return weighted_primal(weights, X, relevant, loss=loss, regularization=0.0, **options)
    return primal_of(weights, X, relevant, loss=loss, regularization=0.0, **options)


@BOTH
@EACH_LOSS
@pytest.mark.parametrize("kind", KINDS)
def test_the_plane_proves_the_dual(module, loss, kind):
    X, relevant, options = problem(kind)
    got = module.fit_ranking_svm(X, relevant, loss=loss, tol=1e-4, **options)
    lowest = got.offset - got.slope @ got.slope / (2 * options["regularization"])
    assert abs(lowest - got.dual) <= ROUNDING, f"expected {got.dual}, got {lowest}"
    assert abs(got.shares.sum() - 1) <= ROUNDING and (got.shares > 0).all()
    assert got.points.dtype == got.weights.dtype and got.points.shape == (len(got.shares), X.shape[1])
    assert got.slope.dtype == got.shares.dtype == np.float64 and len(got.shares) <= got.iterations
    rng = np.random.default_rng(1)
    for scale in (0.0, 0.1, 1.0, 10.0):
        anywhere, somewhere = scale * rng.normal(size=4), got.points[int(rng.integers(len(got.points)))]
        for weights in (anywhere, scale * got.weights, somewhere):
            hinge = hinge_of(weights, X, relevant, options, loss)
            assert got.offset + got.slope @ weights <= hinge + ROUNDING * (1 + scale)


@BOTH
@EACH_LOSS
@pytest.mark.parametrize("kind", KINDS)
def test_the_certificate_builds_the_plane_again(module, loss, kind):
    X, relevant, options = problem(kind, seed=1)
    got = module.fit_ranking_svm(X, relevant, loss=loss, tol=1e-4, **options)
    proved = certificates.fit_ranking_svm(got, X, relevant, loss=loss, **options)
    assert abs(proved - got.gap) <= 2 * certificates.PROVED, f"expected {got.gap}, got {proved}"
    others = {name: value for name, value in options.items() if name != "regularization"}
    hinge = certificates.MeanHinge(X, relevant, loss=loss, **others)
    slope = certificates.combination(hinge, got.points, got.shares)[1]
    assert (np.abs(slope - got.slope) <= ROUNDING + certificates.doubt(hinge, got.points, got.shares)).all()


@BOTH
def test_the_certificate_follows_to_any_size(module):
    X, relevant, options = problem("float64", seed=2, sizes=(900, 40, 560))
    got = fit(module.fit_ranking_svm, X, relevant, loss="ndcg", tol=1e-3, **options)
    assert got.gap <= 1e-3
    proved = certificates.fit_ranking_svm(got, X, relevant, loss="ndcg", **options)
    assert abs(proved - got.gap) <= 2 * certificates.PROVED, f"expected {got.gap}, got {proved}"
    lie = got._replace(dual=got.primal, gap=0.0, points=got.weights[None], shares=np.ones(1))
    assert certificates.fit_ranking_svm(lie, X, relevant, loss="ndcg", **options) > 10 * got.gap


@BOTH
def test_before_any_plane_is_better_the_plane_is_zero(module):
    X, relevant, options = problem("float64")
    few = {**options, "regularization": 1e-8, "max_iterations": 1}
    got = fit(module.fit_ranking_svm, X, relevant, **few)
    assert got.dual == 0.0 and got.gap == 1.0
    assert got.offset == 0.0 and not got.slope.any()
    assert got.points.shape == (0, 4) and got.shares.shape == (0,)


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
    X, relevant, options = problem("float64")
    got = fit(BOTH.args[1][0].fit_ranking_svm, X, relevant, **options)
    points = np.repeat(got.weights[None], len(change.get("shares", [1])), axis=0)
    lie = got._replace(**{"points": points, "shares": np.ones(1), **change})
    proved = certificates.fit_ranking_svm(lie, X, relevant, **options)
    is_finite = len(lie.shares) == len(points) and np.isfinite(lie.shares).all() and lie.points.ndim == 2
    assert got.gap < proved <= 1.0 if is_finite else proved == np.inf


def test_ties_at_a_point_are_no_lie():
    """At (1, 1) the positives tie, and the last negative passes one of them, no matter which."""
    X, relevant = np.array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.6], [0.6, 0.6], [0.43125, 0.43125]]), np.arange(5) < 2
    hinge, other = certificates.MeanHinge(X, relevant), certificates.MeanHinge(X[[1, 0, 2, 3, 4]], relevant)
    point, share = np.ones((1, 2)), np.ones(1)
    apart = np.abs(hinge.plane(point[0])[1] - other.plane(point[0])[1])
    assert apart.min() > 0.1
    assert (apart <= certificates.doubt(hinge, point, share)).all()
    assert not certificates.doubt(hinge, np.array([[1.0, 0.5]]), share).any()
