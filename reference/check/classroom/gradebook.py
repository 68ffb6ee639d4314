"""nbgrader's side: the gradebook, the graded notebooks, the pages of feedback, and the table of grades.

nbgrader's own `autograde` copies and opens whatever was handed in. So it is closed here: see `Closed`.
"""

import contextlib
import csv
import hashlib
import html
import json
import logging
import os
import re
import secrets
from pathlib import Path
from typing import NamedTuple

import bleach
import nbformat
from jinja2 import FileSystemBytecodeCache, pass_context
from nbconvert.exporters import HTMLExporter, NotebookExporter
from nbconvert.filters.markdown_mistune import InvalidNotebook, IPythonRenderer, MarkdownWithMath
from nbconvert.preprocessors import CSSHTMLHeaderPreprocessor
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.converters import GenerateFeedback
from nbgrader.coursedir import CourseDirectory
from nbgrader.plugins.export import ExportPlugin
from nbgrader.preprocessors import AssignLatePenalties, LimitOutput, SaveAutoGrades
from nbgrader.utils import parse_utc
from traitlets import Float, Unicode
from traitlets.config import Config, Configurable
from traitlets.config.loader import PyFileConfigLoader

from .handed_in import PATTERN
from .limits import limit_memory

COLUMNS = ("assignment", "student_id", "timestamp", "raw_score", "late_submission_penalty", "score", "max_score",
           "waiting")  # fmt: skip
# What text may become on a page: nothing that runs, loads a program, or covers the rest.
TAGS = [
    "a", "abbr", "b", "blockquote", "br", "code", "dd", "del", "details", "div", "dl", "dt", "em", "h1", "h2",
    "h3", "h4", "h5", "h6", "hr", "i", "img", "li", "ol", "p", "pre", "s", "span", "strong", "sub", "summary",
    "sup", "table", "tbody", "td", "th", "thead", "tr", "u", "ul",
]  # fmt: skip
OF_CODE = re.compile(r"(highlight|[a-z][a-z0-9]?)$")  # the classes of coloured code: no longer ones, which pages use
LINK = re.compile(r"https?://|mailto:|#")
PICTURE = re.compile(r"data:image/(?:png|jpeg);base64,[A-Za-z0-9+/=\s]*$")


def _allowed(tag, name, value):
    """Whether a tag of TAGS may have this attribute."""
    if (tag, name) in (("a", "href"), ("img", "src")):
        return bool((LINK if tag == "a" else PICTURE).match(value))
    return name in ("title", "alt", "colspan", "rowspan") or (name == "class" and bool(OF_CODE.match(value)))


class Renderer(IPythonRenderer):
    """Shows each picture of an answer once. In the place of others, and of those that are missing, is their text."""

    shown = ()

    def image(self, text, url, title=None):
        try:
            found = "" if url in self.shown else super().image(text, url, title)
        except InvalidNotebook:
            found = ""
        self.shown = (*self.shown, url)
        return found or html.escape(f"(picture: {text})")


@pass_context
def markdown(context, source):
    """Returns the HTML of a text, without scripts. The pages of nbgrader do not heed HTMLExporter.sanitize_html."""
    renderer = Renderer(escape=False, attachments=context.get("cell", {}).get("attachments", {}))
    found = MarkdownWithMath(renderer=renderer).render(source)
    return bleach.clean(found, TAGS, _allowed, protocols=("http", "https", "mailto", "data"))


class Judge(Configurable):
    """The settings of the judge, from nbgrader_config.py: c.Judge.isolation = ..."""

    isolation = Unicode(
        "bubblewrap",
        help="How student code is kept apart: 'bubblewrap' (nothing is graded where it does not work) or 'none'.",
    ).tag(config=True)
    cell_seconds = Float(60.0, help="Seconds that one cell of a student may take.").tag(config=True)
    submission_seconds = Float(300.0, help="Seconds that the code of one student may take in all.").tag(config=True)
    judge_seconds = Float(300.0, help="Seconds that the examination of one function may take.").tag(config=True)


class Page(HTMLExporter):
    """Makes the pages of feedback. Their templates are compiled once: what comes of it is kept in the folder `room`."""

    room = Unicode().tag(config=True)

    def _create_environment(self):
        environment = super()._create_environment()
        environment.bytecode_cache = FileSystemBytecodeCache(self.room)
        return environment


class Closed(NotebookExporter):
    """What nbgrader's `autograde` makes before it looks at submissions: it ends, since they are judged elsewhere."""

    def __init__(self, *, parent=None, **given):
        name = parent.coursedir.assignment_id if parent else "..."
        raise SystemExit(f"Nothing was graded. The command is: make grade COURSE={os.getcwd()} ASSIGNMENT={name}")


