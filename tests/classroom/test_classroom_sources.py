"""What is in the repository for each assignment: its notebook, its points, and its wrong and honest submissions."""

import json
import re

import nbformat
import pytest

from tests.support.classroom import ASSIGNMENTS, FOLDER, HONEST, MEDIOCRE, WRONG, graded, grading, named, source

GUIDE = (FOLDER / "README.md").read_text(encoding="utf-8")
PARTS = ("What you will learn", "Read before", "Time and points", "Warm-up", "Task 1", "Question", "Bonus")


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_points_in_the_text_are_those_of_the_metadata(name):
    expected, total = list(graded(name).values()), sum(graded(name).values())
    first, *texts = [cell.source for cell in source(name).cells if cell.cell_type == "markdown"]
    table = re.findall(r"^\| (?!task).*\| (\d+) \|$", first, re.MULTILINE)
    assert [int(points) for points in table] == expected
    assert f"| **together** | | **{total}** |" in first
    headings = re.findall(r"^## .*\((\d+) points?\)$", "\n".join(texts), re.MULTILINE)
    assert [int(points) for points in headings] == [points for points in expected if points]


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_an_assignment_has_all_its_parts(name):
    cells = source(name).cells
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    places = [text.find(part) for part in PARTS]
    assert min(places) >= 0 and places == sorted(places), dict(zip(PARTS, places, strict=True))
    minutes = int(re.search(r"About (\d+) minutes", text)[1])
    assert 60 <= minutes <= 120
    tests = [cell for cell in cells if cell.cell_type == "code" and grading(cell).get("grade")]
    through_the_examiner = [cell for cell in tests if re.search(r"^grade\(\w+, seed=\d{4,}", cell.source, re.MULTILINE)]
    assert 2 <= len(through_the_examiner) <= 4
    for cell in through_the_examiner:
        visible = re.sub(r"### BEGIN HIDDEN TESTS.*?### END HIDDEN TESTS\n", "", cell.source, flags=re.DOTALL)
        assert re.search(r"^grade\(\w+", visible, re.MULTILINE) and "seed" not in visible
        assert cell.source.startswith("from reference.check.classroom import grade\n")
    written = [cell for cell in cells if cell.cell_type == "markdown" and grading(cell).get("grade")]
    assert [grading(cell)["grade_id"] for cell in written] == ["question", "bonus"]
    assert all("### BEGIN SOLUTION" in cell.source for cell in cells if grading(cell).get("solution"))


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_sources_are_stored_without_outputs(name):
    notebook = source(name)
    nbformat.validate(notebook)
    for cell in notebook.cells:
        assert not cell.get("outputs") and cell.get("execution_count") is None
    names = [grading(cell)["grade_id"] for cell in notebook.cells if grading(cell)]
    assert len(names) == len(set(names))


def test_the_guide_has_the_commands_and_every_assignment():
    assert "`make grade COURSE=../my_course ASSIGNMENT=02_topk_simplex JOBS=2`" in GUIDE
    for name in ASSIGNMENTS:
        minutes = re.search(r"About (\d+) minutes", json.dumps(source(name)))[1]
        assert re.search(rf"^\| `{name}` \|.*\| {minutes} \|$", GUIDE, re.MULTILINE), name


def test_there_are_eight_assignments_with_three_wrong_submissions_each_or_more():
    assert [name[:2] for name in ASSIGNMENTS] == ["02", "04", "05", "06", "07", "08", "09", "10"]
    for name in ASSIGNMENTS:
        kinds = [[section for section in kind if section.assignment == name] for kind in (WRONG, MEDIOCRE, HONEST)]
        assert [len(kind) >= least for kind, least in zip(kinds, (3, 2, 2), strict=True)] == [True] * 3, name


@pytest.mark.parametrize("section", [*WRONG, *MEDIOCRE], ids=named)
def test_a_wrong_submission_says_what_it_loses(section):
    loses, points = section.says["LOSES"], graded(section.assignment)
    assert loses and all(lost in (points[name], points[name] / 2) for name, lost in loses.items())
    assert len(section.says["docstring"]) > 30 and len(section.says["FEEDBACK"]) >= 9
    assert section.says["FEEDBACK"] not in section.code
