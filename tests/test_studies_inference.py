"""The studies of one inference and of latent windows: their baselines, what they time, and the files they have made."""

import numpy as np
import pytest

import fast
import reference
from notebooks.studies import inference_baselines as baselines
from notebooks.studies import inference_sweeps as study
from notebooks.studies import latent_scale as latent

FOUND = study.stored()
ROWS = latent.stored()
ALL_RANKS = (("ap", baselines.yue), ("ndcg", baselines.chakrabarti))
SECONDS = {size: row["seconds"] for size, row in ROWS.items()}
MOST_SPREAD = 1.5  # upper over lower quartile of a time, in half of the points


def scores_of(seed, P, N):
    random = np.random.default_rng(seed)
    return random.standard_normal(P) + random.integers(0, 3), random.standard_normal(N)


# --- the baselines -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("loss", "method"), ALL_RANKS)
@pytest.mark.parametrize("P, N", [(1, 1), (1, 50), (4, 5), (60, 1), (37, 500), (300, 40)])
def test_trying_all_ranks_agrees_with_the_reference(loss, method, P, N):
    p, n = scores_of(P + N, P, N)
    before = p.copy(), n.copy()
    expected = reference.loss_augmented_inference(p, n, loss, method="greedy")
    np.testing.assert_array_equal(method(p, n), expected.interleaving)
    for got, kept in zip((p, n), before, strict=True):
        np.testing.assert_array_equal(got, kept)


def test_zero_one_is_the_hinge_of_the_ranking_svm():
    p, n = scores_of(0, 30, 70)
    loss, by_positive, by_negative = baselines.zero_one(p, n)
    relevant = np.arange(100) < 30
    ranker = study.Ranker(relevant, np.arange(100), np.array([0, 100]), None)
    expected, _, gradient = ranker.hinge_of_samples(np.concatenate([p, n]))
    np.testing.assert_allclose(loss, expected, rtol=1e-12)
    np.testing.assert_allclose(np.concatenate([by_positive, by_negative]), gradient, rtol=1e-12)


# --- what is timed ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", ["zero_one", "ap", "ndcg"])
def test_the_path_is_that_of_the_public_fit(loss):
    X, relevant = study.training_data(n=120, positives=15, features=40, shift=0.4, seed=0)
    fit, scores = study.path(X, relevant, loss, 1e-3)
    options = {"loss": loss, "regularization": 1e-3, "tol": study.TOL, "max_iterations": study.MAX_ITERATIONS}
    expected = fast.fit_ranking_svm(X, relevant, **options)
    assert len(scores) == fit.iterations == expected.iterations and fit.primal == expected.primal
    assert {(len(p), len(n)) for p, n in scores} == {(15, 105)}


def test_methods_take_turns_and_the_first_call_is_not_counted(monkeypatch):
    calls, clock = [], iter(range(10**6))
    monkeypatch.setattr(study.time, "process_time", lambda: float(next(clock)))
    found = study.quartiles({"a": lambda *_: calls.append("a"), "b": lambda *_: calls.append("b")}, [(0, 0)], 3)
    assert calls == ["a", "a", "b", "b", *"ababab"]
    assert found == {"a": [1.0] * 3, "b": [1.0] * 3}


def test_the_exponent_of_a_power_is_found_and_small_sizes_are_left_out():
    sizes = np.array(study.SAMPLES)
    times = np.where(sizes < study.FIRST_FITTED, 1.0, 1e-9 * sizes**1.5)
    exponent, error = study.growth(sizes.tolist(), times.tolist())
    assert exponent == pytest.approx(1.5) and error == pytest.approx(0, abs=1e-9)
    _, error = study.growth(sizes.tolist(), (times * (1 + 0.1 * (-1.0) ** np.arange(len(sizes)))).tolist())
    assert error > 0.01


def test_no_method_that_tries_all_ranks_gets_too_many_pairs():
    assert set(study.methods_for(10**5, 10**6)) == set(study.METHODS) - study.TRY_ALL_RANKS
    assert set(study.methods_for(227, 4619)) == set(study.METHODS)


# --- the file of the sweeps ----------------------------------------------------------------------------------------


def test_what_is_stored_is_not_computed_again(monkeypatch, tmp_path):
    monkeypatch.setattr(study, "RESULTS", tmp_path / "sweeps.json")
    monkeypatch.setattr(study, "SWEEPS", {"total": {40: (4, 36)}})
    monkeypatch.setattr(study, "LAMBDAS", (0.1,))
    monkeypatch.setattr(study, "TRAINING", {"n": 60, "positives": 6, "features": 5, "shift": 1.0, "seed": 0})
    study.main()
    first = study.stored()
    assert set(first["training"]) == {"zero_one", "ap", "ndcg"} and set(first["sweeps"]["total"]) == {"40"}
    monkeypatch.setattr(study, "point", None)
    monkeypatch.setattr(study, "table_row", None)
    study.main()
    assert study.stored() == first


