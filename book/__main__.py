"""Build the web book: python -m book [--try] [FOLDER]. The pages are in FOLDER/book, what else it needs is beside it.

`--try` adds a page that runs Python in the browser. It needs the package registries.
"""

import argparse
import shutil
import sys
from pathlib import Path

from sphinx.cmd.build import build_main

from book.folders import claim
from book.sources import ROOT, collect
from book.try_it import page, runtime

SERVE = """The page {page}.html runs Python, for which it has to be served. For example, run
    {python} -m http.server --bind 127.0.0.1 --directory {pages}
and open http://127.0.0.1:8000/{page}.html"""


def build(folder, try_it=False):
    """Builds the book in `folder`. Returns Sphinx's exit status, which is 1 if there was a warning.

    With `try_it` the book has a page that runs Python. What the page needs is fetched unless it is there already.
    """
    made = runtime.prepare(folder / "try-packages") if try_it else None
    sources, pages, doctrees = folder / "book-sources", folder / "book", folder / "book-doctrees"
    figures = folder / "jupyter_execute"  # MyST-NB puts the figures there, on their way into the book
    claim([sources, pages, doctrees, figures])
    collect(sources)
    if try_it:
        page.add(sources, made)
    settings = ["-c", str(ROOT / "book"), "-d", str(doctrees)]
    status = build_main(["-b", "html", "-q", "-W", "--keep-going", *settings, str(sources), str(pages)])
    shutil.rmtree(figures)
    if try_it:
        page.add_files(pages, made)
    return status


def main():
    parser = argparse.ArgumentParser(prog="python -m book", description="Build the web book.")
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "build", help="default: %(default)s")
    parser.add_argument("--try", action="store_true", dest="try_it", help="add the page that runs Python")
    options = parser.parse_args()
    folder = options.folder.resolve()
    try:
        status = build(folder, options.try_it)
    except FileExistsError as error:
        parser.error(str(error))
    if not status:
        print(f"The book is built. Open {folder / 'book' / 'index.html'}")
        if options.try_it:
            print(SERVE.format(page=page.NAME, python=sys.executable, pages=folder / "book"))
    return status


if __name__ == "__main__":
    sys.exit(main())
