"""nbgrader's side: two preprocessors. `Judge` takes the place of `Execute` when a submission is graded.

In nbgrader_config.py:

    c.Autograde.sanitize_preprocessors = [..., "reference.check.classroom.autograde.Restore", OverwriteCells, ...]
    c.Autograde.autograde_preprocessors = ["reference.check.classroom.autograde.Judge", ...]
    c.Judge.isolation = "auto"
"""

import json
import subprocess
import sys
from pathlib import Path

import nbformat
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Any, Float, Integer

FLAGS = ("grade", "solution", "locked", "task", "points")


class Lecturers(NbGraderPreprocessor):
    """What both have: the lecturer's source of the submission."""

    def source(self, place):
        """The notebook in the folder of sources."""
        self.course = CourseDirectory(parent=self)
        folder = self.course.format_path(self.course.source_directory, ".", place["assignment"])
        return nbformat.read(Path(folder) / f"{place['notebook']}.ipynb", as_version=4)


class Restore(Lecturers):
    """Gives each cell of a submission the flags of its source: a student may have changed them."""

    def preprocess(self, nb, resources):
        place = resources["nbgrader"]
        for name in restore_flags(nb, self.source(place)):
            note = "the flags of cell %s were changed in the submission, and are restored"
            self.log.warning(f"%s, %s: {note}", place["student"], place["notebook"], name)
        return nb, resources


class Judge(Lecturers):
    """Fills in the outputs of a submission: of tests by the judge, of all other cells by the student's process."""

    isolation = Any(
        "auto",
        help="How student code is kept apart: 'auto' (bubblewrap where it works, else a warning), 'bubblewrap' (an "
        "error where it does not work), 'none', or a list: a command of your own that runs the command after it.",
    ).tag(config=True)
    cell_seconds = Float(60.0, help="Seconds that one cell of a student may take.").tag(config=True)
    submission_seconds = Float(300.0, help="Seconds that the code of one student may take in all.").tag(config=True)
    timeout = Integer(1800, help="Seconds that judging one submission may take.").tag(config=True)

    def preprocess(self, nb, resources):
        """Judge the notebook in a process of its own."""
        place = resources["nbgrader"]
        source = self.source(place)
        patience = {"cell": self.cell_seconds, "submission": self.submission_seconds}
        job = {"source": source, "submitted": nb, "student": place["student"], "isolation": self.isolation,
               "hidden": [self.course.root], "patience": patience}  # fmt: skip
        answer = self._judged(job)
        for i, cell in enumerate(nb.cells):
            if cell.cell_type == "code":
                cell.outputs = [nbformat.from_dict(output) for output in answer["outputs"].get(str(i), [])]
                cell.execution_count = None
        for note in answer["notes"]:
            self.log.warning("%s, %s: %s", place["student"], place["notebook"], note)
        return nb, resources

    def _judged(self, job):
        command = [sys.executable, "-m", "reference.check.classroom.judge"]
        done = subprocess.run(
            command, input=json.dumps(job), capture_output=True, text=True, timeout=self.timeout, check=False
        )
        if done.returncode != 0:
            raise RuntimeError(f"the judge could not grade {job['student']}:\n{done.stderr[-2000:]}")
        return json.loads(done.stdout)


def restore_flags(nb, source):
    """Restore the flags of each cell, and take away those of cells that the source has not; returns what differed."""
    details = {cell.metadata["nbgrader"]["grade_id"]: cell.metadata["nbgrader"]
               for cell in source.cells if cell.metadata.get("nbgrader")}  # fmt: skip
    seen, changed = set(), []
    for cell in nb.cells:
        theirs = cell.metadata.get("nbgrader") or {}
        name = theirs.get("grade_id")
        if name not in details or name in seen:
            cell.metadata.pop("nbgrader", None)
            continue
        seen.add(name)
        if any(theirs.get(flag) != details[name].get(flag) for flag in FLAGS):
            changed.append(name)
        checksum = {"checksum": theirs["checksum"]} if "checksum" in theirs else {}
        cell.metadata["nbgrader"] = {**details[name], **checksum}
    return changed
