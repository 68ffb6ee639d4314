"""Submissions as students write them: wrong ones lose their points and are told why, honest ones lose none.

`notebooks/assignments/wrong` and `mediocre` hold wrong functions: `wrong` one mistake each, which the feedback should
recognise, `mediocre` what a person would call half right. `honest` holds right functions that are written otherwise
than the instructor's: other algorithms, loops, helpers, imports that are not needed, cells that print and plot. There a
line `# %%` begins a cell. Each of them is judged alone.
"""

import re

import nbformat
import pytest

from reference.check.classroom import grading, judge
from reference.check.examiner import size_of
from tests.support.classroom import (
    ASSIGNMENTS,
    EVENING,
    FOLDER,
    HONEST,
    IN_THE_COURSE,
    MEDIOCRE,
    WRONG,
    defined,
    graded,
    judged,
    named,
    shown,
    source,
    submission,
)
from tests.support.classroom import grading as details

SOLUTION = re.compile(r"( *)### BEGIN SOLUTION\n.*### END SOLUTION", re.DOTALL)
SMALL, MOST = 1000, 6  # numbers, and instances of a label


@pytest.fixture
def fewer_instances(monkeypatch):
    """Of small instances, MOST of a label; of others, only the largest: it shows whether a function is in time."""
    every = grading.Sat.cases

    def cases(examination, name, csr=None):
        sizes = [(size_of(case.arguments), case) for case in every(examination, name, csr)]
        largest, small = max(size for size, _ in sizes), {}
        for size, case in sizes:
            small.setdefault(case.label, []).extend([case] * (size <= SMALL))
        few = [case for some in small.values() for case in some[:: -(-len(some) // MOST) or 1]]
        return few + [case for size, case in sizes if size == largest > SMALL]

    monkeypatch.setattr(grading.Sat, "cases", cases)


@pytest.mark.parametrize("section", [*(one for one in WRONG if one.name not in IN_THE_COURSE), *MEDIOCRE], ids=named)
def test_a_wrong_submission_loses_what_it_should_and_is_told_why(section, monkeypatch):
    if "too slow" in section.says["FEEDBACK"]:  # it runs into the limit twice
        monkeypatch.setattr(judge, "LIMITS", judge.LIMITS._replace(seconds=2.0))
    points, lost = graded(section.assignment), section.says["LOSES"]
    scores, text = part_of(section, lost)
    assert {name: scores[name] for name in lost} == {name: points[name] - lost[name] for name in lost}, text
    assert section.says["FEEDBACK"] in text
    assert "Traceback" not in text and "BEGIN HIDDEN TESTS" not in text and "suspects=" not in text
    if "SAYS" in section.says:
        sentences = re.findall(r"(?:It looks|Or) as if (.*?)(?= Or as if| Points:| Read again:)", text)
        assert sentences == section.says["SAYS"]


def part_of(section, tests):
    """(points, text of the verdicts) of a wrong submission in the instructor's notebook, which has only these tests."""
    whole, filled = source(section.assignment), submission(section.assignment, FOLDER / "source", section.code)
    last = max(i for i, cell in enumerate(whole.cells) if details(cell).get("grade_id") in tests)
    for book in (whole, filled):  # no test that is kept needs what comes later
        book.cells = [cell for cell in book.cells[: last + 1]
                      if not details(cell).get("grade") or details(cell)["grade_id"] in tests]  # fmt: skip
    answer, found = judged(whole, filled)
    outputs = [answer["outputs"][str(found.places[name])] for name in tests]
    return answer["scores"], shown(output for some in outputs for output in some)


@pytest.mark.parametrize("name", sorted({*ASSIGNMENTS} - {*EVENING}))
@pytest.mark.usefixtures("fewer_instances")
def test_the_instructors_solutions_earn_everything(name):
    answer, _ = judged(source(name), source(name))
    points = {test: most for test, most in graded(name).items() if test not in ("question", "bonus")}
    assert answer["scores"].items() >= points.items()


def written(section):
    """(the submission, the points of its tests): each part in the cell of its function, others in cells of their own.

    What is not written in it is not written yet.
    """
    filled, cells, points, waits = source(section.assignment), [], {}, False
    parts = re.split(r"^# %%\n", section.code, flags=re.MULTILINE)
    for cell in filled.cells:
        asked = defined(cell.source) if cell.cell_type == "code" and details(cell).get("solution") else ()
        own_part = next((i for i, part in enumerate(parts) if asked and asked & defined(part)), None)
        if own_part is not None:
            cells += [nbformat.v4.new_code_cell(part) for part in parts[:own_part]]
            cell.source, parts, waits = parts[own_part], parts[own_part + 1 :], True
        elif asked:
            cell.source, waits = SOLUTION.sub(r"\1raise NotImplementedError()", cell.source), False
        elif waits and cell.cell_type == "code" and details(cell).get("grade"):
            points[details(cell)["grade_id"]], waits = details(cell)["points"], False
        cells.append(cell)
    assert not any(map(defined, parts)), "the functions are in another order than the tasks"
    filled.cells = cells
    return filled, points


@pytest.mark.parametrize("section", HONEST, ids=named)
@pytest.mark.usefixtures("fewer_instances")
def test_an_honest_submission_earns_full_points(section):
    filled, points = written(section)
    answer, _ = judged(source(section.assignment), filled)
    assert len(points) >= 2
    text = shown(output for outputs in answer["outputs"].values() for output in outputs)
    assert {name: answer["scores"][name] for name in points} == points, text
    assert not [note for note in answer["notes"] if "worth reading" in note or "left out" in note]
