"""Inference where the examiner does not look: losses of one's own, exact ties, arguments of any form, private sorts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fast.ranking
import reference.ranking
from fast._shared import order as sorting
from reference.check import certify
from reference.ground_truth import ranking as ground_truth
from reference.problems.checks import QSLoss
from tests.support.twins import BOTH, TWINS

LOSSES, METHODS = ("ap", "ndcg", "auc"), ("quicksort", "greedy")
ROUNDING = 1e-14

STYLES = {
    "plain": lambda rng, p, n: (p, n),
    "shifted": lambda rng, p, n: (p + rng.integers(1, 4), n),
    "ties": lambda rng, p, n: (np.round(2 * p) / 2, np.round(2 * n) / 2),
    "all equal": lambda rng, p, n: (0 * p + n[0], 0 * n + n[0]),
    "perfect": lambda rng, p, n: (p + 20, n),
    "worst": lambda rng, p, n: (p - 20, n),
    "close": lambda rng, p, n: (0.01 * p + 0.2, 0.01 * n),  # steps of the size of their costs: many nearly tie
    "large": lambda rng, p, n: (1e9 * p, 1e9 * n),
    "tiny": lambda rng, p, n: (1e-9 * p, 1e-9 * n),
    "subnormal": lambda rng, p, n: (1e-310 * p, 1e-310 * n),
    "far off": lambda rng, p, n: (p + 1e9, n + 1e9),
    "outlier": lambda rng, p, n: (p, np.where(np.arange(len(n)) == rng.integers(len(n)), 1e9, n)),
    "magnitudes": lambda rng, p, n: (np.exp(10 * p), np.exp(10 * n)),
    "both tails": lambda rng, p, n: tuple(rng.choice([-1, 1], a.shape) * np.exp(8 * a) for a in (p, n)),
    "crowded": lambda rng, p, n: tuple(np.where(rng.random(a.shape) < 0.9, 1e-6, 1.0) * a for a in (p, n)),
    "mostly zero": lambda rng, p, n: (p, np.where(rng.random(len(n)) < 0.9, 0.0, n)),
    "sorted": lambda rng, p, n: (np.sort(p), np.sort(n)),
    "reversed": lambda rng, p, n: (np.sort(p)[::-1], np.sort(n)[::-1]),
}


def scores(seed, P, N, style="plain"):
    """Scores of positives and negatives."""
    rng = np.random.default_rng(seed)
    return STYLES[style](rng, rng.standard_normal(P), rng.standard_normal(N))


def in_order(values):
    """The indices that sort in descending order; of equal values the first is the highest."""
    return np.argsort(-values.astype(np.float64), kind="stable")


def truncated(last):
    """NDCG with a discount that falls to 0 just after place `last`, and stays convex: only the top counts."""
    end = 1 / np.log2(2 + last)

    def derivative(j, i):
        return np.maximum(1 / np.log2(i + j) - end, 0.0) - np.maximum(1 / np.log2(1 + i + j) - end, 0.0)

    def total(P, N):
        return np.maximum(1 / np.log2(1 + np.arange(1, P + 1)) - end, 0.0).sum()

    return QSLoss(f"ndcg@{last}", derivative, total)


TOP, FEW = truncated(10), truncated(4)


# --- losses of one's own -------------------------------------------------------------------------------------------


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1), st.sampled_from(sorted(STYLES)), st.integers(1, 5), st.integers(1, 5))
def test_a_loss_of_ones_own_is_maximised(seed, style, P, N):
    p, n = scores(seed, P, N, style)
    expected = ground_truth.loss_augmented_inference(p, n, FEW)
    assert certify("loss_augmented_inference", expected, p, n, FEW).ok
    allowed = ROUNDING * (1 + np.abs(np.subtract.outer(p, n)).max())
    for module in TWINS:
        for method in METHODS:
            got = module.loss_augmented_inference(p, n, FEW, method=method)
            assert abs(got.objective - expected.objective) <= allowed, f"expected {expected}, got {got}"
            lost = ground_truth.rank_loss(got.interleaving, P, FEW)
            assert abs(got.loss - lost) <= ROUNDING, f"expected {lost}, got {got.loss}"
            assert abs(module.rank_loss(got.interleaving, P, FEW) - lost) <= ROUNDING


@BOTH
@pytest.mark.parametrize("style", STYLES)
def test_inference_for_a_loss_of_ones_own_is_certified(module, style):
    p, n = scores(0, 15, 150, style)
    for loss in (TOP, reference.ranking.LOSSES["ap"], reference.ranking.LOSSES["auc"]):
        for method in METHODS:
            got = module.loss_augmented_inference(p, n, loss, method=method)
            certificate = certify("loss_augmented_inference", got, p, n, loss)
            assert certificate.ok, certificate
    p, n = p.astype(np.float32), n.astype(np.float32)
    got = module.loss_augmented_inference(p, n, TOP)
    assert certify("loss_augmented_inference", got, p, n, TOP).ok


@pytest.mark.parametrize("loss", LOSSES)
def test_a_loss_of_ones_own_may_have_a_known_name(loss):
    """It is taken by its derivative, which is not that of the loss that has the name."""
    other = truncated(5)._replace(name=loss)
    p, n = scores(1, 20, 100)
    expected = reference.ranking.loss_augmented_inference(p, n, other)
    got = fast.ranking.loss_augmented_inference(p, n, other)
    assert (got.interleaving == expected.interleaving).all()
    assert abs(got.loss - expected.loss) <= 1e-14
    assert abs(got.loss - fast.ranking.rank_loss(got.interleaving, 20, loss)) > 1e-3
    assert fast.ranking.LOSSES[loss].violations() == []


# --- ties, forms, and the kernels of fast --------------------------------------------------------------------------


@BOTH
def test_a_tie_leaves_the_positive_on_top(module):
    """Of P = N = 1 the AP loss is 1/2 if the negative is first, and 2 (p - n) is what that costs."""
    for offset in (0.0, 1.0, -3.0):
        for method in ("quicksort", "greedy"):
            got = module.loss_augmented_inference([offset + 0.25], [offset], "ap", method=method)
            assert got == ([2], 0.25, 0.0)
            above = module.loss_augmented_inference([np.nextafter(offset + 0.25, -9)], [offset], "ap", method=method)
            assert above.interleaving == [1] and above.loss == 0.5


@BOTH
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("others", [4, 79])
def test_a_tie_of_a_sum_is_a_tie(module, method, others):
    """5/2 (1/3 + 1/4 + 1/5 + 1/6) = 4 * 19/32, which is lost where each term is rounded; sixteen times that, too."""
    scale = (others + 1) / 5
    p = scale * np.array([100.0, 19 / 32, 19 / 32, 19 / 32, 19 / 32])
    n = np.concatenate([-1000 * scale - np.arange(others) % 7, [0.0]])
    for shift, expected in ((0.0, 6), (-(2.0**-40), 2)):
        got = module.loss_augmented_inference(p + shift * (np.arange(5) > 0), n, "ap", method=method)
        assert got.interleaving[-1] == expected and (got.interleaving[:-1] == 6).all()


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize(("P", "N"), [(3, 40), (40, 500), (1000, 1000), (300, 20_000)])
def test_every_kernel_finds_what_the_greedy_finds(style, P, N):
    """Sorted negatives, shuffled ones and those in buckets take different kernels."""
    rng, (p, n) = np.random.default_rng(P + N), scores(P + N, P, N, style)
    size = 1 + np.abs(p).max() + np.abs(n).max()
    for loss in LOSSES:
        greedy = fast.ranking.loss_augmented_inference(p, n, loss, method="greedy")
        as_drawn = np.arange(N)
        for arrange in (as_drawn, in_order(n), in_order(n)[::-1], rng.permutation(N)):
            got = fast.ranking.loss_augmented_inference(p, n[arrange], loss)
            ranks = greedy.interleaving[arrange]
            if len(set(n)) == N:  # ties are ranked by their indices, which are others now
                assert (got.interleaving == ranks).all()
            assert (np.sort(got.interleaving) == np.sort(ranks)).all()
            assert (np.diff(got.interleaving[in_order(n[arrange])]) >= 0).all()
            assert abs(got.objective - greedy.objective) <= (1e-15 if arrange is as_drawn else 1e-14) * size
            assert got.loss == greedy.loss


def test_segments_are_sorted_by_every_means():
    """Insertion, heap sort and the two sides of a partition, which random scores hardly ever bring to their limits."""
    rng = np.random.default_rng(4)
    for size in [1, 2, 3, 10, 24, 25, 40, 1000]:
        for levels in (1, 2, 10**6):
            a = rng.integers(0, levels, size).astype(float)
            order = in_order(a)
            for sort in (sorting.insert_all, sorting.heap_sort):
                values, where = a.copy(), np.arange(size)
                sort(values, where, 0, size)
                assert (where == order).all() and (values == a[order]).all()
            if size > sorting.SHORT:
                values, where = a.copy(), np.arange(size)
                k = sorting.partition(values, where, 0, size)
                assert where[k] == order[k] and set(where[:k]) == set(order[:k])


def test_scores_that_split_badly_are_sorted_all_the_same():
    """Once the partitions have been too many, a heap sorts the segment, and the rest is bisected."""
    _, n = scores(0, 50, 500)
    for depth in (0, 1, 2):
        values, where, begin, end = n.copy(), np.arange(500), 0, 500
        for _ in range(depth + 1):
            middle, depth = sorting.split(values, where, begin, end, depth)
            assert where[middle] == in_order(n)[middle]
            begin = middle + 1
        assert depth == -1 and (np.diff(values[begin:]) <= 0).all()


@pytest.mark.parametrize("N", [1, 64, 65, 1024, 1025])
def test_scores_that_are_not_finite_are_refused_sorted_or_not(N):
    for arrange in (np.arange(N, dtype=float), -np.arange(N, dtype=float), np.zeros(N), np.sin(np.arange(N))):
        for place in (0, N // 2, -1):
            for bad in (np.nan, np.inf, -np.inf):
                n = arrange.copy()
                n[place] = bad
                with pytest.raises(ValueError, match="negative_scores must be finite"):
                    fast.loss_augmented_inference(np.array([1.0, 0.5]), n)
                with pytest.raises(ValueError, match="positive_scores must be finite"):
                    fast.loss_augmented_inference(n, np.arange(N) % 3.0)
