"""What a hostile student can do: one course, graded once, with an honest student before and one after the attacks.

Attacks are code in a cell (`attacks/short.py` has those of a few lines, the other files there one each) or something
about the hand-in itself (the functions marked `hands_in` below). None may earn what it does not deserve, see the
secret, the solutions or other hand-ins, change or leave behind anything, or hold up the others.

The assignment is 02 without its second task, which attacks do not need and which takes most of the time.
"""

import atexit
import base64
import contextlib
import ctypes
import functools
import hashlib
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import time
import zlib
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace

import nbformat
import numpy as np
import pytest

import reference
from reference.check.classroom import grading as grader
from reference.check.classroom import handed_in, isolation
from reference.check.classroom.gradebook import markdown
from tests.support.classroom import (
    FOLDER,
    ROOT,
    Commands,
    Section,
    course,
    grading,
    notebook,
    scores_of,
    sections,
    source,
    submission,
)

NAME = "02_topk_simplex"
DROPPED = ("cone", "project_topk_cone_given", "project_topk_cone")  # cells of the second task
ALL = {"warm_up": 2, "project_simplex": 3, "project_topk_simplex": 5, "question": 0, "bonus": 0}
HALF, NONE = ALL | {"project_topk_simplex": 0}, dict.fromkeys(ALL, 0)
ATTACKS = ROOT / "tests" / "classroom" / "attacks"
SETTINGS = "c.Judge.cell_seconds = 3.0\nc.Judge.submission_seconds = 10.0\nc.Judge.judge_seconds = 30.0\n"
LEFT_BEHIND = "98765"  # what a process that outlives its run is called with
SCRIPT = "<script>alert('HARMED')</script><img src=x onerror=\"alert('HARMED')\">"

needs_bubblewrap = pytest.mark.skipif(bool(isolation.why_not()), reason=f"needs bubblewrap: {isolation.why_not()}")


# --- attacks that are code -----------------------------------------------------------------------------------------


def table_of_answers():
    """The right answers of all visible instances, found by what they are asked, as a student could collect them."""
    cases = grader.Sat(FakeBox(), grader.VISIBLE, True).cases("project_simplex")
    table = {}
    for case in cases:
        if not case.refuses:
            a, radius = case.arguments["a"], float(case.arguments.get("radius", 1.0))
            for row in np.atleast_2d(a).astype(float):
                if len(row) <= 100:
                    answer = reference.project_simplex(row, radius)
                    table[f"{hashlib.sha256(row.tobytes()).hexdigest()[:16]} {radius!r}"] = answer.tolist()
    kept = base64.b85encode(zlib.compress(json.dumps(table).encode())).decode()
    text = f"import base64, hashlib, json, zlib\nimport numpy as np\n\ntable = {kept!r}\n"
    text += "table = json.loads(zlib.decompress(base64.b85decode(table)))\n\n\ndef simplex(a, radius):\n    key = "
    text += "f'{hashlib.sha256(a.tobytes()).hexdigest()[:16]} {float(radius)!r}'\n    return np.array(table[key])\n"
    return Section("", "table_of_answers", text, {"WORD": "project_simplex 0 of 3"})


class FakeBox:
    generation = 0


def with_code(filled, attack):
    """Put an attack into a notebook: its first part into its cell, the others after it."""
    wanted = attack.says.get("CELL", "simplex")
    place = next(i for i, cell in enumerate(filled.cells) if grading(cell).get("grade_id") == wanted)
    first, *others = attack.code.split("\n# %%\n")
    filled.cells[place].source = first
    filled.cells[place + 1 : place + 1] = [nbformat.v4.new_code_cell(text) for text in others]
    return filled


# --- attacks on the hand-in ----------------------------------------------------------------------------------------

HAND_INS = {}  # name: (function, scores, word in the log or "")


def hands_in(scores=NONE, word=""):
    """A function that hands in something odd: it gets the folder of the student and a notebook, solved or half solved.

    Half is enough where the code of the notebook is nothing special: the second task takes most of the time.
    """

    def register(function):
        HAND_INS[function.__name__] = function, scores, word
        return function

    return register


def put(folder, filled, name=f"{NAME}.ipynb"):
    """Write a notebook, or a text, into the folder of a hand-in."""
    place = folder / NAME
    place.mkdir(parents=True, exist_ok=True)
    (place / name).write_text(filled if isinstance(filled, str) else json.dumps(filled), encoding="utf-8")
    return place


