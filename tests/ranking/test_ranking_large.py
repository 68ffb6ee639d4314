"""Inference with many negatives, by parts: the ranks of the other kernels, whatever the number of threads."""

import numpy as np
import pytest

import fast
import reference
from fast._ranking import buckets, choice, inference, large, large_buckets, ordering
from fast._shared.threads import in_turn, threads

N = large.LARGE + 1
LOSSES = ("ap", "ndcg", "auc")


def scores(name, size, rng):
    return {
        "normal": lambda: rng.standard_normal(size),
        "float32": lambda: rng.standard_normal(size).astype(np.float32),
        "tied": lambda: rng.integers(0, 30, size) / 16,
        "close": lambda: 1 + rng.integers(0, 200, size) * 2.0**-52,
        "skewed": lambda: rng.exponential(size=size) ** 3,
        "ascending": lambda: np.sort(rng.standard_normal(size)),
        "descending": lambda: np.sort(rng.standard_normal(size))[::-1],
        "equal": lambda: np.ones(size),
    }[name]()


@pytest.fixture(autouse=True)
def few_negatives_for_a_thread(monkeypatch):
    """Three threads share N negatives, which are the fewest that are ranked by parts."""
    monkeypatch.setattr(large, "NEGATIVES_PER_THREAD", 1000)


KINDS = ("normal", "float32", "tied", "close", "skewed", "ascending", "descending", "equal")
EACH_KIND_OF_SCORES = pytest.mark.parametrize("name", KINDS)


@pytest.mark.parametrize("name", ["normal", "tied", "close", "skewed"])
@pytest.mark.parametrize("P", [500, N // 8])
def test_the_answer_does_not_depend_on_the_number_of_threads(name, P):
    rng = np.random.default_rng(P)
    p, n = scores(name, P, rng), scores(name, N, rng)
    descending = -np.sort(-p.astype(np.float64))
    for kind, loss in enumerate(LOSSES):
        one, ranks = fast.loss_augmented_inference(p, n, loss), np.empty(N, np.int64)
        by_sort = choice.infer_by_sort(descending, n, kind, ranks)
        np.testing.assert_array_equal(one.interleaving, ranks)
        np.testing.assert_allclose(one[1:], by_sort, rtol=1e-11, atol=1e-13)
        for n_jobs in (2, 3):
            got = fast.loss_augmented_inference(p, n, loss, n_jobs=n_jobs)
            assert np.array_equal(got.interleaving, one.interleaving) and got[1:] == one[1:], (loss, n_jobs)


@pytest.mark.parametrize(("name", "loss", "P"), [
    *((name, *which) for name in KINDS for which in (("ap", 1), ("ndcg", 40), ("auc", 900), ("ap", 900))),
    *(("tied", *which) for which in (("ndcg", 1), ("auc", 1), ("ap", 40), ("auc", 40), ("ndcg", 900))),
])  # fmt: skip
def test_parts_find_the_ranks_of_the_reference(name, loss, P):
    rng = np.random.default_rng(P)
    p, n, ranks = scores(name, P, rng), scores(name, 3001, rng), np.empty(3001, np.int64)
    expected = reference.loss_augmented_inference(p, n, loss)
    descending = -np.sort(-p.astype(np.float64))
    for n_jobs in (1, 2):
        got = large.infer_large(descending, np.ascontiguousarray(n), LOSSES.index(loss), ranks, n_jobs)
        np.testing.assert_array_equal(ranks, expected.interleaving)
        np.testing.assert_allclose(got, expected[1:], rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("name", ["ascending", "descending", "equal"])
def test_many_sorted_negatives_are_ranked_in_one_pass(name, monkeypatch):
    def refuse(*_):
        raise AssertionError("sorted negatives need no parts")

    monkeypatch.setattr(choice, "infer_large", refuse)
    p, n = np.array([1.0, 0.5, -1.0]), np.ascontiguousarray(scores(name, N, np.random.default_rng(0)))
    for kind, loss in enumerate(LOSSES):
        ranks = np.zeros(N, np.int64)
        got = choice.infer_by_kernel(p, n, kind, ranks, 2)
        expected = reference.loss_augmented_inference(p, n, loss)
        np.testing.assert_array_equal(ranks, expected.interleaving)
        np.testing.assert_allclose(got, expected[1:], rtol=1e-11, atol=1e-13)


@EACH_KIND_OF_SCORES
@pytest.mark.parametrize("size", [1024, 5000, 100_001])
def test_parts_are_sorted_like_the_whole(name, size):
    n = np.ascontiguousarray(scores(name, size, np.random.default_rng(size)))
    expected = ordering.descending_order(n)
    with threads(2) as each:
        np.testing.assert_array_equal(ordering.descending_order(n, each), expected)


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("P", [500, N // 8])
def test_a_score_that_is_not_finite_is_named(n_jobs, P):
    rng = np.random.default_rng(0)
    scores = {"positive": rng.standard_normal(P), "negative": rng.standard_normal(N)}
    for bad in (np.nan, -np.nan, np.inf, -np.inf):
        for wrong, at in (("negative", 0), ("negative", N // 2), ("negative", N - 1), ("positive", P // 2)):
            right, scores[wrong][at] = scores[wrong][at], bad
            with pytest.raises(ValueError, match=f"{wrong}_scores"):
                fast.loss_augmented_inference(scores["positive"], scores["negative"], n_jobs=n_jobs)
            scores[wrong][at] = right


def test_buckets_are_left_to_a_sort_where_too_many_negatives_are_crowded():
    rng, found, size = np.random.default_rng(0), [], 3 * large.LARGE
    n, ranks = rng.standard_normal(size), np.empty(size, np.int64)
    for P in (size // 200, size // 20):
        problem, _ = inference.problem_of(-np.sort(-rng.standard_normal(P)), size, 0)
        filled = buckets.fill_buckets(n, problem)
        share = buckets.crowded_negatives(filled.before, filled.least) / size
        sums = large_buckets.rank_by_parts_of_buckets(n, problem, ranks, in_turn, 1)
        assert (sums is None) == (share > large_buckets.MOST_CROWDED)
        found.append(sums is None)
    assert found == [False, True]


@pytest.mark.parametrize("size", [200, 5000])
def test_the_objective_does_not_depend_on_where_the_memory_is(size):
    p, n = np.array([1.0, 0.0]), -np.sort(np.random.default_rng(0).standard_normal(size))
    found = set()
    for gap in (2, 64):
        for first, second in ((0, size + gap), (size + gap, 0)):
            memory = np.empty(2 * size + gap)
            scores, ranks = memory[first : first + size], memory[second : second + size].view(np.int64)
            scores[:] = n
            found.add(inference.infer_descending(p, scores, None, 0, ranks))
    assert len(found) == 1
