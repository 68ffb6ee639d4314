"""`certify_weights` and `certify_ranking_weights`: never less suboptimality than the truth, and close to it."""

from fractions import Fraction

import cvxpy as cp
import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.svm import LinearSVC

import fast
import reference
from reference.check import WeightsCertificate, certify_ranking_weights, certify_weights
from reference.check.entropy.bounds import Softmax
from reference.check.proofs.duality import Linear, Objective
from reference.check.topk_svm.ascent import _gradient
from reference.check.topk_svm.bounds import TopKHinge
from reference.datasets import load_digits
from reference.ground_truth import _solver, ranking_svm, topk_svm
from reference.ground_truth import ranking as enumeration
from tests.support.certify_weights import (
    KINDS,
    candidates,
    exact_primal,
    lying,
    precise_softmax,
    problem,
    rationals,
)

TINY = {"tol": 1e-7, "max_epochs": 200}
MOST = 0.7  # of the hinges settle within so few epochs; where |x|^2 / lambda is above 1e6, the ascent is slow
TWICE = 2.0  # value may exceed the truth by this factor at most, where the ascent converges


def assert_brackets(certificate, objective, weights, best):
    """The truth, in exact arithmetic, is between at_least and value, and close to a value that is settled.

    `best` is the objective at CVXPY's weights. Where it is tiny, the better weights of the certificate may be better.
    """
    P, better = objective(weights), objective(certificate.better)
    truth, proved = float(1 - min(best, better) / P), max(1 - better / P, Fraction(0))
    assert Fraction(certificate.value) >= 1 - min(best, better) / P, f"claims {certificate.value}, got {truth}"
    assert Fraction(certificate.at_least) <= proved, f"claims at least {certificate.at_least}, got {float(proved)}"
    if certificate.settled:
        assert certificate.value <= max(TWICE * truth, certificate.bound)


# --- never less than the truth -------------------------------------------------------------------------------------


