"""What a page costs its reader: words, visible lines of code, figures and minutes of a notebook's main path.

`python -m tests.support.pages [FILE ...]` prints them. The main path is what stands before the exercises. What is
folded is not counted. The pace is that of two readers of one page in two versions, who took 21 and 32 minutes.
"""

import argparse
import re
from pathlib import Path

import nbformat

FOLDER = Path(__file__).parents[2] / "notebooks"
WORDS, LINES, WIDTH, FIGURES = 1500, 80, 88, 5
WORDS_A_MINUTE, LINES_A_MINUTE = 72, 25
FOLD = re.compile(r"<details>.*?</details>", re.DOTALL)
FORMULA = re.compile(r"\$\$.*?\$\$|\$[^$]*\$", re.DOTALL)
END = re.compile(r"^## (Exercises|Going further)\b", re.MULTILINE)
CAPTION = re.compile(r"^\*\*Figure (\d+)\.\*\* \S", re.MULTILINE)
PICTURES = "image/png", "image/svg+xml", "application/vnd.plotly.v1+json"


def main_path(notebook):
    """Returns the cells before the exercises; a cell in which they begin is cut there."""
    path = []
    for cell in notebook.cells:
        end = END.search(cell.source) if cell.cell_type == "markdown" else None
        if end:
            return [*path, nbformat.from_dict(cell | {"source": cell.source[: end.start()]})]
        path.append(cell)
    return path


def is_folded(cell):
    return "hide-input" in cell.metadata.get("tags", [])


def is_figure(cell):
    return any(kind in output.get("data", {}) for output in cell.get("outputs", ()) for kind in PICTURES)


def measure(notebook):
    """Returns words (a formula is one), visible lines of code, the widest line, figures, captions and minutes."""
    path = main_path(notebook)
    text = "\n".join(cell.source for cell in path if cell.cell_type == "markdown")
    words = len(FORMULA.sub(" formula ", FOLD.sub("", text)).split())
    code = [cell for cell in path if cell.cell_type == "code"]
    visible = [line for cell in code if not is_folded(cell) for line in cell.source.splitlines() if line.strip()]
    every = [line for cell in notebook.cells if cell.cell_type == "code" for line in cell.source.splitlines()]
    return {
        "words": words,
        "lines": len(visible),
        "widest": max(map(len, every), default=0),
        "figures": sum(map(is_figure, code)),
        "captions": [int(number) for number in CAPTION.findall(text)],
        "minutes": round(words / WORDS_A_MINUTE + len(visible) / LINES_A_MINUTE),
    }


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.support.pages", description=__doc__.partition("\n")[0])
    parser.add_argument("files", nargs="*", type=Path, help="notebooks; without one, all pages of the book")
    for path in parser.parse_args().files or sorted(FOLDER.glob("*.ipynb")):
        got = measure(nbformat.read(path, as_version=4))
        print(f"{path.stem:32}", "  ".join(f"{name} {value}" for name, value in got.items()))


if __name__ == "__main__":
    main()