class Course:
    """A course folder that `course.py` built, and one of its assignments."""

    def __init__(self, folder, name):
        self.folder, self.name = Path(folder).absolute(), name
        if odd := PATTERN.search(str(self.folder)):
            raise ValueError(f"{self.folder} has {odd[0]!r} in its name, which nbgrader takes for a pattern: rename it")
        self.config = Config()
        if (self.folder / "nbgrader_config.py").exists():
            self.config = PyFileConfigLoader("nbgrader_config.py", path=str(self.folder)).load_config()
        self.config.HTMLExporter.sanitize_html = True  # of what students wrote
        self.config.HTMLExporter.filters = {"markdown2html": markdown}
        self.config.CourseDirectory.root, self.config.CourseDirectory.assignment_id = str(self.folder), name
        self.directory, self.judge = CourseDirectory(config=self.config), Judge(config=self.config)
        self.log = logging.getLogger("marginalia.classroom")
        self.log.propagate, self.log.level = False, logging.WARNING
        self.nbgraders = self.log.getChild("nbgrader")
        self.nbgraders.level = logging.ERROR
        logging.captureWarnings(True)
        logging.getLogger("py.warnings").handlers, logging.getLogger("py.warnings").propagate = [], False
        self.log.handlers = [logging.FileHandler(self.folder / "grading.log", encoding="utf-8", delay=True)]
        self.log.handlers[0].setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))

    def source(self):
        """Returns the lecturer's notebook; a ValueError if there is none, or if nbgrader does not know it."""
        path = self.folder / "source" / self.name / f"{self.name}.ipynb"
        if not path.is_file():
            raise ValueError(f"{self.folder} has no assignment {self.name}: there is no {path}")
        with self._gradebook() as book:
            try:
                book.find_notebook(self.name, self.name)
            except MissingEntry:
                text = f"{self.name} was not released: run nbgrader generate_assignment {self.name}"
                raise ValueError(text) from None
        return nbformat.read(path, as_version=4)

    def write(self, student, hand_in, outputs):
        """Write the points and the graded notebook of one student."""
        notebook = hand_in.notebook
        for i, found in outputs.items():
            notebook.cells[int(i)].outputs = [nbformat.from_dict(output) for output in found]
        if hand_in.notes:
            lines = ["**Notes on what you handed in**", "", *(f"* {html.escape(note)}" for note in hand_in.notes)]
            notebook.cells.insert(0, nbformat.v4.new_markdown_cell("\n".join(lines), id="notes"))
        with self._gradebook() as book:
            book.update_or_create_student(student)
            when = hand_in.timestamp and parse_utc(hand_in.timestamp)
            book.update_or_create_submission(self.name, student, timestamp=when or None)
        place = {"student": student, "assignment": self.name, "notebook": self.name, "db_url": self.directory.db_url}
        for step in (LimitOutput, SaveAutoGrades, AssignLatePenalties):
            notebook, _ = step(config=self.config, log=self.nbgraders).preprocess(notebook, {"nbgrader": place})
        path = self.graded(student)
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_name(f".{secrets.token_hex(4)}")
        nbformat.write(notebook, fresh)
        os.replace(fresh, path)

    def graded(self, student):
        """Returns the path of the graded notebook of one student."""
        return self.folder / "autograded" / student / self.name / f"{self.name}.ipynb"

    def feedback(self, student, room):
        """Write the page of one student, in a process of its own; `room` is a folder that nobody else can write to."""
        limit_memory()
        self._converter(student, room).start()

    def load_pages(self, room):
        """Make a page of the lecturer's notebook and forget it: what it loads, all processes forked later have."""
        notebook, grades = self.source(), {"score": 0.0, "points": 0.0, "max_score": 0.0, "late_penalty": 0.0}
        for cell in notebook.cells:
            cell.metadata["nbgrader"] = cell.metadata.get("nbgrader", {}) | grades | {"comment": "None."}
        with contextlib.suppress(Exception):  # whatever is wrong, a missing template, say, will be said of each page
            converter = self._converter("", room)
            exporter = Page(parent=converter, config=converter.config)
            exporter.register_preprocessor(CSSHTMLHeaderPreprocessor, enabled=True)
            exporter.from_notebook_node(notebook, resources={"nbgrader": grades | {"notebook": self.name}})

    def _converter(self, student, room):
        given = Config(self.config)
        given.CourseDirectory.student_id, given.Page.room = student, str(room)
        options = {"config": given, "log": self.nbgraders, "force": True, "exporter_class": Page}
        return GenerateFeedback(coursedir=CourseDirectory(config=given), **options)

    def marks(self):
        """Returns the Marks of each student who handed in."""
        with self._gradebook() as book:
            return {one.student_id: marks_of(one) for one in book.assignment_submissions(self.name)}

    def export(self):
        """Write grades.csv."""
        with self._gradebook() as book:
            Grades(to=str(self.folder / "grades.csv"), log=self.log).export(book)

    def _gradebook(self):
        return Gradebook(self.directory.db_url, self.directory.course_id or None)


class Marks(NamedTuple):
    """What one student has got.

    Attributes
    ----------
    points, most : float
    waiting : list of str
        The answers that a person has to grade. A bonus, which is worth 0 points, is not among them.
    page : str
        Changes whenever the page of feedback has to be made anew.
    """

    points: float
    most: float
    waiting: list
    page: str


def marks_of(submission):
    """Returns the Marks of a submission."""
    grades = [grade for notebook in submission.notebooks for grade in notebook.grades]
    comments = [comment.comment for notebook in submission.notebooks for comment in notebook.comments]
    waiting = [grade.cell.name for grade in grades if grade.needs_manual_grade and grade.max_score > 0]
    page = [sorted((grade.cell.name, grade.score) for grade in grades), comments, submission.late_submission_penalty]
    digest = hashlib.sha256(json.dumps(page).encode()).hexdigest()
    return Marks(submission.score, submission.max_score, waiting, digest)


class Grades(ExportPlugin):
    """What `nbgrader export` writes: a line for each hand-in, with the questions that wait for a person."""

    def export(self, gradebook):
        with open(self.to or "grades.csv", "w", encoding="utf-8", newline="") as file:
            table = csv.writer(file)
            table.writerow(COLUMNS)
            for assignment in gradebook.assignments:
                for submission in gradebook.assignment_submissions(assignment.name):
                    penalty, marks = submission.late_submission_penalty or 0.0, marks_of(submission)
                    score = max(0.0, marks.points - penalty)
                    table.writerow([assignment.name, submission.student_id, submission.timestamp or "", marks.points,
                                    penalty, score, marks.most, " ".join(marks.waiting)])  # fmt: skip
