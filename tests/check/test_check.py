"""The examiner: answers of a wrong form are refused, and the catalogue is complete."""

import json
from pathlib import Path
from types import FunctionType

import numpy as np
import pytest

import fast
import reference
from reference.check import check
from reference.check.__main__ import main
from reference.check.judging import case as problems
from reference.check.judging import outcome as judge
from reference.check.judging.arguments import problem_of
from reference.check.judging.shrink import _key
from reference.check.judging.subject import SUBJECTS
from reference.check.passive_aggressive import passes
from reference.check.projections import cases as problems_projections
from reference.check.sandbox import sandbox
from reference.check.topk_svm import cases as problems_svm
from tests.mutants import mutants
from tests.support.check import DIFFERS, as_answer, judged

LOSSES_OF_RANKINGS = ("ap_loss", "ndcg_loss", "rank_loss")  # their arguments are integers
RANKING = (*LOSSES_OF_RANKINGS, "interleaving_ranks", "loss_augmented_inference", "semigradient")
GROUPED = ("grouped_inference", "fit_ranking_svm")
NOT_EXAMINED = {}  # public functions of both packages, and the reason why the examiner leaves them out


# --- the report ------------------------------------------------------------------------------------------------------


def test_speed_up_over_itself_is_not_shown():
    got = check("reference", only="topk_error", quick=True)
    assert got.passed, str(got)
    assert got.rows[0].speedup is None


def test_dict_of_functions():
    functions = {"ap_loss": lambda ranks, n_positive: reference.ap_loss(ranks, n_positive), "path": Path, "y": 1}
    got = check(functions, quick=True)
    assert [row.name for row in got.rows] == ["ap_loss"]
    assert got.passed, str(got)
    assert got.rows[0].speedup > 0
    assert set(got.missing) == set(SUBJECTS) - {"ap_loss"}
    wrong = check({"ap_loss": lambda ranks, n_positive: 0.5}, quick=True)
    assert "expected" in wrong.counterexample("ap_loss")


# --- the judge -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raised", "expected"),
    [
        (None, "did not raise"),
        ((["TypeError"], "k must be an integer"), "raised another error"),
        ((["ValueError"], "a bad kind of argument"), "did not name the argument"),
        ((["ValueError"], "k must be in 1..3, got 0"), ""),
        ((["OurError", "ValueError"], "k=0"), ""),
    ],
)
def test_refusal(raised, expected):
    case = problems.Case("k = 0", {"k": 0}, refuses=("k",))
    raised = raised and {"kinds": raised[0], "message": raised[1], "line": "solution.py:1"}
    assert judge.conduct(case, sandbox.Reply(raised=raised)).reason == expected


