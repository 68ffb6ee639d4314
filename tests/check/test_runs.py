"""A failing run of the examiner, from the command line: what it asks, what it says, and what it writes."""

import json
import re
import sys
import tempfile
from xml.etree import ElementTree

import numpy as np
import pytest

from reference.check import options
from reference.check.__main__ import main
from reference.check.judging import specs
from reference.check.report import Report
from tests.support.check import solution

pytestmark = pytest.mark.usefixtures("truths")
ONE_JOB = ["--jobs", "1"]  # which starts quickly
QUICK = ["--quick", *ONE_JOB]
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
def target(tmp_path_factory):
    return solution(tmp_path_factory.mktemp("solution"), SOLUTION)


def run(capsys, *arguments):
    """Returns (exit status, what is printed)."""
    status = main([str(one) for one in arguments])
    return status, capsys.readouterr().out


# --- two verdicts ----------------------------------------------------------------------------------------------------


def test_the_mathematics_and_the_contract_have_a_verdict_each(target, tmp_path, capsys):
    file = tmp_path / "report.json"
    status, said = run(capsys, target, *QUICK, "--json", file)
    assert status == 1 and "answers right; contract broken" in said
    rows = {row["name"]: row for row in json.loads(file.read_text())["rows"]}
    assert rows["squish_column"]["verdict"].startswith("answers right; contract broken (")
    assert rows["squish_column"]["error"]["float64"] < 1e-13 and rows["squish_column"]["broken"] > 5
    kinds = {name: {one["kind"] for one in [row["failure"], *row["others"]]} for name, row in rows.items()}
    assert kinds["squish_column"] == {"dtype", "batch", "refusals"} and kinds["topk_error"] == {"printing"}
    assert "its rows are right alone" in said and said.count("\nsquish_column: ") == 3
    assert rows["ap_loss"]["verdict"].startswith("WRONG (") and "mathematics" in kinds["ap_loss"]
    assert rows["ap_loss"]["failure"]["kind"] == "mathematics"


def test_only_answers_judges_the_mathematics_alone(target, tmp_path, capsys):
    file = tmp_path / "report.json"
    assert run(capsys, target, *QUICK, "--only-answers", "--json", file)[0] == 1
    passed = {row["name"]: row["failure"] is None for row in json.loads(file.read_text())["rows"]}
    assert passed == {"squish_column": True, "topk_error": True, "ap_loss": False}


# --- one instance again ----------------------------------------------------------------------------------------------


def test_a_failing_instance_is_asked_again_by_its_id(target, tmp_path, capsys):
    files = tmp_path / "all.json", tmp_path / "one.json"
    asked = [target, *QUICK, "--seed", "3"]
    said = run(capsys, *asked, "--only", "ap_loss", "--json", files[0])[1]
    (row,) = json.loads(files[0].read_text())["rows"]
    assert len(row["failing"]) == row["cases"] - row["passed"] and all(one["reason"] for one in row["failing"])
    first = row["failure"]
    assert f"again: python -m reference.check {target} --seed 3 --quick --case {first['id']}\n" in said
    again = run(capsys, *asked, "--case", first["id"], "--json", files[1])[1]
    (alone,) = json.loads(files[1].read_text())["rows"]
    assert (alone["cases"], alone["failing"]) == (1, [one for one in row["failing"] if one["id"] == first["id"]])
    assert alone["failure"] == first and "WRONG (1 of 1)" in again
    status, said = run(capsys, *asked, "--case", "ap_loss:9999")
    assert status == 1 and "there is no such instance" in said
    for wrong in (["--case", "no_function:1"], ["--case", "ap_loss"], ["--case", first["id"], "--only", "ap_loss"]):
        with pytest.raises(SystemExit):
            main([str(target), *wrong])


# --- options of a run ------------------------------------------------------------------------------------------------


def test_what_failed_is_asked_again_and_reports_are_written(target, tmp_path, capsys):
    report, xml = tmp_path / "report.json", tmp_path / "report.xml"
    said = run(capsys, target, "--fail-fast", *QUICK, "--quiet", "--json", report, "--junit", xml)[1]
    assert re.fullmatch(r"topk_error: answers right; contract broken \(1 of (\d+)\), \d+ of \1 not asked\n", said)
    assert "2 functions were not examined" in report.read_text()
    suites = ElementTree.parse(xml).getroot()
    (failed,) = suites.iter("failure")
    assert suites.get("failures") == "1" and suites[0].get("name") == "topk_error" and "hello" in failed.text
    again, trimmed = tmp_path / "again.json", tmp_path / "right.py"
    said = run(capsys, target, *ONE_JOB, "--last-failed", report, "--quiet", "--json", again)[1]
    assert said.endswith("(1 of 1)\n")
    ids = [[one["id"] for one in json.loads(file.read_text())["rows"][0]["failing"]] for file in (report, again)]
    assert ids[0] == ids[1]
    trimmed.write_text("from reference import topk_error\n")
    over_their_own = ["--json", again, "--junit", xml]
    assert run(capsys, trimmed, *ONE_JOB, "--last-failed", report, *over_their_own)[0] == 0
    assert "nothing is asked" in run(capsys, trimmed, "--last-failed", again)[1]


