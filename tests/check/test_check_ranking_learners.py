"""The examiner of direct loss minimisation and of latent ranking: what is refused."""

import numpy as np
import pytest

import reference
from reference.check.judging.arguments import problem_of
from reference.check.ranking_learners import cases, steps, truth
from tests.support.check import DIFFERS, as_answer, judged

X = np.array([[1.0, 0.0], [2.0, 0.5], [0.0, 1.0], [-1.0, 0.5], [0.5, 2.0]])
LATENT = {
    "X": X, "bags": np.array([4, 4, 7, 2, 2]), "relevant": np.array([1, 1, 0, 0, 0]), "loss": "ap",
    "regularization": 0.1, "tol": 1e-6, "max_iterations": 1000, "max_rounds": 20,
}  # fmt: skip
DIRECT = {
    "X": X, "relevant": np.array([1, 0, 0, 1, 0]), "groups": None, "loss": "ap", "epsilon": 0.3, "step_size": 0.5,
    "max_iterations": 3, "weights": np.array([-1.0, 0.3]),
}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, ""),
        ({"weights": None}, "wrong type"),
        ({"weights": np.zeros(3)}, "wrong shape"),
        ({"weights": np.zeros(2, np.float32)}, "wrong dtype"),
        ({"weights": np.zeros(2)}, DIFFERS),
        ({"losses": np.zeros(3)}, "wrong shape"),
        ({"losses": np.zeros(4)}, DIFFERS),
        ({"losses": np.full(4, np.nan)}, "not finite"),
    ],
)
def test_broken_steps(change, expected):
    answer = reference.fit_direct_loss(**DIRECT)._asdict() | change
    assert judged("fit_direct_loss", DIRECT, answer) == expected


def latent_answer(**options):
    return as_answer(reference.fit_latent_ranking_svm(**LATENT | options))


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, ""),
        ({"weights": None}, "wrong type"),
        ({"weights": np.zeros(2)}, "reports something else"),
        ({"chosen": np.array([1.0])}, "wrong dtype"),
        ({"chosen": np.array([0, 1])}, "wrong shape"),
        ({"chosen": np.array([2])}, "out of range"),
        ({"objectives": np.zeros(0)}, "wrong shape"),
        ({"objectives": np.ones(21)}, "wrong shape"),
        ({"objectives": np.ones(1)}, "reports something else"),
        ({"gap": 0.5}, "reports something else"),
        ({"last_fit": None}, "wrong type"),
    ],
)
@pytest.mark.parametrize("known", [True, False], ids=["minimum known", "minimum unknown"])
def test_broken_rounds(change, expected, known, monkeypatch):
    if not known:
        monkeypatch.setattr(truth, "optimum", lambda arguments: None)
    assert judged("fit_latent_ranking_svm", LATENT, latent_answer() | change) == expected


def test_rounds_that_end_too_early_are_refused_without_cvxpy(monkeypatch):
    """Other windows score higher, and the objective fell by more than the tolerance."""
    monkeypatch.setattr(truth, "optimum", lambda arguments: None)
    rng = np.random.default_rng(0)
    for _ in range(20):
        data = dict(zip(("X", "bags", "relevant"), cases._planted(rng, 6, 4), strict=True))
        first, all_rounds = (latent_answer(**data, max_rounds=rounds) for rounds in (1, 20))
        if len(all_rounds["objectives"]) > 1:
            break
    for answer, expected in ((all_rounds, ""), (first, "stopped early")):
        assert judged("fit_latent_ranking_svm", LATENT | data, answer) == expected


def test_what_rounding_decides_is_not_judged():
    """A trail is known up to the first tie, and rounds are known up to the first windows with nearly the same score."""
    trail = steps.trail(problem_of("fit_direct_loss", DIRECT))
    assert trail.known_weights == trail.known_losses == 4
    tie = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]), np.array([1, 0, 0])
    arguments = DIRECT | dict(zip(("X", "relevant"), tie, strict=True)) | {"weights": np.ones(2)}
    trail = steps.trail(problem_of("fit_direct_loss", arguments))
    assert (trail.known_weights, trail.known_losses) == (1, 1)
    rounds, complete = truth.true_rounds(problem_of("fit_latent_ranking_svm", LATENT))
    assert complete and rounds[-1][0].tolist() == latent_answer()["chosen"].tolist()
    loose = problem_of("fit_latent_ranking_svm", LATENT | {"tol": 0.5, "max_rounds": 2})
    assert not truth.true_rounds(loose)[1]