def cell_of(filled, name):
    return next(cell for cell in filled.cells if grading(cell).get("grade_id") == name)


def top(folder):
    return folder.parents[1]


@hands_in(word="02_topk_simplex.ipynb is a symbolic link")
def links_to_the_source(folder, filled):
    """The lecturer's notebook, with all solutions."""
    (folder / NAME).mkdir(parents=True)
    (folder / NAME / f"{NAME}.ipynb").symlink_to(top(folder) / "source" / NAME / f"{NAME}.ipynb")


@hands_in(word="the folder is a symbolic link")
def links_to_the_folder_of_the_source(folder, filled):
    """The same by its folder."""
    folder.mkdir(parents=True)
    (folder / NAME).symlink_to(top(folder) / "source" / NAME)


@hands_in(word="the folder is a symbolic link")
def links_to_another_student(folder, filled):
    """The work of somebody else."""
    folder.mkdir(parents=True)
    (folder / NAME).symlink_to(Path("..") / "a_first" / NAME)


@hands_in(scores=HALF, word="all is a symbolic link")
def links_to_secrets(folder, filled):
    """Files that would be copied into the feedback: the honest notebook beside them keeps its points."""
    place = put(folder, filled)
    (place / "gradebook.db").symlink_to(top(folder) / "gradebook.db")
    (place / "all").symlink_to(top(folder))
    (place / "timestamp.txt").symlink_to(top(folder) / "secrets.json")
    (place / "program.py").write_text("print('HARMED')")
    (place / "\x1b[2J\n2026-01-01 HARMED.txt").write_text("HARMED")
    for i in range(100):
        (place / f"file{i}").touch()


@hands_in(scores=HALF, word="timestamp.txt holds no time")
def has_no_time(folder, filled):
    """A time that is none."""
    (put(folder, filled) / "timestamp.txt").write_bytes(b"\xff\x00yesterday, 25 o'clock\x1b[2J" * 30)


@hands_in(scores=HALF)
def comes_from_the_future(folder, filled):
    """A time that is out of range in another time zone."""
    (put(folder, filled) / "timestamp.txt").write_text("9999-12-31 23:59:59 -1400")


@hands_in(scores=HALF)
def has_a_text_for_metadata(folder, filled):
    """Metadata that is no metadata: the cells are known by their ids."""
    for cell in filled.cells:
        cell.metadata["nbgrader"] = "HARMED"
    filled.metadata = {"kernelspec": ["HARMED"], "language_info": 7, "nbgrader": "HARMED"}
    put(folder, filled)


@hands_in(scores=HALF)
def has_lists_for_names(folder, filled):
    """A list where a name belongs."""
    for cell in filled.cells:
        cell.metadata["nbgrader"] = {"grade_id": ["HARMED"], "points": {}, "schema_version": "HARMED"}
    put(folder, filled)


@hands_in(scores=HALF, word="no answer was handed in for warm_up_answer, simplex")
def has_no_metadata(folder, filled):
    """Neither metadata nor ids: the functions are found by their names, in cells of the student's own."""
    put(folder, {"cells": [{"cell_type": cell.cell_type, "source": cell.source} for cell in filled.cells]})


