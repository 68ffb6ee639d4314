"""Builds a course folder for nbgrader: `python notebooks/assignments/course.py FOLDER [--seed S] [--questions Q]`.

FOLDER gets the sources, the settings, the gradebook, `release/`, which is what students are given, and `secrets.json`,
from which the instances of the hidden tests derive: 128 random bits for each assignment, or what derives from the seed.
With a folder of questions, the written questions and their model answers are yours: Q/ASSIGNMENT.md takes the place of
the question of that assignment.

FOLDER must not exist, be empty, or be a course that this program built and that nobody has changed since. Anything else
is left as it is, and the program stops. `--remove FOLDER` removes such an unchanged course.
"""

import argparse
import hashlib
import json
import os
import re
import secrets
import shutil
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
ASSIGNMENTS = sorted(path.name for path in (HERE / "source").iterdir() if path.is_dir())
MARKER = ".marginalia-course.json"  # lists what was built: {"built": {path: sha256}}
SEED = re.compile(r"\bseed=(\d{4,})")  # of a hidden test
SECRETS_FILE = "secrets.json"  # {assignment: [the secret of each round of hand-ins]}
SECRETS = re.compile(rf"(?:BEGIN|END) (?:SOLUTION|HIDDEN TESTS)|\bsuspects=|{SEED.pattern}")
QUESTION = re.compile(r"(.*?)### BEGIN SOLUTION\n(.*)\n### END SOLUTION", re.DOTALL)
POINTS = re.compile(r"^## Question.*\((\d+) points?\)$", re.MULTILINE)


def main(argv=None):
    """Build the folder, look at what is in it, and say where it is."""
    parser = argparse.ArgumentParser(prog="course.py", description="Build a course folder for nbgrader.")
    parser.add_argument("folder", type=Path, help="a new or empty folder, or an unchanged course built by this program")
    parser.add_argument("--seed", help="a text that nobody can guess, from which the secrets of the course derive")
    parser.add_argument("--questions", type=Path, help="a folder with written questions of your own")
    parser.add_argument("--remove", action="store_true", help="remove an unchanged course, and build none")
    options = parser.parse_args(argv)
    if options.remove:
        sys.exit(remove(options.folder))
    build(options.folder, options.seed, options.questions)
    print(f"To hand out:  {options.folder / 'release'}")
    print(f"Collect into: {options.folder / 'submitted'}/STUDENT/ASSIGNMENT/ASSIGNMENT.ipynb")
    print(f"Grade:        make grade COURSE={options.folder} ASSIGNMENT=... JOBS=2")
    print("The rest is in notebooks/assignments/README.md")


def build(folder, seed=None, questions=None):
    """Sources, settings, gradebook and release: made beside the folder, and put there when all of it is right."""
    folder = Path(folder).absolute()
    if questions is not None and not Path(questions).is_dir():
        sys.exit(f"Nothing was changed. There is no folder {questions} with questions.")
    names = {path.name for path in Path(questions).glob("*.md")} if questions is not None else set()
    if unknown := sorted(names - {f"{name}.md" for name in ASSIGNMENTS}):
        sys.exit(f"Nothing was changed. {questions} holds {unknown[0]}, which is no ASSIGNMENT.md.")
    if trouble := in_the_way(folder):
        sys.exit(f"Nothing was changed. {trouble}")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".course-", dir=folder.parent) as temporary:
        fresh = Path(temporary) / "course"
        fresh.mkdir(mode=0o700)  # solutions and grades are for the lecturer alone
        _fill(fresh, seed, questions)
        built = {str(path.relative_to(fresh)): _digest(path) for path in _files(fresh)}
        (fresh / MARKER).write_text(json.dumps({"built": built}, indent=1), encoding="utf-8")
        if trouble := in_the_way(folder):  # it may have changed meanwhile
            sys.exit(f"Nothing was changed. {trouble}")
        _remove_built(folder)
        os.replace(fresh, folder)  # which an operating system refuses unless the folder is absent or empty


