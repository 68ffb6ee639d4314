"""Rankings: the ground truth by hand, what certificates reject, and which losses are QS-suitable."""

from fractions import Fraction

import numpy as np
import pytest

import fast.ranking
from reference import ranking
from reference.check.ranking import bounds as certificates
from reference.ground_truth import ranking as ground_truth
from reference.problems.checks import QSLoss

NAMES, METHODS = ("ap", "ndcg", "auc"), ("quicksort", "greedy")
ROUNDINGS = 1e-14  # of the loss, or of the largest difference of scores
CUT = 12


def truncated(i):
    """A discount that is convex and 0 from a place on."""
    return np.maximum(1 / np.log2(1.0 + i) - 1 / np.log2(1.0 + CUT), 0.0)


def of_chakrabarti(i):
    """D(1) = D(2) = 1: not convex."""
    return 1 / np.log2(np.maximum(i, 2.0))


def gain_loss(name, discount, value=None):
    """The loss of a discounted cumulative gain."""
    return QSLoss(
        name,
        lambda j, i: discount(i + j - 1) - discount(i + j),
        lambda P, N: discount(np.arange(1, P + 1)).sum(),
        value,
    )


TRUNCATED, CHAKRABARTI = gain_loss("truncated", truncated), gain_loss("Chakrabarti", of_chakrabarti)
LOSSES = (*NAMES, TRUNCATED)


def named(loss):
    return loss if isinstance(loss, str) else loss.name


def deficit(ranks, p, n, loss):
    """The most that a negative can gain by any other rank, from the written-out f_j, relative."""
    p, P, N, worst = np.sort(p)[::-1], len(p), len(n), 0.0
    for j, index in enumerate(np.argsort(-n, kind="stable"), start=1):
        f = [0.0]
        for i in range(P, 0, -1):
            g = float(loss.derivative(j, i)) / float(loss.total(P, N))
            f.append(f[-1] + N * g - 2 * (p[i - 1] - n[index]) / P)
        f = f[::-1]
        worst = max(worst, (max(f) - f[ranks[index] - 1]) / (1 + np.abs(p - n[index]).max()))
    return worst


# --- the ground truth by hand --------------------------------------------------------------------------------------


def test_example_of_the_paper():
    # The order (7) of section 2.2 is lost in print; this one has four of each, and is counted by hand.
    ranks = np.array([1, 2, 4, 5])  # - + - + + - + -
    assert ground_truth._ranking(ranks, 4) == list("-+-++-+-")
    expected = 1 - (1 / 2 + 2 / 4 + 3 / 5 + 4 / 7) / 4
    assert ground_truth.ap_loss(ranks, 4) == pytest.approx(expected, abs=1e-15)
    assert ranking.ap_loss(ranks, 4) == pytest.approx(expected, abs=1e-15)
    gain, best = (sum(1 / np.log2(1 + place) for place in places) for places in ((2, 4, 5, 7), (1, 2, 3, 4)))
    assert ground_truth.ndcg_loss(ranks, 4) == pytest.approx(1 - gain / best, abs=1e-15)
    assert ground_truth.rank_loss(ranks, 4, "auc") == (4 + 3 + 1) / 16


def test_ground_truth_refuses_what_it_cannot_try():
    with pytest.raises(ValueError, match="at most"):
        ground_truth.loss_augmented_inference(np.arange(20.0), np.arange(20.0))
    with pytest.raises(ValueError, match="method"):
        ground_truth.loss_augmented_inference(np.ones(1), np.ones(1), method="bubblesort")


def test_ties_are_exact_at_any_scale():
    for scale in (2.0**-300, 1.0, 2.0**300):
        p, n = scale * np.array([0.5, 0.5]), scale * np.array([0.5, 0.5, 0.5])
        got = ground_truth.loss_augmented_inference(p, n, "auc")  # F is 0 whatever the ranking, the loss is not
        assert got.interleaving.tolist() == [1, 1, 1] and got.objective == got.loss == 1
    third = np.array([1 / 3 + 0.5]), np.array([1 / 3])
    apart = Fraction(third[0][0]) - Fraction(third[1][0]) - Fraction(1, 2)
    expected = 1 if apart < 0 else 2
    assert ground_truth.loss_augmented_inference(*third, "auc").interleaving.tolist() == [expected]


# --- certificates reject what is wrong -----------------------------------------------------------------------------


