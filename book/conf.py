"""The settings of Sphinx for the web book; `python -m book` calls it."""

import sys
import warnings
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
warnings.filterwarnings("ignore", category=DeprecationWarning)

project = "Marginalia"
author = "The Marginalia authors"
copyright = author
language = "en"
extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "numpydoc",
    "sphinx.ext.mathjax",
    "sphinx.ext.viewcode",
    "sphinx_design",
    "sphinx_copybutton",
    "book.extension",
    "book.papers",
]
# README.md is included by pages. Notebooks of the assignments are downloads.
exclude_patterns = ["README.md", "notebooks/assignments/source"]

# Notebooks are shown as they were executed.
nb_execution_mode = "off"
myst_enable_extensions = ["amsmath", "colon_fence", "dollarmath"]
myst_heading_anchors = 4

# Docstrings: `name` links to an object of the API, or is code.
default_role = "py:obj"
highlight_language = "none"
autodoc_member_order = "bysource"
autodoc_typehints = "none"
numpydoc_show_class_members = False
toc_object_entries = False

html_favicon = "static/favicon.svg"
html_context = {"default_mode": "auto"}  # what the reader's system prefers
html_theme = "sphinx_book_theme"
html_title = "Marginalia"
# The pages with sources are half of all pages, and a tenth of the build went into their lists of the others.
html_sidebars = {"_modules/**": ["navbar-logo.html", "search-button-field.html"]}
html_static_path = ["static"]
html_css_files = ["book.css"]
html_js_files = [("book.js", {"loading_method": "defer"})]
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "home_page_in_toc": True,
    "navbar_persistent": [],  # the sidebar has a search box
    "show_navbar_depth": 1,
    "show_toc_level": 2,
    "use_download_button": False,
    "use_fullscreen_button": False,
}
pygments_style = "a11y-high-contrast-light"
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_exclude = ".linenos, .gp, .go"

# From a package, not from the network; `book.extension` copies it.
mathjax_path = "mathjax/tex-chtml.js"
mathjax_options = {"defer": "defer"}
