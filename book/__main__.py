"""Build the web book: python -m book [FOLDER]. Writes FOLDER/book, FOLDER/book-sources and FOLDER/book-doctrees."""

import argparse
import shutil
import sys
from pathlib import Path

from sphinx.cmd.build import build_main

from book.sources import ROOT, collect


def build(folder):
    """Builds the book in `folder`. Returns Sphinx's exit status, which is 1 if there was a warning."""
    sources, pages = folder / "book-sources", folder / "book"
    collect(sources)
    settings = ["-c", str(ROOT / "book"), "-d", str(folder / "book-doctrees")]
    shutil.rmtree(pages, ignore_errors=True)
    status = build_main(["-b", "html", "-q", "-E", "-W", "--keep-going", *settings, str(sources), str(pages)])
    shutil.rmtree(folder / "jupyter_execute", ignore_errors=True)  # of MyST-NB: figures on their way into the book
    return status


def main():
    parser = argparse.ArgumentParser(prog="python -m book", description="Build the web book.")
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "build", help="default: %(default)s")
    folder = parser.parse_args().folder.resolve()
    status = build(folder)
    if not status:
        print(f"The book is built. Open {folder / 'book' / 'index.html'}")
    return status


if __name__ == "__main__":
    sys.exit(main())
