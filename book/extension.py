"""What the build does beside Sphinx's own work: scripts from their packages, and alt texts that must not be missing."""

import re
import shutil
from importlib.metadata import files
from pathlib import Path

from docutils import nodes
from sphinx.util import logging

from book.notebooks import DATA

logger = logging.getLogger(__name__)
ROOT = Path(__file__).parents[1]
NUMBERS, TRY_PAGE = "notebooks/EVERY_NUMBER", "try_it"
PLOTLY_MARK = DATA.partition("{}")[0]
RENUMBERED = {  # the name of a notebook that had another number, and its name now
    "02_topk_simplex": "03_topk_simplex",
    "03_topk_losses_and_duality": "02_topk_losses_and_duality",
    "05_column_squishing": "06_column_squishing",
    "06_ap_and_ndcg_inference": "07_ap_and_ndcg_inference",
    "07_ranking_svm": "08_ranking_svm",
    "08_wsabie": "11_wsabie",
    "09_image_classification": "14_image_classification",
    "10_reference_to_fast": "15_reference_to_fast",
    "11_beyond_one_machine": "16_beyond_one_machine",
    "12_smooth_losses": "05_smooth_losses",
    "14_direct_loss": "09_direct_loss",
    "15_latent_windows": "10_latent_windows",
    "16_last_violators": "12_last_violators",
}
MOVED = {f"notebooks/{old}": f"notebooks/{new}" for old, new in RENUMBERED.items()}
# The script keeps the section of the address; without JavaScript, the page leads to the top.
LEADS_ON = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>This page has moved</title>
<link rel="canonical" href="{new}.html">
<script>location.replace("{new}.html" + location.hash);</script>
<meta http-equiv="refresh" content="0; url={new}.html"></head>
<body><p>This page has moved: <a href="{new}.html">{new}</a>.</p></body></html>
"""
MATHJAX_SCRIPT = "mathjax/tex-chtml.js"
# The script, and what it loads on demand: its fonts and its TeX extensions. The package has ten other builds, too.
MATHJAX_PARTS = ("tex-chtml.js", "input/tex/extensions", "output/chtml/fonts")

PUNCTUATION = re.compile(r"[(\[“]*$"), re.compile(r"^[.,;:!?)\]”’]*")  # before a formula, and after it
NUMBER = re.compile(r"(?<=\d) (?=\d{3}(?!\d)|%)")
CODE = (nodes.literal, nodes.FixedTextElement, nodes.raw, nodes.math)  # whose text stays as it is


def packaged(package, ending):
    """Returns the path of the file of an installed package whose name ends in `ending`."""
    found = [file.locate() for file in files(package) if file.as_posix().endswith(ending)]
    if not found:
        raise FileNotFoundError(f"{package} has no file {ending}. Reinstall it, or change its version range.")
    return Path(found[0])


def copy_scripts(app, error):
    """Copies MathJax into the built book, and Plotly if a page has an interactive figure."""
    if error or app.builder.format != "html":
        return
    static = Path(app.outdir, "_static")
    mathjax = packaged("sphinx-mathjax-offline", "static/" + MATHJAX_SCRIPT).parent
    for part in MATHJAX_PARTS:
        source, target = mathjax / part, static / "mathjax" / part
        if source.is_dir():
            shutil.copytree(source, target, dirs_exist_ok=True)
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
    if any(PLOTLY_MARK in page.read_text(encoding="utf-8") for page in Path(app.outdir).rglob("*.html")):
        shutil.copyfile(packaged("plotly", "package_data/plotly.min.js"), static / "plotly.min.js")


def keep_addresses(app, error):
    """Writes a page at each address that a page had before, which leads to the new one."""
    if not error and app.builder.format == "html":
        for old, new in MOVED.items():
            Path(app.outdir, f"{old}.html").write_text(LEADS_ON.format(new=Path(new).name), encoding="utf-8")


def load_scripts(app, pagename, templatename, context, doctree):
    """Loads the scripts that not all pages need. `figures.js` loads Plotly, when the reader comes near to a figure."""
    if PLOTLY_MARK in context.get("body", ""):
        app.add_js_file("figures.js", loading_method="defer")
    if pagename == NUMBERS:
        app.add_js_file("verdicts.js", loading_method="defer")


def add_links(app, pagename, templatename, context, doctree):
    """Links, above a notebook, the notebook itself, and the page that runs Python if the book has one."""
    path = ROOT / f"{pagename}.ipynb"
    if not path.is_file():
        return
    buttons = [("Download", f"{path.stem}.ipynb", "Download this page as a notebook for Jupyter", "fas fa-download")]
    if TRY_PAGE in app.env.found_docs:
        buttons.append(("Try it", context["pathto"](TRY_PAGE), "Run Python in your browser", "fas fa-play"))
    for text, url, tooltip, icon in buttons:
        button = {"text": text, "url": url, "tooltip": tooltip, "icon": icon}
        context["header_buttons"].append(button | {"type": "link", "label": "notebook-button"})
    target = Path(app.outdir, f"{pagename}.ipynb")
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, target)


def require_alt(app, doctree, docname):
    """Warns of a figure without a description; warnings are errors."""
    for image in doctree.findall(nodes.image):
        if not image.get("alt", "").strip():
            logger.warning("%s: a figure has no alt text. Its cell needs the metadata {'alt': ...}", docname)


def keep_together(app, doctree, docname):
    """Keeps a formula on one line with the punctuation around it, and a number with its thousands and its % sign."""
    for formula in list(doctree.findall(nodes.math)):
        parent, place = formula.parent, formula.parent.index(formula)
        around = [parent[i] if 0 <= i < len(parent) else None for i in (place - 1, place + 1)]
        texts = [part if isinstance(part, nodes.Text) else "" for part in around]
        before, after = (pattern.search(text)[0] for pattern, text in zip(PUNCTUATION, texts, strict=True))
        if not before and not after:
            continue
        if after:
            parent[place + 1] = nodes.Text(texts[1][len(after) :])
        if before:
            parent[place - 1] = nodes.Text(texts[0][: -len(before)])
        parent[place] = nodes.inline("", before, formula.deepcopy(), nodes.Text(after), classes=["together"])
    for text in list(doctree.findall(nodes.Text)):
        if NUMBER.search(text) and not isinstance(text.parent, CODE):
            text.parent.replace(text, nodes.Text(NUMBER.sub("\N{NO-BREAK SPACE}", text)))


def without_aliases(app, what, name, obj, skip, options):
    """Leaves out the fields of a named tuple: its docstring lists them, and Python has no more than their numbers."""
    return True if (getattr(obj, "__doc__", None) or "").startswith("Alias for field number") else None


def setup(app):
    app.connect("autodoc-skip-member", without_aliases)
    app.connect("doctree-resolved", require_alt)
    app.connect("doctree-resolved", keep_together)
    app.connect("html-page-context", load_scripts)
    app.connect("html-page-context", add_links, priority=501)  # the theme makes the list of buttons at 500
    app.connect("build-finished", copy_scripts)
    app.connect("build-finished", keep_addresses)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
