"""What the tests of classroom share."""

import ast
import importlib.util
import subprocess
import sys
import tempfile
from html.parser import HTMLParser
from pathlib import Path

import nbformat

from reference.check.classroom import handed_in as data
from reference.check.classroom import isolation, judge
from reference.check.classroom.remote import Patience

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "notebooks" / "assignments"
INSTRUCTOR, BLANK = "instructor", "blank"


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


def graded(name):
    """The points of each grade cell, in the order of the notebook."""
    details = [grading(cell) for cell in source(name).cells]
    return {detail["grade_id"]: detail["points"] for detail in details if detail.get("grade")}


def defined(text):
    """The names of the functions that a piece of Python defines."""
    return {node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)}


def submission(name, release, path=None, solved=True):
    """The released notebook with the instructor's solutions in it, or those of a wrong file where it has any."""
    answers = {grading(cell)["grade_id"]: cell.source for cell in source(name).cells if grading(cell).get("solution")}
    wrong, filled = handed_in(path) if path else "", notebook(release, name)
    for cell in filled.cells if solved else ():
        if grading(cell).get("solution"):
            right = answers[grading(cell)["grade_id"]]
            cell.source = wrong if cell.cell_type == "code" and defined(right) & defined(wrong) else right
    return filled


def handed_in(path):
    """A wrong file as a student would have written it: without what it says of itself."""
    text = path.read_text(encoding="utf-8")
    docstring, *nodes = ast.parse(text).body
    said = [docstring, *(node for node in nodes if isinstance(node, ast.Assign))]
    lines = text.splitlines()
    for node in said:
        if node is not docstring and getattr(node.targets[0], "id", "") not in ("LOSES", "FEEDBACK", "WORD"):
            continue
        lines[node.lineno - 1 : node.end_lineno] = [""] * (node.end_lineno - node.lineno + 1)
    return "\n".join(lines).strip()


def judged(whole, filled, patience=Patience(), isolated="bubblewrap"):  # noqa: B008
    """(what the judge answers, the hand-in) for a notebook, isolated where this machine can."""
    found = data.understood(filled, whole)
    with tempfile.TemporaryDirectory() as folder:
        command = isolation.command("none" if isolation.why_not() else isolated, folder)
        return judge.judged(whole, found, command, "a secret of the tests", patience), found


def run(folder, *arguments):
    """Python with these arguments, in this folder; what it prints."""
    command = [sys.executable, *map(str, arguments)]
    done = subprocess.run(command, cwd=folder, env=course.environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{arguments}:\n{done.stdout}\n{done.stderr}"
    return done.stdout


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
    parser = Text()
    parser.feed(html)
    return " ".join("".join(parser.parts).split())
