"""A course to attack: assignment 02 without its second task, which attacks do not need and which takes most time."""

import atexit
import base64
import contextlib
import ctypes
import functools
import hashlib
import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import time
import zlib
from html.parser import HTMLParser
from pathlib import Path

import nbformat
import numpy as np
import pytest

import reference
from reference.check.classroom import grading as grader
from reference.check.classroom import isolation
from tests.support.classroom import FOLDER, ROOT, Section, course, grading, notebook, sections, source, submission

NAME = "02_topk_simplex"
DROPPED = ("cone", "project_topk_cone_given", "project_topk_cone")  # cells of the second task
ALL = {"warm_up": 2, "project_simplex": 3, "project_topk_simplex": 5, "question": 0, "bonus": 0}
HALF, NONE = ALL | {"project_topk_simplex": 0}, dict.fromkeys(ALL, 0)
ATTACKS = ROOT / "tests" / "classroom" / "attacks"
SETTINGS = "c.Judge.cell_seconds = 3.0\nc.Judge.submission_seconds = 10.0\nc.Judge.judge_seconds = 30.0\n"


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


def put(folder, filled, name=f"{NAME}.ipynb"):
    """Write a notebook, or a text, into the folder of a hand-in."""
    place = folder / NAME
    place.mkdir(parents=True, exist_ok=True)
    (place / name).write_text(filled if isinstance(filled, str) else json.dumps(filled), encoding="utf-8")
    return place


def cell_of(filled, name):
    return next(cell for cell in filled.cells if grading(cell).get("grade_id") == name)


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


def outputs_of(folder, student):
    filled = nbformat.read(folder / "autograded" / student / NAME / f"{NAME}.ipynb", as_version=4)
    return [output for cell in filled.cells for output in cell.get("outputs", ())]


def page_of(folder, student):
    return (folder / "feedback" / student / NAME / f"{NAME}.html").read_text(encoding="utf-8")


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


CODE = {attack.name: attack for attack in [*sections(ATTACKS), table_of_answers()]}