@pytest.mark.parametrize("first", range(0, 30, 15))  # twice, each kind of hinge with each kind of problem
def test_hinges_are_bracketed_exactly(first):
    settled = 0
    for seed in range(first, first + 15):
        X, y, options = problem(seed)
        m, kind = y.max() + 1, KINDS[seed % 3]
        options |= {"k": 1 + seed // 3 % (m - 1), "kind": kind}
        optimum = topk_svm.fit_topk_svm(X, y, **options)[0]
        best = exact_primal(X, y, optimum, **options)
        for _, weights in candidates(seed, optimum, np.abs(X).max() or 1.0):
            got = certify_weights(X, y, weights, solver=fast.fit_topk_svm, **TINY, **options)
            assert_brackets(got, lambda W: exact_primal(X, y, W, **options), weights, best)  # noqa: B023
            settled += got.settled
    assert settled >= MOST * 15 * 4, settled


@pytest.mark.parametrize("seed", range(15))
def test_the_bounds_include_their_own_rounding(seed):
    X, y, options = problem(seed)
    m, lam, s = y.max() + 1, options["regularization"], options["sample_weight"]
    objective = Objective(Linear(X), TopKHinge(y, m, 1, "alpha"), lam, s)
    weights = np.random.default_rng(seed).normal(size=(X.shape[1], m)) / (np.abs(X).max() or 1.0)
    low, high = objective.primal(objective.features.at(weights))
    assert Fraction(low) < exact_primal(X, y, weights, **options) < Fraction(high)
    # The same share p for all rivals is in every domain. Of its multiples the best has the bound gain^2 / (4 bend).
    p, half = Fraction(1, 64), Fraction(lam) / 2
    radii = [v * p / (2 * half * len(y)) for v in rationals(s)]
    duals = [[r * int(m * (j == label) - 1) for j in range(m)] for r, label in zip(radii, y, strict=True)]
    columns = list(zip(*rationals(X), strict=True)), list(zip(*duals, strict=True))
    sums = [sum(a * b for a, b in zip(x, row, strict=True)) for x in columns[0] for row in columns[1]]
    gain, bend = p * (m - 1) * sum(rationals(s)) / len(y), half * sum(v * v for v in sums)
    best = gain - bend if 2 * bend <= gain else gain**2 / (4 * bend)
    bound = objective.dual(np.full((len(y), m - 1), float(p)))[0]
    assert Fraction(bound) < best and (bound >= 0.99 * best or np.abs(X).max() > 1e3)


def minimal_softmax(X, y, regularization, sample_weight):
    """argmin_W by exponential cones, for features of size 1."""
    unit, own = np.abs(X).max() or 1.0, np.eye(y.max() + 1)[y]
    W = cp.Variable((X.shape[1], y.max() + 1))
    scores = X / unit @ W
    losses = cp.log_sum_exp(scores, axis=1) - cp.sum(cp.multiply(own, scores), axis=1)
    penalty = regularization / (2 * unit**2) * cp.sum_squares(W)
    _solver.solve(cp.Problem(cp.Minimize(penalty + sample_weight @ losses / len(y))))
    return W.value / unit


@pytest.mark.parametrize("first", range(0, 20, 10))
def test_softmax_is_bracketed(first):
    settled = 0
    for seed in range(first, first + 10):
        X, y, options = problem(seed, largest_scale=2)
        optimum = minimal_softmax(X, y, **options)
        best = precise_softmax(X, y, optimum, **options)
        for _, weights in candidates(seed, optimum, np.abs(X).max() or 1.0):
            got = certify_weights(X, y, weights, loss="softmax", tol=1e-9, **options)
            assert_brackets(got, lambda W: precise_softmax(X, y, W, **options), weights, best)  # noqa: B023
            settled += got.settled
    assert settled >= MOST * 10 * 4, settled


@pytest.mark.parametrize("loss", ["hinge", "logistic"])
def test_a_binary_problem_is_one_of_two_classes_with_twice_the_regularization(loss):
    for seed in range(12):
        X, y, options = problem(seed, largest_scale=1, m=2)
        s, lam, t = options["sample_weight"], options["regularization"], 2 * y - 1
        w = np.random.default_rng(seed).normal(size=X.shape[1])
        scores = cp.multiply(t, X @ (v := cp.Variable(X.shape[1])))
        losses = cp.pos(1 - scores) if loss == "hinge" else cp.logistic(-scores)
        minimum = _solver.solve(cp.Problem(cp.Minimize(lam / 2 * cp.sum_squares(v) + s @ losses / len(y))))
        lost = np.maximum(1 - t * (X @ w), 0) if loss == "hinge" else np.logaddexp(0, -t * (X @ w))
        P = lam / 2 * w @ w + np.mean(s * lost)
        got = certify_weights(X, y, w, loss=loss, tol=1e-7, **options)
        assert got.primal == pytest.approx(P, rel=1e-9)
        assert got.dual <= minimum * (1 + 1e-8) and got.better.shape == w.shape
        assert got.at_least - 1e-8 <= 1 - minimum / P <= got.value + 1e-8
        if got.settled and got.value > 1e-6:
            assert got.value <= TWICE * (1 - minimum / P)


def ranking_objective(X, relevant, weights, groups, loss, regularization):
    """The objective by enumeration of all rankings."""
    hinges, scores = [], X @ weights
    for g in np.unique(groups):
        p, n = scores[(groups == g) & relevant], scores[(groups == g) & ~relevant]
        if len(p) and len(n) and loss == "zero_one":
            hinges.append(np.mean(np.append(np.maximum(1 - p, 0), np.maximum(1 + n, 0))))
        elif len(p) and len(n):
            hinges.append(enumeration.loss_augmented_inference(p, n, loss).objective - np.mean(p[:, None] - n))
    return regularization / 2 * weights @ weights + np.mean(hinges)


@pytest.mark.parametrize("first", range(0, 24, 12))
def test_rankings_are_bracketed(first):
    for seed in range(first, first + 12):
        rng, loss = np.random.default_rng(seed), ("ap", "ndcg", "auc", "zero_one")[seed % 4]
        X = rng.normal(size=(8, 3)) if seed % 3 else rng.integers(-1, 2, size=(8, 3)).astype(float)
        X *= 10.0 ** rng.integers(-2, 3)
        groups, relevant = np.arange(8) // 4, np.arange(8) % 4 < 1 + seed % 3
        options = {"groups": groups, "loss": loss, "regularization": 10.0 ** rng.uniform(-3, 2)}
        optimum, minimum = ranking_svm.fit_ranking_svm(X, relevant, **options)
        for name, weights in candidates(seed, optimum, np.abs(X).max()):
            got = certify_ranking_weights(X, relevant, weights, tol=1e-6, max_iterations=300, **options)
            P, better = (ranking_objective(X, relevant, w, **options) for w in (weights, got.better))
            assert got.value >= 1 - minimum / P - 1e-9, (seed, name)
            assert got.dual <= minimum + 1e-9 * P and got.at_least <= max(0, 1 - better / P) + 1e-12
            assert got.settled or minimum < 1e-6, (seed, name, got)
            if got.value > 1e-5 and got.settled:
                assert got.value <= TWICE * (1 - minimum / P)


LIES = {
    "ten times the duals": lambda fit: fit._replace(duals=10 * fit.duals),
    "negated duals": lambda fit: fit._replace(duals=-fit.duals),
    "all on one rival": lambda fit: fit._replace(duals=np.eye(fit.duals.shape[1])[[0] * len(fit.duals)] - 1e9),
    "one rival each": lambda fit: fit._replace(duals=fit.duals * (fit.duals == fit.duals.min(axis=1)[:, None])),
    "a gap of 0": lambda fit: fit._replace(gap=0.0, dual=fit.primal, epochs=1, duals=0 * fit.duals),
}


@pytest.mark.parametrize("lie", LIES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_solver_that_lies_makes_the_bound_no_smaller_than_the_truth(lie, kind):
    X, y, options = problem(3, largest_scale=0, m=4)
    options |= {"k": 2, "kind": kind}
    optimum = topk_svm.fit_topk_svm(X, y, **options)[0]
    weights = optimum + 0.1
    got = certify_weights(X, y, weights, solver=lying(LIES[lie]), tol=1e-9, max_epochs=30, **options)
    best = exact_primal(X, y, optimum, **options)
    assert_brackets(got, lambda W: exact_primal(X, y, W, **options), weights, best)


# --- at the size of digits -----------------------------------------------------------------------------------------


def fitted(solver, X, y):
    """Returns (weights, the arguments of certify_weights)."""
    by_class = {"loss": "hinge", "regularization": 1e-4, "y": (y == 8).astype(int)}
    if solver == "LinearSVC":
        model = LinearSVC(multi_class="crammer_singer", fit_intercept=False, random_state=0, max_iter=20_000)
        return model.fit(X, y).coef_.T, {"y": y, "regularization": 1 / len(y)}
    if solver == "SGDClassifier":
        return SGDClassifier(fit_intercept=False, random_state=0).fit(X, y == 8).coef_[0], by_class
    model = LogisticRegression(fit_intercept=False)
    return model.fit(X, y).coef_.T, {"y": y, "regularization": 1 / len(y), "loss": "softmax"}


def minimum(X, y, regularization, loss="topk_hinge"):
    """Returns (lower bound, upper bound) of the minimum, much closer than any of the solvers comes to it."""
    if loss == "softmax":
        finest = LogisticRegression(C=1 / (regularization * len(y)), fit_intercept=False, tol=1e-12, max_iter=10_000)
        finest = certify_weights(X, y, finest.fit(X, y).coef_.T, loss=loss, regularization=regularization, tol=1e-10)
        return finest.dual, finest.primal
    times = 2 if loss == "hinge" else 1
    finest = fast.fit_topk_svm(X, y, regularization=times * regularization, tol=1e-8, max_epochs=100_000)
    return finest.dual, finest.primal


@pytest.mark.parametrize("solver", ["LinearSVC", "SGDClassifier", "LogisticRegression"])
def test_digits_are_within_twice_the_truth(solver):
    X, y = load_digits()
    weights, options = fitted(solver, X, y)
    ascent = {} if solver == "LogisticRegression" else {"solver": fast.fit_topk_svm}
    got = certify_weights(X, weights=weights, tol=1e-10, **ascent, **options)
    low, high = minimum(X, **options)
    assert got.settled and got.at_least <= 1 - low / got.primal, got
    assert 1 - high / got.primal <= got.value <= TWICE * (1 - high / got.primal), got


def test_the_reference_does_the_ascent_if_no_solver_is_given():
    X, y = (part[:300] for part in load_digits())
    weights = 1.2 * fast.fit_topk_svm(X, y, regularization=1 / 30).weights
    slow = certify_weights(X, y, weights, regularization=1 / 30)
    quick = certify_weights(X, y, weights, regularization=1 / 30, solver=fast.fit_topk_svm)
    for got in (slow, quick):
        assert got.settled and not got.ok and not got and got.value <= 1.2 * got.at_least
    assert slow.value == pytest.approx(quick.value, rel=0.2)
    assert f"{slow.value:.2e}" in slow.what and f"{slow.at_least:.2e}" in slow.what


def test_a_fit_to_its_gap_is_ok_and_better_weights_are_at_hand():
    X, y = (part[:300] for part in load_digits())
    fit = fast.fit_topk_svm(X, y, k=2, regularization=1 / 30, tol=1e-4)
    options = {"k": 2, "regularization": 1 / 30, "solver": fast.fit_topk_svm}
    got = certify_weights(X, y, fit.weights, **options)
    assert isinstance(got, WeightsCertificate) and got.ok and got and got.value <= 1e-3 == got.bound
    off = certify_weights(X, y, 1.5 * fit.weights, **options)
    assert not off and off.better_primal < off.primal
    assert certify_weights(X, y, off.better, **options).primal == pytest.approx(off.better_primal)
    far = np.linalg.norm(1.5 * fit.weights - fit.weights)
    assert far <= np.sqrt(2 * off.value * off.primal * 30) + np.sqrt(2 * fit.gap * fit.primal * 30)


# --- parts of the bounds ---------------------------------------------------------------------------------------------


def test_an_ascent_that_is_cut_short_says_so():
    X, y = (part[:300] for part in load_digits())
    fit = fast.fit_topk_svm(X, y, regularization=1 / 3000, tol=1e-5)
    got = certify_weights(X, y, fit.weights, regularization=1 / 3000, tol=1e-9, max_epochs=1)
    assert not got.settled and not got.ok and "may be loose" in got.what and got.epochs == 1
    assert got.value >= 1 - fit.primal / got.primal


@pytest.mark.parametrize("size", [1.0, 1e9, 1e17])
def test_restored_shares_are_in_their_domain(size):
    rng = np.random.default_rng(0)
    for kind in KINDS:
        for b in (rng.normal(size=(50, 4)), rng.integers(-1, 2, size=(50, 4)), np.ones((1, 4))):
            for k in (1, 2, 3, 4):
                shares = _gradient(size * b, k, kind)
                domain = TopKHinge(np.zeros(len(b), int), 5, k, kind)
                assert shares.min() >= 0 and domain.values(shares)[1].max() <= 1e-13
                ahead = np.sort(b, axis=1)[:, -k:].min(axis=1) * size > 2
                assert shares[ahead].sum(axis=1) == pytest.approx(np.ones(ahead.sum()))


@pytest.mark.parametrize(
    ("k", "kind", "shares", "distance"),
    [
        (2, "alpha", [0.8, 0.0], 0.8),
        (2, "alpha", [0.4, 0.4], 0.0),
        (2, "beta", [0.8, 0.0], 0.6),
        (2, "beta", [0.5, 0.0], 0.0),
        (3, "alpha_inclusive", [0.3, 0.0, 0.0], 0.3),
        (3, "alpha_inclusive", [0.25, 0.25, 0.0], 0.0),
        (1, "alpha_inclusive", [0.75, 0.5], 0.25),
    ],
)
def test_shares_outside_of_the_domain_are_charged(k, kind, shares, distance):
    domain = TopKHinge(np.zeros(1, int), len(shares) + 1, k, kind)
    assert domain.values(np.array([shares]))[1][0] == pytest.approx(distance, abs=1e-12)


def test_entropies_are_accurate_for_tiny_shares():
    p = np.array([[0.25, 0.25], [0.0, 0.0], [1e-12, 0.0]])
    expected = [1.5 * np.log(2), 0.0, 1e-12 * (1 - np.log(1e-12))]
    assert Softmax(np.zeros(3, int), 3).values(p)[0] == pytest.approx(expected, rel=1e-9)


def test_a_qs_loss_and_unequal_groups_are_certified():
    rng = np.random.default_rng(0)
    X, groups, relevant = rng.normal(size=(30, 4)), np.arange(30) // 6, np.arange(30) % 3 == 0
    options = {"groups": groups, "regularization": 0.05, "group_weight": 1.0 + groups}
    fit = reference.fit_ranking_svm(X, relevant, tol=1e-9, **options)
    weights = fit.weights + 0.1
    for solver in (reference.fit_ranking_svm, fast.fit_ranking_svm):
        got = certify_ranking_weights(X, relevant, weights, solver=solver, **options)
        assert got.settled and got.value >= 1 - fit.primal / got.primal >= got.at_least - 1e-9
        assert got.value <= TWICE * (1 - fit.dual / got.primal)
