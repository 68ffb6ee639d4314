"""How the book's sources are made: links between pages, the papers of docstrings, the source of a ground truth."""

import pytest

from book import api, papers, sources

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
    table = api.table()
    assert table.count("{py:obj}") > 40 and "`fit_topk_svm`" not in table


def test_every_function_is_on_one_page():
    pages = "".join(api.module_page(name) for name in api.modules())
    for name in api.reference.__all__:
        if api.inspect.isfunction(getattr(api.reference, name)):
            assert pages.count(f".. autofunction:: reference.{name}\n") == 1, name
