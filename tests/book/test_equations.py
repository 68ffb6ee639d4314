"""The page "Every equation" has what docstrings name, and names nothing that neither a docstring nor a page names."""

import json
import re

import pytest

from book import equations
from book.equations import NUMBERED, ROOT

ITEMS = [(paper, name, item) for paper, items in NUMBERED.items() for name, item in items.items()]
CITED = equations.cited()


def words(name):
    """The text of a page, without the code of a notebook."""
    place = equations.path(name)
    text = (ROOT / place if "/" in place else ROOT / "book/pages" / place).read_text(encoding="utf-8")
    if not place.endswith(".ipynb"):
        return text
    return "\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"] if cell["cell_type"] == "markdown")


def test_names_are_found_in_a_reference():
    text = "Lemmas 3 to 5, Theorem 1, tables 1, 2 and 4, equations (7) and (11) to (13), condition (C1)."
    expected = [f"lemma {i}" for i in (3, 4, 5)] + ["theorem 1"] + [f"table {i}" for i in (1, 2, 4)]
    expected += [f"equation ({i})" for i in (7, 11, 12, 13)] + ["condition (C1)"]
    assert equations.names(text) == expected


def test_the_page_has_what_a_docstring_names():
    assert len(CITED) > 40
    assert not {name: functions for name, functions in CITED.items() if name[1] not in NUMBERED[name[0]]}


@pytest.mark.parametrize(("paper", "name", "item"), ITEMS, ids=[f"{paper} {name}" for paper, name, _ in ITEMS])
def test_an_entry_has_a_function_a_page_that_names_it_or_a_reason(paper, name, item):
    used = CITED.get((paper, name), []) + item.get("functions", [])
    if used:
        assert "unused" not in item, f"it is used by {used}"
    elif "unused" not in item:
        kind, _, number = name.partition(" ")
        form = re.compile(rf"\b{kind}s?\s[^.]*{re.escape(number)}", re.IGNORECASE)
        assert any(form.search(words(page)) for page in item["page"]), "say in equations.toml why it is not used"
    assert all((ROOT / item[key]).is_file() for key in ("test",) if key in item)
    assert all(key in equations.reference.__all__ for key in item.get("functions", ()))


def test_the_page_has_a_row_for_each_and_its_functions_have_certificates():
    text = equations.page()
    assert text.count("\n| ") == len(ITEMS) + len(NUMBERED)
    assert text.count("CERTIFICATES.md#") > 40
