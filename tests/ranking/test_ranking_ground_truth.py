"""Rankings: ground truth, certificates and the reference, and which losses are QS-suitable."""

from fractions import Fraction
from itertools import combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import ranking
from reference.check.certificates import ranking as certificates
from reference.check.judges import ranking as judge_ranking
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

KINDS = {
    "normal": lambda rng, size: rng.normal(size=size),
    "far": lambda rng, size: 10 * rng.normal(size=size),
    "close": lambda rng, size: 0.1 * rng.normal(size=size),
    "quarters": lambda rng, size: rng.integers(-3, 4, size=size) / 4,
    "equal": lambda rng, size: np.full(size, 0.3),
    "huge": lambda rng, size: 1e9 * rng.normal(size=size),
    "tiny": lambda rng, size: 1e-9 * rng.normal(size=size),
    "offset": lambda rng, size: 1e9 + rng.normal(size=size),
    "outlier": lambda rng, size: rng.normal(size=size) + 1e9 * (rng.random(size) < 0.3),
    "float32": lambda rng, size: rng.normal(size=size).astype(np.float32),
    "integers": lambda rng, size: rng.integers(-3, 4, size=size),
}
SEEDS, SIZES = st.integers(0, 10_000), st.integers(1, 5)


def scores(seed, kind, P, N):
    rng = np.random.default_rng(seed)
    return KINDS[kind](rng, P), KINDS[kind](rng, N)


def distance(p, n):
    return 1 + np.abs(np.subtract.outer(p.astype(float), n)).max()


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


# --- ground truth passes its certificate, and is right by hand -----------------------------------------------------


@given(SEEDS, st.sampled_from(sorted(KINDS)), SIZES, SIZES)
@settings(max_examples=60)
def test_ground_truth_passes_its_certificate(seed, kind, P, N):
    p, n = scores(seed, kind, P, N)
    for loss in LOSSES:
        got = ground_truth.loss_augmented_inference(p, n, loss)
        assert got.interleaving.dtype == np.int64
        assert certificates.loss_augmented_inference(got.interleaving, p, n, loss) <= ROUNDINGS, named(loss)
    ranks = ground_truth.interleaving_ranks(p, n)
    assert certificates.interleaving_ranks(ranks, p, n) == 0


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


# --- reference = ground truth --------------------------------------------------------------------------------------


@given(SEEDS, st.sampled_from(sorted(KINDS)), SIZES, SIZES)
@settings(max_examples=100)
def test_inference_of_the_reference_is_that_of_the_ground_truth(seed, kind, P, N):
    p, n = scores(seed, kind, P, N)
    for loss in LOSSES:
        expected = ground_truth.loss_augmented_inference(p, n, loss)
        for method in METHODS:
            got = ranking.loss_augmented_inference(p, n, loss, method=method)
            assert abs(got.objective - expected.objective) <= ROUNDINGS * distance(p, n), (named(loss), method)
            assert certificates.loss_augmented_inference(got.interleaving, p, n, loss) <= ROUNDINGS, named(loss)
            if kind in ("normal", "far", "equal", "tiny", "float32"):
                assert got.interleaving.tolist() == expected.interleaving.tolist(), (named(loss), method)
                assert abs(got.loss - expected.loss) <= ROUNDINGS, (named(loss), method)


@pytest.mark.parametrize(("P", "N"), [(1, 1), (1, 2), (2, 1), (2, 2), (1, 4), (4, 1), (2, 4), (4, 2), (4, 4)])
def test_exact_ties_go_to_the_highest_rank(P, N):
    tied = 0
    for seed in range(25):
        p, n = scores(seed, "quarters", P, N)
        expected = ground_truth.loss_augmented_inference(p, n, "auc").interleaving
        for method in METHODS:
            got = ranking.loss_augmented_inference(p, n, "auc", method=method)
            assert got.interleaving.tolist() == expected.tolist(), (seed, method)
        for j in np.flatnonzero(expected > 1):
            lower = expected - (np.arange(N) == j)
            if deficit(lower, p, n, ranking.LOSSES["auc"]) == 0:
                tied += 1
                assert certificates.loss_augmented_inference(lower, p, n, "auc") <= ROUNDINGS
                conventions = certificates.out_of_order(lower, p, n), certificates.lower_of_several(lower, p, n, "auc")
                assert any(conventions), (seed, j)
        assert not certificates.out_of_order(expected, p, n)
        assert not certificates.lower_of_several(expected, p, n, "auc")
    assert tied > 0 or P * N == 1


def test_a_tie_in_doubt_is_decided_by_nobody():
    p, n = np.array([0.8, 0.8, 0.8]), np.array([0.3])  # 1/3 (1 - 2 (0.8 - 0.3)), and 0.8 is rounded
    for rank in (1, 4):
        assert certificates.loss_augmented_inference(np.array([rank]), p, n, "auc") <= ROUNDINGS
        assert certificates.lower_of_several(np.array([rank]), p, n, "auc") == 0
    tie = np.array([0.5]), np.array([0.0])
    for rank, lower in ((1, 1), (2, 0)):
        assert certificates.loss_augmented_inference(np.array([rank]), *tie, "auc") == 0
        assert certificates.lower_of_several(np.array([rank]), *tie, "auc") == lower