@hands_in(word="the file holds no cells of a notebook")
def is_empty(folder, filled):
    """No cell at all."""
    put(folder, {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


@hands_in(word="no answer was handed in for warm_up_answer, simplex")
def has_odd_cells(folder, filled):
    """Cells without keys, cells that are none, and text that is none."""
    odd = [{}, [], None, "HARMED", 7, {"source": 7}, {"source": ["a", 7]}, {"cell_type": [], "source": "\ud800\0"},
           {"metadata": [], "source": "1", "cell_type": "code"}, {"attachments": {"a": {"image/png": "\ud800"}}},
           {"cell_type": "code", "metadata": {"nbgrader": {"grade_id": "project_simplex"}}, "source": "print(99)"},
           {"cell_type": "markdown", "source": "x", "id": {}}] * 5  # fmt: skip
    put(folder, json.dumps({"cells": odd, "metadata": 7}))


@hands_in(word="its JSON is broken")
def is_cut(folder, filled):
    """Half of a file."""
    put(folder, json.dumps(filled)[:5000])


@hands_in(word="its JSON is broken")
def is_deep(folder, filled):
    """A million brackets."""
    put(folder, '{"cells": ' + "[" * 1_000_000)


@hands_in(word="larger than 32 MiB")
def is_huge(folder, filled):
    """More than anybody writes."""
    place = put(folder, "")
    os.truncate(place / f"{NAME}.ipynb", 1 << 40)


@hands_in(word="holds no cells")
def is_another_version(folder, filled):
    """A notebook of version 3."""
    put(folder, {"worksheets": [{"cells": []}], "nbformat": 3})


@hands_in(scores=HALF, word="the notebook is called my solution.ipynb; it should be")
def has_another_name(folder, filled):
    """As it was downloaded the second time."""
    put(folder, filled, "my solution.ipynb")


@hands_in(word="was not handed in, and there is no notebook")
def is_a_pipe(folder, filled):
    """A file that never ends and never begins."""
    (folder / NAME).mkdir(parents=True)
    os.mkfifo(folder / NAME / f"{NAME}.ipynb")
    os.mkfifo(folder / NAME / "timestamp.txt")


@hands_in(word="the folder cannot be read")
def is_a_file(folder, filled):
    """A file in place of the folder."""
    folder.mkdir(parents=True)
    (folder / NAME).write_text("HARMED")


@hands_in(word="no answer was handed in for warm_up_answer, simplex")
def forges_names(folder, filled):
    """The names of tests for its own cells, and those of others twice."""
    for cell in filled.cells:
        if grading(cell).get("solution") and cell.cell_type == "code":
            cell.metadata["nbgrader"]["grade_id"] = "project_simplex"
            cell.id = "project_simplex"
            cell.source = "print('HARMED')"
    put(folder, filled)


@hands_in(scores=ALL, word="these cells were changed, and are as they were handed out: project_simplex")
def forges_flags(folder, filled):
    """Points, locks and outputs of its own; an honest solution keeps its points and gets no more."""
    for cell in filled.cells:
        cell.metadata["nbgrader"] |= {"points": 1000, "locked": False, "solution": True, "grade": True}
        if cell.cell_type == "code":
            number = {"output_type": "execute_result", "data": {"text/plain": "99"}, "metadata": {}}
            cell.outputs = [number | {"execution_count": 1}]
    cell_of(filled, "project_simplex").source = "print('HARMED')"
    put(folder, filled)


@hands_in()
def forges_outputs(folder, filled):
    """Numbers where nbgrader reads points, in all cells, the tests among them; nothing is solved."""
    filled = unsolved(top(folder))
    for cell in filled.cells:
        if cell.cell_type == "code":
            number = {"output_type": "execute_result", "data": {"text/plain": "3"}, "metadata": {}}
            cell.outputs = [number | {"execution_count": 1}]
    put(folder, filled)


@hands_in(scores=ALL, word="these cells were deleted, and came back: imports, warm_up")
def lost_given_cells(folder, filled):
    """All that is locked was deleted, and the rest is in another order."""
    filled.cells = [cell for cell in filled.cells if not grading(cell).get("locked")][::-1]
    put(folder, filled)


@hands_in(scores=ALL)
def uses_magics(folder, filled):
    """What Jupyter knows."""
    filled.cells.insert(
        0, nbformat.v4.new_code_cell("%matplotlib inline\n%autosave 60\n%config InlineBackend.dpi = 50")
    )
    for name, magic in (("warm_up_answer", "%%time"), ("simplex", "%%capture"), ("topk_simplex", "%%capture shown")):
        cell_of(filled, name).source = f"{magic}\n{cell_of(filled, name).source}"
    put(folder, filled)


@hands_in(scores=HALF)
def writes_a_script(folder, filled):
    """Scripts in a written answer, in a picture of it, and in cells of its own."""
    answer = cell_of(filled, "question")
    answer.source = (
        f"{SCRIPT}\n\n[a](javascript:alert('HARMED')) ![b](attachment:b.png) <svg onload=\"alert('HARMED')\"></svg>\n\n"
        "<iframe srcdoc=\"<script>alert('HARMED')</script>\"></iframe> <a href=\"javascript:alert('HARMED')\">c</a>\n\n"
        "<style>* {background: url(HARMED)}</style> <form action=HARMED><input></form> <meta http-equiv=HARMED>"
    )
    answer["attachments"] = {"b.png": {"image/png": "x\"><script>alert('HARMED')</script>", "text/html": SCRIPT}}
    answer["attachments"]["x\" onerror=\"alert('HARMED')"] = {"image/png": "AAAA"}
    for kind in ("raw", "markdown"):
        filled.cells.append(getattr(nbformat.v4, f"new_{kind}_cell")(SCRIPT))
    filled.cells.append(nbformat.v4.new_raw_cell(SCRIPT, metadata={"raw_mimetype": "text/html"}))
    put(folder, filled)


@hands_in(scores=HALF)
def repeats_a_picture(folder, filled):
    """A picture of two megabytes, again and again: all of them would be four gigabytes of a page."""
    answer = cell_of(filled, "question")
    answer.source = "![a](attachment:a.png)\n" * 800
    answer["attachments"] = {"a.png": {"image/png": "A" * (2 << 20)}}
    put(folder, filled)


@hands_in(scores=HALF, word="these answers are too long, and were cut: question")
def writes_a_book(folder, filled):
    """More than anybody reads; it would take minutes to make a page of it."""
    cell_of(filled, "question").source = "\\begin{a}" * 100_000
    put(folder, filled)


@hands_in(scores=HALF, word="more notes")
def makes_many_notes(folder, filled):
    """Cells that raise, more than anybody reads of."""
    filled.cells += [nbformat.v4.new_code_cell(f"raise ValueError({i})") for i in range(60)]
    put(folder, filled)


# --- the course ----------------------------------------------------------------------------------------------------


@functools.cache
def built():
    """Build a course with the short assignment; returns its folder."""
    parts = Path(tempfile.mkdtemp(prefix="attacked-"))
    atexit.register(shutil.rmtree, parts)
    short = source(NAME)
    short.cells = [cell for cell in short.cells if grading(cell).get("grade_id") not in DROPPED]
    (parts / "source" / NAME).mkdir(parents=True)
    nbformat.write(short, parts / "source" / NAME / f"{NAME}.ipynb")
    text = (FOLDER / "nbgrader_config.py").read_text(encoding="utf-8")
    (parts / "nbgrader_config.py").write_text(text + SETTINGS, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(course, "HERE", parts)
        patch.setattr(course, "ASSIGNMENTS", [NAME])
        course.build(parts / "course")
    return parts / "course"


def copied(folder):
    """Put a course into this folder: a copy of the one that is built once."""
    return Path(shutil.copytree(built(), folder))


def unsolved(folder):
    return notebook(folder / "release", NAME)


def solved(folder):
    filled = submission(NAME, folder / "release")
    assert len(filled.cells) == len(source(NAME).cells) - len(DROPPED)
    return filled


def half_solved(folder):
    """A right first task, which is judged in a moment, and nothing of the second."""
    filled = solved(folder)
    cell_of(filled, "topk_simplex").source = cell_of(unsolved(folder), "topk_simplex").source
    return filled


def command(folder, *options):
    return [sys.executable, "-m", "reference.check.classroom", str(folder), NAME, *options]


def grade(folder, room, *options, **how):
    """Run the command; its temporary files go into `room`."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(room)} | how.pop("env", {})
    run = how.pop("run", command(folder, *options))
    return subprocess.run(run, cwd=room, env=environment, capture_output=True, text=True, check=False, **how)


def state(folder):
    """The programs that grade, what the course is made of, what was handed in, and the devices: bytes and modes."""
    programs = [*(ROOT / "reference" / "check" / "classroom").glob("*.py"), *isolation.FILES, Path(np.__file__)]
    places = [folder / name for name in ("source", "release", "submitted")]
    files = [*programs, folder / "secrets.json", folder / "nbgrader_config.py"]
    files += [path for place in places for path in place.rglob("*")]
    return {**{str(path): described(path) for path in files},
            **{path: os.stat(path).st_mode for path in ("/dev/null", "/dev/zero", "/dev/urandom")}}  # fmt: skip


def described(path):
    mode = path.lstat().st_mode
    if stat.S_ISLNK(mode):
        return os.readlink(path)
    return mode, path.read_bytes() if stat.S_ISREG(mode) and path.stat().st_size < 1 << 30 else None


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


@contextlib.contextmanager
def adopting():
    """What the processes that are started in this block leave behind becomes a child of this one: a list of them."""
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
    before, found = children(), []
    try:
        yield found
    finally:
        time.sleep(0.5)
        found += [command for pid, command in children().items() if pid not in before]
        ctypes.CDLL(None).prctl(36, 0, 0, 0, 0)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass


def children():
    """Returns {pid: command} of the children of this process that have not ended."""
    found = {}
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, ValueError):
            state, parent = (path / "stat").read_bytes().rpartition(b")")[2].split()[:2]
            if int(parent) == os.getpid() and state != b"Z":
                found[path.name] = (path / "cmdline").read_bytes()
    return found


CODE = {attack.name: attack for attack in [*sections(ATTACKS), table_of_answers()]}


# --- what it must show ---------------------------------------------------------------------------------------------


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


def outputs_of(folder, student):
    filled = nbformat.read(folder / "autograded" / student / NAME / f"{NAME}.ipynb", as_version=4)
    return [output for cell in filled.cells for output in cell.get("outputs", ())]


def page_of(folder, student):
    return (folder / "feedback" / student / NAME / f"{NAME}.html").read_text(encoding="utf-8")


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


class Active(HTMLParser):
    """What would do something in a browser, of what has the word HARMED in it."""

    def __init__(self):
        super().__init__()
        self.found, self._inside = [], None

    def handle_starttag(self, tag, attrs):
        self._inside = tag if tag in ("script", "style") else self._inside
        for name, value in attrs:
            acts = name.startswith("on") or name in ("href", "src", "srcdoc", "action", "style", "http-equiv")
            if acts and "HARMED" in (value or "") and not value.startswith("data:image/"):
                self.found.append((tag, name, value))

    def handle_endtag(self, tag):
        self._inside = None if tag == self._inside else self._inside

    def handle_data(self, data):
        if self._inside and "HARMED" in data:
            self.found.append((self._inside, data))


def active(page):
    parser = Active()
    parser.feed(page)
    return parser.found


def formgraders(folder, student):
    """The page on which a lecturer grades by hand, as the extension of nbgrader makes it."""
    from nbconvert.exporters import HTMLExporter
    from nbgrader.server_extensions.formgrader import handlers

    from reference.check.classroom.gradebook import Course

    config = Course(folder, NAME).config
    config.HTMLExporter.template_name = "formgrade"
    config.HTMLExporter.extra_template_basedirs = [handlers.template_path]
    resources = dict.fromkeys(("last_name", "first_name", "notebook_path"), "")
    resources |= {"assignment_id": NAME, "notebook_id": NAME, "submission_id": "1", "student": student}
    resources |= {"index": 0, "total": 1, "base_url": "/"}
    path = folder / "autograded" / student / NAME / f"{NAME}.ipynb"
    return HTMLExporter(config=config).from_filename(str(path), resources=resources)[0]


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


# --- what is read, without a course ---------------------------------------------------------------------------------


def test_the_kind_of_a_cell_belongs_to_what_a_student_wrote():
    """A text that becomes code is another hand-in, which gets other instances."""
    cells = [{"cell_type": kind, "source": "simplex = table"} for kind in ("markdown", "code")]
    assert len({handed_in.understood({"cells": [cell]}, source(NAME)).own for cell in cells}) == 2


def test_a_picture_within_an_answer_does_not_cut_its_text():
    filled = source(NAME)
    answer = cell_of(filled, "question")
    answer.source = f"![a](data:image/png;base64,{'A' * 60_000})\n\nBecause."
    found = handed_in.understood(filled, source(NAME))
    assert cell_of(found.notebook, "question").source == answer.source
    assert not [note for note in found.notes if "too long" in note]


def test_a_time_names_no_file(tmp_path):
    (tmp_path / "timestamp.txt").write_text("2026-01-01 00:00:00 /etc/passwd")
    time, notes = handed_in._time(tmp_path, ["timestamp.txt"])
    assert time is None and "holds no time" in notes[0]


def test_an_answer_keeps_the_classes_of_code_and_no_others():
    assert "modal" not in markdown({}, '<div class="modal-backdrop in">HARMED</div>')
    assert 'class="highlight"' in markdown({}, "```python\nx = 1\n```")


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
