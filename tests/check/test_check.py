"""The examiner: its report, the replays of streams, the catalogue, which is complete, and the command."""

import json
from pathlib import Path
from types import FunctionType

import numpy as np
import pytest

import fast
import reference
from reference.check import certify, check
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
from reference.ground_truth import enumeration
from reference.problems import checks
from tests.mutants import mutants
from tests.support.check import DIFFERS, cases_of, drawn, solution

LOSSES_OF_RANKINGS = ("ap_loss", "ndcg_loss", "rank_loss")  # their arguments are integers
RANKING = (*LOSSES_OF_RANKINGS, "interleaving_ranks", "loss_augmented_inference", "semigradient")
GROUPED = ("grouped_inference", "fit_ranking_svm")


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


@pytest.mark.parametrize("variant", checks.VARIANTS)
def test_bisected_updates_are_the_exact_ones(variant, monkeypatch):
    rng = np.random.default_rng(9)
    for trial in range(40):
        m, k = int(rng.integers(3, 9)), 2 + trial % 2
        A, x, y = rng.normal(size=(m, 3)), rng.normal(size=3), int(rng.integers(m))
        if trial % 3 == 0:
            A = np.round(A)
        rule = checks.UpdateRule(1.0, variant, float(10.0 ** rng.integers(-3, 4)), min(k, m - 1))
        expected, exact = passes.updated(A, x, y, rule)
        monkeypatch.setattr(passes, "LARGEST_EXACT", 0)
        got, residual = passes.updated(A, x, y, rule)
        monkeypatch.undo()
        assert exact == 0.0 and residual == 0.0
        assert np.allclose(got, expected, rtol=0, atol=1e-12), (trial, np.abs(got - expected).max())


def test_a_stream_with_many_classes_and_weights_is_replayed_without_enumeration(monkeypatch):
    def refuse(*given, **options):
        raise AssertionError("enumerated")

    rng = np.random.default_rng(10)
    X, y, s = rng.normal(size=(60, 5)), rng.integers(0, 40, size=60), rng.integers(0, 3, size=60).astype(float)
    monkeypatch.setattr(enumeration, "multiclass_update", refuse)
    for variant in checks.VARIANTS:
        options = {"variant": variant, "k": 5, "sample_weight": s, "order": np.arange(60), "aggressiveness": 0.2}
        fit = reference.fit_passive_aggressive(X, y, n_classes=40, **options)
        assert certify("fit_passive_aggressive", fit, X, y, n_classes=40, **options).ok
        other = reference.fit_passive_aggressive(X, y, n_classes=40, **{**options, "sample_weight": None})
        assert not certify("fit_passive_aggressive", other, X, y, n_classes=40, **options).ok


def test_tolerance_scales():
    assert judge.tolerance(np.float64, 100) == pytest.approx(10 * judge.tolerance(np.float64, 1))
    assert judge.tolerance(np.float32, 1) > 1e8 * judge.tolerance(np.float64, 1)


# --- the catalogue ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SUBJECTS)
def test_seeds_give_different_instances_and_the_same_seed_the_same(name):
    def keys(cases):
        return (_key(case.arguments) for case in cases if not case.refuses)

    first, others = cases_of(name)[1], SUBJECTS[name].cases(np.random.default_rng(1), True)
    assert all(one == other for one, other in zip(keys(first), keys(drawn(name)), strict=True))
    assert any(one != other for one, other in zip(keys(first), keys(others), strict=False))


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
        if case.timed:  # large ones follow
            break
        if case.label == "scale 1e9":
            answer = reference.project_topk_simplex(**case.arguments)
            assert not SUBJECTS["project_topk_simplex"].judge(case, sandbox.Reply(answer=answer)).reason


def test_every_public_function_is_examined():
    """They are those of `fast`, too, as test_frame.py says."""
    assert set(SUBJECTS) == {name for name in reference.__all__ if isinstance(getattr(reference, name), FunctionType)}


# --- the command -----------------------------------------------------------------------------------------------------


def test_command(tmp_path, capsys):
    path = tmp_path / "report.json"
    wrong = solution(tmp_path, "from tests.mutants.topk_svm import strict_error as topk_error\n")
    assert main([str(wrong), "--only", "topk_error", "--seed", "3", "--quick", "--json", str(path)]) == 1
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
    assert main([str(solution(tmp_path, text)), "--quick", "--jobs", "1"]) == 1
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