@pytest.mark.parametrize("option", ["--json", "--junit", "--last-failed"])
def test_files_of_other_programs_are_left_alone(target, tmp_path, option, capsys):
    file = tmp_path / "notes.txt"
    file.write_text('{"rows": "mine"}')
    with pytest.raises(SystemExit):
        main([str(target), "--quick", option, str(file)])
    assert "is no report" in capsys.readouterr().err and file.read_text() == '{"rows": "mine"}'


# --- crashes and hangs -----------------------------------------------------------------------------------------------

ENDING = """
import os
import reference
CALLS = []

def topk_error(scores, y, k=1):  # ends at the fifth call, whatever it is
    CALLS.append(k)
    if len(CALLS) == 5:
        os._exit(3)
    return reference.topk_error(scores, y, k)
"""
UNFLUSHED = """
import json, sys
print(json.dumps({"functions": ["ap_loss"]}), flush=True)
later = open(1, "w", buffering=1 << 16, closefd=False)
for text in sys.stdin:
    later.write(json.dumps({"id": json.loads(text)["id"], "answer": 0.0}) + "\\n")
"""


def test_a_function_that_ends_is_started_again(tmp_path, capsys):
    path = solution(tmp_path, ENDING)
    said = run(capsys, path, *QUICK)[1]
    assert re.search(r"WRONG \(3 of (\d+)\), \d+ of \1 not", said)
    assert "exited, the process ended (exit status 3); it does not fail alone in a fresh process" in said
    path.write_text(ENDING.replace("len(CALLS) == 5", "k == 2"))
    said = run(capsys, path, *QUICK)[1]
    assert "WRONG (3 of " in said and "it fails alone, too, in a fresh process" in said


def test_a_program_that_does_not_flush_or_does_not_speak_json_gets_a_hint(tmp_path, capsys):
    path = solution(tmp_path, UNFLUSHED)
    said = run(capsys, "--command", f"{sys.executable} {path}", *QUICK, "--timeout", "2")[1]
    assert "hung, no answer within 2 s; does it flush its output after each line?" in said and "WRONG (2 of" in said
    path.write_text("print('Loading the licence')")
    assert "got b'Loading the licence'" in run(capsys, "--command", f"{sys.executable} {path}", *QUICK)[1]


# --- what a terminal shows -------------------------------------------------------------------------------------------


def test_the_table_is_as_wide_as_columns_say_and_what_is_missing_is_one_line(target, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "70")
    said = run(capsys, target, *QUICK, "--case", "topk_error:0", "--case", "warp_loss:0")[1]
    assert {len(line) for line in said.splitlines() if line.startswith("│")} <= set(range(71))
    assert f"not in {target}: 1 function (warp_loss)\n" in said
    missing = Report("file.py", 0, False, missing=list("abcdefg"))
    assert str(missing).strip() == "not in file.py: 7 functions (a, b, c, d, e, ...)"


LONG = """
import reference

def topk_error(scores, y, k=1):
    right = reference.topk_error(scores, y, k)
    return right if scores.size <= 60 else 1 - right
"""


def test_long_arrays_are_in_a_file_with_the_lines_that_repeat_the_call(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    path = solution(tmp_path, LONG)
    lines = [line.strip() for line in run(capsys, path, *QUICK, "--only", "topk_error")[1].splitlines()]
    place = next(i for i, line in enumerate(lines) if line.startswith("given = np.load("))
    names = {"np": np}
    exec(LONG + lines[place], names)
    with names["given"]:  # loads what is asked of it
        got = eval(lines[place + 1], names)
        assert names["given"]["scores"].size > 60
        right = eval(lines[place + 1].replace("topk_error", "reference.topk_error", 1), names)
    assert np.array_equal(got, 1 - right) and lines[place + 2].startswith("again: ")


def test_the_options_name_every_function_that_is_examined():
    assert set(options.NAMES) == set(specs.SPECS)
