"""Builds a course folder for nbgrader: `python notebooks/assignments/course.py FOLDER [--seed S]`.

FOLDER gets the sources, the settings, the gradebook, and `release/`, which is what students are given. With a seed, all
hidden tests get seeds of their own: those in the repository are public.
"""

import argparse
import os
import re
import shutil
import sys
from pathlib import Path

import nbformat

HERE = Path(__file__).parent
ASSIGNMENTS = sorted(path.name for path in (HERE / "source").iterdir() if path.is_dir())
SEED = re.compile(r"\bseed=(\d{4,})")  # of a hidden test
SECRETS = re.compile(rf"(?:BEGIN|END) (?:SOLUTION|HIDDEN TESTS)|\bsuspects=|{SEED.pattern}")


def main(argv=None):
    """Build the folder, look at what is in it, and say where it is."""
    parser = argparse.ArgumentParser(prog="course.py", description="Build a course folder for nbgrader.")
    parser.add_argument("folder", type=Path, help="where; it may exist, unless it holds submissions")
    parser.add_argument("--seed", type=int, help="from which the seeds of the hidden tests derive")
    options = parser.parse_args(argv)
    build(options.folder, options.seed)
    print(f"To hand out:  {options.folder / 'release'}")
    print(f"Collect into: {options.folder / 'submitted'}/STUDENT/ASSIGNMENT/ASSIGNMENT.ipynb")
    print("The rest is in notebooks/assignments/README.md")


def build(folder, seed=None):
    """Sources, settings, gradebook and release."""
    if (folder / "submitted").exists():
        sys.exit(f"{folder} holds submissions, and would be built anew: choose another folder, or remove it yourself")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copy(HERE / "nbgrader_config.py", folder)
    for name in ASSIGNMENTS:
        source = folder / "source" / name / f"{name}.ipynb"
        source.parent.mkdir(parents=True)
        notebook = nbformat.read(HERE / "source" / name / source.name, as_version=4)
        nbformat.write(notebook if seed is None else reseeded(notebook, seed), source)
    generate(folder)
    for name in ASSIGNMENTS:
        released = (folder / "release" / name / f"{name}.ipynb").read_text(encoding="utf-8")
        if left := SECRETS.search(released):
            sys.exit(f"{name}: the release holds {left[0]!r}")


def generate(folder):
    """What `nbgrader generate_assignment` does for one of them, for all."""
    from nbgrader.apps import NbGraderAPI
    from traitlets.config import Config

    os.environ.update(environment())
    course = {"root": str(folder.absolute()), "course_id": "marginalia"}
    api = NbGraderAPI(config=Config({"CourseDirectory": course, "NbGraderAPI": {"log_level": "WARN"}}))
    for name in ASSIGNMENTS:
        done = api.generate_assignment(name)
        if not done["success"]:
            sys.exit(f"{name} cannot be released:\n{done['log'] or done['error']}")


def reseeded(notebook, seed):
    """The notebook with other seeds in its hidden tests."""
    for cell in notebook.cells:
        cell.source = SEED.sub(lambda found: f"seed={int(found[1]) + 10_000 * seed}", cell.source)
    return notebook


def environment():
    """That of this process, with what was installed beside its Python on the PATH: nbgrader calls a program by name."""
    beside = str(Path(sys.executable).parent)
    return {**os.environ, "PATH": os.pathsep.join([beside, os.environ.get("PATH", "")])}


if __name__ == "__main__":
    main()
