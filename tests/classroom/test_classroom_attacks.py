"""What a hostile student can do: one course, graded once, with an honest student before and one after the attacks.

Attacks are code in a cell (`attacks/short.py` has those of a few lines, the other files there one each) or something
about the hand-in itself (tests/support/hand_ins.py). None may earn what it does not deserve, see the secret, the
solutions or other hand-ins, change or leave behind anything, or hold up the others.
"""

import hashlib
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import nbformat
import numpy as np
import pytest

from reference.check.classroom import grading as grader
from reference.check.classroom import isolation
from tests.support.attacked import (
    ALL,
    CODE,
    HALF,
    NAME,
    NONE,
    FakeBox,
    active,
    adopting,
    command,
    copied,
    formgraders,
    grade,
    half_solved,
    outputs_of,
    page_of,
    put,
    solved,
    state,
    unsolved,
    with_code,
)
from tests.support.classroom import ROOT, Commands, course, notebook, scores_of
from tests.support.hand_ins import HAND_INS

needs_bubblewrap = pytest.mark.skipif(bool(isolation.why_not()), reason=f"needs bubblewrap: {isolation.why_not()}")


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """The course: built, filled and graded once."""
    if isolation.why_not():
        pytest.skip(f"needs bubblewrap: {isolation.why_not()}")
    folder, room = copied(tmp_path_factory.mktemp("attacked") / "course"), tmp_path_factory.mktemp("room")
    for student in ("a_first", "zz_last"):
        put(folder / "submitted" / student, solved(folder))
    for name, code in CODE.items():
        put(folder / "submitted" / name, with_code(unsolved(folder), code))
    for name, (function, scores, _) in HAND_INS.items():
        function(folder / "submitted" / name, half_solved(folder) if scores == HALF else solved(folder))
    (folder / "submitted" / "linked").symlink_to(folder / "source")
    put(folder / "submitted" / "a\x1b[2J\n2026 HARMED", solved(folder))
    before = state(folder)
    with adopting() as orphans:
        done = grade(folder, room, "--jobs", "2")
    log = (folder / "grading.log").read_text(encoding="utf-8")
    return SimpleNamespace(folder=folder, room=room, done=done, scores=scores_of(folder, NAME), log=log,
                           states=(before, state(folder)), orphans=orphans)  # fmt: skip


def lines_of(graded, student):
    start = re.compile(rf"[-0-9]+ [:,0-9]+ WARNING {student}, {NAME}: ")
    return list(filter(start.match, graded.log.splitlines()))


def test_grading_ends_well_and_says_one_line_for_each(graded):
    assert graded.done.returncode == 0, graded.done.stderr[-3000:]
    lines = graded.done.stdout.splitlines()
    students = [*CODE, *HAND_INS, "a_first", "zz_last"]
    for student in students:
        said = [line for line in lines if line.startswith(f"{student}: ")]
        assert len(said) == 1 and " points of " in said[0], (student, said)
    others = [line for line in lines[: -len(students) - 1] if ": " not in line or " points of " not in line]
    assert len(others) == 2 and all(line.startswith("submitted/") for line in others), others
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028]", graded.done.stdout + graded.done.stderr)
    assert graded.done.stderr == ""


@pytest.mark.parametrize("student", ["a_first", "zz_last"])
def test_nobody_else_is_harmed(graded, student):
    assert graded.scores[student] == ALL and not lines_of(graded, student)


@pytest.mark.parametrize("name", CODE)
def test_code_earns_nothing_and_the_lecturer_is_told(graded, name):
    assert graded.scores[name] == NONE
    assert any(CODE[name].says["WORD"] in line for line in lines_of(graded, name)), lines_of(graded, name)


@pytest.mark.parametrize("name", HAND_INS)
def test_a_hand_in_earns_what_its_honest_part_deserves(graded, name):
    _, scores, word = HAND_INS[name]
    assert graded.scores[name] == scores, lines_of(graded, name)
    assert any(word in line for line in lines_of(graded, name)) or not word, lines_of(graded, name)
    assert len(lines_of(graded, name)) < 70


