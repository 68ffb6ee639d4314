"""Odd hand-ins, all of which stand in one course: what is strange about each is not its code."""

import json

import nbformat

from tests.support.attacked import ALL, HALF, NAME, NONE, cell_of, put, unsolved
from tests.support.classroom import grading

SCRIPT = "<script>alert('HARMED')</script><img src=x onerror=\"alert('HARMED')\">"
HAND_INS = {}  # name: (function, scores, word in the log or "")


def hands_in(scores=NONE, word=""):
    """A function that hands in something odd: it gets the folder of the student and a notebook, solved or half solved.

    Half is enough where the code of the notebook is nothing special: the second task takes most of the time.
    """

    def register(function):
        HAND_INS[function.__name__] = function, scores, word
        return function

    return register


def top(folder):
    return folder.parents[1]


@hands_in(word="02_topk_simplex.ipynb is a symbolic link")
def links_to_the_source(folder, filled):
    """The lecturer's notebook, with all solutions."""
    (folder / NAME).mkdir(parents=True)
    (folder / NAME / f"{NAME}.ipynb").symlink_to(top(folder) / "source" / NAME / f"{NAME}.ipynb")


@hands_in(scores=HALF, word="all is a symbolic link")
def links_to_secrets(folder, filled):
    """Files that would be copied into the feedback: the honest notebook beside them keeps its points."""
    place = put(folder, filled)
    (place / "gradebook.db").symlink_to(top(folder) / "gradebook.db")
    (place / "all").symlink_to(top(folder))
    (place / "timestamp.txt").symlink_to(top(folder) / "secrets.json")
    (place / "program.py").write_text("print('HARMED')")
    (place / "\x1b[2J\n2026-01-01 HARMED.txt").write_text("HARMED")
    for i in range(100):
        (place / f"file{i}").touch()


@hands_in(scores=HALF)
def comes_from_the_future(folder, filled):
    """A time that is out of range in another time zone."""
    (put(folder, filled) / "timestamp.txt").write_text("9999-12-31 23:59:59 -1400")


@hands_in(scores=HALF)
def has_no_names_in_its_metadata(folder, filled):
    """Metadata that is none, and lists where names belong, in turn: the cells are known by their ids."""
    lists = {"grade_id": ["HARMED"], "points": {}, "schema_version": "HARMED"}
    for i, cell in enumerate(filled.cells):
        cell.metadata["nbgrader"] = (lists, "HARMED")[i % 2]
    filled.metadata = {"kernelspec": ["HARMED"], "language_info": 7, "nbgrader": "HARMED"}
    put(folder, filled)


@hands_in(scores=HALF, word="no answer was handed in for warm_up_answer, simplex")
def has_no_metadata(folder, filled):
    """Neither metadata nor ids: the functions are found by their names, in cells of the student's own."""
    put(folder, {"cells": [{"cell_type": cell.cell_type, "source": cell.source} for cell in filled.cells]})


@hands_in(word="no answer was handed in for warm_up_answer, simplex")
def has_odd_cells(folder, filled):
    """Cells without keys, cells that are none, and text that is none."""
    odd = [{}, [], None, "HARMED", 7, {"source": 7}, {"source": ["a", 7]}, {"cell_type": [], "source": "\ud800\0"},
           {"metadata": [], "source": "1", "cell_type": "code"}, {"attachments": {"a": {"image/png": "\ud800"}}},
           {"cell_type": "code", "metadata": {"nbgrader": {"grade_id": "project_simplex"}}, "source": "print(99)"},
           {"cell_type": "markdown", "source": "x", "id": {}}] * 5  # fmt: skip
    put(folder, json.dumps({"cells": odd, "metadata": 7}))


@hands_in(word="the folder cannot be read")
def is_a_file(folder, filled):
    """A file in place of the folder."""
    folder.mkdir(parents=True)
    (folder / NAME).write_text("HARMED")


@hands_in(word="no answer was handed in for warm_up_answer, simplex")
def forges_names(folder, filled):
    """The names of tests for its own cells, and those of others twice."""
    for cell in filled.cells:
        if grading(cell).get("solution") and cell.cell_type == "code":
            cell.metadata["nbgrader"]["grade_id"] = "project_simplex"
            cell.id = "project_simplex"
            cell.source = "print('HARMED')"
    put(folder, filled)


