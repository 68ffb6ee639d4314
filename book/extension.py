"""What the build does beside Sphinx's own work: scripts from their packages, and alt texts that must not be missing."""

import shutil
from importlib.metadata import files
from pathlib import Path

from docutils import nodes
from sphinx.util import logging

from book.notebooks import DATA

logger = logging.getLogger(__name__)
PLOTLY_MARK = DATA.partition("{}")[0]
MATHJAX_SCRIPT = "mathjax/tex-chtml.js"
# The script, and what it loads on demand: its fonts and its TeX extensions. The package has ten other builds, too.
MATHJAX_PARTS = ("tex-chtml.js", "input/tex/extensions", "output/chtml/fonts")


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


def load_scripts(app, pagename, templatename, context, doctree):
    """Loads Plotly on the pages with an interactive figure, and on no other."""
    if PLOTLY_MARK in context.get("body", ""):
        app.add_js_file("plotly.min.js", loading_method="defer")
        app.add_js_file("figures.js", loading_method="defer")


def require_alt(app, doctree, docname):
    """Warns of a figure without a description; warnings are errors."""
    for image in doctree.findall(nodes.image):
        if not image.get("alt", "").strip():
            logger.warning("%s: a figure has no alt text. Its cell needs the metadata {'alt': ...}", docname)


def setup(app):
    app.connect("doctree-resolved", require_alt)
    app.connect("html-page-context", load_scripts)
    app.connect("build-finished", copy_scripts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