def _fill(folder, seed, questions):
    import nbformat

    shutil.copy(HERE / "nbgrader_config.py", folder)
    for name in ASSIGNMENTS:
        source = folder / "source" / name / f"{name}.ipynb"
        source.parent.mkdir(parents=True)
        notebook = nbformat.read(HERE / "source" / name / source.name, as_version=4)
        if questions is not None and (own := Path(questions) / f"{name}.md").exists():
            notebook = with_question(notebook, own.read_text(encoding="utf-8"), own)
        nbformat.write(notebook, source)
    with open(os.open(folder / SECRETS_FILE, os.O_WRONLY | os.O_CREAT, 0o600), "w", encoding="utf-8") as file:
        json.dump({name: [secret(seed, name)] for name in ASSIGNMENTS}, file, indent=1)
    generate(folder)
    for name in ASSIGNMENTS:
        released = (folder / "release" / name / f"{name}.ipynb").read_text(encoding="utf-8")
        if left := SECRETS.search(released):
            sys.exit(f"{name}: the release holds {left[0]!r}")


# --- what may be written over --------------------------------------------------------------------------------------


def in_the_way(folder):
    """Returns why the folder must not be built or removed: a sentence, empty if it may be."""
    if folder.is_symlink():
        return f"{folder} is a symbolic link: name the folder itself."
    if not folder.exists():
        return ""
    if not folder.is_dir():
        return f"{folder} is a file: name a new folder."
    if not any(folder.iterdir()):
        return ""
    built = _built(folder)
    if built is None:
        return f"{folder} is not empty, and this program did not build it: choose a new or empty folder."
    if any((folder / name).exists() for name in ("submitted", "autograded", "feedback")):
        return f"{folder} holds submissions: choose another folder."
    for path in _files(folder):
        name = str(path.relative_to(folder))
        if name not in built and name != MARKER:
            return f"{path} was not built by this program: move it away, or choose another folder."
        if name in built and (path.is_symlink() or _digest(path) != built[name]):
            return f"{path} was edited since the course was built: move it away, or choose another folder."
    return ""


def remove(folder):
    """Remove an unchanged course; returns what is in the way, None if it is gone."""
    folder = Path(folder)
    if not folder.exists() and not folder.is_symlink():
        return None
    if _built(folder) is None or (trouble := in_the_way(folder)):
        return f"{folder} was left as it is. {trouble if _built(folder) is not None else 'It is no course.'}"
    _remove_built(folder)
    return None


def _remove_built(folder):
    """Remove the files that the marker lists, the marker, and the folders that are empty then; nothing else."""
    for name in [*(_built(folder) or {}), MARKER]:
        (folder / name).unlink(missing_ok=True)
    if folder.exists():
        for path in sorted((path for path in folder.rglob("*") if path.is_dir()), reverse=True):
            path.rmdir()
        folder.rmdir()


def _built(folder):
    """What the marker lists: {path within the folder: sha256}; None if there is no marker of this program."""
    try:
        built = json.loads((folder / MARKER).read_text(encoding="utf-8"))["built"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    if not isinstance(built, dict):
        return None
    inside = all(not Path(name).is_absolute() and ".." not in Path(name).parts for name in built)
    return built if inside else None


def _files(folder):
    """All files and links in a folder; links are not followed."""
    return [path for path in sorted(folder.rglob("*")) if path.is_symlink() or not path.is_dir()]


def _digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


# --- what is built -------------------------------------------------------------------------------------------------


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


def with_question(notebook, text, path):
    """The notebook with another written question: its text, and between the marks its model answer."""
    details = [cell.metadata.get("nbgrader", {}) for cell in notebook.cells]
    place = next(i for i, detail in enumerate(details) if detail.get("grade_id") == "question")
    found, points = QUESTION.fullmatch(text.strip()), POINTS.search(text)
    if not found or not points or int(points[1]) != details[place]["points"]:
        heading = f"## Question: ... ({details[place]['points']} points)"
        sys.exit(f"{path} must begin with a heading {heading!r}, and hold its model answer between a line "
                 "'### BEGIN SOLUTION' and a line '### END SOLUTION'")  # fmt: skip
    notebook.cells[place - 1].source = found[1].strip()
    notebook.cells[place].source = f"### BEGIN SOLUTION\n{found[2]}\n### END SOLUTION"
    return notebook


def secret(seed, name):
    """Returns the first secret of an assignment: 32 hexadecimal digits."""
    return secrets.token_hex(16) if seed is None else hashlib.sha256(f"{seed} {name}".encode()).hexdigest()[:32]


def environment():
    """That of this process, with what was installed beside its Python on the PATH: nbgrader calls a program by name."""
    beside = str(Path(sys.executable).parent)
    return {**os.environ, "PATH": os.pathsep.join([beside, os.environ.get("PATH", "")])}


if __name__ == "__main__":
    main()
