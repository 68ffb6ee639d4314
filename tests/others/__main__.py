"""`make others`: examines public implementations, stores what was found, and writes the page.

`python -m tests.others` makes the environment of the others if need be. After an interruption, the next call goes on
with what is missing; `--again` begins anew. `--only WORD` examines the entries with this word in their names, and keeps
the stored results of the rest. `--page` only writes the page from the stored results.
"""

import argparse
import sys

from tests.others import page, source
from tests.others.entries import ENTRIES
from tests.others.run import continued, examine, named


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m tests.others", description="Examine public implementations.")
    parser.add_argument("--only", metavar="WORD", default="", help="examine the entries with this word in their names")
    parser.add_argument("--again", action="store_true", help="begin a new run, even if the last one was interrupted")
    parser.add_argument("--page", action="store_true", help="write the page from the stored results")
    options = parser.parse_args(arguments)
    chosen = [entry for entry in ENTRIES if options.only.lower() in named(entry).lower()]
    if not chosen:
        parser.error(f"no entry has {options.only!r} in its name")
    failed = []
    try:
        if not options.page:
            possible = buildable(ENTRIES)
            run = continued(possible, options.again)
            failed = examine([entry for entry in chosen if entry in possible], run, options.only)
    finally:
        page.PAGE.write_text(page.written(page.stored()), encoding="utf-8")
    if failed:
        sys.exit(f"make others: not examined: {'; '.join(failed)}. Run it again to try these.")


def buildable(entries):
    """Returns the entries that can be examined here. Builds what is built from source, or says why it is not."""
    lacks = {package: source.lacking(package) for package in source.COMMITS}
    for package, lack in lacks.items():
        if lack:
            print(f"{package} is not examined, its stored rows are kept: {lack}.", file=sys.stderr, flush=True)
        else:
            source.build(package)
    return [entry for entry in entries if not lacks.get(entry.package)]


if __name__ == "__main__":
    main()
