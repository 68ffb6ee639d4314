"""The page "Every equation" has what docstrings name; each row has a function or a reason, and its sections exist."""

import functools
import json
import re

import pytest

from book import equations
from book.equations import NUMBERED, ROOT

ITEMS = [(paper, name, item) for paper, items in NUMBERED.items() for name, item in items.items()]
CITED = equations.cited()


@functools.cache
def headings(name):
    """The headings of a page below its title."""
    place = equations.path(name)
    text = (ROOT / place if "/" in place else ROOT / "book/pages" / place).read_text(encoding="utf-8")
    if place.endswith(".ipynb"):
        cells = json.loads(text)["cells"]
        text = "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    return re.findall(r"^##+ (.*)$", text, re.MULTILINE)


def test_names_are_found_in_a_reference():
    text = "Lemmas 3 to 5, Theorem 1, tables 1, 2 and 4, equations (7) and (11) to (13), condition (C1)."
    expected = [f"lemma {i}" for i in (3, 4, 5)] + ["theorem 1"] + [f"table {i}" for i in (1, 2, 4)]
    expected += [f"equation ({i})" for i in (7, 11, 12, 13)] + ["condition (C1)"]
    assert equations.names(text) == expected


def test_the_page_has_what_a_docstring_names():
    assert len(CITED) > 40
    assert not {name: functions for name, functions in CITED.items() if name[1] not in NUMBERED[name[0]]}


@pytest.mark.parametrize(("paper", "name", "item"), ITEMS, ids=[f"{paper} {name}" for paper, name, _ in ITEMS])
def test_an_entry_has_functions_or_a_reason_and_the_sections_that_explain_it_exist(paper, name, item):
    used = CITED.get((paper, name), []) + item.get("functions", [])
    assert bool(used) != ("unused" in item), f"it has either functions or a reason: used by {used}"
    for page, _, heading in (place.partition("#") for place in item.get("page", ())):
        assert headings(page).count(heading) == 1, f"{page} must have one section {heading!r}, got {headings(page)}"
    assert all((ROOT / item[key]).is_file() for key in ("test",) if key in item)
    assert all(key in equations.reference.__all__ for key in item.get("functions", ()))


def test_the_page_has_a_row_for_each_and_its_functions_have_certificates():
    text = equations.page()
    assert text.count("\n| ") == len(ITEMS) + len(NUMBERED)
    assert text.count("CERTIFICATES.md#") > 40