def test_a_warning_that_is_due():
    case = problems.Case("one epoch", {}, warns="ConvergenceWarning")
    assert judge.conduct(case, sandbox.Reply(warnings=("UserWarning",))).reason == "did not warn"
    assert judge.conduct(case, sandbox.Reply(warnings=("ConvergenceWarning",))) is None


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, ""),
        ({"history": {}}, "history"),
        ({"history": "none"}, "history"),
        ({"epochs": 0}, "history"),
        ({"epochs": [1]}, "wrong type"),
        ({"gap": None}, "wrong type"),
        ({"gap": float("nan")}, "wrong type"),
        ({"primal": 1.0}, "reports something else"),
        ({"duals": np.zeros((3, 3))}, "weights"),
        ({"duals": np.zeros((3, 3)), "weights": np.zeros((2, 3))}, DIFFERS),
        ({"duals": np.full((3, 3), np.nan)}, "not finite"),
        ({"duals": np.zeros((3, 2))}, "wrong shape"),
        ({"weights": None}, "wrong type"),
        ({"weights": np.zeros((2, 3))}, "weights"),
    ],
)
def test_broken_fits(change, expected):
    arguments = {"X": np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]), "y": np.arange(3), "k": 1, "kind": "alpha"}
    arguments |= {"regularization": 0.1, "tol": 1e-6}
    X, y, *_ = arguments.values()
    fit = reference.fit_topk_svm(X, y, **{name: arguments[name] for name in ("k", "kind", "regularization", "tol")})
    assert judged("fit_topk_svm", arguments, as_answer(fit) | change) == expected


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, ""),
        ({"weights": None}, "wrong type"),
        ({"weights": np.zeros((2, 3))}, "wrong shape"),
        ({"weights": np.full((3, 2), np.nan)}, "not finite"),
        ({"weights": np.zeros((3, 2), dtype=np.float32)}, "wrong dtype"),
        ({"weights": np.zeros((3, 2))}, DIFFERS),
        ({"averaged": None}, "wrong type"),
        ({"averaged": np.zeros((3, 2))}, DIFFERS),
        ({"mistakes": 2}, "wrong type"),
        ({"mistakes": np.array([1, 2, 2])}, "wrong shape"),
        ({"mistakes": np.array([1.0, 2, 2, 2, 2, 2])}, "wrong dtype"),
        ({"mistakes": np.array([1, 2, 3, 3, 3, 3])}, "mistakes"),
        ({"mistakes": np.array([1, 1, 0, 0, 0, 0])}, "mistakes"),
        ({"updates": None}, "wrong type"),
        ({"updates": True}, "wrong type"),
        ({"updates": 7}, "updates"),
        ({"updates": -1}, "updates"),
        ({"updates": 0}, "updates"),
    ],
)
def test_broken_passes_over_a_stream(change, expected):
    X, y = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]), np.arange(3)
    options = {"epochs": 2, "averaged": True, "order": np.arange(3)}
    answer = reference.fit_passive_aggressive(X, y, **options)._asdict() | change
    assert judged("fit_passive_aggressive", {"X": X, "y": y, **options}, answer) == expected


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, ""),
        ({"weights": np.array([[1.0, 2.0, 0.0], [-1.0, -1.0, 0.0]])}, "columns"),
        ({"averaged": np.array([[1.0, 2.0, 1.0], [-1.0, -2.0, -1.0]])}, "rows"),
        ({"mistakes": np.array([0, 2])}, "mistakes"),
    ],
)
def test_what_no_order_can_change(change, expected):
    X, y, options = np.array([[1.0, 0.0, 0.0], [1.0, 1.0, 0.0]]), np.arange(2), {"averaged": True, "seed": 3}
    answer = reference.fit_passive_aggressive(X, y, **options)._asdict() | change
    assert judged("fit_passive_aggressive", {"X": X, "y": y, **options}, answer) == expected


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, ""),
        ({"interleaving": [1, 2]}, "wrong type"),
        ({"interleaving": np.array([1.0, 2.0, 3.0])}, "wrong dtype"),
        ({"interleaving": np.array([1, 2])}, "wrong shape"),
        ({"interleaving": np.array([0, 2, 3])}, "out of range"),
        ({"interleaving": np.array([1, 2, 4])}, "out of range"),
        ({"interleaving": np.array([3, 3, 3])}, DIFFERS),
        ({"objective": None}, "wrong type"),
        ({"objective": np.nan}, "wrong type"),
        ({"objective": True}, "wrong type"),
        ({"objective": 1.0}, "reports something else"),
        ({"loss": np.zeros(1)}, "wrong type"),
        ({"loss": 0.0}, "reports something else"),
    ],
)
def test_broken_inferences(change, expected):
    p, n = np.array([1.0, 0.0]), np.array([0.5, -2.0, 1.5])
    answer = reference.ranking.loss_augmented_inference(p, n)._asdict() | change
    assert judged("loss_augmented_inference", {"positive_scores": p, "negative_scores": n}, answer) == expected


@pytest.mark.parametrize("name", SUBJECTS)
def test_answers_of_another_kind(name):
    case = next(SUBJECTS[name].cases(np.random.default_rng(0), True))
    for answer in (None, "0.5", {}, [1.0], np.nan):
        assert judged(name, case.arguments, answer) == "wrong type", answer


def test_large_rankings_are_judged_by_certificates_and_counts():
    rng = np.random.default_rng(4)
    p, n = rng.normal(size=200), rng.normal(size=3000)
    scores = {"positive_scores": p, "negative_scores": n}
    ranks = reference.ranking.interleaving_ranks(p, n)
    one_wrong = ranks + (np.arange(3000) == np.argmin(ranks))
    by_positive, by_negative = reference.ranking.semigradient(p, n, ranks)
    gradients = [by_positive, by_negative], [by_positive[::-1], by_negative]
    for name, arguments, (right, wrong), expected in (
        ("interleaving_ranks", scores, (ranks, one_wrong), "certificate"),
        ("semigradient", {**scores, "interleaving": ranks}, gradients, DIFFERS),
    ):
        for answer, reason in ((right, ""), (wrong, expected)):
            assert judged(name, arguments, answer) == reason, name
    answer = reference.ranking.loss_augmented_inference(p, n, "ndcg")._asdict()
    wrong = answer | {"interleaving": answer["interleaving"] + (answer["interleaving"] == 100)}
    assert judged("loss_augmented_inference", {**scores, "loss": "ndcg"}, answer) == ""
    assert judged("loss_augmented_inference", {**scores, "loss": "ndcg"}, wrong) == "certificate"


