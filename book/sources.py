"""The sources of the book in one folder, laid out as in the repository, so that links between pages stay."""

import json
import os
import re
import shutil
from functools import partial
from pathlib import Path

from book import api, equations, notebooks

ROOT = Path(__file__).parents[1]
OWN = ROOT / "book/pages"  # the pages that exist for the web only; the book has them at its top
# What the web shows of the repository. README.md is no page; pages include its sections.
PAGES = (
    "notebooks/[0-9]*.ipynb",
    "notebooks/NOTATION.md",
    "notebooks/EVERY_NUMBER.md",
    "notebooks/assignments/README.md",
    "reference/check/CERTIFICATES.md",
    "tests/others/RESULTS.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "README.md",
)
LINK = re.compile(r"(?<!!)\[(?P<text>[^\]\n]*)\]\((?P<target>[^)\s]+)\)")
PICTURE = re.compile(r"!\[[^\]]*\]\((?P<target>[^)\s]+)\)")


def collect(target):
    """Writes into the folder `target` all that Sphinx needs."""
    shutil.copytree(OWN, target, dirs_exist_ok=True)
    pages = {path for pattern in PAGES for path in ROOT.glob(pattern)} | set(OWN.rglob("*.md"))
    for page in sorted(pages):
        copied = target / place(page)
        copied.parent.mkdir(parents=True, exist_ok=True)
        text, link = page.read_text(encoding="utf-8"), partial(linked, page=page, pages=pages, target=target)
        if page.suffix == ".ipynb":
            text = json.dumps(notebooks.for_the_web(json.loads(text), link))
        else:
            text = link(text)
        copied.write_text(text, encoding="utf-8")
    every = linked(equations.page(), OWN / "every_equation.md", pages, target)
    (target / "every_equation.md").write_text(every, encoding="utf-8")
    api.write(target / "api")


def place(path):
    """Returns where the book has a file of the repository, relative to its top."""
    return path.relative_to(OWN if path.is_relative_to(OWN) else ROOT)


def linked(text, page, pages, target):
    """Returns the Markdown `text` of `page` with links that work in the book.

    A file that is no page is copied, and the link offers it as a download. The link to a folder becomes one to its
    README if that is a page, and plain text otherwise. Links that lead nowhere stay, and Sphinx warns of them.
    """

    def link(match):
        words, (there, mark, part) = match["text"], match["target"].partition("#")
        path = (page.parent / there).resolve()
        if not path.exists():  # a page of the book may name a file as the book has it
            path = (ROOT / there).resolve()
        if re.match(r"\w+:", match["target"]) or not there or not path.exists() or not path.is_relative_to(ROOT):
            return match[0]
        if path.is_dir() and path / "README.md" in pages:
            path = path / "README.md"
        here = os.path.relpath(place(path), place(page).parent).replace(os.sep, "/")
        if path in pages:
            return f"[{words}]({here}{mark}{part})"
        if path.is_dir() or path.is_relative_to(ROOT / "book"):  # what the book is made of is no part of it
            return words
        copy(path, target)
        if path.suffix in {".ipynb", ".md"}:  # which would have to be a page
            return f"{{download}}`{words.replace('`', '')} <{here}>`"
        return f"[{words}]({here}{mark}{part})"

    for picture in PICTURE.finditer(text):
        copy((page.parent / picture["target"]).resolve(), target)
    return LINK.sub(link, text)


def copy(path, target):
    """Copies a file of the repository to its place in `target`, if there is such a file."""
    if path.is_file() and path.is_relative_to(ROOT):
        copied = target / place(path)
        copied.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copied)
