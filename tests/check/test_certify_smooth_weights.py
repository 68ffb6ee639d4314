"""`certify_weights` for the smooth hinges and the top-k entropy: bounds on both sides of the truth, and close to it."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy import sparse

import fast
from reference.check import certify_weights
from reference.check.entropy.bounds import TopKEntropy
from reference.check.proofs.duality import rounding
from reference.check.topk_svm.bounds import SmoothTopKHinge
from reference.ground_truth import entropy_fits, topk_svm
from tests.support.certify_weights import KINDS, candidates, problem

LOSSES = [{"kind": kind, "smoothing": smoothing} for kind in KINDS for smoothing in (0.01, 1.0)]
LOSSES.append({"loss": "topk_entropy"})
CVXPY = 1e-6  # relative: what the ground truth may be off by
UNDERFLOW = 1e-300  # which the bounds do not cover
MOST = 0.8  # of the certificates settle


def minimum(X, y, options, loss):
    if "loss" in loss:
        return entropy_fits.fit_topk_entropy(X, y, **options)
    return topk_svm.fit_topk_svm(X, y, **options, **loss)


def objective(X, y, W, options, loss):
    k, s = options["k"], options["sample_weight"]
    scores = X @ W
    losses = fast.topk_entropy(scores, y, k) if "loss" in loss else fast.topk_hinge(scores, y, k, **loss)
    return options["regularization"] / 2 * np.sum(W**2) + np.mean(s * losses)


@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_the_truth_is_bracketed(loss):
    settled, solver = [], {} if "loss" in loss else {"solver": fast.fit_topk_svm}
    for seed in (0, 3, 6, 9, 12):  # one of each kind of difficulty
        X, y, options = problem(seed, largest_scale=1)
        options["k"] = 1 + seed // 2 % y.max()
        optimum, best = minimum(X, y, options, loss)
        for _, weights in candidates(seed, optimum, np.abs(X).max() or 1.0):
            P = objective(X, y, weights, options, loss)
            truth = 1 - best / P
            got = certify_weights(X, y, weights, **loss, **options, **solver, tol=1e-5, max_epochs=300)
            assert got.primal == pytest.approx(P, rel=1e-9)
            assert got.at_least - CVXPY <= truth <= got.value + CVXPY, f"{got.what}, and the truth is {truth:.2e}"
            assert objective(X, y, got.better, options, loss) <= P * (1 + 1e-12)
            settled.append(got.settled)
            assert not got.settled or got.value <= max(2 * truth + CVXPY, got.bound)
    assert np.mean(settled) >= MOST, np.mean(settled)


def exact_smooth_loss(margins, smoothing):
    """The smooth hinge of k = 1 as a Fraction: the projection onto the simplex, by sorting."""
    b, gamma = sorted((Fraction(float(v)) for v in margins), reverse=True), Fraction(smoothing)
    t = max(max((sum(b[:r]) - gamma) / r for r in range(1, len(b) + 1)), Fraction(0))
    u = [max(v - t, Fraction(0)) / gamma for v in b]
    return sum(v * w - gamma / 2 * w * w for v, w in zip(b, u, strict=True))


def precise_entropy(h, k):
    """The top-k entropy as an mpf: the first of the decompositions that is right."""
    z = sorted((mpmath.mpf(float(v)) for v in h), reverse=True)
    for g in range(k):
        rest = mpmath.log(mpmath.fsum(mpmath.exp(v) for v in z[g:]))
        if z[g] <= rest - mpmath.log(k - g) or g == k - 1:
            share = 1 - mpmath.mpf(g) / k
            value = mpmath.fsum(z[:g]) / k + (1 - share) * mpmath.log(k) + share * (rest - mpmath.log(share))
            return mpmath.log1p(mpmath.exp(value))


@pytest.mark.parametrize("scale", [1e-9, 1.0, 30.0, 1e6])
def test_the_bounds_of_the_losses_include_their_rounding(scale):
    random = np.random.default_rng(0)
    d = scale * random.standard_normal((40, 5)) - random.integers(0, 2, (40, 1))
    y, share = np.zeros(40, int), 1 + rounding(40)
    for smoothing in (1e-3, 0.25, 8.0):
        low, high = SmoothTopKHinge(y, 6, 1, "alpha", smoothing).between(d, d)
        for i in range(len(d)):
            # 1 + d is rounded: `Objective.primal` moves d by more than that
            exact = exact_smooth_loss(1 + d[i], smoothing)
            assert Fraction(low[i] / share) <= exact <= Fraction(high[i] * share)
            assert high[i] - low[i] <= 1e-13 * (1 + scale) * (1 + scale / smoothing)
    for k in (1, 2, 5):
        losses = TopKEntropy(y, 6, k)
        off = rounding(10) * (1 + np.abs(d).max(axis=1, keepdims=True))
        low, high = losses.between(d - off, d + off)
        with mpmath.workdps(60):
            for i in range(len(d)):
                assert mpmath.mpf(low[i]) / share <= precise_entropy(d[i], k) <= mpmath.mpf(high[i]) * share + UNDERFLOW


def test_shares_outside_of_the_domain_lower_the_bound():
    """A share that is moved into the domain changes the entropy, and |p|^2."""
    inside, outside = np.array([[0.3, 0.3, 0.2]]), np.array([[0.5, 0.2, 0.1]])
    y = np.zeros(1, int)
    for loss in (TopKEntropy(y, 4, 2), SmoothTopKHinge(y, 4, 2, "alpha", 0.5)):
        (value, none), (lower, apart) = loss.values(inside), loss.values(outside)
        assert none[0] <= 1e-14 and apart[0] == pytest.approx(2 * (0.5 - 0.4)), apart
        moved = loss.values(np.array([[0.4, 0.25, 0.15]]))[0]
        assert lower[0] <= moved[0] and value[0] > 0


def test_a_fit_is_certified_and_the_gap_is_that_of_its_duals():
    random = np.random.default_rng(1)
    y = random.permutation(60) % 4
    X = random.standard_normal((60, 3)) + np.eye(4, 3)[y]
    hinge, entropy = {"k": 2, "smoothing": 0.1, "regularization": 0.01}, {"k": 2, "regularization": 0.01}
    W = fast.fit_topk_svm(X, y, **hinge, tol=1e-7).weights
    V = fast.fit_topk_entropy(X, y, **entropy, tol=1e-7).weights
    for data in (X, sparse.csr_matrix(X)):
        assert certify_weights(data, y, W, **hinge, tol=1e-6, solver=fast.fit_topk_svm)
        assert certify_weights(data, y, V, loss="topk_entropy", **entropy, tol=1e-6)
        assert not certify_weights(data, y, W, k=2, regularization=0.01, tol=1e-6, solver=fast.fit_topk_svm)
    one = certify_weights(X, y, V, loss="topk_entropy", regularization=0.01)
    other = certify_weights(X, y, V, loss="softmax", regularization=0.01)
    assert one.primal == pytest.approx(other.primal, rel=1e-12) and one.at_least <= other.value
