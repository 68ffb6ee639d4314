"""How the book's sources are made: links between pages, the papers of docstrings, the source of a ground truth."""

import copy
import re

import pytest
import yaml

from book import api, papers, sources
from book.notebooks import PLOTLY, for_the_web

LIST = "* Paper 004 (Lapin, Hein, Schiele: Top-k Multiclass\n  SVM, 2015), section 4.1."


def test_a_paper_is_named_and_linked_although_its_title_is_on_two_lines():
    expected = (
        "* `Lapin, Hein, Schiele: Top-k Multiclass SVM, 2015, arXiv:1511.06683 <https://arxiv.org/abs/1511.06683>`__"
    )
    assert papers.named(LIST) == expected + ", section 4.1."


def test_a_paper_without_an_address_is_named():
    text = "Paper (Weston, Bengio, Usunier: Wsabie: Scaling Up, 2011)."
    assert papers.named(text) == "Weston, Bengio, Usunier: Wsabie: Scaling Up, 2011."


@pytest.fixture
def linked(tmp_path):
    """A function that rewrites a link of a page in notebooks, of a book with one other page."""
    page, other = sources.ROOT / "notebooks/a.ipynb", sources.ROOT / "notebooks/assignments/README.md"
    return lambda text: sources.linked(text, page, {page, other}, tmp_path)


@pytest.mark.parametrize(
    "text",
    ["[a](assignments/README.md)", "[a](#part)", "[a](https://example.org)", "$a[0](b)$", "`f(x)[1](y)`"],
)
def test_a_link_within_the_book_stays(linked, text):
    assert linked(text) == text


def test_a_link_to_a_folder_is_one_to_its_page_or_text(linked):
    assert linked("see [there](assignments)") == "see [there](assignments/README.md)"
    assert linked("see [there](studies)") == "see there"


@pytest.mark.parametrize(
    ("page", "text", "expected"),
    [
        ("README.md", "[a](book/pages/map.md#part)", "[a](map.md#part)"),
        ("notebooks/a.ipynb", "[a](../book/pages/map.md)", "[a](../map.md)"),
        ("book/pages/map.md", "[a](../../CONTRIBUTING.md)", "[a](CONTRIBUTING.md)"),
        ("book/pages/api/index.md", "[a](../map.md)", "[a](../map.md)"),
        ("book/pages/map.md", "[a](api/losses.rst)", "[a](api/losses.rst)"),
    ],
)
def test_the_pages_of_the_book_are_linked_where_the_book_has_them(page, text, expected, tmp_path):
    pages = {sources.ROOT / name for name in ("README.md", "CONTRIBUTING.md", "book/pages/map.md")}
    assert sources.linked(text, sources.ROOT / page, pages, tmp_path) == expected


def test_a_file_that_is_no_page_is_copied(linked, tmp_path):
    assert linked("[a](studies/parts.py)") == "[a](studies/parts.py)"
    expected = (sources.ROOT / "notebooks/studies/parts.py").read_bytes()
    assert (tmp_path / "notebooks/studies/parts.py").read_bytes() == expected


def test_a_notebook_that_is_no_page_is_a_download(linked):
    assert linked("[`a`](00_start_here.ipynb)") == "{download}`a <00_start_here.ipynb>`"


def test_a_ground_truth_comes_with_what_it_calls():
    got = api.truth("projections", "project_topk_simplex")
    assert got.startswith("def project_topk_simplex(")
    assert [got.count(f"def {name}(") for name in ("_points", "_project")] == [1, 1]
    assert "cp.Minimize" in got and "def project_knapsack(" not in got


def test_every_function_of_the_table_is_a_link():
    page = api.index()
    assert page.count("{py:obj}") > 40 and "`fit_topk_svm`" not in page


def test_every_function_is_on_one_page():
    pages = "".join(api.module_page(name) for name in api.modules())
    for name in api.reference.__all__:
        if api.inspect.isfunction(getattr(api.reference, name)):
            assert pages.count(f".. autofunction:: reference.{name}\n") == 1, name


