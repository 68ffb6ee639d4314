"""The examiner of ranking SVMs: answers of a wrong form are refused."""

import numpy as np
import pytest

import reference
from reference.check.ranking_svm import truth
from tests.mutants.ranking_svm import claims_optimum, last_point
from tests.support.check import DIFFERS, as_answer, first_failure, judged


@pytest.mark.parametrize("mutant", [claims_optimum, last_point])
def test_a_bound_that_no_plane_proves_is_refused_without_cvxpy(mutant, monkeypatch):
    monkeypatch.setattr(truth, "fit_ranking_svm", lambda problem: None)
    failure, _ = first_failure({"fit_ranking_svm": mutant}, "fit_ranking_svm", "certificate")
    assert failure.reason == "certificate"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, ""),
        ({"interleaving": [0, 1, 0, 1]}, "wrong type"),
        ({"interleaving": np.zeros(4)}, "wrong dtype"),
        ({"interleaving": np.array([2, 1])}, "wrong shape"),
        ({"interleaving": np.array([0, 3, 0, 1])}, "out of range"),
        ({"interleaving": np.array([1, 1, 0, 1])}, DIFFERS),
        ({"interleaving": np.array([0, 2, 0, 2])}, DIFFERS),
        ({"objective": 1.0}, "wrong type"),
        ({"objective": np.zeros(2)}, "reports something else"),
        ({"loss": np.zeros(3)}, "wrong shape"),
        ({"loss": np.zeros(2)}, "reports something else"),
    ],
)
def test_broken_rankings_of_groups(change, expected):
    arguments = {"scores": np.array([1.0, 2.0, 0.0, 2.0]), "relevant": np.array([1, 0, 1, 0])}
    arguments |= {"groups": np.arange(4) // 2, "loss": "ap"}
    answer = reference.grouped_inference(**arguments)._asdict() | change
    assert judged("grouped_inference", arguments, answer) == expected


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, ""),
        ({"weights": None}, "wrong type"),
        ({"weights": np.zeros(3)}, "wrong shape"),
        ({"weights": np.zeros(2, np.float32)}, "wrong dtype"),
        ({"weights": np.zeros(2)}, DIFFERS),
        ({"gap": float("nan")}, "wrong type"),
        ({"gap": 0.5}, "reports something else"),
        ({"primal": 1.0}, "reports something else"),
        ({"dual": 0.0}, "reports something else"),
        ({"dual": 1.0}, "no lower bound"),
        ({"points": None}, "wrong type"),
        ({"points": np.zeros((0, 2))}, "wrong shape"),
        ({"points": np.zeros((0, 2)), "shares": np.zeros(0)}, "certificate"),
        ({"shares": None}, "wrong type"),
        ({"slope": np.zeros(3)}, "wrong shape"),
        ({"slope": np.zeros(2)}, "reports something else"),
        ({"offset": 0.0}, "reports something else"),
        ({"offset": None}, "wrong type"),
        ({"iterations": [1]}, "wrong type"),
        ({"iterations": 0}, "history"),
        ({"history": {}}, "history"),
    ],
)
@pytest.mark.parametrize("known", [True, False], ids=["minimum known", "minimum unknown"])
def test_broken_ranking_svms(change, expected, known, monkeypatch):
    if not known:
        monkeypatch.setattr(truth, "fit_ranking_svm", lambda problem: None)
        expected = "certificate" if expected == DIFFERS else expected
    X, relevant = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0], [1.0, 1.0]]), np.array([1, 0, 0, 1])
    arguments = {"X": X, "relevant": relevant, "groups": None, "loss": "ap", "regularization": 0.5, "tol": 1e-6}
    fit = reference.fit_ranking_svm(**arguments)
    assert judged("fit_ranking_svm", arguments, as_answer(fit) | change) == expected
