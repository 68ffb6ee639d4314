"""What nbval cannot tell: each notebook was run from top to bottom, is built like the others, and is brief."""

import re

import nbformat
import pytest

from tests.support.pages import FIGURES, FOLDER, LINES, WIDTH, WORDS, is_figure, is_folded, main_path, measure

NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
PARTS = ("what you will learn", "what to read before", "source", "exercises", "summary")
WIDEST_OUTPUT = 90  # characters, in a browser that is 1280 px wide
MINUTES = re.compile(r"^\*(\d+) minutes\b", re.MULTILINE)

pytestmark = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def cells(path, kind=None):
    notebook = nbformat.read(path, as_version=4)
    return [cell for cell in notebook.cells if kind is None or cell.cell_type == kind]


def code(path):
    return [cell for cell in cells(path, "code") if cell.source.strip()]


def texts(cell):
    """Every piece of text that a cell has put out."""
    for output in cell.outputs:
        yield output.get("text", "")
        for kind, data in output.get("data", {}).items():
            if not kind.startswith("image/") or kind == "image/svg+xml":
                yield data if isinstance(data, str) else str(data)


def test_is_a_valid_notebook_of_python(path):
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert notebook.metadata.kernelspec.name == "python3"


def test_was_run_from_top_to_bottom(path):
    expected = list(range(1, len(code(path)) + 1))
    got = [cell.execution_count for cell in code(path)]
    assert got == expected


def test_has_no_errors_and_no_warnings(path):
    for cell in code(path):
        for output in cell.outputs:
            assert output.output_type != "error", cell.source
            assert output.get("name") != "stderr", cell.source


def test_title_carries_its_number(path):
    first = cells(path)[0]
    number = path.stem.split("_")[0]
    assert first.cell_type == "markdown"
    assert re.match(rf"# {number}\b.*\w", first.source), first.source[:60]


@pytest.fixture
def page(path):
    return nbformat.read(path, as_version=4)


def test_opens_with_its_minutes_and_a_picture(page):
    """What is read before any heading: the minutes, the puzzle, its figure; then a fold with the agenda."""
    first, figure, second = page.cells[:3]
    assert MINUTES.search(first.source) and "## " not in first.source
    assert figure.cell_type == "code" and is_folded(figure) and is_figure(figure)
    assert second.source.startswith("**Figure 1.**")
    assert "<details>\n<summary>What you will learn, what to read before, and the source</summary>" in second.source


def test_has_the_parts_of_every_notebook(page):
    text = "\n".join(cell.source for cell in page.cells if cell.cell_type == "markdown").lower()
    assert not [part for part in PARTS if part not in text]
    headings = re.findall(r"^## (.*)$", text, re.MULTILINE)
    ends = [heading for heading in headings if heading in ("exercises", "summary", "going further")]
    assert ends == headings[-len(ends) :] and ends[:2] == ["exercises", "summary"], headings


def test_main_path_keeps_its_budget(page):
    got = measure(page)
    assert got["words"] <= WORDS and got["lines"] <= LINES and got["widest"] <= WIDTH and got["figures"] <= FIGURES, got


def test_says_how_long_it_takes(page):
    assert abs(int(MINUTES.search(page.cells[0].source)[1]) - measure(page)["minutes"]) <= 2, measure(page)


def test_figures_of_the_main_path_are_folded_numbered_and_have_captions(page):
    path = main_path(page)
    assert not [cell.source for cell in path if cell.cell_type == "code" and is_figure(cell) and not is_folded(cell)]
    got = measure(page)
    assert got["captions"] == list(range(1, got["figures"] + 1))


def test_a_fold_of_code_says_what_is_in_it(page):
    for cell in filter(is_folded, page.cells):
        names = {cell.metadata.get("mystnb", {}).get(f"code_prompt_{when}") for when in ("show", "hide")}
        assert len(names) == 1 and None not in names, cell.source
        assert cell.metadata.get("jupyter", {}).get("source_hidden"), cell.source


def test_what_a_cell_prints_fits_into_the_column(path):
    printed = [output.get("text", "") for cell in code(path) for output in cell.outputs]
    assert not [line for text in printed for line in text.splitlines() if len(line) > WIDEST_OUTPUT]


def test_cells_are_short_and_end_without_a_semicolon(path):
    for cell in code(path):
        assert len(cell.source.splitlines()) <= 15, cell.source
        assert not cell.source.rstrip().endswith(";"), cell.source


def test_text_comes_before_code(path):
    kinds = "".join(cell.cell_type[0] for cell in cells(path) if cell.source.strip())
    assert kinds.startswith("m") and "ccc" not in kinds, kinds


def test_outputs_name_no_folder_of_a_machine(path):
    for cell in code(path):
        for text in texts(cell):
            assert not re.search(r"(?<![\w.:/])/(?:home|root|tmp|work|Users|usr|opt|var|private)/", text), text[:200]


def test_figures_are_not_compared(path):
    for cell in code(path):
        has_image = any(kind.startswith("image/") for output in cell.outputs for kind in output.get("data", {}))
        if has_image:
            assert "nbval-ignore-output" in cell.metadata.get("tags", []), cell.source


def test_is_light_enough_to_read_in_a_browser(path):
    assert path.stat().st_size < 600_000
