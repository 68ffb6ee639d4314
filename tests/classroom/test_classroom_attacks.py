"""What a hostile student can do: a course with honest students and one for each file in `attacks/`.

An attack takes the place of the first solution of assignment 02. It must earn nothing there, leak nothing, change
nothing that is not its own, and the log of the grading must hold the words that it declares.
"""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from reference.check.classroom import isolation
from tests.support.classroom import (
    FOLDER,
    INSTRUCTOR,
    ROOT,
    course,
    graded,
    grading,
    handed_in,
    run,
    submission,
    text_of,
)

NAME = "02_topk_simplex"
ATTACKS = sorted((ROOT / "tests" / "classroom" / "attacks").glob("*.py"))
LEFT_BEHIND = "98765"  # what a process that outlives its run is called with

pytestmark = pytest.mark.skipif(bool(isolation.why_not()), reason=f"needs bubblewrap: {isolation.why_not()}")


def word(path):
    """WORD of an attack, read and not run."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "WORD":
            return ast.literal_eval(node.value)
    raise AssertionError(f"{path.name} declares no WORD")


def attack(path, release):
    """The released notebook with the attack where the first solution belongs, and the metadata of one test forged."""
    filled = submission(NAME, release, solved=False)
    for cell in filled.cells:
        if grading(cell).get("grade_id") == "simplex":
            cell.source = handed_in(path)
        if grading(cell).get("grade_id") == "project_simplex":
            cell.metadata["nbgrader"] |= {"points": 1000, "locked": False, "solution": True, "grade": False}
            cell.source = "print('HARMED')"
    return filled


def hand_in(folder, student, filled):
    place = folder / "submitted" / student / NAME
    place.mkdir(parents=True)
    nbformat.write(filled, place / f"{NAME}.ipynb")


def state(folder):
    """The bytes of the programs that grade, of the sources of the course and of what was handed in."""
    programs = [*(ROOT / "reference" / "check" / "classroom").glob("*.py"), *isolation.FILES]
    files = [*programs, *(folder / "source").rglob("*"), *(folder / "submitted").rglob("*")]
    return {path: path.read_bytes() for path in files if path.is_file()}


SCORES = f"""
import json
from nbgrader.api import Gradebook
with Gradebook("sqlite:///gradebook.db", "marginalia") as book:
    print(json.dumps({{
        submission.student_id: {{grade.cell.name: grade.score for grade in submission.notebooks[0].grades}}
        for submission in book.assignment_submissions({NAME!r})
    }}))
"""


@pytest.fixture(scope="module")
def attacked(tmp_path_factory):
    """(folder, scores, log, files before and after): honest students are graded before and after the attacks."""
    folder = tmp_path_factory.mktemp("attacked") / "course"
    run(ROOT, FOLDER / "course.py", folder, "--seed", "11")
    with open(folder / "nbgrader_config.py", "a", encoding="utf-8") as file:
        file.write('c.Judge.cell_seconds = 8.0\nc.Judge.isolation = "bubblewrap"\n')
    release = folder / "release"
    for student in ("a_first", "zz_last"):
        hand_in(folder, student, submission(NAME, release))
    for path in ATTACKS:
        hand_in(folder, path.stem, attack(path, release))
    before = state(folder)
    log = autograde(folder)
    run(folder, "-m", "nbgrader", "generate_feedback", NAME)
    return folder, json.loads(run(folder, "-c", SCORES)), log, (before, state(folder))


def autograde(folder):
    """The log of `nbgrader autograde`, whose exit status must be 0."""
    command = [sys.executable, "-m", "nbgrader", "autograde", NAME]
    done = subprocess.run(command, cwd=folder, env=course.environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stderr


def shown(folder, student):
    """All that a student gets to see: the page of feedback and the graded notebook."""
    page = folder / "feedback" / student / NAME / f"{NAME}.html"
    filled = folder / "autograded" / student / NAME / f"{NAME}.ipynb"
    outputs = [cell.get("outputs") for cell in nbformat.read(filled, as_version=4).cells]
    return text_of(page.read_text(encoding="utf-8")) + json.dumps(outputs)


@pytest.mark.parametrize("path", ATTACKS, ids=lambda path: path.stem)
def test_an_attack_earns_nothing_and_the_lecturer_is_told(attacked, path):
    _, scores, log, _ = attacked
    assert scores[path.stem] == dict.fromkeys(graded(NAME), 0)
    lines = [line for line in log.splitlines() if f"{path.stem}, {NAME}: " in line]
    assert any(word(path) in line for line in lines), "\n".join(lines)
    assert any("points: warm_up 0 of 2, project_simplex 0 of 3" in line for line in lines)


@pytest.mark.parametrize("path", ATTACKS, ids=lambda path: path.stem)
def test_an_attack_leaks_nothing(attacked, path):
    folder, *_ = attacked
    seen = shown(folder, path.stem)
    page = (folder / "feedback" / path.stem / NAME / f"{NAME}.html").read_text(encoding="utf-8")
    # Of the attack itself the page shows the text; what must not be there is what it would have printed.
    outputs = seen.replace(text_of(page), "")
    assert "LEAKED" not in outputs.replace("ValueError: LEAKED", "") and "### BEGIN HIDDEN TESTS" not in outputs
    for secret in ("suspects=", "seed=11", "clip at 0 and divide", "sums[k] / (k + bias"):
        assert secret not in outputs, secret
    assert "<script>document" not in "".join(json.dumps(part) for part in html_outputs(folder, path.stem))


def html_outputs(folder, student):
    """The outputs that a browser would not take for text or a picture."""
    filled = nbformat.read(folder / "autograded" / student / NAME / f"{NAME}.ipynb", as_version=4)
    for cell in filled.cells:
        for output in cell.get("outputs", ()):
            yield from (kind for kind in output.get("data", ()) if kind not in ("text/plain", "image/png"))


@pytest.mark.parametrize("student", ["a_first", "zz_last"])
def test_nobody_else_is_harmed(attacked, student):
    _, scores, log, _ = attacked
    automatic = {name: points for name, points in graded(NAME).items() if name not in ("question", "bonus")}
    assert {name: scores[student][name] for name in automatic} == automatic
    assert f"{student}, {NAME}" not in log, log


def test_nothing_is_changed_and_nothing_stays(attacked):
    _, _, _, (before, after) = attacked
    assert before == after
    running = [line for line in processes() if LEFT_BEHIND in line]
    assert not running


def processes():
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                yield (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                continue


def test_grading_again_gives_the_same(attacked):
    folder, scores, *_ = attacked
    run(folder, "-m", "nbgrader", "autograde", NAME, "--student=a_first", "--force")
    again = json.loads(run(folder, "-c", SCORES))
    assert again == scores


def test_the_instructor_is_no_attacker():
    assert INSTRUCTOR not in [path.stem for path in ATTACKS] and len(ATTACKS) >= 15
