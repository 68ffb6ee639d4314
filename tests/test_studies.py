"""The study behind notebook 14: its choice of lambda, what it skips, its methods, and the file that it has made."""

import numpy as np
import pytest

import fast
from notebooks.studies import image_classification as study
from notebooks.studies import table1_methods as methods
from notebooks.studies import topk_loss_methods as losses

ROWS = study.stored()
COLUMNS = len(study.COLUMNS)


def curve(peak, tops=100):
    """Counts that fall off on both sides of a peak, the same in each column."""
    return lambda v: {"validation": [tops - abs(v - peak)] * COLUMNS}


def blobs(n_classes=24, each=6):
    """Parts with more classes than any k, well apart."""
    random = np.random.default_rng(0)
    centres, y = random.normal(size=(n_classes, 30)), np.repeat(np.arange(n_classes), each)
    return {part: (centres[y] + 0.3 * random.normal(size=(len(y), 30)), y) for part in study.SIZES}


# --- the choice of lambda ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("peak", [-3.5, -0.4, 3.0, 5.2, -6.7])
def test_the_grid_is_refined_and_goes_on_at_a_border(peak):
    tried = study.explore(curve(peak), methods.DECADES)
    best = study.column_rule(tried)[0]
    assert abs(best - peak) <= study.STEP / 2, f"expected {peak}, got {best}"
    assert {best - study.STEP, best + study.STEP} <= set(tried)


def test_the_grid_ends_at_its_limits():
    tried = study.explore(lambda v: {"validation": [v] * COLUMNS}, methods.DECADES)
    assert max(tried) == study.LIMITS[1] and study.beside(tried) == []


def test_a_path_goes_from_large_to_small_lambda():
    seen = []
    study.explore(lambda v: (seen.append(v), curve(0.0)(v))[1], (-1.0, 2.0, 0.0))
    assert seen[:3] == [2.0, 0.0, -1.0]


def test_each_column_has_its_own_lambda_and_of_equals_the_largest():
    tried = {
        0.0: {"validation": [5, 1, 1, 1, 1, 1]},
        1.0: {"validation": [1, 5, 1, 1, 1, 4]},
        2.0: {"validation": [1, 5, 1, 1, 1, 3]},
    }
    assert study.column_rule(tried) == [0.0, 2.0, 2.0, 2.0, 2.0, 1.0]
    assert study.mean_rule(tried) == [1.0] * COLUMNS
    assert study.top1_rule(tried) == [0.0] * COLUMNS


def test_a_method_that_takes_over_has_one_setting_for_all_columns():
    tried = {0.0: {"validation": [9, 1, 1, 1, 1, 1]}, 1.0: {"validation": [5, 5, 5, 5, 5, 5]}}
    assert study.rule_of("TopPush")(tried) == [1.0] * COLUMNS
    assert study.rule_of("top-5 alpha")(tried) == [0.0] + [1.0] * (COLUMNS - 1)


def test_other_splits_try_what_was_best_on_the_first(monkeypatch):
    tried = {str(v): {"validation": [9, 1, 1, 1, 1, 5 - abs(v)]} for v in (1.0, 0.0, -1.0)}
    tried["0.0"]["validation"] = [5, 5, 5, 5, 5, 5]
    monkeypatch.setattr(study, "stored", lambda: {study.key_of(0, name): {"tried": tried} for name in study.METHODS})
    assert study.beginning("top-5 beta", 0) == (methods.DECADES, True)
    assert study.beginning("top-5 beta", 3) == ([0.0, 1.0], False)  # 1 is the best for one guess, 0 for others
    assert study.beginning("W++ 8/m", 3) == ([0.0], False)
    assert study.beginning("W++ 8/m", 0) == study.beginning("W++ 0/m", study.PUBLISHED) == (methods.MARGINS, True)


# --- what is done and what is skipped ------------------------------------------------------------------------------


@pytest.fixture
def results(monkeypatch, tmp_path):
    monkeypatch.setattr(study, "RESULTS", tmp_path / "results.json")
    monkeypatch.setattr(study.datasets, "data_folder", lambda: tmp_path)
    return tmp_path