def test_the_file_has_every_point():
    for name, sizes in study.SWEEPS.items():
        for size, (P, N) in sizes.items():
            row = FOUND["sweeps"][name][str(size)]
            assert (row["P"], row["N"]) == (P, N) and set(row["seconds"]) == set(study.methods_for(P, N))
    for loss, rows in FOUND["training"].items():
        assert set(rows) == {str(value) for value in study.LAMBDAS}
        for row in rows.values():
            assert row["gap"] <= study.TOL
            assert set(row["seconds"]) == {m for m in study.METHODS | study.EXACT if study.LOSS_OF[m] == loss}


def test_the_times_are_steady():
    spreads = [upper / lower for points in FOUND["sweeps"].values() for row in points.values()
               for lower, _, upper in row["seconds"].values()]  # fmt: skip
    assert np.median(spreads) < MOST_SPREAD


def test_what_notebook_07_says_of_the_growth():
    for name, (greedy, ours) in {"total": (2, 1), "negatives": (1, 1), "positives": (1, 1)}.items():
        found = study.growths(FOUND["sweeps"][name])
        for loss in ("AP", "NDCG"):
            assert abs(found[loss][0] - greedy) < 0.15
            assert abs(found[f"{loss}_QS"][0] - ours) < 0.3


@pytest.mark.parametrize("loss", ["AP", "NDCG"])
def test_what_notebook_07_says_of_the_ratios(loss):
    for row in FOUND["training"][loss.lower()].values():
        assert row["seconds"][loss][1] > 20 * row["seconds"][f"{loss}_QS"][1]


def ratios(slow, quick, loss):
    return [row["seconds"][slow][1] / row["seconds"][quick][1] for row in FOUND["training"][loss].values()]


def test_what_notebook_07_says_of_the_tables():
    paper = {"AP": 16.29 / 1.48, "NDCG": 71.07 / 0.55}
    assert all(3 < ratio / paper["AP"] < 4.5 for ratio in ratios("AP", "AP_QS", "ap"))
    assert all(0.2 < ratio / paper["NDCG"] < 0.35 for ratio in ratios("NDCG", "NDCG_QS", "ndcg"))
    assert all(0.8 < ratio / paper["NDCG"] < 1.25 for ratio in ratios("NDCG, greedy of fast", "NDCG_QS", "ndcg"))
    for loss in ("ap", "ndcg"):
        pairs = list(zip(FOUND["training"][loss].values(), FOUND["training"]["zero_one"].values(), strict=True))
        ours, zero_one = ([row["seconds"][name][1] for row in rows] for name, rows in
                          zip((f"{loss.upper()}_QS", "0-1"), zip(*pairs, strict=True), strict=True))  # fmt: skip
        assert all(a > 10 * b for a, b in zip(ours, zero_one, strict=True))
        assert [a["calls"] < b["calls"] for a, b in pairs] == [False, False, True]
        assert all(a["calls"] * x > b["calls"] * y for (a, b), x, y in zip(pairs, ours, zero_one, strict=True))


# --- latent windows ------------------------------------------------------------------------------------------------


def test_the_clocks_see_every_inference_and_are_taken_away():
    data = latent.windows_of(3)
    methods = latent.Ranker.rank, latent.checks.sorted_bags
    with latent.clocks() as seconds:
        found = latent.fit(data)
    assert (latent.Ranker.rank, latent.checks.sorted_bags) == methods
    planes = found.last_fit.iterations
    assert len(seconds["inference"]) == len(seconds["scores"]) == len(seconds["slopes"]) >= planes
    assert len(seconds["hinges"]) == len(seconds["inference"])
    assert len(seconds["preparing"]) == 1 and min(seconds["inference"]) > 0


def test_windows_are_chosen_as_the_fit_chooses_them():
    X, bags, relevant = data = latent.windows_of(40)
    weights = np.arange(8.0)
    expected = [np.flatnonzero(bags == b)[np.argmax(X[bags == b] @ weights)] for b in np.unique(bags[relevant])]
    np.testing.assert_array_equal(latent.choose(data, weights), expected)


def test_the_file_of_latent_windows_has_every_size():
    assert list(ROWS) == [str(size) for size in latent.IMAGES]
    for size, row in ROWS.items():
        assert row["windows"] == int(size) * latent.WINDOWS
        assert sum(row["seconds"].values()) == pytest.approx(row["total"], rel=0.01)
        assert row["inferences"] > row["rounds"] >= 1


def test_what_notebook_08_says_of_the_scale():
    sizes = [int(size) for size in ROWS]
    assert latent.IMAGES[-1] * latent.WINDOWS > 10**7
    per_inference = [row["one inference"][1] for row in ROWS.values()]
    slope = np.polyfit(np.log(sizes[1:]), np.log(per_inference[1:]), 1)[0]
    assert abs(slope - 1) < 0.2
    assert all(row["one choice"][1] < row["one inference"][1] for row in ROWS.values())
