"""The study of last violators: its walks beside a slow twin, its choices, and the file that it has made."""

import numpy as np
import pytest

import fast
from notebooks.studies import synonyms
from notebooks.studies import wsabie_regime as study
from notebooks.studies.wsabie_walks import IGNORED, MOVED, SATISFIED, Walk

ROWS = study.stored()
DIM, MARGIN, STEP, SEED = 3, 0.5, 0.3, 5


@pytest.fixture(scope="module")
def data():
    return synonyms.problem.__wrapped__(24, 6, 20, 0)


# --- walks -----------------------------------------------------------------------------------------------------------


def slow_walk(data, rung, steps, chance):
    """Table 3 with the options of a rung, one line after the other. Returns prototypes, W, memory and counts."""
    (X, y), m, random = data.train, len(data.cloud), np.random.default_rng(SEED)
    X, links = X.astype(float), rung.get("last_violators", 0) or rung.get("pairs", 0)
    W = np.where(random.random((DIM, X.shape[1])) < 0.5, -1.0, 1.0)
    b, sums, sums_W = np.zeros((m, DIM)), np.zeros(m), np.zeros(DIM)
    last, counts = np.full(m, -1), np.zeros((m, 3), int)
    for _ in range(steps):
        t = int(random.random() * len(X))
        random.random()
        x, label = X[t], y[t]
        z = W @ x
        score = -((b - z) ** 2).sum(axis=1)
        violates = MARGIN - score[label] + score > 0
        chain, g = [], last[label]
        while g != -1 and g != label and g not in chain and len(chain) < links:
            chain.append(g)
            g = last[g]
        if rung.get("last_violators") and violates[chain].any():
            counts[label, IGNORED] += 1
            if rung.get("pulls"):
                gradient = 2 * (b[label] - z)
                sums[label] += np.mean(gradient**2)
                b[label] -= STEP / np.sqrt(sums[label]) * gradient
            continue
        family = np.flatnonzero(data.cloud == data.cloud[label]) if rung.get("oracle") else [label]
        others = np.setdiff1d(np.arange(m), [*family, *(chain if rung.get("pairs") else [])])
        drawn, found = 0, None
        while drawn < m and found is None:
            drawn += 1
            candidate = others[int(random.random() * len(others))]
            found = candidate if violates[candidate] else None
        if found is not None and chance > 0 and random.random() < chance:
            counts[label, IGNORED] += 1
            continue
        stays = rung.get("pairs") and chain and violates[chain[0]]
        if found is not None or not rung.get("kept"):
            last[label] = chain[0] if stays else -1 if found is None else found
        counts[label, SATISFIED if found is None else MOVED] += 1
        if found is None:
            continue
        weight = np.sum(1 / np.arange(1, max((m - 1) // drawn, 1) + 1)) if "weighting" in rung else 1.0
        gradient_W = 2 * weight * np.outer(b[found] - b[label], x)
        for g, gradient in ((label, 2 * weight * (b[label] - z)), (found, -2 * weight * (b[found] - z))):
            sums[g] += np.mean(gradient**2)
            b[g] -= STEP / np.sqrt(sums[g]) * gradient
        sums_W += (gradient_W**2).mean(axis=1)
        W -= STEP * gradient_W / np.sqrt(np.where(sums_W > 0, sums_W, 1))[:, None]
    return b, W, last, counts


@pytest.mark.parametrize("name", study.RUNGS)
def test_a_walk_is_that_of_its_slow_twin(name, data):
    rung, chance = study.RUNGS[name], 0.4 if "random" in study.RUNGS[name] else 0.0
    walk = Walk(data, rung, DIM, MARGIN, STEP, SEED)
    walk.control.chance[:] = chance
    walk.go(700)
    walk.go(300)
    b, W, last, counts = slow_walk(data, rung, 1000, chance)
    fit = walk.fit()
    assert (walk.control.counts == counts).all()
    assert (walk.state.last == last).all() and walk.updates == counts[:, MOVED].sum() and walk.steps == 1000
    np.testing.assert_allclose(fit.prototypes, b, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(fit.embedding, W, rtol=1e-8, atol=1e-8)


@pytest.mark.filterwarnings("ignore:.*classes are frozen")
@pytest.mark.parametrize("links", [0, 1, 8])
@pytest.mark.parametrize("weighting", ["uniform", "harmonic"])
def test_without_controls_a_walk_is_that_of_fit_wsabie(links, weighting, data):
    walk = Walk(data, {"last_violators": links, "weighting": weighting}, DIM, MARGIN, STEP, SEED)
    walk.go(3000)
    expected = fast.fit_wsabie(
        *data.train, n_classes=24, embedding_dim=DIM, weighting=weighting, last_violators=links, margin=MARGIN,
        step_size=STEP, n_updates=3000, seed=SEED,
    )  # fmt: skip
    assert walk.updates == expected.updates and (walk.state.last == expected.last_violators).all()
    scale = np.abs(expected.prototypes).max()
    np.testing.assert_allclose(walk.fit().prototypes, expected.prototypes, atol=1e-6 * scale)  # theirs is float32


def test_many_steps_need_many_numbers(data):
    walk = Walk(data, {}, DIM, MARGIN, STEP, SEED)
    walk.go(40_000)
    assert walk.control.counts.sum() == walk.steps == 40_000


def test_a_walk_that_overflows_is_refused(data):
    walk = Walk(data, {}, DIM, MARGIN, 1.0, SEED)
    walk.state.prototypes.rows[:] = 1e200
    with pytest.raises(ValueError, match="a difference of scores"):
        walk.go(1000)


# --- choices and the plan --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("peak", [(2.0, 0.5), (-1.5, -1.0), (0.0, -0.5), (4.0, 1.5)])
def test_the_search_finds_the_peak_and_drops_what_is_behind(peak):
    walks = []

    def score(pair, floor):
        value = 0.8 - 0.02 * (abs(pair[0] - peak[0]) + abs(pair[1] - peak[1]))
        walks.append(1 if value < floor else 3)
        return [value] * walks[-1]

    best, tried = study.choose(score, study.FIRST_OPTIONS)
    assert best == peak and len(tried[best]) == 3
    assert len(walks) == len(tried) and 1 in walks


def test_the_plan_is_in_order():
    groups = list(study.jobs())
    keys = [job[0] for group in groups for job in group]
    assert len(keys) == len(set(keys))
    for setting, names, looks in study.PLAN:
        for name in names:
            choice = keys.index(study.choice_key(setting, name))
            for seed in study.SEEDS:
                walk = keys.index(study.walk_key(setting, name, looks, seed))
                assert choice < walk
                if "random" in study.RUNGS[name]:
                    assert keys.index(study.walk_key(setting, "Q = 8", looks, seed)) < walk


def test_what_is_repeated_is_walked_on_fresh_seeds_after_the_plan():
    keys = [job[0] for group in study.jobs() for job in group]
    assert not set(study.FRESH_SEEDS) & {study.CHOICE_SEED, *study.SEEDS}

    def indices(parts, seeds):
        rungs = [(setting, name, looks) for setting, names, looks in parts for name in names]
        return [keys.index(study.walk_key(*rung, seed)) for rung in rungs for seed in seeds]

    last, fresh = max(indices(study.PLAN, study.SEEDS)), indices(study.REPEATED, study.FRESH_SEEDS)
    assert sorted(fresh) == list(range(last + 1, len(keys)))


def test_a_walk_is_resumed_where_the_file_ends(monkeypatch, tmp_path):
    monkeypatch.setattr(study, "RESULTS", tmp_path / "results.json")
    assert study.stored() == {}
    study.store("b", {"best": [0.0, 0.5]})
    study.store("a", {"best": [1.0, 0.5]})
    assert study.stored() == {"a": {"best": [1.0, 0.5]}, "b": {"best": [0.0, 0.5]}}


@pytest.fixture
def small(monkeypatch, tmp_path):
    """A setting with its choices, small enough to be walked here."""
    setting = study.Setting(60, 6, 3)
    monkeypatch.setattr(study, "RESULTS", tmp_path / "results.json")
    monkeypatch.setattr(study, "PER_CLASS", 20)
    monkeypatch.setattr(study, "problem", synonyms.problem.__wrapped__)
    for name in ("Q = 0", "Q = 8"):
        study.store(study.choice_key(setting, name), {"best": [0.0, -0.5]})
    return setting


@pytest.mark.parametrize("name", ["random", "random, by half"])
def test_random_ignoring_has_the_rate_of_the_walk_that_it_follows(name, small):
    looks, keys = (1, 2), [study.walk_key(small, rung, (1, 2), 1) for rung in ("Q = 8", name)]
    for key, rung in zip(keys, ("Q = 8", name), strict=True):
        study.store(key, study.judged_walk(small, rung, looks, 1))
    counts = [np.array(study.stored()[key]["examples"]) for key in keys]
    assert all(count.sum() == 2 * 20 * 60 for count in counts)
    halves = [count if name.endswith("half") else count.sum(axis=1, keepdims=True) for count in counts]
    expected, got = (half[..., IGNORED] / (half[..., IGNORED] + half[..., MOVED]) for half in halves)
    assert expected.min() > 0.1
    np.testing.assert_allclose(got, expected, atol=0.08)


def test_the_same_options_make_the_same_walk(small):
    key = study.walk_key(small, "Q = 0", (1,), 1)
    study.store(key, study.judged_walk(small, "Q = 0", (1,), 1) | {"mark": 1})
    assert study.judged_walk(small, "Q = 0, options of Q = 8", (1,), 1)["mark"] == 1
    study.store(study.choice_key(small, "Q = 8"), {"best": [0.5, -0.5]})
    row = study.judged_walk(small, "Q = 0, options of Q = 8", (1,), 1)
    assert "mark" not in row and row["margin"] == 0.5


def test_the_memory_may_begin_after_a_pass(small):
    row = study.judged_walk(small, "Q = 8, after a pass", (1, 2), 1)
    ignored = np.array(row["examples"])[..., IGNORED].sum(axis=1)
    assert ignored[0] == 0 < ignored[1]


def test_a_choice_begins_where_a_similar_one_ended(small, monkeypatch):
    monkeypatch.setattr(study, "choose", lambda score, begin: (begin, {begin: score(begin, 0.0)}))
    row = study.choice(small, "oracle")
    assert row["best"] == (0.0, -0.5) and len(row["tried"]["0.0 -0.5"]) == len(study.CHOICE_WALKS)
    assert study.choice(small._replace(e=4), "oracle")["best"] == study.FIRST_OPTIONS


def rows_of(curves):
    """Rows of one measure for rungs, from {rung: [(moves, measure), ...]}, the same for all seeds."""
    rows = {}
    for name, curve in curves.items():
        looks = {str(p): {"updates": u, "all": v} for p, (u, v) in zip(study.LOOKS, curve, strict=True)}
        rows |= {study.walk_key(study.CENTRE, name, study.LOOKS, seed): {"looks": looks} for seed in study.SEEDS}
    return rows


def test_gains_at_equal_passes_and_at_equal_moves():
    rows = rows_of({"Q = 0": [(100, 0.1), (1000, 0.2), (10_000, 0.4)], "Q = 8": [(10, 0.1), (50, 0.2), (1000, 0.3)]})
    at = study.CENTRE, "Q = 8", "all"
    np.testing.assert_allclose(study.gain(rows, *at), [-10] * 3)
    np.testing.assert_allclose(study.gain(rows, *at, passes=2), [0] * 3, atol=1e-9)
    np.testing.assert_allclose(study.gain_at_equal_moves(rows, *at), [10] * 3)
    np.testing.assert_allclose(study.gain_at_equal_moves(rows, study.CENTRE, "Q = 0", "all", over="Q = 8"), [-10] * 3)
    assert study.gain(rows, study.CENTRE, "Q = 1", "all") is None
    assert study.gain(rows, *at, seeds=study.SEEDS[:2]).shape == (2,)
    assert study.gain(rows, *at, seeds=study.FRESH_SEEDS) is None
    assert study.gain_at_equal_moves(rows, study.CENTRE, "Q = 1", "all") is None


def test_a_part_of_a_measure_is_compared_at_equal_moves():
    curve = [(10, [0.1, 0.5]), (100, [0.2, 0.6]), (1000, [0.3, 0.7])]
    rows = rows_of({"Q = 0": curve, "Q = 8": [(100, [0.1, 0.9])] * 3})
    gains = [study.gain_at_equal_moves(rows, study.CENTRE, "Q = 8", "all", part) for part in (0, 1)]
    np.testing.assert_allclose(gains, [[-10] * 3, [30] * 3])


def test_rules_swap_their_options():
    for name, other in study.SWAPPED.items():
        own = name.partition(", options of")[0]
        assert study.RUNGS[name] == study.RUNGS[own] and study.choice_key(study.CENTRE, name).endswith(other)
        one, two = (ROWS[study.walk_key(study.CENTRE, rung, study.LOOKS, 1)] for rung in (name, other))
        assert (one["margin"], one["step_size"]) == (two["margin"], two["step_size"])


def test_a_verdict_needs_students_t():
    assert study.verdict([1.0, 1.2, 1.1]) == "better" and study.verdict([-1.0, -1.2, -1.1]) == "worse"
    assert study.verdict([0.1, 1.2, 2.0]) == "no difference seen"
    assert study.mean_and_error([0.0, 1.0, 2.0]) == pytest.approx((1.0, 1 / np.sqrt(3)))


# --- the stored file -------------------------------------------------------------------------------------------------


def test_the_file_holds_rows_of_the_plan_and_the_central_comparison_whole():
    keys = [job[0] for group in study.jobs() for job in group]
    assert set(ROWS) <= set(keys), sorted(set(ROWS) - set(keys))
    for setting, names, looks in study.PLAN[:9]:
        for name in names:
            assert study.values(ROWS, setting, name, "all", looks=looks) is not None, name


def test_choices_are_the_best_of_what_was_tried():
    for key, row in ROWS.items():
        if ": choice" in key:
            means = {pair: np.mean(v) for pair, v in row["tried"].items() if len(v) == len(study.CHOICE_WALKS)}
            a, b = row["best"]
            assert means[f"{a} {b}"] == max(means.values()), key
            around = [f"{a + x} {b + y}" for x, y in study.AROUND]
            inside = [pair for pair in around if all(abs(float(v)) < 4 for v in pair.split())]
            assert set(inside) <= set(row["tried"]) or b == study.LIMITS[1][1], key


def test_walks_have_the_options_that_were_chosen():
    for setting, names, looks in study.PLAN + study.REPEATED:
        for name in names:
            for seed in study.SEEDS + study.FRESH_SEEDS:
                row = ROWS.get(study.walk_key(setting, name, looks, seed))
                if row is not None:
                    assert [row["margin"], row["step_size"]] == ROWS[study.choice_key(setting, name)]["best"]


def test_walks_hold_together():
    for key, row in ROWS.items():
        if ", seed " in key:
            counts, passes = np.array(row["examples"]), len(row["examples"])
            assert (counts.sum(axis=(1, 2)) == study.PER_CLASS * int(key.split()[0])).all(), key
            assert counts[..., MOVED].sum() == row["looks"][str(passes)]["updates"], key
            for at in row["looks"].values():
                assert min(at["separable"], at["synonym"]) <= at["all"] <= max(at["separable"], at["synonym"]), key
                ends = sorted((at["label"], at["separable"]))  # of which the share of all examples is a mean
                assert ends[0] <= at["exact"] <= ends[1], key
                assert at["label"] <= at["synonym"] and at["precision"][0] >= at["synonym"] / 2 - 1e-4, key
