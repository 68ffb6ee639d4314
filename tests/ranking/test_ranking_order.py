"""Inference that sorts the negatives first: the order, the planes that bound the costs, and the ranks."""

import numpy as np
import pytest

import reference
from fast._ranking import choice, inference, ordering, presorted
from fast._ranking.cost import KIND_AP, KIND_AUC, KIND_NDCG, step_cost

KINDS = (KIND_AP, KIND_NDCG, KIND_AUC)


def scores(name, size, rng):
    """Returns scores of which some differ in their last bits only, are equal, or have the other sign of zero."""
    return {
        "normal": lambda: rng.standard_normal(size),
        "float32": lambda: rng.standard_normal(size).astype(np.float32),
        "tied": lambda: rng.integers(-2, 3, size) / 4,
        "zeros": lambda: rng.choice([0.0, -0.0, 1.0], size),
        "close": lambda: 1 + rng.integers(0, 200, size) * 2.0**-52,
        "two ends": lambda: rng.choice([-1e3, 1e3], size) * (1 + rng.integers(0, 200, size) * 2.0**-52),
        "few close": lambda: np.where(rng.random(size) < 0.05, 1 + 2.0**-52, rng.standard_normal(size)),
        "wide": lambda: rng.standard_normal(size) * 10.0 ** rng.integers(-300, 300, size),
    }[name]()


@pytest.mark.parametrize("name", ["normal", "float32", "tied", "zeros", "close", "two ends", "few close", "wide"])
@pytest.mark.parametrize("size", [1, 2, 3, 64, 65, 1000])
def test_descending_order_is_a_stable_argsort(name, size):
    rng = np.random.default_rng(size)
    n = scores(name, size, rng)
    values, order = ordering.descending_order(n)
    expected = np.argsort(-n.astype(np.float64), kind="stable")
    np.testing.assert_array_equal(order, expected)
    np.testing.assert_array_equal(values, n[expected])


@pytest.mark.parametrize("kind", KINDS)
def test_costs_lie_between_the_planes(kind):
    rng = np.random.default_rng(kind)
    for _ in range(100):
        P, N = (int(x) for x in np.exp(rng.uniform(1, 9, 2)))
        low, first = int(rng.integers(1, P + 1)), int(rng.integers(1, N + 1))
        high, last = min(low + int(rng.integers(1, 100)), P + 1), min(first + int(rng.integers(0, 64)), N)
        problem, _ = inference.problem_of(np.zeros(P), N, kind)
        i, j = np.arange(low, high)[:, None], np.arange(first, last + 1)
        got = np.array([[step_cost(step, place, kind, problem.scale) for place in j] for step in i[:, 0]])
        upper, lower = (
            plane.value + plane.by_step * (i - low) + plane.by_place * (j - first)
            for plane in presorted._planes(low, high, first, last, 0.0, problem)
        )
        assert (lower < got).all() and (got < upper).all(), (P, N, low, high, first, last)


@pytest.mark.parametrize("name", ["normal", "tied", "close"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("P", [3, 500])
def test_the_ranks_are_those_of_the_reference(name, kind, P):
    rng = np.random.default_rng(P)
    loss = ("ap", "ndcg", "auc")[kind]
    for N in (2, 40, 63, 64, 65, 700):
        p, n = scores(name, P, rng), scores(name, N, rng)
        expected = reference.loss_augmented_inference(p, n, loss)
        ranks = np.zeros(N, np.int64)
        got = choice.infer_by_sort(-np.sort(-p.astype(np.float64)), n, kind, ranks)
        np.testing.assert_array_equal(ranks, expected.interleaving)
        np.testing.assert_allclose(got, expected[1:], rtol=1e-12, atol=1e-14)
