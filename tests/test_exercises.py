"""The judge of the exercises, and the solutions that notebooks 08, 09 and 16 print: the judge must find them right."""

import re
from pathlib import Path

import nbformat
import numpy as np
import pytest

import fast
import reference
from notebooks._exercise import judge
from notebooks.studies import image_classification, paired, wsabie_regime
from reference.ground_truth import wsabie

FOLDER = Path(__file__).parents[1] / "notebooks"
NAMES = {"np": np, "fast": fast, "reference": reference, "judge": judge, "ground_truth": wsabie}
NAMES |= {"regime": wsabie_regime, "paired": paired, "study": image_classification}
PAGES = {"08_wsabie": 4, "09_image_classification": 3, "16_last_violators": 3}  # how many exercises have a solution


@pytest.mark.parametrize("answer, right", [([], True), ([0.0], False), (None, False)])
def test_an_empty_answer_can_be_right(answer, right, capsys):
    judge(lambda v: answer, [(np.zeros(2),)], lambda v: np.array([]))
    assert ("RIGHT" in capsys.readouterr().out) == right


@pytest.mark.parametrize("page", PAGES)
def test_the_judge_finds_the_solutions_right_and_the_stubs_wrong(page, capsys, monkeypatch):
    monkeypatch.syspath_prepend(FOLDER)  # a page imports the judge where it is first used
    cells = nbformat.read(FOLDER / f"{page}.ipynb", as_version=4).cells
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    solutions = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    code = [cell.source for cell in cells if cell.cell_type == "code"]
    stubs, judges = [s for s in code if "# to do" in s], [s for s in code if "\njudge(" in "\n" + s]
    assert len(solutions) == len(stubs) == len(judges) == PAGES[page]
    for answers, expected in ((stubs, "not yet"), (solutions, "RIGHT")):
        names = dict(NAMES)
        for source in answers + judges:
            exec(source, names)
        assert capsys.readouterr().out.count(expected) == PAGES[page]