@pytest.mark.parametrize("student", [*CODE, *HAND_INS])
def test_nothing_leaks(graded, student):
    outputs = json.dumps(outputs_of(graded.folder, student))
    page = page_of(graded.folder, student)
    assert "LEAKED" not in outputs, outputs[:3000]
    assert len(page) < 8 << 20
    assert student in SHOWS_HARMED or "HARMED" not in outputs, outputs[outputs.index("HARMED") - 300 :][:3000]
    (secret,) = json.loads((graded.folder / "secrets.json").read_text())[NAME]
    for word in ("suspects=", "BEGIN HIDDEN", "seed=2101", "one_too_many", secret):
        assert word not in page, word
    if student.startswith(("links_to", "is_")) and graded.scores[student] == NONE:
        assert "np.cumsum(descending)" not in page
    assert {output["output_type"] for output in outputs_of(graded.folder, student)} <= {
        "stream", "error", "display_data"}  # fmt: skip
    assert {kind for output in outputs_of(graded.folder, student) for kind in output.get("data", ())} <= {
        "text/plain", "image/png"}  # fmt: skip


# Their own text is what they show, and does no harm as text.
SHOWS_HARMED = ("prints_without_end", "raises_odd_text", "shows_a_script", "is_no_list", "forges_names",
                "rewrites_later_cells")  # fmt: skip


def hidden_instances(folder):
    """Returns the rows of the hidden instances of task 1, as the texts of their numbers."""
    (secret,) = json.loads((folder / "secrets.json").read_text())[NAME]
    seed = int.from_bytes(hashlib.sha256(f"{secret} 2101".encode()).digest()[:16], "big")
    cases = grader.Sat(FakeBox(), seed, True).cases("project_simplex")
    rows = [row for case in cases if not case.refuses for row in np.atleast_2d(case.arguments["a"]).astype(float)]
    rows = [[f"{number:.12g}" for number in row.ravel()[:20]] for row in rows]
    return [row for row in rows if sum(len(number) > 9 for number in row) >= 3]


def test_no_hidden_instance_is_shown(graded):
    rows = hidden_instances(graded.folder)
    assert len(rows) > 10
    for student in [*CODE, *HAND_INS]:
        outputs = json.dumps(outputs_of(graded.folder, student))
        assert not [row for row in rows if all(number in outputs for number in row)], student


def test_the_log_has_no_lines_of_students_and_no_commands_for_a_terminal(graded):
    for line in graded.log.splitlines():
        assert re.match(r"20\d\d-\d\d-\d\d [\d:,]+ WARNING ", line), line
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028]", graded.log)


@pytest.mark.parametrize("student", ["writes_a_script", "shows_a_script", "raises_odd_text", "links_to_secrets"])
def test_no_script_runs_in_a_browser(graded, student):
    page, by_hand = page_of(graded.folder, student), formgraders(graded.folder, student)
    assert "HARMED" in page and "HARMED" in by_hand
    assert not active(page) and not active(by_hand)


def test_nothing_is_changed_and_nothing_stays(graded):
    before, after = graded.states
    assert before.keys() == after.keys()
    assert not [path for path in before if before[path] != after[path]]
    assert os.listdir(graded.room) == []
    assert graded.orphans == []
    assert not [path for path in Path("/tmp").glob("core*")]
    kept = {path.name for path in graded.folder.iterdir()}
    assert kept == {"source", "release", "submitted", "autograded", "feedback", "gradebook.db", "grades.csv",
                    "grading.log", "judged.json", "secrets.json", "nbgrader_config.py", course.MARKER}  # fmt: skip
    files = [path for name in ("autograded", "feedback") for path in (graded.folder / name).rglob("*")]
    assert not [path for path in files if path.is_symlink() or path.suffix not in ("", ".ipynb", ".html")]


# --- other ways to grade -------------------------------------------------------------------------------------------

# No bubblewrap, and no space on the disk while there is a file `full` in the course.
WITHOUT = """
import sys
from pathlib import Path
from reference.check.classroom import isolation, judge

def fails_if_full(*given):
    if Path(sys.argv[1], "full").exists():
        raise OSError(28, "No space left on device")
    return judged(*given)

isolation._program = lambda: None
judged, judge.judge = judge.judge, fails_if_full
"""


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A course with one student whose cell writes a file."""
    folder = copied(tmp_path_factory.mktemp("small") / "course")
    filled = half_solved(folder)
    filled.cells.append(nbformat.v4.new_code_cell(f"open({str(folder / 'ran')!r}, 'w').close()"))
    put(folder / "submitted" / "ada", filled)
    return folder


@pytest.fixture(scope="module")
def without(small):
    """Grades that course without bubblewrap."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with Commands(environment, WITHOUT, small) as command:
        yield lambda: command(small, NAME)


