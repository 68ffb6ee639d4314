"""The study of layer-wise training behind notebook 13: splits, measures, choices, and the stored file."""

import numpy as np
import pytest

from notebooks.studies import layerwise as study

ROWS = study.stored()


def test_every_row_is_stored_and_no_other():
    assert set(ROWS) == {study.name_of(key) for key in study.all_keys()}


@pytest.mark.parametrize("seed", [0, 3, study.TUNING])
def test_halves_have_half_of_each_class_and_nothing_twice(seed):
    y = np.repeat(np.arange(4), (10, 11, 6, 7))
    train, test = study.halves(y, seed)
    assert sorted([*train, *test]) == list(range(len(y)))
    assert np.abs(2 * np.bincount(y[train]) - np.bincount(y)).max() <= 1
    assert (train == study.halves(y, seed)[0]).all()


def test_measures_are_those_of_the_ranking_by_scores():
    X, relevant = np.array([[3.0], [2.0], [1.0]]), np.array([True, False, True])
    got = study.measures(X, relevant, [], [np.array([[1.0], [0.0]])])
    assert got["ap"] == pytest.approx((1 + 2 / 3) / 2)
    assert got["ndcg"] == pytest.approx((1 + 1 / 2) / (1 + 1 / np.log2(3)))


def test_balanced_rows_weigh_both_kinds_alike():
    relevant = np.arange(20) % 10 == 3
    assert (np.bincount(study.balanced(relevant)) == np.where(relevant, 9, 1)).all()


def test_the_same_start_for_all_objectives():
    X, y = study.datasets.load_digits()
    one, two = (study.start_of(X[:100], y[:100] == 3, study.DENSE, 5) for _ in range(2))
    assert all((a == b).all() for a, b in zip(one, two, strict=True))
    assert [part.shape for part in one] == [(65, study.UNITS), (study.UNITS + 1, 1)]


@pytest.mark.parametrize("setting", study.SETTINGS)
def test_penalties_are_those_with_the_best_validation(setting):
    for key in study.all_keys():
        if key[0] == setting and key[4] is None and key[3] != "start":
            assert tuple(ROWS[study.name_of(key)]["penalties"]) == study.chosen(ROWS, setting, key[3])


def test_objectives_fall_and_measures_are_shares():
    for name, row in ROWS.items():
        assert 0 < row["ap"] <= 1 and 0 < row["ndcg"] <= 1, name
        if "objectives" in row:
            may_stay = "/gradient/" in name and row["penalties"][1] == max(study.STEP_SIZES)  # may run away at once
            assert row["objectives"][1] < row["objectives"][0] or may_stay, name


def test_greedy_gives_the_same_answers():
    for name, row in ROWS.items():
        if name.endswith("greedy"):
            other = ROWS[name.removesuffix("greedy") + "quicksort"]
            for column in ("ap", "ndcg", "inferences"):
                assert row[column] == pytest.approx(other[column], abs=1e-6), name


def test_a_row_is_computed_again():
    key = ("digits", 0, 8, "ndcg", None, "quicksort")
    stored = ROWS[study.name_of(key)]
    row = study.row_of("digits", 0, 8, "ndcg", tuple(stored["penalties"]))
    assert row["ap"] == pytest.approx(stored["ap"], abs=0.02)
    assert row["objectives"][0] == pytest.approx(stored["objectives"][0], rel=1e-6)
    assert row["objectives"][1] == pytest.approx(stored["objectives"][1], rel=0.05)


def test_gradient_descent_has_the_objective_of_the_layers_and_a_step_size_inside_the_grid():
    for setting, regularization in study.DESCENT.items():
        assert regularization == study.chosen(ROWS, setting, "ap")[0]
        step_size = study.chosen(ROWS, setting, "gradient")[1]
        assert min(study.STEP_SIZES) < step_size < max(study.STEP_SIZES)
        for seed in range(10):
            one, two = (ROWS[study.name_of((setting, seed, 4, loss, None, "quicksort"))] for loss in ("ap", "gradient"))
            assert one["objectives"][0] == pytest.approx(two["objectives"][0], abs=2e-6)


def test_gradient_descent_keeps_the_best_weights_and_moves_along_the_slope():
    random = np.random.default_rng(1)
    X, relevant = random.normal(size=(30, 4)), np.arange(30) < 9
    weights = [random.normal(size=shape) for shape in ((5, 3), (4, 1))]

    def objective(weights):
        return study.descend(X, relevant, weights, 0.1, 0.0, passes=1)[1][0]

    kept, (first, last) = study.descend(X, relevant, weights, 0.1, 0.1, passes=200)
    assert first == pytest.approx(objective(weights)) and last == pytest.approx(objective(kept)) and last < 0.5 * first
    small, _ = study.descend(X, relevant, weights, 0.1, 1e-6, passes=2)  # one step down
    moves = [after - before for after, before in zip(small, weights, strict=True)]
    slope = -sum(np.sum(move**2) for move in moves) / 1e-6
    assert objective(small) - first == pytest.approx(slope, rel=1e-3)