@pytest.mark.parametrize(("P", "N"), [(1, 2), (2, 1), (2, 4), (4, 2), (4, 4)])
def test_a_lower_rank_of_an_exact_tie_breaks_a_convention(P, N):
    rng, tied = np.random.default_rng(P * N), 0
    for trial in range(25):
        p, n = rng.integers(-3, 4, size=P) / 4, rng.integers(-3, 4, size=N) / 4
        expected = ground_truth.loss_augmented_inference(p, n, "auc").interleaving
        for method in METHODS:
            got = ranking.loss_augmented_inference(p, n, "auc", method=method)
            assert got.interleaving.tolist() == expected.tolist(), (trial, method)
        for j in np.flatnonzero(expected > 1):
            lower = expected - (np.arange(N) == j)
            if deficit(lower, p, n, ranking.LOSSES["auc"]) == 0:
                tied += 1
                assert certificates.loss_augmented_inference(lower, p, n, "auc") <= ROUNDINGS
                conventions = certificates.out_of_order(lower, p, n), certificates.lower_of_several(lower, p, n, "auc")
                assert any(conventions), (trial, j)
        assert not certificates.out_of_order(expected, p, n)
        assert not certificates.lower_of_several(expected, p, n, "auc")
    assert tied > 0


def test_a_tie_in_doubt_is_decided_by_nobody():
    p, n = np.array([0.8, 0.8, 0.8]), np.array([0.3])  # 1/3 (1 - 2 (0.8 - 0.3)), and 0.8 is rounded
    for rank in (1, 4):
        assert certificates.loss_augmented_inference(np.array([rank]), p, n, "auc") <= ROUNDINGS
        assert certificates.lower_of_several(np.array([rank]), p, n, "auc") == 0
    tie = np.array([0.5]), np.array([0.0])
    for rank, lower in ((1, 1), (2, 0)):
        assert certificates.loss_augmented_inference(np.array([rank]), *tie, "auc") == 0
        assert certificates.lower_of_several(np.array([rank]), *tie, "auc") == lower


@pytest.mark.parametrize("loss", LOSSES, ids=named)
def test_certificate_is_that_of_every_negative_on_its_own(loss):
    rng, found = np.random.default_rng(7), ranking.LOSSES.get(loss, loss) if isinstance(loss, str) else loss
    for _ in range(25):
        P, N = rng.integers(1, 9, size=2)
        p, n = rng.normal(size=P), rng.normal(size=N)
        right = ranking.loss_augmented_inference(p, n, loss).interleaving
        order = np.argsort(-n)
        ranks = right.copy()
        ranks[order] = np.maximum.accumulate(np.clip(right[order] + rng.integers(-1, 2, size=N), 1, P + 1))
        got = certificates.loss_augmented_inference(ranks, p, n, loss)
        expected = deficit(ranks, p, n, found)
        assert got <= expected + ROUNDINGS
        assert (got > ROUNDINGS) == (expected > ROUNDINGS), (p, n, ranks)


def test_ranks_in_another_order_and_what_is_no_ranks_are_rejected():
    rng, P = np.random.default_rng(11), 100
    p, n = rng.normal(size=P) + 0.5, rng.normal(size=300)
    right = ranking.loss_augmented_inference(p, n, "ap").interleaving
    for wrong in (np.sort(right), right[::-1]):
        assert 1e-9 < certificates.loss_augmented_inference(wrong, p, n, "ap") < np.inf
        assert certificates.out_of_order(wrong, p, n) > 0
    for wrong in (right - 1 - P, right + P, right[1:], right[None], right.astype(float), None):
        assert certificates.loss_augmented_inference(wrong, p, n, "ap") == np.inf
        assert certificates.out_of_order(wrong, p, n) == certificates.lower_of_several(wrong, p, n, "ap") == np.inf
        assert certificates.interleaving_ranks(wrong, p, n) == np.inf
    tied, others = np.array([1.0, 0.5, 0.5, -1.0]), np.array([0.5, 0.7, -3.0])
    for j, rank in ((0, 3), (0, 4), (1, 1), (1, 3), (2, 4)):  # and right are 2, 2 and 5
        ranks = np.where(np.arange(3) == j, rank, ranking.interleaving_ranks(tied, others))
        assert certificates.interleaving_ranks(ranks, tied, others) == 1 / 3