def test_nothing_runs_without_isolation_unless_the_lecturer_says_so(small, without):
    before = sorted(small.rglob("*"))
    done = without()
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.count("\n") == 1 and "there is no program bwrap" in done.stderr
    assert sorted(small.rglob("*")) in (before, sorted([*before, small / "grading.log"]))
    text = (small / "nbgrader_config.py").read_text()
    (small / "nbgrader_config.py").write_text(text.replace('isolation = "bubblewrap"', 'isolation = "none"'))
    done = without()
    assert done.returncode == 0 and done.stderr == isolation.UNPROTECTED + "\n"
    assert scores_of(small, NAME) == {"ada": HALF} and (small / "ran").exists()
    whole = notebook(small / "source", NAME)
    whole.cells.append(nbformat.v4.new_markdown_cell("A word to the lecturer."))
    nbformat.write(whole, small / "source" / NAME / f"{NAME}.ipynb")
    assert "ada: 5 points of 10" in without().stdout  # judged again, with the same instances
    assert json.loads((small / "judged.json").read_text())[NAME]["students"]["ada"]["round"] == 0
    (secret,) = json.loads((small / "secrets.json").read_text())[NAME]
    page = page_of(small, "ada")
    put(small / "submitted" / "ada", unsolved(small))
    (small / "full").touch()
    assert "ada: not judged, OSError: [Errno 28]" in without().stdout and page_of(small, "ada") == page
    (small / "full").unlink()  # what was not the student's fault is judged again
    assert "ada: 0 points of 10" in without().stdout and page_of(small, "ada") != page
    first, other = json.loads((small / "secrets.json").read_text())[NAME]
    assert first == secret != other  # whoever has seen the feedback is judged on other instances


def test_nbgraders_own_command_stops_before_it_copies_anything(small):
    run = [sys.executable, "-m", "nbgrader", "autograde", NAME, "--student=ada"]
    shutil.rmtree(small / "autograded", ignore_errors=True)
    environment = {**course.environment(), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(run, cwd=small, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "Nothing was graded. The command is: make grade" in done.stderr
    assert not (small / "autograded").exists() or not list((small / "autograded").rglob("*.ipynb"))


# --- as an ordinary user -------------------------------------------------------------------------------------------

USER = 54321  # that nobody has
AS_USER = ("leaves_its_prison", "looks_everywhere", "uncounted", "memory", "many_processes", "outlives_the_run")


def interpreter():
    """Returns a Python of this version that every user can run, None if there is none."""
    for path in (sys.executable, f"/usr/bin/python3.{sys.version_info.minor}"):
        real = Path(os.path.realpath(path))
        if real.exists() and all(folder.stat().st_mode & stat.S_IXOTH for folder in real.parents):
            return path
    return None


@needs_bubblewrap
@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user; all tests above ran as this one")
def test_the_same_as_an_ordinary_user():
    if (python := interpreter()) is None:
        pytest.skip(f"other users cannot reach {os.path.realpath(sys.executable)}")
    with tempfile.TemporaryDirectory() as top:  # pytest's own folders are for root only
        _grade_as_user(Path(top), python)


def _grade_as_user(top, python):
    top.chmod(0o711)
    folder, room = copied(top / "course"), top / "room"
    room.mkdir()
    put(folder / "submitted" / "a_first", half_solved(folder))
    for name in AS_USER:
        put(folder / "submitted" / name, with_code(unsolved(folder), CODE[name]))
    for path in (folder, room, *folder.rglob("*")):
        os.chown(path, USER, USER)
    before = state(folder)
    packages = os.pathsep.join([str(ROOT), *isolation.packages()])
    environment = {"PYTHONPATH": packages, "HOME": str(room), "IPYTHONDIR": str(room), "JUPYTER_CONFIG_DIR": str(room)}
    run = [python, *command(folder, "--jobs", "2")[1:]]
    with adopting() as orphans:
        done = grade(folder, room, run=run, env=environment, user=USER, group=USER, extra_groups=[])
    assert done.returncode == 0, done.stderr[-3000:]
    assert scores_of(folder, NAME) == {"a_first": HALF} | dict.fromkeys(AS_USER, NONE)
    for name in AS_USER:
        outputs = json.dumps(outputs_of(folder, name))
        assert "HARMED" not in outputs and "LEAKED" not in outputs, outputs[:3000]
    assert state(folder) == before and orphans == []