def test_scores_that_cancel_tie_within_the_rounding_of_their_products():
    """After three updates two scores are equal but for rounding, and close to 0: either count of mistakes is right."""
    X = np.array([[1.0, 0, -1], [1, 2, 1], [-1, -1, 0], [1, -1, 1], [1, 0, 1], [-1, -1, 0]])
    rule = {"margin": 2.5, "variant": "pa1", "aggressiveness": 0.1}
    given = {"X": X, "y": np.array([0, 0, 1, 2, 1, 3]), "epochs": 2, "order": np.arange(6), **rule}
    for unit in (1e-9, 1.0, 1e9):
        case = problems.Case("ties", {**given, "X": unit * X, "aggressiveness": 0.1 / unit**2, "averaged": False})
        for twin in (reference, fast):
            fit = twin.fit_passive_aggressive(**case.arguments)._asdict()
            assert not SUBJECTS["fit_passive_aggressive"].judge(case, sandbox.Reply(fit)).reason


def test_replay_accepts_a_proposal_only_by_its_certificate(monkeypatch):
    X, y = np.random.default_rng(5).normal(size=(20, 3)), np.random.default_rng(6).integers(0, 4, size=20)
    for variant in ("pa", "pa1", "pa2"):
        arguments = {"X": X, "y": y, "order": np.arange(20), "variant": variant, "aggressiveness": 0.3}
        problem = problem_of("fit_passive_aggressive", arguments)
        got = passes.replay(problem)
        with monkeypatch.context() as patch:
            patch.setattr(passes, "_proposed", lambda A, x, y, rule: 0 * A)
            expected = passes.replay(problem)
        assert np.allclose(got.weights, expected.weights, rtol=0, atol=1e-13)
        assert got.mistakes.tolist() == expected.mistakes.tolist()
        assert got.updates == expected.updates


def test_tolerance_scales():
    assert judge.tolerance(np.float64, 100) == pytest.approx(10 * judge.tolerance(np.float64, 1))
    assert judge.tolerance(np.float32, 1) > 1e8 * judge.tolerance(np.float64, 1)


# --- the catalogue ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SUBJECTS)
def test_seeds_give_different_instances_and_the_same_seed_the_same(name):
    def instances(seed):
        cases = SUBJECTS[name].cases(np.random.default_rng(seed), True)
        return (_key(case.arguments) for case in cases if not case.refuses)

    first = list(instances(1))
    assert all(one == other for one, other in zip(first, instances(1), strict=True))
    assert any(one != other for one, other in zip(first, instances(2), strict=False))


@pytest.mark.parametrize("name", SUBJECTS)
def test_catalogue_holds_what_it_promises(name):
    cases = list(SUBJECTS[name].cases(np.random.default_rng(0), False))
    labels = {case.label for case in cases}
    assert {"int32" if name in LOSSES_OF_RANKINGS else "float32", "random"} <= labels
    assert any(case.refuses for case in cases)
    assert any(case.timed for case in cases)
    if name.startswith("project") or name == "squish_column":
        assert {"ties", "constant", "one-hot", "zeros", "scale 1e-9", "scale 1e9", "batch"} <= labels
        assert {"feasible already", "projected already", "every second element"} <= labels
        points = [next(iter(case.arguments.values())) for case in cases]
        assert {point.shape[-1] for point in points} >= {1, 2, 3, 5, 10, 100, 1000, 10**5, 10**6}
    if name == "multiclass_update":
        assert {"ties", "one-hot", "zeros", "scale 1e-9", "scale 1e9", "equal rows", "a single rival"} <= labels
        assert {"satisfied already", "satisfied exactly", "updated already", "x = 0"} <= labels
        right = [case.arguments for case in cases if "variant" in case.arguments and not case.refuses]
        asked = {(arguments["variant"], arguments.get("k", 1)) for arguments in right}
        assert asked >= {(variant, k) for variant in ("pa", "pa1", "pa2") for k in (1, 2, 3)}
        assert {arguments["A"].shape for arguments in right} >= {(2, 1), (6, 5), (100, 30), (1000, 64), (5000, 8)}
    if name in LOSSES_OF_RANKINGS:
        assert {"perfect", "worst", "each rank once", "every second element"} <= labels
    elif name in RANKING:
        assert {"ties", "exact ties", "all equal", "perfect", "worst", "integers", "every second element"} <= labels
        assert {"scale 1e-9", "scale 1e9", "1e9 + noise", "one positive far above", "the same scores"} <= labels
        right = [case.arguments for case in cases if not case.refuses]
        shapes = {(a["positive_scores"].size, a["negative_scores"].size) for a in right}
        assert shapes >= {(1, 1), (5, 5), (500, 1), (1, 500), (50, 2000), (1000, 10**5), (50, 10**6)}
    if name == "loss_augmented_inference":
        asked = {(arguments["loss"], arguments["method"]) for arguments in right if "method" in arguments}
        assert asked == {(loss, method) for loss in ("ap", "ndcg", "auc") for method in ("quicksort", "greedy")}
    if name in GROUPED:
        assert {"ties", "a group with one class", "no groups", "flags of another type"} <= labels
        assert {case.arguments["loss"] for case in cases if case.timed} >= {"ap", "ndcg"}
    if name == "fit_ranking_svm":
        assert {"strong regularization", "weak regularization", "scale 1e-3", "Fortran order", "three planes"} <= labels
        assert {case.arguments["X"].shape for case in cases if case.timed} == {(200, 8)}
    if name == "fit_passive_aggressive":
        assert {"digits", "rows of zeros", "weights to start from", "a class without examples", "a seed"} <= labels


