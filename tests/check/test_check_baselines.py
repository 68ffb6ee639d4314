"""The examiner of TopPush and SVMperf: answers of a wrong form are refused."""

import numpy as np
import pytest

import reference
from reference.check.judging.subject import SUBJECTS
from reference.check.topk_baselines import truth
from tests.support.check import DIFFERS, as_answer, judged
from tests.support.topk_baselines import PERF, PUSH, instance

EACH_FIT = pytest.mark.parametrize("name", [PUSH, PERF])


@EACH_FIT
@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, ""),
        ({"weights": None}, "wrong type"),
        ({"weights": np.zeros(3)}, "wrong shape"),
        ({"weights": np.zeros(2, np.float32)}, "wrong dtype"),
        ({"weights": np.zeros(2)}, DIFFERS),
        ({"weights": np.full(2, np.nan)}, "not finite"),
        ({"duals": np.zeros((2, 2))}, "wrong shape"),
        ({"duals": np.zeros(4)}, "certificate"),
        ({"duals": np.array([5.0, -1.0, 2.0, 1.0])}, "certificate"),
        ({"gap": float("nan")}, "wrong type"),
        ({"gap": 0.5}, "reports something else"),
        ({"primal": 1.0}, "reports something else"),
        ({"dual": 0.0}, "reports something else"),
        ({"dual": 1.0}, "reports something else"),
        ({"iterations": [1]}, "wrong type"),
        ({"iterations": 0}, "history"),
        ({"history": {}}, "history"),
    ],
)
@pytest.mark.parametrize("known", [True, False], ids=["minimum known", "minimum unknown"])
def test_broken_fits(name, change, expected, known, monkeypatch):
    if not known:
        monkeypatch.setattr(truth, name, lambda problem: None)
        expected = "certificate" if expected == DIFFERS else expected
    X, relevant = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0], [1.0, 1.0]]), np.array([1, 0, 0, 1])
    arguments = {"X": X, "relevant": relevant, "regularization": 0.5, "tol": 1e-6}
    arguments |= {"k": 2, "loss": "recall"} if name == PERF else {}
    answer = as_answer(getattr(reference, name)(**arguments)) | change
    assert judged(name, arguments, answer) == expected


@EACH_FIT
def test_a_warning_excuses_the_gap_and_nothing_else(name):
    X, relevant = instance(1, n=12)
    arguments = {"X": X, "relevant": relevant, "regularization": 0.01, "tol": 1e-12}
    arguments |= {"k": 4, "loss": "recall"} if name == PERF else {}
    with pytest.warns(UserWarning, match="after 3 iterations"):
        answer = as_answer(getattr(reference, name)(**arguments, max_iterations=3))
    warns = {"warns": "ConvergenceWarning"}
    assert judged(name, arguments, answer, **warns) == ""
    assert judged(name, arguments, answer) in (DIFFERS, "certificate")
    shifted = answer | {"duals": -answer["duals"] - 0.1}
    assert judged(name, arguments, shifted, **warns) in ("certificate", "reports something else")
    assert judged(name, arguments, answer | {"gap": 0.0}, **warns) == "reports something else"


@EACH_FIT
@pytest.mark.parametrize("weights", [None, [2.0, 0.5, 0.0, 1.0, 1.5, 1.0]], ids=["no weights", "weights"])
@pytest.mark.parametrize("classes", [0, 3])
def test_simpler_instances_are_instances(name, classes, weights):
    """Each has both classes, k in its range, and duals of the right shape, so the reference does not raise."""
    X, relevant = instance(2, n=6, classes=classes)
    arguments = {"X": X, "relevant": relevant, "regularization": 0.37, "duals": np.zeros(relevant.shape)}
    arguments |= {"k": 5, "loss": "recall"} if name == PERF else {}
    arguments |= {"sample_weight": np.array(weights)} if weights else {}
    rng = np.random.default_rng(0)
    smaller = [*SUBJECTS[name].simpler(arguments), *SUBJECTS[name].tiny(rng, arguments)]
    assert len(smaller) > 20
    for one in smaller:
        getattr(reference, name)(**one, tol=0.5)
        assert one.keys() <= arguments.keys() <= one.keys() | {"duals", "sample_weight", "loss"}
