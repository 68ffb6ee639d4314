"""The sources of the book in one folder, laid out as in the repository, so that links between pages stay."""

import json
import re
import shutil
from functools import partial
from pathlib import Path

from book import api, equations, notebooks

ROOT = Path(__file__).parents[1]
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
    shutil.copytree(ROOT / "book/pages", target, dirs_exist_ok=True)
    paths = {path for pattern in PAGES for path in ROOT.glob(pattern)}
    for path in sorted(paths):
        place = target / path.relative_to(ROOT)
        place.parent.mkdir(parents=True, exist_ok=True)
        text, link = path.read_text(encoding="utf-8"), partial(linked, page=path, pages=paths, target=target)
        if path.suffix == ".ipynb":
            text = json.dumps(notebooks.for_the_web(json.loads(text), link))
        else:
            text = link(text)
        place.write_text(text, encoding="utf-8")
    for page in (ROOT / "book/pages").rglob("*.md"):
        name = page.relative_to(ROOT / "book/pages")
        text = linked(page.read_text(encoding="utf-8"), ROOT / name, paths, target)
        (target / name).write_text(text, encoding="utf-8")
    every = linked(equations.page(), ROOT / "every_equation.md", paths, target)
    (target / "every_equation.md").write_text(every, encoding="utf-8")
    api.write(target / "api")


def linked(text, page, pages, target):
    """Returns the Markdown `text` of `page` with links that work in the book.

    A file that is no page is copied, and the link offers it as a download. The link to a folder becomes one to its
    README if that is a page, and plain text otherwise. Links that lead nowhere stay, and Sphinx warns of them.
    """

    def link(match):
        words, there = match["text"], match["target"].partition("#")[0]
        path = (page.parent / there).resolve()
        if re.match(r"\w+:", match["target"]) or not there or path in pages or not path.is_relative_to(ROOT):
            return match[0]
        if path.is_relative_to(ROOT / "book"):  # what the book is made of is no part of it
            return words
        if path.is_dir():
            return f"[{words}]({there.rstrip('/')}/README.md)" if path / "README.md" in pages else words
        if not path.is_file():
            return match[0]
        copy(path, target)
        if path.suffix in {".ipynb", ".md"}:  # which would have to be a page
            return f"{{download}}`{words.replace('`', '')} <{there}>`"
        return match[0]

    for picture in PICTURE.finditer(text):
        copy((page.parent / picture["target"]).resolve(), target)
    return LINK.sub(link, text)


def copy(path, target):
    """Copies a file of the repository to its place in `target`, if there is such a file."""
    if path.is_file() and path.is_relative_to(ROOT):
        place = target / path.relative_to(ROOT)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, place)