@hands_in(scores=HALF, word="these cells were changed, and are as they were handed out: project_simplex")
def forges_flags(folder, filled):
    """Points, locks and outputs of its own; an honest solution keeps its points and gets no more."""
    for cell in filled.cells:
        cell.metadata["nbgrader"] |= {"points": 1000, "locked": False, "solution": True, "grade": True}
        if cell.cell_type == "code":
            number = {"output_type": "execute_result", "data": {"text/plain": "99"}, "metadata": {}}
            cell.outputs = [number | {"execution_count": 1}]
    cell_of(filled, "project_simplex").source = "print('HARMED')"
    put(folder, filled)


@hands_in()
def forges_outputs(folder, filled):
    """Numbers where nbgrader reads points, in all cells, the tests among them; nothing is solved."""
    filled = unsolved(top(folder))
    for cell in filled.cells:
        if cell.cell_type == "code":
            number = {"output_type": "execute_result", "data": {"text/plain": "3"}, "metadata": {}}
            cell.outputs = [number | {"execution_count": 1}]
    put(folder, filled)


@hands_in(scores=HALF, word="these cells were deleted, and came back: imports, warm_up")
def lost_given_cells(folder, filled):
    """All that is locked was deleted, and the rest is in another order."""
    filled.cells = [cell for cell in filled.cells if not grading(cell).get("locked")][::-1]
    put(folder, filled)


@hands_in(scores=ALL)
def uses_magics(folder, filled):
    """What Jupyter knows."""
    filled.cells.insert(
        0, nbformat.v4.new_code_cell("%matplotlib inline\n%autosave 60\n%config InlineBackend.dpi = 50")
    )
    for name, magic in (("warm_up_answer", "%%time"), ("simplex", "%%capture"), ("topk_simplex", "%%capture shown")):
        cell_of(filled, name).source = f"{magic}\n{cell_of(filled, name).source}"
    put(folder, filled)


@hands_in(scores=HALF)
def writes_a_script(folder, filled):
    """Scripts in a written answer, in a picture of it, and in cells of its own."""
    answer = cell_of(filled, "question")
    answer.source = (
        f"{SCRIPT}\n\n[a](javascript:alert('HARMED')) ![b](attachment:b.png) <svg onload=\"alert('HARMED')\"></svg>\n\n"
        "<iframe srcdoc=\"<script>alert('HARMED')</script>\"></iframe> <a href=\"javascript:alert('HARMED')\">c</a>\n\n"
        "<style>* {background: url(HARMED)}</style> <form action=HARMED><input></form> <meta http-equiv=HARMED>"
    )
    answer["attachments"] = {"b.png": {"image/png": "x\"><script>alert('HARMED')</script>", "text/html": SCRIPT}}
    answer["attachments"]["x\" onerror=\"alert('HARMED')"] = {"image/png": "AAAA"}
    for kind in ("raw", "markdown"):
        filled.cells.append(getattr(nbformat.v4, f"new_{kind}_cell")(SCRIPT))
    filled.cells.append(nbformat.v4.new_raw_cell(SCRIPT, metadata={"raw_mimetype": "text/html"}))
    put(folder, filled)


@hands_in(scores=HALF)
def repeats_a_picture(folder, filled):
    """A picture of two megabytes, again and again: all of them would be four gigabytes of a page."""
    answer = cell_of(filled, "question")
    answer.source = "![a](attachment:a.png)\n" * 800
    answer["attachments"] = {"a.png": {"image/png": "A" * (2 << 20)}}
    put(folder, filled)


@hands_in(scores=HALF, word="these answers are too long, and were cut: question")
def writes_a_book(folder, filled):
    """More than anybody reads; it would take minutes to make a page of it."""
    cell_of(filled, "question").source = "\\begin{a}" * 100_000
    put(folder, filled)


@hands_in(scores=HALF, word="more notes")
def makes_many_notes(folder, filled):
    """Cells that raise, more than anybody reads of."""
    filled.cells += [nbformat.v4.new_code_cell(f"raise ValueError({i})") for i in range(60)]
    put(folder, filled)