def test_traps_of_the_papers_are_in_the_catalogue():
    cone = next(problems_projections.project_topk_cone(np.random.default_rng(0), True))
    got = reference.project_topk_cone(**cone.arguments)
    assert np.allclose(got, 1000 / 3 * np.array([1.0, 3.0, 4.0, 4.0]), rtol=1e-14)
    fits = {case.label for case in problems_svm.fit_topk_svm(np.random.default_rng(0), True)}
    assert {"rows of zeros", "all zeros", "one epoch in a given order", "an order for each epoch"} <= fits


EXACT = [one for one in mutants("projections") if one.name.startswith("exact_inequalities")]


@pytest.mark.parametrize("mutant", EXACT, ids=str)
def test_exact_inequalities_fail_with_another_seed(mutant):
    """They are right on the rest of the quick catalogue, so only the tenths can refuse them."""
    name, reasons = mutant.function, {}
    for case in SUBJECTS[name].cases(np.random.default_rng([1, 1]), True):
        a = case.arguments["a"]
        if not case.refuses and a.shape[-1] <= 100:
            reply = sandbox.Reply(answer=mutant.call(**case.arguments))
            reasons.setdefault(case.label, []).append(SUBJECTS[name].judge(case, reply).reason)
    tenths = reasons.pop("tenths")
    assert len(tenths) >= 10 and DIFFERS in tenths[0]
    assert all(set(others) <= {""} for others in reasons.values()), reasons


@pytest.mark.parametrize("seed", range(8))
def test_a_set_that_is_tiny_beside_its_point_spoils_no_truth(seed):
    """CVXPY finds projections of points of 1e9 onto a simplex of radius 1 to a digit at most."""
    for case in SUBJECTS["project_topk_simplex"].cases(np.random.default_rng([77, seed]), True):
        if case.label == "scale 1e9":
            answer = reference.project_topk_simplex(**case.arguments)
            assert not SUBJECTS["project_topk_simplex"].judge(case, sandbox.Reply(answer=answer)).reason


def test_every_public_function_with_a_twin_is_examined():
    public = {name for name in reference.__all__ if isinstance(getattr(reference, name), FunctionType)}
    twins = {name for name in public if isinstance(getattr(fast, name, None), FunctionType)}
    assert public == twins, "a public function without a twin"
    assert set(SUBJECTS) == twins - set(NOT_EXAMINED)
    assert {name for name in fast.__all__ if isinstance(getattr(fast, name), FunctionType)} == twins


# --- the command -----------------------------------------------------------------------------------------------------


def test_command(tmp_path, capsys):
    path, solution = tmp_path / "report.json", tmp_path / "solution.py"
    solution.write_text("from tests.mutants.topk_svm import strict_error as topk_error\n")
    assert main([str(solution), "--only", "topk_error", "--seed", "3", "--quick", "--json", str(path)]) == 1
    got = capsys.readouterr().out
    for expected in ("topk_error", "WRONG", "expected", "got", "worst certificate", "speed-up"):
        assert expected in got
    saved = json.loads(path.read_text())
    assert saved["seed"] == 3
    assert saved["passed"] is False
    assert isinstance(saved["rows"][0]["failure"]["arguments"]["scores"][0], list)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("answer = 42\n", "none of the public functions"),
        ("import numpyy\n", "ModuleNotFoundError"),
        ("raise SystemExit(0)\n", "SystemExit"),
        ("import os\nos._exit(0)\n", "exited"),
    ],
)
def test_target_without_functions(text, expected, tmp_path, capsys):
    solution = tmp_path / "solution.py"
    solution.write_text(text)
    assert main([str(solution), "--quick", "--jobs", "1"]) == 1
    assert expected in capsys.readouterr().out


def test_unknown_names(capsys):
    assert main(["no_such_module_at_all", "--jobs", "1"]) == 1
    assert "no_such_module_at_all" in capsys.readouterr().out
    with pytest.raises(SystemExit) as end:
        main(["reference", "--only", "project_everything"])
    assert end.value.code == 2
    assert "project_topk_simplex" in capsys.readouterr().err
    with pytest.raises(ValueError, match="project_topk_simplex"):
        check("reference", only="project_everything")
