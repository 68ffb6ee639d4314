"""The papers that docstrings cite, as links.

A docstring writes "Paper 004 (Lapin, Hein, Schiele: Top-k Multiclass SVM, 2015)", or without the number if the paper is
not one of the four of this project. The web shows authors, title and year, and where the paper can be had.
"""

import re

CITED = re.compile(r"Paper(?:\s+00\d)?\s+\((?P<authors>[^:()]+):\s+(?P<title>[^()]+),\s+(?P<year>\d{4})\)")
ARXIV = "https://arxiv.org/abs/"
# A title as docstrings have it, and the address.
ADDRESSES = {
    "Top-k Multiclass SVM": ARXIV + "1511.06683",
    "Efficient Optimization for Rank-based Loss Functions": ARXIV + "1604.08269",
    "Training Highly Multiclass Classifiers": "https://jmlr.org/papers/v15/gupta14a.html",
    "Column Squishing for Multiclass Updates": (
        "https://nlpers.blogspot.com/2017/08/column-squishing-for-multiclass-updates.html"
    ),
    "Loss Functions for Top-k Error": ARXIV + "1512.00486",
    "Analysis and Optimization of Loss Functions": ARXIV + "1612.03663",
    "Trusting SVM for Piecewise Linear CNNs": ARXIV + "1611.02185",
    "Adding vs. Averaging in Distributed Optimization": ARXIV + "1502.03508",
    "Introducing LETOR 4.0 Datasets": ARXIV + "1306.2597",
}


def named(text):
    """Returns the reStructuredText `text` with its citations as links. A paper without an address is named only."""

    def link(cited):
        authors, title, year = (" ".join(cited[key].split()) for key in ("authors", "title", "year"))
        address = ADDRESSES.get(title)
        if address is None:
            return f"{authors}: {title}, {year}"
        number = f", arXiv:{address.removeprefix(ARXIV)}" if address.startswith(ARXIV) else ""
        return f"`{authors}: {title}, {year}{number} <{address}>`__"

    return CITED.sub(link, text)


def name_papers(app, what, name, obj, options, lines):
    lines[:] = named("\n".join(lines)).split("\n")


def setup(app):
    app.connect("autodoc-process-docstring", name_papers, priority=400)  # before numpydoc, which comes at 500
    return {"parallel_read_safe": True, "parallel_write_safe": True}
