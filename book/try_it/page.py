"""The page "Try it without installing": its examples, its editor, and its place in the book."""

import ast
import json
import shutil
from html import escape
from pathlib import Path

from book.try_it import runtime

HERE, ROOT = Path(__file__).parent, Path(__file__).parents[2]
NAME = "try_it"
STATIC = "_static/try_it"  # within the built book
EDITOR = "<!-- the editor -->\n"
GUIDES = ":caption: Guides\n\n"
BEGINNINGS = "## Where to begin\n\n"
BEGINNING = f"* **Without installing anything**, [try it]({NAME}.md) in your browser: an editor, and two exercises.\n"
# Example programs by title: a file of `examples`, or an exercise of a notebook by the name of the function to complete.
PROGRAMS = (
    ("Project onto the top-k simplex", "projection.py"),
    ("Fit a top-k SVM", "tiny_svm.py"),
    ("Exercise: the simplex without a sort (notebook 01)", ("01_simplex_and_knapsack", "project_by_discarding")),
    ("Exercise: squish a column into bounds (notebook 06)", ("06_column_squishing", "algorithm_5")),
)
IMPORTS = "import numpy as np\nfrom _exercise import judge\n\nimport reference\n\n\n"


def add(sources, made):
    """Writes the page into the book's sources, and links it in the index. `made` has the files that the page loads."""
    template = (HERE / "page.md").read_text(encoding="utf-8")
    (sources / f"{NAME}.md").write_text(template.replace(EDITOR, editor(made)), encoding="utf-8")
    index = sources / "index.md"
    text = index.read_text(encoding="utf-8")
    for place, addition in ((GUIDES, f"{NAME}\n"), (BEGINNINGS, BEGINNING)):
        before, found, after = text.partition(place)
        if not found:
            raise ValueError(f"{index} has no {place!r}, after which the page is to be linked")
        text = before + found + addition + after
    index.write_text(text, encoding="utf-8")


def add_files(pages, made):
    """Copies into the built book what the page loads."""
    target = pages / STATIC
    shutil.copytree(made, target, ignore=shutil.ignore_patterns(runtime.STAMP))
    shutil.copytree(HERE / "static", target, dirs_exist_ok=True)


def examples():
    """Returns the examples as dicts with a title and a program."""
    return [{"title": title, "code": code(where)} for title, where in PROGRAMS]


def code(where):
    """Returns the program of a file, or of an exercise: its cell, and the cell that judges the answer."""
    if isinstance(where, str):
        return (HERE / "examples" / where).read_text(encoding="utf-8")
    notebook, function = where
    cells = json.loads((ROOT / f"notebooks/{notebook}.ipynb").read_text(encoding="utf-8"))["cells"]
    texts = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    at = next(i for i, text in enumerate(texts) if text.startswith(f"def {function}("))
    if f"judge({function}," not in texts[at + 1]:
        raise ValueError(f"{notebook} has no judge after {function}")
    program = f"# Replace the line marked `to do`.\n{IMPORTS}{texts[at]}\n\n\n{texts[at + 1]}\n"
    ast.parse(program)
    return program


def editor(made):
    """Returns the editor with its buttons and its output, as HTML in Markdown. It is hidden without JavaScript."""
    files = (runtime.WASM, runtime.LIBRARY, runtime.PROJECT)
    size = round(sum((made / name).stat().st_size for name in files) / 1e6)
    data = json.dumps({"examples": examples(), "megabytes": size}).replace("</", r"<\/")
    first = escape(examples()[0]["code"])
    return "```{raw} html\n" + HTML.format(static=STATIC, data=data, first=first) + "```\n"


HTML = """<link rel="stylesheet" href="{static}/try.css">
<p id="try-without"><strong>This page runs Python by JavaScript, which is off in your browser.</strong></p>
<div id="try-it" hidden>
<label for="try-examples">Example</label>
<select id="try-examples" data-part="examples"></select>
<button type="button" data-part="reset">Restore the example</button>
<label for="try-editor">Program</label>
<textarea id="try-editor" data-part="editor" rows="18" spellcheck="false" autocomplete="off" autocapitalize="off"
 aria-describedby="try-keys">{first}</textarea>
<p id="try-keys">Control and Enter, or Command and Enter, run the program. Tab leaves the editor.</p>
<div class="try-bar">
<button type="button" data-part="run" disabled>Run</button>
<button type="button" data-part="stop" disabled>Stop</button>
<span class="try-status" role="status" data-part="status"></span>
</div>
<div class="try-label" id="try-output-label">Output</div>
<pre data-part="output" tabindex="0" role="log" aria-live="polite" aria-labelledby="try-output-label"></pre>
<script type="application/json" data-part="data">{data}</script>
</div>
<script defer src="{static}/try.js"></script>
"""
