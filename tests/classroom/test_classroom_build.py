"""Where a course may be built: nothing is ever lost that the program did not make itself."""

import json
import os
import shutil
from pathlib import Path

import nbformat
import pytest

from tests.support.classroom import FOLDER, ROOT, course, grading, notebook, run, source

PROGRAM = FOLDER / "course.py"


def tree(folder):
    """Every path below a folder, with its bytes or the target of its link."""
    return {
        path: os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


def refused(folder, match):
    """The program stops, says why, and changes nothing in the folder."""
    before = tree(folder) if folder.is_dir() else folder.read_bytes() if folder.exists() else None
    with pytest.raises(SystemExit, match=match):
        course.build(folder)
    assert before == (tree(folder) if folder.is_dir() else folder.read_bytes() if folder.exists() else None)


@pytest.fixture
def cheap(monkeypatch):
    """A course whose release takes no time to make."""

    def copied(folder):
        shutil.copytree(folder / "source", folder / "release")
        (folder / "gradebook.db").write_bytes(b"grades")

    monkeypatch.setattr(course, "generate", copied)
    monkeypatch.setattr(course, "SECRETS", course.re.compile("no such text"))


@pytest.fixture
def checkout(tmp_path):
    """A folder that looks like a checkout, within one that has other files."""
    (tmp_path / "home" / "project" / ".git").mkdir(parents=True)
    (tmp_path / "home" / "project" / "README.md").write_text("mine")
    (tmp_path / "home" / "project" / ".git" / "HEAD").write_text("mine")
    (tmp_path / "home" / "syllabus.txt").write_text("mine")
    return tmp_path / "home" / "project"


def test_a_checkout_its_parents_and_a_home_are_refused(checkout, monkeypatch, cheap):
    monkeypatch.chdir(checkout)
    monkeypatch.setenv("HOME", str(checkout.parent))
    for folder in (Path("."), checkout, Path(".."), checkout.parent, checkout.parent.parent, Path.home(), Path(".git")):
        refused(folder, "Nothing was changed.*did not build it")
    assert (checkout / ".git" / "HEAD").read_text() == "mine"


def test_this_checkout_and_its_parents_are_in_the_way():
    for folder in (ROOT, *ROOT.parents, FOLDER, ROOT / "notebooks", Path.home(), Path("/")):
        assert course.in_the_way(folder), folder


def test_a_folder_with_one_foreign_file_is_refused(tmp_path, cheap):
    (tmp_path / "notes.txt").write_text("mine")
    refused(tmp_path, "did not build it")


def test_a_file_and_a_symbolic_link_are_refused(tmp_path, cheap):
    (tmp_path / "file").write_text("mine")
    refused(tmp_path / "file", "is a file")
    (tmp_path / "empty").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "empty")
    refused(tmp_path / "link", "symbolic link")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    refused(tmp_path / "dangling", "symbolic link")


def test_an_absent_and_an_empty_folder_are_filled(tmp_path, cheap):
    (tmp_path / "empty").mkdir()
    for folder in (tmp_path / "empty", tmp_path / "new" / "course"):
        course.build(folder, seed=3)
        assert (folder / course.MARKER).exists() and (folder / "release").is_dir()
        assert folder.stat().st_mode & 0o077 == 0, "solutions and grades are for the lecturer alone"
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == ["course"]


def test_an_unchanged_course_is_built_anew(tmp_path, cheap):
    course.build(tmp_path / "course", seed=3)
    first = tree(tmp_path / "course")
    course.build(tmp_path / "course", seed=4)
    assert first.keys() == tree(tmp_path / "course").keys() and first != tree(tmp_path / "course")


@pytest.mark.parametrize(
    "change",
    ["an edited source", "an edited setting", "a new file", "a link", "submissions", "feedback", "grades"],
)
def test_a_course_that_was_changed_is_left_alone(tmp_path, cheap, change):
    folder = tmp_path / "course"
    course.build(folder)
    place = folder / "source" / course.ASSIGNMENTS[0] / f"{course.ASSIGNMENTS[0]}.ipynb"
    if change == "an edited source":
        place.write_text(place.read_text() + "\n")
    elif change == "an edited setting":
        (folder / "nbgrader_config.py").write_text("mine")
    elif change == "a new file":
        (folder / "source" / "mine.ipynb").write_text("mine")
    elif change == "a link":
        (folder / "release" / "link").symlink_to(ROOT)
    elif change == "grades":
        (folder / "gradebook.db").write_bytes(b"other grades")
    else:
        (folder / {"submissions": "submitted", "feedback": "feedback"}[change]).mkdir()
    refused(folder, "Nothing was changed")
    before = tree(folder)
    assert "was left as it is" in course.remove(folder)
    assert before == tree(folder)


