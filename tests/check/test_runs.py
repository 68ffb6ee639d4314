"""A failing run of the examiner, from the command line: what it asks, what it says, and what it writes."""

import json

import pytest

from reference.check.__main__ import main

QUICK = ["--quick", "--jobs", "1"]
# Right in its numbers, but for one point, in float64 and without refusals; the next prints; the last is wrong.
SOLUTION = """
import numpy as np
import reference

def squish_column(z, **bounds):
    z = np.asarray(z, dtype=np.float64)
    if z.ndim > 1:
        raise TypeError("one point only")
    return reference.squish_column(z, **bounds)

def topk_error(scores, y, k=1):
    print("hello")
    return list(reference.topk_error(scores, y, k))

def ap_loss(interleaving, n_positive):
    interleaving += 0
    interleaving[0] = 1
    return 1.0 + reference.ap_loss(interleaving, n_positive)
"""


@pytest.fixture(scope="module")
def solution(tmp_path_factory):
    path = tmp_path_factory.mktemp("solution") / "solution.py"
    path.write_text(SOLUTION)
    return path


def run(capsys, *arguments):
    """Returns (exit status, what is printed)."""
    status = main([str(one) for one in arguments])
    return status, capsys.readouterr().out


# --- two verdicts ----------------------------------------------------------------------------------------------------


def test_the_mathematics_and_the_contract_have_a_verdict_each(solution, tmp_path, capsys):
    file = tmp_path / "report.json"
    status, said = run(capsys, solution, *QUICK, "--json", file)
    assert status == 1 and "answers right; contract broken" in said
    rows = {row["name"]: row for row in json.loads(file.read_text())["rows"]}
    assert rows["squish_column"]["verdict"].startswith("answers right; contract broken (")
    assert rows["squish_column"]["error"]["float64"] < 1e-13 and rows["squish_column"]["broken"] > 5
    kinds = {name: {one["kind"] for one in [row["failure"], *row["others"]]} for name, row in rows.items()}
    assert kinds["squish_column"] == {"dtype", "batch", "refusals"} and kinds["topk_error"] == {"printing"}
    assert "its rows are right alone" in said and said.count("\nsquish_column: ") == 3
    assert rows["ap_loss"]["verdict"].startswith("WRONG (") and "mathematics" in kinds["ap_loss"]
    assert rows["ap_loss"]["failure"]["kind"] == "mathematics"


def test_only_answers_judges_the_mathematics_alone(solution, capsys):
    for name, status in (("squish_column", 0), ("topk_error", 0), ("ap_loss", 1)):
        assert run(capsys, solution, *QUICK, "--only", name, "--only-answers")[0] == status


# --- one instance again ----------------------------------------------------------------------------------------------


def test_a_failing_instance_is_asked_again_by_its_id(solution, tmp_path, capsys):
    files = tmp_path / "all.json", tmp_path / "one.json"
    asked = [solution, "--quick", "--seed", "3"]
    said = run(capsys, *asked, "--only", "ap_loss", "--json", files[0])[1]
    (row,) = json.loads(files[0].read_text())["rows"]
    assert len(row["failing"]) == row["cases"] - row["passed"] and all(one["reason"] for one in row["failing"])
    first = row["failure"]
    assert f"again: python -m reference.check {solution} --seed 3 --quick --case {first['id']}\n" in said
    again = run(capsys, *asked, "--case", first["id"], "--json", files[1])[1]
    (alone,) = json.loads(files[1].read_text())["rows"]
    assert (alone["cases"], alone["failing"]) == (1, [one for one in row["failing"] if one["id"] == first["id"]])
    assert alone["failure"] == first and "WRONG (1 of 1)" in again
    status, said = run(capsys, *asked, "--case", "ap_loss:9999")
    assert status == 1 and "there is no such instance" in said
    for wrong in (["--case", "no_function:1"], ["--case", "ap_loss"], ["--case", first["id"], "--only", "ap_loss"]):
        with pytest.raises(SystemExit):
            main([str(solution), *wrong])
