"""What nbval cannot tell: each notebook was run from top to bottom, is built like the others, and is brief."""

import re
from pathlib import Path

import nbformat
import pytest

FOLDER = Path(__file__).parents[1] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
PARTS = ("What you will learn", "Read before", "Source", "Exercises", "Summary")

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


def test_has_the_parts_of_every_notebook(path):
    text = "\n".join(cell.source for cell in cells(path, "markdown")).lower()
    places = [text.find(part.lower()) for part in PARTS]
    assert min(places) >= 0, dict(zip(PARTS, places, strict=True))
    headings = re.findall(r"^#{2,3} .*(exercises|summary).*$", text, re.MULTILINE)
    assert headings[-2:] == ["exercises", "summary"] or path.stem.startswith("00"), headings


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
