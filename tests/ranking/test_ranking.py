"""Losses of rankings and their inference: fast = reference, and what every answer must obey.

What both are held against, the enumeration of all rankings and the certificate, is in test_ranking_ground_truth.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fast.ranking
import reference.ranking
from fast._shared import order as sorting
from reference.problems.checks import QSLoss

BOTH = pytest.mark.parametrize("module", [reference.ranking, fast.ranking], ids=lambda module: module.__name__)
LOSSES = ("ap", "ndcg", "auc")
EACH_LOSS = pytest.mark.parametrize("loss", LOSSES)
DTYPES = (np.float64, np.float32)
EPS = np.finfo(np.float64).eps
ROUNDINGS = 16  # of all that a sum adds up

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
    "mostly zero": lambda rng, p, n: (p, np.where(rng.random(len(n)) < 0.9, 0.0, n)),
    "sorted": lambda rng, p, n: (np.sort(p), np.sort(n)),
    "reversed": lambda rng, p, n: (np.sort(p)[::-1], np.sort(n)[::-1]),
}


def scores(seed, P, N, style="plain", dtype=np.float64):
    """Scores of positives and negatives."""
    rng = np.random.default_rng(seed)
    p, n = STYLES[style](rng, rng.standard_normal(P), rng.standard_normal(N))
    return p.astype(dtype), n.astype(dtype)


def in_order(values):
    """The indices that sort in descending order; of equal values the first is the highest."""
    return np.argsort(-values.astype(np.float64), kind="stable")


def is_decided(p, n, loss):
    """Which negatives have one best rank, by more than what adding up its steps may round away."""
    P, N, order = len(p), len(n), in_order(n)
    i, j = np.arange(1, P + 1), np.arange(1, N + 1)[:, None]
    costs = loss.derivative(j, i) / loss.total(P, N) * (P * N / 2)
    pairs = -np.sort(-p.astype(np.float64)) - n[order, None].astype(np.float64)
    steps = np.hstack([(pairs - costs)[:, ::-1], np.zeros((N, 1))])
    f = np.sort(np.hstack([np.zeros((N, 1)), np.cumsum(-steps[:, :-1], axis=1)]), axis=1)
    decided = np.empty(N, bool)
    decided[order] = f[:, -1] - f[:, -2] > ROUNDINGS * EPS * (np.abs(pairs) + costs).sum(axis=1)
    return decided


def worth(p, n, ranks):
    """F(R) by its definition, pair by pair, and the mean size of what it adds."""
    pairs = -np.sort(-p.astype(np.longdouble))[:, None] - n.astype(np.longdouble)
    before = np.arange(1, len(p) + 1)[:, None] < ranks
    return float(np.where(before, pairs, -pairs).mean()), float(np.abs(pairs).mean())


def assert_consistent(got, p, n, loss):
    """The objective is loss + F, and the loss is that of the interleaving."""
    score, size = worth(p, n, got.interleaving)
    expected = reference.ranking.rank_loss(got.interleaving, len(p), loss)
    assert abs(got.loss - expected) <= 1e-13, f"expected {expected}, got {got.loss}"
    assert abs(got.objective - (got.loss + score)) <= 1e-13 * (1 + size), f"expected {got.loss + score}, got {got}"


def assert_twins_agree(p, n, loss, method="quicksort"):
    """Equal ranks where they are decided, and objectives equal up to rounding."""
    expected = reference.ranking.loss_augmented_inference(p, n, loss, method=method)
    got = fast.ranking.loss_augmented_inference(p, n, loss, method=method)
    assert got.interleaving.dtype == np.int64 and got.interleaving.shape == n.shape
    known = loss if isinstance(loss, QSLoss) else reference.ranking.LOSSES[loss]
    differs = is_decided(p, n, known) & (got.interleaving != expected.interleaving)
    assert not differs.any(), f"expected {expected.interleaving[differs]}, got {got.interleaving[differs]}"
    _, size = worth(p, n, got.interleaving)
    assert abs(got.objective - expected.objective) <= 1e-13 * (1 + size), f"expected {expected}, got {got}"
    assert (np.diff(got.interleaving[in_order(n)]) >= 0).all()
    assert_consistent(got, p, n, loss)


def truncated(last):
    """NDCG with a discount that falls to 0 just after place `last`, and stays convex: only the top counts."""
    end = 1 / np.log2(2 + last)

    def derivative(j, i):
        return np.maximum(1 / np.log2(i + j) - end, 0.0) - np.maximum(1 / np.log2(1 + i + j) - end, 0.0)

    def total(P, N):
        return np.maximum(1 / np.log2(1 + np.arange(1, P + 1)) - end, 0.0).sum()

    return QSLoss(f"ndcg@{last}", derivative, total)


# --- fast = reference ----------------------------------------------------------------------------------------------


@settings(max_examples=200)
@given(
    seed=st.integers(0, 2**32 - 1),
    P=st.integers(1, 20),
    N=st.integers(1, 130),
    style=st.sampled_from(sorted(STYLES)),
    dtype=st.sampled_from(DTYPES),
    loss=st.sampled_from(LOSSES),
    method=st.sampled_from(["quicksort", "greedy"]),
)
def test_inference_of_twins(seed, P, N, style, dtype, loss, method):
    assert_twins_agree(*scores(seed, P, N, style, dtype), loss, method)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_inference_of_twins_at_all_shapes(style, dtype):
    for seed, (P, N) in enumerate([(1, 1), (1, 300), (300, 1), (60, 20), (150, 64), (30, 65), (7, 900), (40, 400)]):
        for loss in LOSSES:
            assert_twins_agree(*scores(seed, P, N, style, dtype), loss)


@EACH_LOSS
@pytest.mark.parametrize("style", STYLES)
def test_quicksort_finds_what_the_greedy_finds(loss, style):
    p, n = scores(0, 300, 20000, style)
    expected = fast.ranking.loss_augmented_inference(p, n, loss, method="greedy")
    got = fast.ranking.loss_augmented_inference(p, n, loss)
    assert (got.interleaving == expected.interleaving).all()
    assert abs(got.objective - expected.objective) <= 1e-15 * (1 + np.abs(p).max() + np.abs(n).max())
    assert got.loss == expected.loss


@EACH_LOSS
def test_inference_of_twins_with_many_negatives(loss):
    assert_twins_agree(*scores(1, 50, 20000, "shifted"), loss)
    assert_twins_agree(*scores(2, 30, 40000, "magnitudes"), loss)


@pytest.mark.parametrize("dtype", DTYPES)
def test_inference_of_twins_with_a_loss_of_ones_own(dtype):
    top = truncated(10)
    for seed, style in enumerate(STYLES):
        for loss in (top, reference.ranking.LOSSES["ap"], reference.ranking.LOSSES["auc"]):
            p, n = scores(seed, 15, 150, style, dtype)
            for method in ("quicksort", "greedy"):
                assert_twins_agree(p, n, loss, method)
    assert top.violations() == []


@EACH_LOSS
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


@pytest.mark.parametrize("P, N", [(1, 1), (1, 9), (9, 1), (5, 8), (40, 30)])
def test_losses_of_twins(P, N):
    rng = np.random.default_rng(P * N)
    for ranks in (rng.integers(1, P + 2, N), np.ones(N, int), np.full(N, P + 1)):
        for name in ("ap_loss", "ndcg_loss"):
            expected, got = (getattr(module, name)(ranks, P) for module in (reference.ranking, fast.ranking))
            assert abs(got - expected) <= ROUNDINGS * EPS, f"{name}: expected {expected}, got {got}"
        for loss in LOSSES + (truncated(4),):
            expected, got = (module.rank_loss(ranks, P, loss) for module in (reference.ranking, fast.ranking))
            assert abs(got - expected) <= ROUNDINGS * EPS * max(N, 1), f"{loss}: expected {expected}, got {got}"


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_ranks_and_gradients_of_twins(style, dtype):
    for P, N in ((1, 1), (1, 30), (30, 1), (17, 200)):
        p, n = scores(P, P, N, style, dtype)
        expected, got = (module.interleaving_ranks(p, n) for module in (reference.ranking, fast.ranking))
        assert got.dtype == np.int64 and (got == expected).all()
        sides = [module.semigradient(p, n, expected) for module in (reference.ranking, fast.ranking)]
        for of_reference, of_fast in zip(*sides, strict=True):
            assert of_fast.dtype == dtype and of_fast.shape == of_reference.shape
            assert np.abs(of_fast - of_reference).max() <= np.finfo(dtype).eps * np.abs(of_reference).max()


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


# --- properties ----------------------------------------------------------------------------------------------------


@BOTH
@EACH_LOSS
@pytest.mark.parametrize("N", [40, 400])
def test_the_order_of_the_samples_does_not_matter(module, loss, N):
    rng = np.random.default_rng(N)
    p, n = scores(N, 30, N, "shifted")
    shuffled = rng.permutation(N)
    expected = module.loss_augmented_inference(p, n, loss).interleaving
    got = module.loss_augmented_inference(rng.permutation(p), n[shuffled], loss).interleaving
    assert (got == expected[shuffled]).all()


@BOTH
def test_a_tie_leaves_the_positive_on_top(module):
    """Of P = N = 1 the AP loss is 1/2 if the negative is first, and 2 (p - n) is what that costs."""
    for offset in (0.0, 1.0, -3.0):
        for method in ("quicksort", "greedy"):
            got = module.loss_augmented_inference([offset + 0.25], [offset], "ap", method=method)
            assert got == ([2], 0.25, 0.0)
            above = module.loss_augmented_inference([np.nextafter(offset + 0.25, -9)], [offset], "ap", method=method)
            assert above.interleaving == [1] and above.loss == 0.5


@pytest.mark.parametrize("method", ["quicksort", "greedy"])
@pytest.mark.parametrize("others", [4, 79])
def test_a_tie_of_a_sum_is_a_tie(method, others):
    """5/2 (1/3 + 1/4 + 1/5 + 1/6) = 4 * 19/32, which is lost where each term is rounded; sixteen times that, too."""
    scale = (others + 1) / 5
    p = scale * np.array([100.0, 19 / 32, 19 / 32, 19 / 32, 19 / 32])
    n = np.concatenate([-1000 * scale - np.arange(others) % 7, [0.0]])
    for shift, expected in ((0.0, 6), (-(2.0**-40), 2)):
        got = fast.ranking.loss_augmented_inference(p + shift * (np.arange(5) > 0), n, "ap", method=method)
        assert got.interleaving[-1] == expected and (got.interleaving[:-1] == 6).all()


@BOTH
def test_auc_has_a_margin_of_one_half(module):
    p, n = scores(3, 20, 300)
    got = module.loss_augmented_inference(p, n, "auc").interleaving
    assert (got == 1 + (p[:, None] - n >= 0.5).sum(axis=0)).all()


@BOTH
@EACH_LOSS
def test_far_apart_the_scores_rank(module, loss):
    for shift, rank, expected in ((1e3, 11, 0.0), (-1e3, 1, None)):
        p, n = scores(5, 10, 100)
        got = module.loss_augmented_inference(p + shift, n, loss)
        assert (got.interleaving == rank).all() and (got.interleaving == module.interleaving_ranks(p + shift, n)).all()
        assert expected in (None, got.loss)


@BOTH
@EACH_LOSS
def test_the_semigradient_is_the_gradient_of_the_hinge(module, loss):
    p, n = scores(8, 6, 9)
    P, step = len(p), 1e-5

    def hinge(s):
        return module.loss_augmented_inference(s[:P], s[P:], loss).objective - s[:P].mean() + s[P:].mean()

    s = np.concatenate([p, n])
    expected = [(hinge(s + step * e) - hinge(s - step * e)) / (2 * step) for e in np.eye(len(s))]
    ranks = module.loss_augmented_inference(p, n, loss).interleaving
    got = np.concatenate(module.semigradient(p, n, ranks))
    assert np.abs(got - expected).max() <= 1e-9, f"expected {expected}, got {got}"
    assert abs(got.sum()) <= ROUNDINGS * EPS


@BOTH
@EACH_LOSS
def test_scores_in_any_form(module, loss):
    """Read-only, strided, reversed, integers, lists, one of each precision: the same answer, and nothing is changed."""
    p, n = (np.round(4 * a) for a in scores(7, 30, 300))
    kept = p.copy(), n.copy()
    expected = module.loss_augmented_inference(p, n, loss)
    assert (p == kept[0]).all() and (n == kept[1]).all()
    for a in (p, n):
        a.flags.writeable = False
    both = np.repeat(p, 2)[::2], np.repeat(n, 2)[::2]
    turned = p[::-1].copy()[::-1], n[::-1].copy()[::-1]
    for forms in (
        (p, n), both, turned, (p.astype(int), n.astype(np.int8)), (p.tolist(), n.tolist()),
        (p.astype(np.float32), n), (p, n.astype(np.float32)), (p.astype(np.float16), n.astype(object)),
    ):  # fmt: skip
        got = module.loss_augmented_inference(*forms, loss)
        assert (got.interleaving == expected.interleaving).all() and got[1:] == expected[1:]
        assert (module.interleaving_ranks(*forms) == module.interleaving_ranks(*kept)).all()


@BOTH
def test_gradients_have_the_precision_of_the_scores(module):
    p, n = scores(0, 3, 4)
    for one, other in ((np.float32, np.float32), (np.float32, np.float64), (np.float64, np.float32)):
        by_positive, by_negative = module.semigradient(p.astype(one), n.astype(other), [1, 2, 3, 4])
        assert by_positive.dtype == by_negative.dtype == np.result_type(one, other)


ARRANGED = {
    "normal": lambda rng, n: rng.standard_normal(n),
    "few values": lambda rng, n: rng.integers(0, 5, n) / 4,
    "equal": lambda rng, n: np.full(n, 0.25),
    "log-normal": lambda rng, n: np.exp(4 * rng.standard_normal(n)),
    "both tails": lambda rng, n: rng.choice([-1, 1], n) * np.exp(8 * rng.standard_normal(n)),
    "crowded": lambda rng, n: np.where(rng.random(n) < 0.9, 1e-6, 1.0) * rng.standard_normal(n),
}


@pytest.mark.parametrize("loss", ["ap", "ndcg", "auc"])
@pytest.mark.parametrize("shape", ARRANGED)
@pytest.mark.parametrize(("P", "N"), [(3, 40), (40, 500), (300, 3000), (3000, 3000)])
def test_the_order_in_which_scores_come_does_not_change_their_ranks(shape, P, N, loss):
    """Sorted negatives, shuffled ones and those in buckets take different kernels."""
    rng = np.random.default_rng(P + N)
    p, n = (ARRANGED[shape](rng, size) for size in (P, N))
    greedy = fast.loss_augmented_inference(p, n, loss, method="greedy")
    for arrange in (np.arange(N), in_order(n), in_order(n)[::-1], rng.permutation(N)):
        got = fast.loss_augmented_inference(p, n[arrange], loss)
        ranks = greedy.interleaving[arrange]
        if shape not in ("few values", "equal"):  # ties are ranked by their indices, which are others now
            assert (got.interleaving == ranks).all()
        assert (np.sort(got.interleaving) == np.sort(ranks)).all()
        assert (np.diff(got.interleaving[in_order(n[arrange])]) >= 0).all()
        assert abs(got.objective - greedy.objective) <= 1e-9 * max(1, abs(greedy.objective))


@pytest.mark.parametrize("N", [1, 2, 3, 64, 65, 1023, 1024, 1025, 3000])
def test_sorted_scores_that_are_not_finite_are_refused(N):
    for arrange in (np.arange(N, dtype=float), -np.arange(N, dtype=float), np.zeros(N), np.arange(N) % 7.0):
        for place in (0, N // 2, -1):
            for bad in (np.nan, np.inf, -np.inf):
                n = arrange.copy()
                n[place] = bad
                with pytest.raises(ValueError, match="negative_scores must be finite"):
                    fast.loss_augmented_inference(np.array([1.0, 0.5]), n)
                with pytest.raises(ValueError, match="positive_scores must be finite"):
                    fast.loss_augmented_inference(n, np.arange(N) % 3.0)