@given(SEEDS, st.integers(1, 12), st.integers(1, 12))
@settings(max_examples=60)
def test_losses_of_the_reference_are_those_of_the_ground_truth(seed, P, N):
    ranks = np.random.default_rng(seed).integers(1, P + 2, size=N)
    for name in ("ap_loss", "ndcg_loss"):
        expected, got = getattr(ground_truth, name)(ranks, P), getattr(ranking, name)(ranks, P)
        assert got == pytest.approx(expected, abs=ROUNDINGS), name
        assert ground_truth.rank_loss(ranks, P, name[:-5]) == pytest.approx(expected, abs=ROUNDINGS), name
    for loss in LOSSES:
        expected, got = ground_truth.rank_loss(ranks, P, loss), ranking.rank_loss(ranks, P, loss)
        assert got == pytest.approx(expected, abs=ROUNDINGS), named(loss)
    for name in NAMES:
        assert judge_ranking.walked(ranks, P, name) == pytest.approx(ranking.rank_loss(ranks, P, name), abs=ROUNDINGS)


@given(SEEDS, st.sampled_from(sorted(KINDS)), SIZES, SIZES)
@settings(max_examples=60)
def test_ranks_and_gradients_of_the_reference_are_those_of_the_ground_truth(seed, kind, P, N):
    p, n = scores(seed, kind, P, N)
    expected, got = ground_truth.interleaving_ranks(p, n), ranking.interleaving_ranks(p, n)
    assert got.dtype == expected.dtype and got.tolist() == expected.tolist()
    ranks = np.random.default_rng(seed).integers(1, P + 2, size=N)
    expected, got = ground_truth.semigradient(p, n, ranks), ranking.semigradient(p, n, ranks)
    for by_expected, by_got, size in zip(expected, got, (P, N), strict=True):
        assert by_got.dtype == by_expected.dtype
        assert np.abs(by_got - by_expected).max() <= 4 * np.finfo(by_got.dtype).eps / size
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(judge_ranking, "LARGEST_EXACT", 0)
        counted = judge_ranking.true_gradient({"positive_scores": p, "negative_scores": n, "interleaving": ranks})
    for by_expected, by_counted in zip(expected, counted, strict=True):
        assert np.abs(by_counted - by_expected).max() <= 4 * np.finfo(by_counted.dtype).eps


@given(SEEDS, st.sampled_from(sorted(KINDS)), SIZES, SIZES)
@settings(max_examples=40)
def test_score_of_a_ranking_is_recomputed_as_defined(seed, kind, P, N):
    p, n = (values.astype(float) for values in scores(seed, kind, P, N))
    ranks = np.random.default_rng(seed).integers(1, P + 2, size=N)
    high = sorted(map(Fraction, p.tolist()), reverse=True)
    expected = float(ground_truth._score(ground_truth._before(ranks, P), high, list(map(Fraction, n.tolist()))))
    assert abs(judge_ranking.score(p, n, ranks) - expected) <= ROUNDINGS * distance(p, n)


# --- certificates reject what is wrong -----------------------------------------------------------------------------


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


