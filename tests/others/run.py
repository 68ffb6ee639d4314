"""One run: what it has still to examine, and its results, stored after each entry so that the next call goes on."""

import json
import platform
import sys
import time

from tests.benchmarks.scaling import machine
from tests.others import environment, page, source
from tests.others.entries import ENTRIES
from tests.others.examination import examined
from tests.others.timing import timed


def versions():
    """Returns the version of each package that is examined, by its name in small letters."""
    return {**environment.pins(), **source.COMMITS}


def conditions():
    """Returns what a run must have in common: the machine, and the versions of Python and NumPy."""
    return {"machine": machine(), "python": platform.python_version(), "numpy": versions()["numpy"]}


def continued(possible, again=False):
    """Returns the stored form of the run that goes on, or of a new one, in which every entry is missing.

    A new run begins if the last one has examined all that is `possible`, if the conditions have changed, or `again`.
    The results of the one before are kept until they are replaced. An entry whose version has changed is missing, too.
    """
    before = page.stored()
    here, known, results = conditions(), versions(), before["results"]
    missing = set(before.get("missing", ()))
    missing |= {entry.key for entry in ENTRIES if version_in(results, entry) != known[entry.package.lower()]}
    is_over = missing.isdisjoint(entry.key for entry in possible)
    if again or is_over or any(before.get(name) != value for name, value in here.items()):
        missing = {entry.key for entry in ENTRIES}
    return {**here, "missing": [entry.key for entry in ENTRIES if entry.key in missing], "results": results}


def version_in(results, entry):
    return results.get(entry.key, {}).get("version")


def examine(entries, run, only):
    """Examine the entries that the run lacks, or all of them if `only`. Returns the names of those that failed."""
    chosen = [entry for entry in entries if only or entry.key in run["missing"]]
    failed = []
    for done, entry in enumerate(chosen, 1):
        start = time.monotonic()
        try:
            result = found(entry, interpreter(entry))
        except RuntimeError as trouble:  # the others can still be examined
            print(f"{named(entry)}: {trouble}", file=sys.stderr, flush=True)
            failed.append(named(entry))
            continue
        store(entry, {**result, "seconds": round(time.monotonic() - start, 1)}, run)
        print(f"{done} of {len(chosen)}: {named(entry)}, {page.verdict(result)}", file=sys.stderr, flush=True)
    return failed


def named(entry):
    return f"{entry.package}, {entry.does} ({entry.key})"


def interpreter(entry):
    """Returns the Python for an entry. What is built from source needs NumPy only, and so no other environment."""
    return sys.executable if entry.package in source.COMMITS else environment.interpreter()


def found(entry, python):
    """Returns what is found about an entry: the verdict, and the times of both sides."""
    row = examined(entry, python)
    failure = str(row.failure) if row.failure else None
    worst = [max(kind.values()) for kind in (row.error, row.certificate) if kind]
    facts = {"cases": row.cases, "passed": row.passed, "error": worst and max(worst), "counterexample": failure}
    return {"version": versions()[entry.package.lower()], **facts, "times": timed(entry, python)}


def store(entry, result, run):
    """Put a result into the run and the stored file, at once, so that an interrupted run loses nothing."""
    run["missing"] = [key for key in run["missing"] if key != entry.key]
    results = {**run["results"], entry.key: result}
    run["results"] = {other.key: results[other.key] for other in ENTRIES if other.key in results}
    part = page.STORED.with_suffix(".part")
    part.write_text(json.dumps(run, indent=1) + "\n", encoding="utf-8")
    part.replace(page.STORED)
