"""The study of parts behind notebook 16: data, the rounds that it counts, and the stored file."""

from contextlib import nullcontext
from itertools import pairwise

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import fast
from notebooks.studies import parts as study

ROWS = study.stored()
SMALL = [problem for problem in study.PROBLEMS if not problem.startswith("documents")]


def rounds(problem, method, S):
    return ROWS[problem][method][str(S)]["0.001"]["rounds"]


def options_of(method, S):
    combine, sigma, gather, passes = study.METHODS[method]
    sigma = S if sigma == "S" else sigma
    return {"combine": combine, "sigma": sigma, "gather": gather, "local_epochs": passes}


# --- data ----------------------------------------------------------------------------------------------------------


def test_the_mixture_is_that_of_the_benchmarks():
    from tests.benchmarks.problems import mixture

    for got, expected in zip(study.mixture(), mixture(quick=False), strict=True):
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("C", [1, 100])
def test_the_regularization_is_that_of_C(C, monkeypatch):
    seen = []
    monkeypatch.setattr(study, "whole", lambda X, y, regularization: seen.append(regularization))
    study.row_of(f"digits, C = {C}", study.WHOLE, 1)
    assert seen == [1 / (C * 1797)]


# --- what is counted -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", study.METHODS)
def test_the_rounds_are_those_of_the_public_function(method, monkeypatch):
    X, y = study.load("digits")
    X, y, most = X[:200], y[:200], 6
    monkeypatch.setattr(study, "MOST_ROUNDS", most)
    got = np.array(list(study.rounds_of(study.driver_of(X, y, 1 / 200, method, 4))))
    options = options_of(method, 4) | {"tol": min(study.GAPS), "max_rounds": most}
    with pytest.warns(ConvergenceWarning) if got[-1, 0] > min(study.GAPS) else nullcontext():
        expected = fast.fit_topk_svm_parts(X, y, 4, regularization=1 / 200, **options)
    np.testing.assert_array_equal(got[:, 0], expected.history.gap)
    np.testing.assert_array_equal(got[:, 1], expected.history.communications)
    assert (np.diff(got[:, 2]) > 0).all()


def test_a_row_has_the_first_round_at_each_gap(monkeypatch):
    gaps = [(0.5, 2, 0.1), (9e-3, 4, 0.2), (8e-3, 6, 0.3), (5e-4, 8, 0.4)]
    monkeypatch.setattr(study, "rounds_of", lambda driver: iter(gaps))
    row = study.row_of("digits, C = 1", "conjugate", 2)
    assert row["0.01"] == {"rounds": 2, "communications": 4, "seconds": 0.2}
    assert row["0.001"] == {"rounds": 4, "communications": 8, "seconds": 0.4} and row["gap"] == 5e-4


def test_a_fit_without_time_is_stopped_and_its_gap_is_kept(monkeypatch):
    monkeypatch.setattr(study, "MOST_SECONDS", 0.3)
    row = study.row_of("digits, C = 100", "conjugate", 16)
    assert "0.001" not in row and 1e-3 < row["gap"] <= 1 and 0.3 <= row["seconds"] < 3


def test_a_fit_that_does_not_converge_is_stopped(monkeypatch):
    monkeypatch.setattr(study, "MOST_ROUNDS", 3)
    row = study.row_of("digits, C = 1", "adding", 8)
    assert not {"0.01", "0.001"} & set(row) and row["rounds"] == 3


# --- the file ------------------------------------------------------------------------------------------------------


def test_what_is_stored_is_not_done_again(monkeypatch, tmp_path):
    monkeypatch.setattr(study, "RESULTS", tmp_path / "parts.json")
    monkeypatch.setattr(study, "warm_up", lambda: None)
    wanted = [("digits, C = 1", "gathered", 2), ("digits, C = 1", study.WHOLE, 1), ("digits, C = 1", "gathered", 1)]
    monkeypatch.setattr(study, "rows_to_do", lambda: wanted)
    done = []
    monkeypatch.setattr(study, "row_of", lambda *key: done.append(key) or {"gap": 1.0, "seconds": 0.0})
    study.main()
    study.main()
    assert done == wanted
    assert {method: list(rows) for method, rows in study.stored()["digits, C = 1"].items()} == {
        study.WHOLE: ["1"],
        "gathered": ["2", "1"],
    }


def test_a_row_names_its_machine_if_it_is_not_the_first(monkeypatch, tmp_path):
    monkeypatch.setattr(study, "RESULTS", tmp_path / "parts.json")
    for name, method in (("old", study.WHOLE), ("new", "gathered"), ("old", "conjugate")):
        monkeypatch.setattr(study, "machine", lambda name=name: name)
        study.store("digits, C = 1", method, 1, {"gap": 1.0})
    assert study.first_machine() == "old"
    assert {method: rows["1"].get("machine") for method, rows in study.stored()["digits, C = 1"].items()} == {
        study.WHOLE: None,
        "gathered": "new",
        "conjugate": None,
    }