def test_the_numbers_of_the_start_page_are_those_of_the_cells():
    page = (sources.OWN / "index.md").read_text(encoding="utf-8")
    for notebook, printed in {
        "05_smooth_losses": ("gap 0.00, P / optimum 1.00", "gap 0.86, P / optimum 2.05", "6 classes"),
        "03_topk_simplex": ("at least 29 %",),
    }.items():
        text = (sources.ROOT / f"notebooks/{notebook}.ipynb").read_text(encoding="utf-8")
        for number in printed:
            assert number in text
            assert all(found in page for found in re.findall(r"\d+ %|\d\.\d{2}|\d+ \w+", number)), number


def test_the_numbers_of_the_pages_are_their_order_in_the_sidebar():
    index = (sources.OWN / "index.md").read_text(encoding="utf-8")
    listed = re.findall(r"^notebooks/(\d.*)$", index, re.MULTILINE)
    assert listed == sorted(path.stem for path in (sources.ROOT / "notebooks").glob("[0-9]*.ipynb"))
    assert [name[:2] for name in listed] == [f"{i:02}" for i in range(len(listed))]


def test_each_source_of_the_project_has_an_entry_for_bibtex():
    page = (sources.OWN / "citing.md").read_text(encoding="utf-8")
    citation = yaml.safe_load((sources.ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert page.count("\n@") == len(citation["references"]) + 1 and f"Version {citation['version']}." in page
    for source in citation["references"]:
        entry = next(entry for entry in page.split("\n@") if f"{{{{{source['title']}}}}}" in entry)
        assert f"{{{source['year']}}}" in entry
        assert all(f"{one['family-names']}, " in entry and one["given-names"] in entry for one in source["authors"])


# --- a notebook ----------------------------------------------------------------------------------------------------


ALT = "A line from 0 to the value that the slider sets."


@pytest.fixture
def notebook():
    """A notebook with an interactive figure, as it is stored."""
    data = {PLOTLY: {"data": [], "layout": {"sliders": []}}, "image/png": "iVBORw0KGgo=", "text/plain": ALT}
    output = {"output_type": "display_data", "metadata": {}, "data": data}
    return {"cells": [{"cell_type": "code", "source": "show()", "metadata": {"alt": ALT}, "outputs": [output]}]}


def outputs(notebook):
    """The outputs of its cell on the web."""
    return for_the_web(notebook, str)["cells"][0]["outputs"]


def test_what_a_cell_prints_is_one_output_with_no_line_broken(notebook):
    pieces = ["0.340", [", 0.317\n"], "end\n"]
    notebook["cells"][0]["outputs"][:0] = [{"output_type": "stream", "name": "stdout", "text": text} for text in pieces]
    first, *others = outputs(notebook)
    assert first == {"output_type": "stream", "name": "stdout", "text": "0.340, 0.317\nend\n"}
    assert [output["output_type"] for output in others] == ["display_data", "display_data"]


def test_an_interactive_figure_becomes_a_picture_and_its_data(notebook):
    before = copy.deepcopy(notebook)
    picture, data = outputs(notebook)
    assert set(picture["data"]) == {"image/png", "text/plain"}
    assert data["data"]["text/html"].count("<script") == 1 and '"sliders"' in data["data"]["text/html"]
    assert notebook == before


def test_a_figure_without_a_picture_is_refused(notebook):
    del notebook["cells"][0]["outputs"][0]["data"]["image/png"]
    with pytest.raises(ValueError, match="no image/png"):
        outputs(notebook)


def test_text_in_a_figure_cannot_end_its_script(notebook):
    notebook["cells"][0]["outputs"][0]["data"][PLOTLY]["layout"]["title"] = "</script><b>"
    assert outputs(notebook)[1]["data"]["text/html"].count("</script>") == 1
