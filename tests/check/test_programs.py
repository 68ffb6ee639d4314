"""Programs in other languages: right ones, subtly wrong ones, and those that misbehave."""

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from reference.check import Limits, check
from reference.check.__main__ import main
from reference.check.sandbox.sandbox import Fatal
from reference.check.vectors import Program
from tests.support.check import solution

pytestmark = pytest.mark.usefixtures("truths")
HERE = Path(__file__).parent / "programs"
SHORT = Limits(seconds=1.0, first_seconds=5.0, memory=256 << 20)


def needs(program):
    found = shutil.which(program)
    if not found:
        pytest.skip(f"needs {program}")
    return found


def compiled(folder, *options):
    target = folder / "program"
    command = [needs("gcc"), "-O2", "-Wall", "-Wextra", "-Werror", *options]
    subprocess.run([*command, "-o", str(target), str(HERE / "program.c"), "-lm"], check=True)
    return [str(target)]


def test_a_c_program(tmp_path):
    report = check(compiled(tmp_path), quick=True)
    assert report.passed and [row.name for row in report.rows] == ["project_simplex", "topk_hinge"], str(report)
    wrong = check(compiled(tmp_path, "-DWRONG"), quick=True)
    assert all(row.failure for row in wrong.rows)
    assert wrong.rows[0].failure.arguments["a"].size == 4  # the mistake needs four coordinates
    assert wrong.rows[1].failure.arguments["scores"].size <= 3


@pytest.mark.parametrize(
    ("interpreter", "file", "function"),
    [("node", "program.js", "ap_loss"), ("Rscript", "program.R", "topk_error")],
)
def test_an_interpreted_program(interpreter, file, function):
    command = [needs(interpreter), str(HERE / file)]
    if interpreter == "Rscript" and subprocess.run([command[0], "-e", "library(jsonlite)"], check=False).returncode:
        pytest.skip("needs R's package jsonlite")
    report = check(command, only=function, quick=True)
    assert report.passed, str(report)
    wrong = check([*command, "wrong"], only=function, quick=True)
    assert "differs" in wrong.counterexample() and wrong.rows[0].passed > 0


@pytest.mark.parametrize(
    ("mode", "status", "verdict", "words"),
    [
        ("", 0, "right, ", ["lacks weights (", "more than one point ("]),
        ("wrong", 1, "WRONG (", ["differs from the ground truth", "lacks weights ("]),
        ("silent", 1, "NO ANSWER, ", ["project_knapsack: answered nothing, "]),
    ],
)
def test_a_program_in_part(mode, status, verdict, words, capsys):
    command = f"{needs('perl')} {HERE / 'program.pl'} {mode}"
    if subprocess.run(["perl", "-MJSON::PP", "-e", "1"], check=False, capture_output=True).returncode:
        pytest.skip("needs Perl's module JSON::PP")
    assert main(["--command", command, "--only", "project_knapsack", "--quick"]) == status
    text = capsys.readouterr().out
    assert all(word in text for word in [verdict, " skipped", *words]), text


ANSWERS = """
import json, sys, time, os
print(json.dumps({"functions": ["topk_error"]}), flush=True)
for text in sys.stdin:
    line = json.loads(text)
    answer = {"id": line["id"], "answer": [0.0] * line["arguments"]["scores"]["shape"][0]}
    BEHAVE
    print(json.dumps(answer), flush=True)
"""


@pytest.mark.parametrize(
    ("behave", "reason"),
    [
        ("time.sleep(60)", "hung"),
        ("sys.exit(3)", "exit status 3"),
        ("os.abort()", "exited"),
        ("print('hello')", "malformed answer"),
        ("answer['id'] = 'another'", "malformed answer"),
        ("print('x' * 10**6, end='')", "malformed answer"),
        ("answer.pop('answer')", "malformed answer"),
        ("memory = bytearray(b'x') * 10**9; time.sleep(5)", "out of memory"),
        ("answer['answer'] = 1 / 0", "exited"),
        ("os.close(1)", "exited"),
    ],
)
def test_a_program_that_misbehaves_is_told_so(tmp_path, behave, reason):
    path = solution(tmp_path, ANSWERS.replace("BEHAVE", behave))
    limits = SHORT._replace(first_seconds=1.5) if reason == "hung" else SHORT
    report = check([sys.executable, str(path)], only="topk_error", quick=True, limits=limits)
    assert reason in report.counterexample(), str(report)


@pytest.mark.parametrize(
    ("start", "word"),
    [
        ("print('ready')", "one line of JSON"),
        ("print('{}')", "one line of JSON"),
        ("raise SystemExit('no licence')", "no licence"),
        ("import time; time.sleep(60)", "hung"),
        ('print(\'{"functions": ["other"]}\')', "none of the public functions"),
        ('print(\'{"functions": ["topk_error"], "lacks": ["k"]}\')', "one line of JSON"),
        ('print(\'{"functions": ["topk_error"], "lacks": {"topk_error": ["j"]}}\')', "has the arguments scores, y, k"),
    ],
)
def test_a_program_that_does_not_greet(tmp_path, start, word):
    command = [sys.executable, str(solution(tmp_path, start))]
    report = check(command, only="topk_error", quick=True, limits=SHORT._replace(first_seconds=1.5))
    assert not report.passed and word in report.error


def test_a_program_that_is_not_there_is_told():
    report = check(["no-such-program"], only="ap_loss")
    assert not report.passed and "cannot be started" in report.error


def test_a_program_that_does_not_read_is_ended(tmp_path):
    greets = 'import time; print(\'{"functions": ["project_simplex"]}\', flush=True); time.sleep(60)'
    path = solution(tmp_path, greets)
    with Program([sys.executable, str(path)], ["project_simplex"], SHORT) as program:
        program.start()
        with pytest.raises(Fatal, match="hung"):  # the line is longer than what a pipe holds
            program.call("project_simplex", {"a": np.linspace(0, 1, 20_000)}, 1)


def test_the_error_of_a_program_is_shown_as_it_came(tmp_path):
    path = solution(tmp_path, ANSWERS.replace("BEHAVE", "answer = {'id': line['id'], 'error': 'no such loss'}"))
    report = check([sys.executable, str(path)], only="topk_error", quick=True, limits=SHORT)
    assert "raised, error: no such loss (the program)\n" in report.counterexample()
    assert report.rows[0].passed > 0  # wrong arguments are refused without a word on which