@pytest.mark.parametrize("loss", LOSSES, ids=named)
@pytest.mark.parametrize(("P", "N"), [(5, 8), (100, 3000)])
def test_certificate_rejects(P, N, loss):
    rng = np.random.default_rng(11)
    p, n = rng.normal(size=P) + 0.5, rng.normal(size=N)
    right = ranking.loss_augmented_inference(p, n, loss).interleaving

    def certificate(ranks):
        return certificates.loss_augmented_inference(ranks, p, n, loss)

    assert certificate(right) <= ROUNDINGS
    order = np.argsort(-n)
    ends = np.flatnonzero(np.diff(right[order]))
    for j in rng.choice(ends, size=min(len(ends), 20), replace=False):
        for index, step in ((order[j], 1), (order[j + 1], -1)):  # the last of a run joins the next one, or vice versa
            assert certificate(right + step * (np.arange(N) == index)) > 1e-9
    middle = order[(ends[0] + ends[1]) // 2] if ends[1] > ends[0] + 2 else None
    if middle is not None:
        moved = right + (np.arange(N) == middle)
        assert certificate(moved) > 0 and certificates.out_of_order(moved, p, n) == 1
    assert certificate(np.minimum(right + 1, P + 1)) > 1e-9
    assert certificate(np.maximum(right - 1, 1)) > 1e-9
    assert certificate(P + 2 - right) > 1e-9
    assert certificate(np.ones(N, np.int64)) > 1e-9
    assert certificate(np.full(N, P + 1)) > 1e-9
    if loss is not TRUNCATED:  # which leaves nearly all negatives where their scores put them
        assert certificate(ranking.interleaving_ranks(p, n)) > 1e-9
    for wrong in (np.sort(right), right[::-1]):
        assert 1e-9 < certificate(wrong) < np.inf and certificates.out_of_order(wrong, p, n) > 0
    for wrong in (right - 1 - P, right + P, right[1:], right[None], right.astype(float)):
        assert certificate(wrong) == certificates.out_of_order(wrong, p, n) == np.inf
        assert certificates.lower_of_several(wrong, p, n, loss) == np.inf
    assert certificate(None) == np.inf


def test_certificate_knows_one_loss_from_another():
    p, n = np.random.default_rng(2).normal(size=(2, 40))
    ranks = {loss: ranking.loss_augmented_inference(p, n, loss).interleaving for loss in NAMES}
    for asked in NAMES:
        for given_loss in NAMES:
            got = certificates.loss_augmented_inference(ranks[given_loss], p, n, asked)
            assert (got <= ROUNDINGS) == (asked == given_loss), (asked, given_loss)


def test_equal_negatives_have_ranks_in_their_order():
    p, n = np.array([1.0, 0.9, -1.0]), np.array([0.8, 0.8, 0.8, 0.8])
    right = ground_truth.loss_augmented_inference(p, n).interleaving
    assert right.tolist() == sorted(right) and len(set(right.tolist())) > 1
    for ranks, falls in ((right, 0), (right[::-1], len(set(right.tolist())) - 1)):
        assert certificates.loss_augmented_inference(ranks, p, n) <= ROUNDINGS
        assert certificates.out_of_order(ranks, p, n) == falls


def test_derivatives_of_the_certificate_keep_their_digits():
    j, i, P = 10**6, np.array([1, 7, 1000]), 1000
    ap, ndcg = (certificates.derivative_of(loss, P, j) for loss in ("ap", "ndcg"))
    expected = [float((Fraction(int(k), int(k) + j - 1) - Fraction(int(k), int(k) + j)) / P) for k in i]
    assert np.allclose(ap(j, i), expected, rtol=4e-16, atol=0)
    exact = -1 / np.log(i + j) ** 2 / (i + j) * np.log(2)  # the slope of D, where a difference has six digits left
    gain = (1 / np.log2(1 + np.arange(1, P + 1))).sum()
    assert np.allclose(ndcg(j, i) * gain, -exact, rtol=1e-5, atol=0)
    assert np.allclose(ndcg(3, i), ranking.NDCG.derivative(3, i) / gain, rtol=1e-14, atol=0)


def test_ranks_that_are_wrong_anywhere():
    p, n = np.array([1.0, 0.5, 0.5, -1.0]), np.array([0.5, 0.7, -3.0, 1.0, 4.0])
    right = ranking.interleaving_ranks(p, n)
    assert right.tolist() == [2, 2, 5, 1, 1]
    assert certificates.interleaving_ranks(right, p, n) == 0
    for j in range(5):
        for rank in set(range(1, 6)) - {int(right[j])}:
            assert certificates.interleaving_ranks(np.where(np.arange(5) == j, rank, right), p, n) == 0.2
    for wrong in (right.astype(float), right[1:], right - 1, right + 1):
        assert certificates.interleaving_ranks(wrong, p, n) == np.inf


# --- which losses are QS-suitable ----------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", [*ranking.LOSSES.values(), TRUNCATED, *ground_truth.LOSSES.values()], ids=named)
@pytest.mark.parametrize("grid", [(8, 8), (1, 1), (1, 30), (30, 1), (40, 40)])
def test_suitable_losses_have_no_violations(loss, grid):
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


def test_truncated_discount_is_a_loss_like_any_other():
    ranks = [np.array(r) for r in combinations_with_replacement(range(1, 5), 3)]
    lost = [ranking.rank_loss(r, 3, TRUNCATED) for r in ranks]
    assert lost[-1] == 0 and max(lost) == lost[0] <= 1
    p, n = np.random.default_rng(3).normal(size=(2, 300))
    for method in METHODS:
        got = ranking.loss_augmented_inference(p, n, TRUNCATED, method=method)
        assert certificates.loss_augmented_inference(got.interleaving, p, n, TRUNCATED) <= ROUNDINGS


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


@pytest.mark.parametrize("loss", ["map", "AP", None, 1, ["ap"], QSLoss, lambda j, i: 1.0])
def test_what_is_no_loss_is_refused(loss):
    for module in (ranking, ground_truth):
        with pytest.raises(ValueError, match="loss must be one of 'ap', 'ndcg', 'auc', or a QSLoss"):
            module.rank_loss([1], 1, loss)
        with pytest.raises(ValueError, match="loss must be one of"):
            module.loss_augmented_inference(np.ones(1), np.ones(1), loss)
