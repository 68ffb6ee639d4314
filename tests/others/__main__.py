"""`make others`: examines public implementations, stores what was found, and writes the page.

`python -m tests.others` makes the environment of the others if need be. `--only WORD` examines the entries with this
word in their names and keeps the stored results of the rest. `--page` only writes the page from the stored results.
"""

import argparse
import json
import platform
import sys

from tests.benchmarks.scaling import machine
from tests.others import environment, page
from tests.others.entries import ENTRIES
from tests.others.examination import examined
from tests.others.timing import timed


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m tests.others", description="Examine public implementations.")
    parser.add_argument("--only", metavar="WORD", default="", help="examine the entries with this word in their names")
    parser.add_argument("--page", action="store_true", help="write the page from the stored results")
    options = parser.parse_args(arguments)
    chosen = [] if options.page else [entry for entry in ENTRIES if options.only.lower() in named(entry).lower()]
    if not chosen and not options.page:
        parser.error(f"no entry has {options.only!r} in its name")
    if chosen:
        python = environment.interpreter()
        versions = environment.versions(python)
        for entry in chosen:
            store(entry, {"version": versions[entry.package.lower()], **found(entry, python)}, versions["numpy"])
    page.PAGE.write_text(page.written(page.stored()), encoding="utf-8")


def named(entry):
    return f"{entry.package} {entry.does} {entry.key}"


def found(entry, python):
    """Returns what is found about an entry: the verdict, and the times of both sides."""
    row = examined(entry, python)
    print(f"{entry.package}, {entry.does}: {row.verdict}", file=sys.stderr, flush=True)
    return {**facts(row), "times": timed(entry, python)}


def store(entry, result, numpy):
    """Put a result into the stored file, at once, so that an interrupted run loses nothing."""
    results = {**(page.stored()["results"] if page.STORED.exists() else {}), entry.key: result}
    here = {"machine": machine(), "python": platform.python_version(), "numpy": numpy}
    kept = {other.key: results[other.key] for other in ENTRIES if other.key in results}
    page.STORED.write_text(json.dumps({**here, "results": kept}, indent=1) + "\n", encoding="utf-8")


def facts(row):
    """Returns what the page says about a Row."""
    failure = str(row.failure) if row.failure else None
    worst = [max(kind.values()) for kind in (row.error, row.certificate) if kind]
    return {"cases": row.cases, "passed": row.passed, "error": worst and max(worst), "counterexample": failure}


if __name__ == "__main__":
    main()
