"""What the tests of classroom share."""

import ast
import functools
import importlib.util
import json
import re
import subprocess
import sys
import tempfile
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple

import nbformat

from reference.check.classroom import handed_in as data
from reference.check.classroom import isolation, judge
from reference.check.classroom.remote import Patience

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "notebooks" / "assignments"
INSTRUCTOR, BLANK = "instructor", "blank"
ASSIGNMENTS = sorted(path.name for path in (FOLDER / "source").iterdir() if path.is_dir())


def load(path):
    """A file of Python as a module; its folder is no package."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


course = load(FOLDER / "course.py")


def notebook(folder, name):
    return nbformat.read(folder / name / f"{name}.ipynb", as_version=4)


def source(name):
    return notebook(FOLDER / "source", name)


def grading(cell):
    return cell.metadata.get("nbgrader", {})


@functools.cache
def graded(name):
    """The points of each grade cell, in the order of the notebook."""
    details = [grading(cell) for cell in source(name).cells]
    return {detail["grade_id"]: detail["points"] for detail in details if detail.get("grade")}


def defined(text):
    """The names of the functions that a piece of Python defines."""
    return {node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)}


# What is graded through nbgrader, each with one wrong submission; the others are judged alone.
EVENING = ("05_column_squishing", "10_passes_over_memory")
IN_THE_COURSE = ("worst_rival_only", "threshold_of_the_maxima")


def scores_of(folder, name):
    """{student: {cell: points}} of an assignment, as the gradebook of a course has them."""
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{folder}/gradebook.db", "marginalia") as book:
        return {submission.student_id: {grade.cell.name: grade.score for grade in submission.notebooks[0].grades}
                for submission in book.assignment_submissions(name)}  # fmt: skip


SAID = ("LOSES", "FEEDBACK", "SAYS", "WORD", "CELL")  # what a file says of a submission: it is not handed in


class Section(NamedTuple):
    """A submission in a file of several: the code that is handed in, and what the file says of it (LOSES, ...)."""

    assignment: str
    name: str
    code: str
    says: dict


def named(section):
    """The name of a submission among all of them."""
    return f"{section.assignment}-{section.name}"


def sections(folder):
    """The submissions in the files of a folder, which are named after an assignment. A line `# === name` begins one."""
    found = []
    for path in sorted(folder.glob("*.py")):
        _, *parts = re.split(r"^# === (\w+)\n", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        pairs = zip(parts[::2], parts[1::2], strict=True)
        found += [Section(path.stem, name, *taken_apart(text)) for name, text in pairs]
    return found


def taken_apart(text):
    """(the code as a student would have written it, what it says of itself) of a submission."""
    docstring, *nodes = ast.parse(text).body
    lines, says = text.splitlines(), {"docstring": docstring.value.value}
    for node in nodes:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in SAID:
            says[node.targets[0].id] = ast.literal_eval(node.value)
            lines[node.lineno - 1 : node.end_lineno] = [""] * (node.end_lineno - node.lineno + 1)
    lines[: docstring.end_lineno] = [""] * docstring.end_lineno
    return "\n".join(lines).strip(), says


HERE = ROOT / "tests" / "classroom"
WRONG, MEDIOCRE, HONEST = map(sections, (FOLDER / "wrong", HERE / "mediocre", HERE / "honest"))


def submission(name, release, code="", solved=True):
    """The released notebook with the instructor's solutions in it, or with this code where it has any of them."""
    answers = {grading(cell)["grade_id"]: cell.source for cell in source(name).cells if grading(cell).get("solution")}
    filled = notebook(release, name)
    for cell in filled.cells if solved else ():
        if grading(cell).get("solution"):
            right = answers[grading(cell)["grade_id"]]
            cell.source = code if cell.cell_type == "code" and defined(right) & defined(code) else right
    return filled


def judged(whole, filled, patience=Patience(), isolated="bubblewrap"):  # noqa: B008
    """(what the judge answers, the hand-in) for a notebook, isolated where this machine can."""
    found = data.understood(filled, whole)
    with tempfile.TemporaryDirectory() as folder:
        command = isolation.command("none" if isolation.why_not() else isolated, folder)
        return judge.judged(whole, found, command, "a secret of the tests", patience), found


def shown(outputs):
    """What outputs of a graded notebook show, in one line."""
    texts = [output.get("text") or "\n".join(output.get("traceback", ())) for output in outputs]
    return " ".join("\n".join(texts).split())


def run(folder, *arguments, env=None):
    """Python with these arguments, in this folder; what it prints."""
    command, env = [sys.executable, *map(str, arguments)], env or course.environment()
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{arguments}:\n{done.stdout}\n{done.stderr}"
    return done.stdout


AGAIN = """
import contextlib, io, json, sys
from reference.check.classroom.__main__ import main

for line in sys.stdin:
    said, complained, code = io.StringIO(), io.StringIO(), 0
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(complained):
        try:
            main(json.loads(line))
        except SystemExit as end:
            code = 1
            print(end, file=sys.stderr)
    print(json.dumps([code, said.getvalue(), complained.getvalue()]), flush=True)
"""


class Commands:
    """Runs `python -m reference.check.classroom` again and again in one process, since its imports take seconds.

    `before` is run in that process first; `arguments` are in its sys.argv.
    """

    def __init__(self, environment, before="", *arguments):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        command = [sys.executable, "-c", before + AGAIN, *map(str, arguments)]
        self.process = subprocess.Popen(command, cwd=ROOT, env=environment, **pipes)

    def __call__(self, *arguments):
        self.process.stdin.write(json.dumps([str(argument) for argument in arguments]) + "\n")
        self.process.stdin.flush()
        return subprocess.CompletedProcess(arguments, *json.loads(self.process.stdout.readline()))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.communicate()


class Text(HTMLParser):
    """The text of a page, without styles and scripts."""

    def __init__(self):
        super().__init__()
        self.parts, self._skipped = [], 0

    def handle_starttag(self, tag, attrs):
        self._skipped += tag in ("style", "script")

    def handle_endtag(self, tag):
        self._skipped -= tag in ("style", "script")

    def handle_data(self, data):
        if not self._skipped:
            self.parts.append(data)


def text_of(html):
    """The text of a page, in one line."""
    parser = Text()
    parser.feed(html)
    return " ".join("".join(parser.parts).split())