def test_the_file_has_every_row():
    assert list(ROWS) == list(study.PROBLEMS)
    for problem, method, S in study.rows_to_do():
        row = ROWS[problem][method][str(S)]
        reached = [gap for gap in study.GAPS if str(gap) in row]
        assert reached == [gap for gap in study.GAPS if row["gap"] <= gap]
        if row["gap"] > min(study.GAPS):
            assert row["rounds"] == study.MOST_ROUNDS or row["seconds"] > study.MOST_SECONDS
    assert sum(len(rows) for found in ROWS.values() for rows in found.values()) == len(list(study.rows_to_do()))


def test_stored_rounds_are_computed_again():
    at = "mixture, C = 1", "gathered", 4
    assert abs(study.row_of(*at)["0.001"]["rounds"] - rounds(*at)) <= 1


# --- what the rows say; section B of notebook 16 says some of it ---------------------------------------------------


@pytest.mark.parametrize("method", ["gathered", "conjugate"])
@pytest.mark.parametrize("problem", SMALL)
def test_sixteen_parts_need_at_most_twice_the_rounds_of_one(problem, method):
    assert rounds(problem, method, 16) <= 2 * rounds(problem, method, 1)


@pytest.mark.parametrize("problem", SMALL)
def test_what_the_rows_say_of_rounds_and_communications(problem):
    one, *many, most = (rounds(problem, "conjugate", S) for S in study.PARTS["digits"])
    assert max(many) <= 1.8 * one and most <= 2.5 * one
    one, sixteen = (ROWS[problem]["conjugate"][S]["0.001"]["communications"] for S in ("1", "16"))
    assert 1.8 < sixteen / one < 5.3
    assert len({rounds(problem, "gathered", S) for S in study.PARTS["digits"]}) <= 2


def test_what_the_rows_say_of_the_coupling():
    talks = {
        (problem, method, S): ROWS[problem][method][S]["0.001"]["communications"]
        for problem in SMALL
        for method in ("conjugate", "conjugate, sigma' = S")
        for S in ("8", "64")
    }
    assert talks["mixture, C = 1", "conjugate", "64"] == 46
    assert talks["mixture, C = 1", "conjugate, sigma' = S", "64"] == 218
    for C in (1, 100):
        problem = f"digits, C = {C}"
        assert talks[problem, "conjugate", "8"] == talks[problem, "conjugate, sigma' = S", "8"]


def test_what_the_notebook_says_of_the_mixture():
    rows = ROWS["mixture, C = 1"]
    talks = {method: {S: row["0.001"]["communications"] for S, row in rows[method].items() if "0.001" in row}
             for method in ("gathered", "conjugate", "adding", study.LONG_ROUNDS)}  # fmt: skip
    assert set(talks["gathered"].values()) == {8}
    assert talks["conjugate"]["1"] == 19 and talks["conjugate"]["64"] == 46
    assert talks["adding"]["2"] == 84 and talks[study.LONG_ROUNDS] == {"1": 2, "2": 78}
    X, y = study.load("mixture")
    duals = fast.fit_topk_svm(X, y, regularization=1 / len(y)).duals
    assert (duals != 0).any(axis=1).mean() > 0.99 and X.nbytes == 20_480_000


def test_what_the_notebook_says_of_listed_digits():
    X, y = study.load("digits")
    driver = study.driver_of(X, y, 1 / len(y), "gathered", 8)
    driver.advance(1e-3)
    assert 0.97 < study.listed(driver) / len(y) < 0.99
    third = fast.fit_topk_svm_parts(X, y, 8, gather=X.nbytes / 3, regularization=1 / len(y))
    assert list(third.history.gathered[:3]) == [0, 0, 1] and third.history.communications[-1] < 120
    assert 0.25 < third.history.gap[1] < 0.35 and third.gap <= 1e-3


def test_what_the_notebook_says_of_adding():
    needed = [rounds("mixture, C = 1", "adding", S) for S in (2, 4, 8)]
    assert all(1.8 < more / fewer < 2.2 for fewer, more in pairwise(needed))
    assert ROWS["digits, C = 100"]["adding"]["1"]["gap"] == 0.87
    assert [rounds("mixture, C = 1", study.LONG_ROUNDS, S) for S in (1, 2)] == [1, 39]
    assert needed[0] == 42
    assert rounds("digits, C = 1", study.LONG_ROUNDS, 1) == 16
    assert all(ROWS["digits, C = 1"][study.LONG_ROUNDS][S]["gap"] > 0.05 for S in ("2", "4", "8", "16"))


def test_what_the_notebook_says_of_documents():
    rows = ROWS["documents, C = 1"]
    assert {row["0.001"]["rounds"] for row in rows["gathered"].values()} == {5}
    assert [S for S, row in rows["conjugate"].items() if "0.001" in row] == ["1"]
    assert all(rows["conjugate"][S]["seconds"] > 180 for S in ("4", "16", "64"))
    assert 14 < rows[study.WHOLE]["1"]["0.001"]["seconds"] < 15


def test_what_the_rows_say_of_the_time():
    for rows in ROWS.values():
        whole = rows[study.WHOLE]["1"]["0.001"]["seconds"]
        assert all(0.9 < row["0.001"]["seconds"] / whole < 4 for row in rows["gathered"].values())