def test_what_is_stored_is_not_done_again(results):
    n_splits, n_methods = len(study.SEEDS), len(study.METHODS)
    assert study.stored() == {} and n_splits >= 10
    assert [len(jobs) for jobs in study.stages({})] == [n_methods] * n_splits
    study.store("0: TopPush", {"test": [1]})
    study.store("3: Prec@5", {"test": [2]})
    assert study.stored() == {"0: TopPush": {"test": [1]}, "3: Prec@5": {"test": [2]}}
    stages = study.stages(study.stored())
    assert (0, "TopPush") not in stages[0] and (3, "Prec@5") not in stages[3] and (3, "TopPush") in stages[3]
    assert sum(map(len, stages)) == n_splits * n_methods - 2


def test_splits_are_done_one_after_the_other(results):
    for name in study.METHODS:
        study.store(study.key_of(0, name), {})
    assert study.whole_splits(study.stored()) == [0]
    jobs = [job for stage in study.stages(study.stored()) for job in stage]
    assert [split for split, _ in jobs] == sorted(split for split, _ in jobs) and jobs[0][0] == 1


def test_accuracies_are_those_of_whole_splits_in_percent(results):
    for split, count in ((0, 2307), (1, 1153.5)):
        for name in study.METHODS:
            study.store(study.key_of(split, name), {"test": [count] * COLUMNS})
    study.store(study.key_of(2, "softmax"), {"test": [0] * COLUMNS})
    got = study.accuracies(study.stored())
    assert set(got) == set(methods.TABLE) and got["Prec@1"] is not None
    assert all(table.tolist() == [[100] * COLUMNS, [50] * COLUMNS] for table in got.values())


def test_another_file_may_hold_results(results):
    study.store("softmax", {"test": [3]}, results / "mine.json")
    assert study.stored(results / "mine.json") == {"softmax": {"test": [3]}} and study.stored() == {}


def test_the_published_split_is_done_if_it_is_there(results, monkeypatch):
    assert study.splits() == study.SEEDS
    (results / study.datasets.CALTECH_SPLIT).touch()
    assert study.splits() == (study.PUBLISHED, *study.SEEDS)
    assert (study.PUBLISHED, "TopPush") in study.stages({})[0]
    monkeypatch.setattr(study.datasets, "load_caltech101_silhouettes", lambda part: (part, "labels"))
    assert study.parts(study.PUBLISHED)["validation"] == ("validation", "labels")


@pytest.mark.parametrize("name", ["softmax", "top-3 alpha", "top-3 truncated", "top-3 smooth"])
def test_a_row_holds_what_was_tried_and_chosen(name, monkeypatch):
    monkeypatch.setattr(study, "parts", lambda split: blobs())
    row = study.row_of(name, 0)
    tried = study.tried_of(row)
    assert set(methods.DECADES) <= set(tried) and study.beside(tried) == []
    assert row["chosen"] == study.rule_of(name)(tried)
    assert row["test"] == [tried[v]["test"][column] for column, v in enumerate(row["chosen"])]
    gaps, most = [record["gap"] for record in tried.values()], losses.TOL_ENTROPY if name == "softmax" else methods.TOL
    assert all(gap is None if "truncated" in name else 0 <= gap <= most for gap in gaps)


def test_hits_count_a_tie_against_an_image():
    scores, y = np.array([[0.0, 0.0, 0.0], [1.0, 2.0, 3.0], [3.0, 1.0, 3.0]]), np.array([0, 1, 0])
    scores = np.hstack([scores, np.full((3, 9), -1.0)])
    got = study.hits(scores, y).astype(int)[:, :4].tolist()
    assert got == [[0, 0, 1, 1], [0, 1, 1, 1], [0, 1, 1, 1]]


# --- the methods ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", study.METHODS)
def test_every_method_learns_and_may_start_from_its_last_state(name, monkeypatch):
    monkeypatch.setattr(methods, "UPDATES", 2000)
    data, larger = blobs(), 1.0 if name.startswith("W++") else -1.0
    before = methods.learn(name, *data["train"], larger)
    fit = methods.learn(name, *data["train"], larger - 1, before.state)
    assert fit.gap is None or 0 <= fit.gap
    right = study.hits(fit.scores(data["test"][0]), data["test"][1]).mean(axis=0)
    last = 0 if not name.endswith("truncated") else -1  # which does not ask for the first guess
    assert right[last] > 0.7, f"{name}: accuracy {right[last]:.2f}"


