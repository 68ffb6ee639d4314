"""Submissions as students write them: honest ones earn full points, and what is said about mediocre ones is true.

`honest` holds right functions that are written otherwise than the instructor's: other algorithms, loops, helpers,
imports that are not needed, cells that print and plot. A line `# %%` begins a cell. `mediocre` holds wrong ones, as
`notebooks/assignments/wrong` does. Here each is graded alone: what a file does not define is not written yet.
"""

import ast
import re

import nbformat
import pytest

from tests.support.classroom import FOLDER, ROOT, defined, graded, grading, judged, notebook

HONEST, MEDIOCRE = (sorted((ROOT / "tests" / "classroom" / kind).glob("*/*.py")) for kind in ("honest", "mediocre"))
SOLUTION = re.compile(r"( *)### BEGIN SOLUTION\n.*### END SOLUTION", re.DOTALL)


def named(path):
    return f"{path.parent.name}-{path.stem}"


# --- whole submissions ---------------------------------------------------------------------------------------------


def written(path):
    """The submission: each part of the file in the cell that its function belongs to, others in cells of their own."""
    filled, cells = notebook(FOLDER / "source", path.parent.name), []
    parts = re.split(r"^# %%\n", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    for cell in filled.cells:
        asked = defined(cell.source) if cell.cell_type == "code" and grading(cell).get("solution") else ()
        own_part = next((i for i, part in enumerate(parts) if asked and asked & defined(part)), None)
        if own_part is not None:
            cells += [nbformat.v4.new_code_cell(part) for part in parts[:own_part]]
            cell.source, parts = parts[own_part], parts[own_part + 1 :]
        elif asked:
            cell.source = SOLUTION.sub(r"\1raise NotImplementedError()", cell.source)
        cells.append(cell)
    assert not any(map(defined, parts)), f"{path}: the functions are in another order than the tasks"
    filled.cells = cells
    return filled


def answer_to(path):
    """What the judge answers."""
    return judged(notebook(FOLDER / "source", path.parent.name), written(path))[0]


def asked_for(path):
    """The points of the tests that belong to the functions of a file, by their ids."""
    functions, found, waits = defined(path.read_text(encoding="utf-8")), {}, False
    for cell in notebook(FOLDER / "source", path.parent.name).cells:
        if cell.cell_type == "code" and grading(cell).get("solution"):
            waits = bool(defined(cell.source) & functions)
        elif waits and grading(cell).get("grade"):
            found[grading(cell)["grade_id"]], waits = grading(cell)["points"], False
    return found


def text_of(outputs):
    """What the cells of a graded notebook show, in one line."""
    shown = [output for some in outputs.values() for output in some]
    texts = [output.get("text") or "\n".join(output.get("traceback", ())) for output in shown]
    return " ".join("\n".join(texts).split())


@pytest.mark.parametrize("path", HONEST, ids=named)
def test_an_honest_submission_earns_full_points(path):
    answer, points = answer_to(path), asked_for(path)
    assert len(points) >= 2
    assert {name: answer["scores"][name] for name in points} == points, text_of(answer["outputs"])
    assert not [note for note in answer["notes"] if "worth reading" in note or "left out" in note]


@pytest.mark.parametrize("path", MEDIOCRE, ids=named)
def test_a_mediocre_submission_gets_the_grade_and_the_diagnosis_of_a_person(path):
    said = {node.targets[0].id: ast.literal_eval(node.value) for node in ast.parse(path.read_text()).body
            if isinstance(node, ast.Assign)}  # fmt: skip
    answer, points, sentences = answer_to(path), graded(path.parent.name), said["SAYS"]
    text = text_of(answer["outputs"])
    assert {name: points[name] - answer["scores"][name] for name in said["LOSES"]} == said["LOSES"], text
    assert said["FEEDBACK"] in text
    assert re.findall(r"(?:It looks|Or) as if (.*?)(?= Or as if| Points:| Read again:)", text) == sentences
