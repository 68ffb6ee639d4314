"""The judge of the exercises finds the solutions that the pages print right, and the stubs wrong."""

import ast
import re
from contextlib import suppress
from pathlib import Path

import nbformat
import numpy as np
import pytest

from notebooks._exercise import judge

FOLDER = Path(__file__).parents[1] / "notebooks"
PAGES = [path for path in sorted(FOLDER.glob("[0-9]*.ipynb")) if "_exercise import judge" in path.read_text("utf-8")]
UNJUDGED = {"02": 1}
DEFINITIONS = ast.FunctionDef | ast.Import | ast.ImportFrom
WITH_DATA = ("02", "03", "04", "08", "09", "15")  # pages whose judges use what the page has assigned


def test_all_pages_but_the_appendix_have_a_judge():
    assert len(PAGES) == 17


@pytest.mark.parametrize("answer, right", [([], True), ([0.0], False), (None, False)])
def test_an_empty_answer_can_be_right(answer, right, capsys):
    judge(lambda v: answer, [(np.zeros(2),)], lambda v: np.array([]))
    assert ("RIGHT" in capsys.readouterr().out) == right


def statements(code, kinds):
    """Yields the statements of these kinds in the cells of a page."""
    for source in code:
        yield from (ast.get_source_segment(source, one) for one in ast.parse(source).body if isinstance(one, kinds))


@pytest.mark.filterwarnings("ignore")  # of figures that are drawn in parts
@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_the_judge_finds_the_solutions_right_and_the_stubs_wrong(path, capsys, monkeypatch):
    monkeypatch.syspath_prepend(FOLDER)
    monkeypatch.chdir(FOLDER)
    cells = nbformat.read(path, as_version=4).cells
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    solutions = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    code = [cell.source for cell in cells if cell.cell_type == "code" and not cell.source.startswith("%")]
    stubs, judges = [s for s in code if "# to do" in s], [s for s in code if "\njudge(" in "\n" + s]
    by_hand = UNJUDGED.get(path.stem[:2], 0)  # stubs that the page itself certifies
    assert len(solutions) >= len(stubs) == len(judges) + by_hand > by_hand
    kinds, names = DEFINITIONS | ast.Assign if path.stem[:2] in WITH_DATA else DEFINITIONS, {}
    for source in statements([s for s in code if s not in stubs + judges], kinds):
        with suppress(Exception):  # it uses what a loop has made; then no judge needs it
            exec(source, names)
    for answers, expected in ((stubs, "not yet"), (solutions, "RIGHT")):
        for source in answers + judges:
            exec(source, names)
        assert capsys.readouterr().out.count(expected) == len(judges)