@pytest.mark.parametrize(("name", "tol"), [("top-5 alpha", methods.TOL), ("top-3 entropy", losses.TOL_ENTROPY)])
def test_from_a_larger_lambda_the_same_optimum(name, tol):
    X, y = blobs()["train"]
    cold = methods.learn(name, X, y, -2.0)
    warm = methods.learn(name, X, y, -2.0, methods.learn(name, X, y, -1.0).state)
    assert max(cold.gap, warm.gap) <= tol
    error = np.abs(cold.weights - warm.weights).max() / np.abs(cold.weights).max()
    assert error < 0.1, f"expected the same weights up to the gap, got a difference of {error:.3f}"


@pytest.mark.parametrize("k", [1, 5])
def test_the_bound_of_an_entropy_is_one(k):
    X, y = blobs()["train"]
    loose = losses.entropy(X, y, 0.01, None, k)
    best = fast.fit_topk_entropy(X, y, k=k, regularization=0.01, tol=1e-9)
    primal = 0.005 * (loose[0] ** 2).sum() + fast.topk_entropy(X @ loose[0], y, k).mean()
    assert loose[1] <= losses.TOL_ENTROPY
    assert -1e-6 <= (primal - best.dual) / primal <= loose[1], "expected a gap within its bound"


# --- the stored file and the paper's table ---------------------------------------------------------------------------


def test_the_file_has_every_method_and_split():
    expected = {study.key_of(split, name) for split in study.SEEDS for name in study.METHODS}
    got = {key for key in ROWS if not key.startswith(study.PUBLISHED)}
    assert got == expected, sorted(expected ^ got)
    assert study.whole_splits(ROWS) == list(study.SEEDS)


def test_the_rows_of_the_file_hold_together():
    for key, row in ROWS.items():
        tried = study.tried_of(row)
        assert row["chosen"] == study.rule_of(key.split(": ")[1])(tried), key
        assert row["test"] == [tried[v]["test"][column] for column, v in enumerate(row["chosen"])], key
        for record in tried.values():
            for part in ("validation", "test"):
                counts = record[part]
                assert counts == sorted(counts) and 0 <= counts[0] <= counts[-1] <= study.SIZES[part], key


def test_no_choice_of_the_first_split_is_at_the_border_of_what_was_tried():
    for name in study.METHODS:
        assert study.beside(study.tried_of(ROWS[study.key_of(0, name)])) == [], name


def test_other_splits_tried_what_the_first_one_chose(monkeypatch):
    monkeypatch.setattr(study, "stored", lambda: ROWS)  # the file is large, and is asked for with each row
    for key, row in ROWS.items():
        split, name = key.split(": ")
        if split not in ("0", study.PUBLISHED):
            assert sorted(study.tried_of(row)) == study.beginning(name, int(split))[0], key


def test_certified_gaps_are_small_where_a_fit_was_not_stopped_early():
    early = ("TopPush", "Prec")
    for key, row in ROWS.items():
        name = key.split(": ")[1]
        entropy = name == "softmax" or name.endswith("entropy")
        for exponent in set(row["chosen"]):
            gap = study.tried_of(row)[exponent]["gap"]
            if gap is not None and not name.startswith(early):
                most = losses.TOL_ENTROPY if entropy else 3e-3 if "Recall" in name else methods.TOL
                assert gap <= most, key


def test_the_papers_table_is_whole():
    assert len(methods.PAPER) == 40
    for name, row in methods.PAPER.items():
        assert len(row) == COLUMNS and list(row) == sorted(row), name
    assert set(methods.PAPER) <= set(study.METHODS) | set(methods.SAME_AS)
    new = set(study.METHODS) - set(methods.PAPER)
    ends = ("inclusive", "smooth", "entropy", "truncated")
    assert {name for name in new if not name.endswith(ends)} == {"Crammer-Singer", "softmax"}
    assert set(methods.TABLE) == set(study.METHODS) | set(methods.SAME_AS)
    assert len(methods.TABLE) == len(set(methods.TABLE)) == 56


def test_the_papers_table_agrees_with_its_text_and_its_bold_print():
    top1, top10 = methods.PAPER["top-1 alpha"], methods.PAPER["top-10 alpha"]
    assert round(top10[4] - top1[4], 1) == 2.6  # section 6.2
    assert methods.PAPER["top-1 beta"] == top1
    for kind, bold in {"alpha": (63.37, 77.33, 80.88, 83.49, 85.39, 90.33),
                       "beta": (64.02, 77.24, 81.06, 83.31, 85.18, 90.03)}.items():  # fmt: skip
        got = np.max([methods.PAPER[f"top-{k} {kind}"] for k in methods.KS], axis=0)
        assert tuple(got) == bold