def test_a_build_that_fails_changes_nothing(tmp_path, cheap, monkeypatch):
    course.build(tmp_path / "course", seed=3)
    before = tree(tmp_path / "course")

    def broken(folder):
        raise RuntimeError("no release")

    monkeypatch.setattr(course, "generate", broken)
    with pytest.raises(RuntimeError, match="no release"):
        course.build(tmp_path / "course", seed=4)
    assert before == tree(tmp_path / "course")
    assert [path.name for path in tmp_path.iterdir()] == ["course"]


def test_a_marker_from_elsewhere_opens_no_door(tmp_path, cheap):
    outside = tmp_path / "outside.txt"
    outside.write_text("mine")
    folder = tmp_path / "folder"
    folder.mkdir()
    for built in ({"../outside.txt": "0"}, {str(outside): "0"}, ["x"], 3):
        (folder / course.MARKER).write_text(json.dumps({"built": built}))
        refused(folder, "did not build it")
        assert course.remove(folder) and outside.read_text() == "mine"


def test_remove_takes_away_what_was_built_and_nothing_else(tmp_path, cheap):
    course.build(tmp_path / "course")
    (tmp_path / "other.txt").write_text("mine")
    assert course.remove(tmp_path / "course") is None
    assert [path.name for path in tmp_path.iterdir()] == ["other.txt"]
    assert course.remove(tmp_path / "course") is None, "there is nothing to remove"
    assert "It is no course" in course.remove(tmp_path)


def test_the_command_line_refuses_too(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(AssertionError, match="Nothing was changed"):
        run(tmp_path, PROGRAM, ".")
    assert tree(tmp_path).keys() == {tmp_path / "mine.txt"}


# --- questions of one's own ----------------------------------------------------------------------------------------

QUESTION = """## Question: mine (4 points)

What is the answer?

### BEGIN SOLUTION
Forty-two. (4 points.)
### END SOLUTION
"""


def test_a_lecturers_own_question_takes_the_place_of_ours(tmp_path, cheap):
    name = course.ASSIGNMENTS[0]
    (tmp_path / "questions").mkdir()
    (tmp_path / "questions" / f"{name}.md").write_text(QUESTION)
    course.build(tmp_path / "course", questions=tmp_path / "questions")
    cells = notebook(tmp_path / "course" / "source", name).cells
    place = next(i for i, cell in enumerate(cells) if grading(cell).get("grade_id") == "question")
    assert cells[place].source == "### BEGIN SOLUTION\nForty-two. (4 points.)\n### END SOLUTION"
    assert cells[place - 1].source == "## Question: mine (4 points)\n\nWhat is the answer?"
    ours = [cell.source for cell in source(name).cells]
    assert [cell.source for i, cell in enumerate(cells) if i not in (place - 1, place)] == [
        text for i, text in enumerate(ours) if i not in (place - 1, place)
    ]


def test_a_question_for_no_assignment_is_an_error(tmp_path, cheap):
    (tmp_path / "questions").mkdir()
    (tmp_path / "questions" / "02_topk_simplx.md").write_text(QUESTION)
    with pytest.raises(SystemExit, match="holds 02_topk_simplx.md, which is no ASSIGNMENT.md"):
        course.build(tmp_path / "course", questions=tmp_path / "questions")
    assert not (tmp_path / "course").exists()


def test_a_folder_of_questions_that_does_not_exist_is_an_error(tmp_path, cheap):
    (tmp_path / "file").write_text("mine")
    for questions in ("none", "file"):
        with pytest.raises(SystemExit, match=f"Nothing was changed. There is no folder .*{questions} with questions"):
            course.main([str(tmp_path / "course"), "--questions", str(tmp_path / questions)])
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("text", ["What?", QUESTION.replace("4 points)", "3 points)"), QUESTION.replace("### END", "")])
def test_a_question_of_another_form_is_refused(text):
    with pytest.raises(SystemExit, match="must begin with a heading '## Question: ... \\(4 points\\)'"):
        course.with_question(nbformat.from_dict(source(course.ASSIGNMENTS[0])), text, "q.md")