def test_derivatives_of_the_certificate_keep_their_digits():
    j, i, P = 10**6, np.array([1, 7, 1000]), 1000
    ap, ndcg = (certificates.derivative_of(loss, P, j) for loss in ("ap", "ndcg"))
    expected = [float((Fraction(int(k), int(k) + j - 1) - Fraction(int(k), int(k) + j)) / P) for k in i]
    assert np.allclose(ap(j, i), expected, rtol=4e-16, atol=0)
    exact = -1 / np.log(i + j) ** 2 / (i + j) * np.log(2)  # the slope of D, where a difference has six digits left
    gain = (1 / np.log2(1 + np.arange(1, P + 1))).sum()
    assert np.allclose(ndcg(j, i) * gain, -exact, rtol=1e-5, atol=0)
    assert np.allclose(ndcg(3, i), ranking.NDCG.derivative(3, i) / gain, rtol=1e-14, atol=0)


# --- which losses are QS-suitable ----------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", [*ranking.LOSSES.values(), *fast.ranking.LOSSES.values(), TRUNCATED], ids=named)
def test_suitable_losses_have_no_violations(loss):
    for grid in ((8, 8), (1, 1), (1, 30), (30, 1), (40, 40)):
        assert loss.violations(*grid) == []


def test_discount_of_chakrabarti_is_not_suitable():
    [(condition, j, i, explanation)] = CHAKRABARTI.violations()
    assert (condition, j, i) == ("C2", 1, 1)
    assert "grows from 0 " in explanation
    # The appendix: n_1 just below the positive has nothing to gain, n_2 just below n_1 has.
    p, n = np.array([2.0]), np.array([1.9, 1.8])
    greedy = ranking.loss_augmented_inference(p, n, CHAKRABARTI, method="greedy")
    assert greedy.interleaving.tolist() == [2, 1]
    best = ground_truth.loss_augmented_inference(p, n, CHAKRABARTI)
    assert best.interleaving.tolist() == [1, 1]
    quicksort = ranking.loss_augmented_inference(p, n, CHAKRABARTI)
    assert quicksort.objective < best.objective - 0.05
    assert ranking.loss_augmented_inference(p, n, "ndcg", method="greedy").interleaving.tolist() == [1, 2]


def test_a_derivative_that_takes_longer_later_on():
    def harmonic(j, i):
        total = 0.0
        for k in range(j, j + i):
            total += 1 / k
        return 1.0 + 0.0 * total

    for slow in (harmonic, lambda j, i: sum(1.0 for _ in range(i + j)) / (i + j)):
        conditions = [violation[0] for violation in QSLoss("slow", slow, lambda P, N: P * N).violations()]
        assert conditions == ["C3"]


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, np.ones(2), np.ones((1, 1))])
def test_a_derivative_that_is_no_finite_number(value):
    [(condition, j, i, explanation)] = QSLoss("none", lambda j, i: value, lambda P, N: P * N).violations()
    assert (condition, j, i) == ("C3", 1, 1)
    assert "derivative is" in explanation


def test_a_loss_that_is_no_sum_over_the_negatives():
    AP = ranking.LOSSES["ap"]
    squared = AP._replace(value=lambda ranks, P: ranking.ap_loss(ranks, P) ** 2)
    [(condition, *_, explanation)] = squared.violations()
    assert condition == "C1" and "interleaving" in explanation
    wrong_total = AP._replace(total=lambda P, N: P * N)
    assert [violation[0] for violation in wrong_total.violations()] == ["C1"]
    swapped = AP._replace(derivative=ranking.LOSSES["ndcg"].derivative)
    assert [violation[0] for violation in swapped.violations()] == ["C1"]


def test_a_loss_may_break_two_conditions():
    rising = QSLoss("rising", lambda j, i: 1.0 * j, lambda P, N: P * N * N, lambda ranks, P: 1.0)
    violations = rising.violations()
    assert [violation[0] for violation in violations] == ["C1", "C2"]
    assert violations[1][1:3] == (1, 1)


def test_a_derivative_may_be_one_number():
    auc = QSLoss("pairs", lambda j, i: 1.0, lambda P, N: P * N)
    p, n = np.array([1.0, 0.0, 2.0]), np.array([0.5, 3.0])
    expected = ground_truth.loss_augmented_inference(p, n, "auc")
    got = ground_truth.loss_augmented_inference(p, n, auc)
    assert got.interleaving.tolist() == expected.interleaving.tolist() == [3, 1]
    assert got.loss == pytest.approx(expected.loss, abs=ROUNDINGS)
    assert certificates.loss_augmented_inference(got.interleaving, p, n, auc) == 0
    assert certificates.loss_augmented_inference(np.array([1, 1]), p, n, auc) > 0.1
    assert ranking.rank_loss([1, 4], 3, auc) == pytest.approx(0.5)
    assert ranking.loss_augmented_inference(p, n, auc).interleaving.tolist() == [3, 1]
