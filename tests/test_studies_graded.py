"""The study of graded relevance behind notebook 08: data, measure, choices, and the stored file."""

import json

import numpy as np
import pytest
from sklearn.metrics import ndcg_score

from notebooks.studies import graded_relevance as study
from notebooks.studies.paired import difference

ROWS = study.stored()
METHODS = ["class means", "relevant above 0", "best border", "thresholds", "LambdaRank"]
MADE_UP = [name for name in study.DATA if name != "mq2008"]


def mean(name, method, k="10"):
    return np.mean(ROWS[name]["rows"][method]["ndcg"][k])


def verdict(name, method, other):
    """What the five folds say of NDCG@10: "higher", "lower" or "open"."""
    two = [ROWS[name]["rows"][row]["ndcg"]["10"] for row in (method, other)]
    return difference(*two, 1 / (study.FOLDS - 1), comparisons=4).verdict


# --- data and measure ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MADE_UP)
def test_made_up_queries_have_five_grades_in_the_shares_that_are_named(name):
    X, grades, query = study.DATA[name]()
    assert X.shape == (study.QUERIES * study.DOCUMENTS, study.FEATURES) and np.ptp(np.diff(np.unique(query))) == 0
    np.testing.assert_allclose(np.bincount(grades) / len(grades), study.SHARES, atol=2e-3)
    assert all(np.ptp(grades[rows]) > 0 for rows in study.rows_by_query(query))
    again = study.DATA[name]()
    np.testing.assert_array_equal(X, again[0])
    np.testing.assert_array_equal(grades, again[1])


def test_queries_of_one_grade_are_left_out():
    X, grades, query = np.arange(7.0)[:, None], np.array([1, 0, 2, 2, 1, 1, 0]), np.array([5, 1, 2, 2, 5, 1, 1])
    got = study.with_different_grades(X, grades, query)
    assert [part.tolist() for part in got] == [[[1], [5], [6]], [0, 1, 0], [1, 1, 1]]


@pytest.mark.parametrize("k", [1, 5, 10])
def test_the_measure_is_the_mean_over_queries_of_different_lengths(k):
    random = np.random.default_rng(0)
    query = random.integers(6, size=60)
    grades, scores = random.integers(4, size=60), random.integers(9, size=60) / 2
    expected = [ndcg_score([2.0 ** grades[query == q] - 1], [scores[query == q]], k=k) for q in range(6)]
    assert study.graded_ndcg(scores, grades, query, k) == pytest.approx(np.mean(expected))


# --- choices ------------------------------------------------------------------------------------------------------


def test_the_parameters_with_the_best_ndcg_are_chosen():
    X, grades, query = study.DATA["linear"]()
    right = X @ study.FIRST

    def learn(X, y, query, sign):
        assert len(X) == len(y) == len(query) < len(right)
        return lambda Z: sign * (Z @ study.FIRST)

    assert study.choose((X, grades, query), learn, [{"sign": -1}, {"sign": 1}, {"sign": 0}]) == {"sign": 1}
    row = study.row_of((X, grades, query), learn, [{"sign": 1}])
    assert np.mean(row["ndcg"]["10"]) == pytest.approx(study.graded_ndcg(right, grades, query, 10), abs=1e-5)


def test_without_lightgbm_its_stored_rows_are_kept(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(study, "RESULTS", tmp_path / "results.json")
    monkeypatch.setattr(study.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(study, "DATA", {"linear": study.DATA["linear"]})
    monkeypatch.setattr(study, "LOG_C", [0.0])
    assert "LambdaRank" not in study.methods(4)
    trees = {"chosen": [], "ndcg": {"1": [0.5]}}
    study.RESULTS.write_text(json.dumps({"linear": {"rows": {"LambdaRank": trees, "best border": {"kept": True}}}}))
    study.main()
    assert "lightgbm is not installed" in capsys.readouterr().out
    rows = study.stored()["linear"]["rows"]
    assert rows["LambdaRank"] == trees and rows["best border"] == {"kept": True} and set(rows) == set(METHODS)
    assert min(rows["thresholds"]["ndcg"]["10"]) > max(rows["class means"]["ndcg"]["10"]) - 0.05


# --- the stored file -------------------------------------------------------------------------------------------------


def test_the_file_has_every_method_on_every_data_set():
    assert list(ROWS) == list(study.DATA)
    for entry in ROWS.values():
        assert list(entry["rows"]) == METHODS and sum(entry["grades"]) == entry["documents"]
        for row in entry["rows"].values():
            assert len(row["chosen"]) == study.FOLDS
            for values in row["ndcg"].values():
                assert len(values) == study.FOLDS and 0 < min(values) <= max(values) < 1


@pytest.mark.parametrize("name", study.DATA)
def test_choices_are_among_those_that_were_tried(name):
    for method, (_, tries) in study.methods(len(ROWS[name]["grades"]) - 1).items():
        assert all(chosen in tries for chosen in ROWS[name]["rows"][method]["chosen"])


@pytest.mark.parametrize("name", study.DATA)
@pytest.mark.parametrize("method", ["class means", "thresholds"])
def test_stored_numbers_are_computed_again(name, method):
    learn, _ = study.methods(4)[method]
    try:
        X, grades, query = study.DATA[name]()
    except FileNotFoundError:
        pytest.skip("needs MQ2008: set MARGINALIA_DATA to a folder that holds it")
    assert np.bincount(grades).tolist() == ROWS[name]["grades"]
    row = ROWS[name]["rows"][method]
    rest, held_out = next(study.GroupKFold(study.FOLDS).split(X, groups=query))
    scores = learn(X[rest], grades[rest], query[rest], **row["chosen"][0])(X[held_out])
    for k in study.CUTOFFS:
        got = study.graded_ndcg(scores, grades[held_out], query[held_out], k)
        assert got == pytest.approx(row["ndcg"][str(k)][0], abs=1e-3)


def test_what_notebook_08_says_of_the_table():
    zero, border, thresholds, trees = METHODS[1:]
    for method in (zero, border, thresholds, trees):
        assert abs(mean("mq2008", method) - mean("mq2008", zero)) < 0.005
        assert 0.01 < mean("mq2008", method) - mean("mq2008", "class means") < 0.02
        assert verdict("mq2008", method, zero) == verdict("mq2008", method, "class means") == "open"
    assert verdict("linear", border, zero) == verdict("linear", thresholds, zero) == "open"
    assert verdict("linear", trees, zero) == verdict("linear", trees, thresholds) == "lower"
    assert min(mean("two steps", method) - mean("two steps", zero) for method in (border, thresholds)) > 0.16
    for method in (border, thresholds):
        assert verdict("two steps", method, zero) == "higher" and verdict("two steps", trees, method) == "open"
        assert mean("two steps", trees) - mean("two steps", method) == pytest.approx(0.02, abs=0.005)
    assert {verdict("products", trees, method) for method in METHODS[:-1]} == {"higher"}
    assert mean("products", trees) - max(mean("products", method) for method in METHODS[:-1]) > 0.3
