"""Writes RESULTS.md, the page on other implementations, from the stored results."""

import json
from pathlib import Path

from tests.benchmarks.readme import two_digits
from tests.others.entries import ENTRIES

HERE = Path(__file__).parent
PAGE = HERE / "RESULTS.md"
STORED = HERE.parents[1] / "notebooks" / "results" / "others.json"
START = """# What the examiner says about other implementations

`make others` examines functions of public packages that solve a problem of this project. It installs the packages, at
the versions in [requirements.txt](requirements.txt), in an environment of their own. This page is what it wrote. No
registry has libsdca, the library of the authors of paper 004. It is compiled from a checkout of its source, if
LIBSDCA_SOURCE names one: its projections at commit 2b1f4d3, its solver at 088a1a1. Otherwise its rows are kept.
The stored rows are of headers that were taken one by one from its public history, not from a checkout, so not every
file is proved to be that of the commit.

An [adapter](there/adapters) of a few lines calls each function: it maps names, orders of arguments and conventions. A
convention that differs is not an error. Only instances that the function's documentation covers are asked, with at
most 20 000 numbers each; wrong arguments are never asked. [entries.py](entries.py) says which instances are asked.
Answers are judged as those of this project, with ground truth and certificates. If a function documents a tolerance,
or iterates to one, a larger error is allowed, and the note names it.

* **cases**: the instances that were asked.
* **error**: the largest relative error or certificate, in float64 or float32, where there are float32 instances.
* **time**: the processor time of `fast` divided by theirs, for two sizes: numbers, positives by negatives, or examples
  by features. Below 1, `fast` takes less time. Each side runs in its own process, with one thread, after a first call
  that compiles. The best of five runs in turn counts. The adapter's mapping of arguments is part of their time, except
  that rankings are prepared. Losses of rankings are timed from scores to the loss on both sides.
"""
NOT_EXAMINED = """
## What was not examined

* Packages that need PyTorch (entmax, torchmetrics): the wheel has 539 MB.
* LightFM 1.17 (WARP): its source does not build with Python 3.11 and current setuptools. Its steps have biases and
  learning rates of their own, so they are not those of `fit_wsabie`.
* The solver of libsdca for the top-k hinges. It is a row as soon as LIBSDCA_SOURCE names a checkout at commit 088a1a1.
  No stored run had one. The page of errata says what is known of it.
* The other solvers of libsdca and its entropic projections.
* fastprox needs Python 3.12, and cute-ranking needs NumPy 1.19.
* General solvers (quadratic programs, proximal splitting): they are used as ground truth here.
"""


def stored():
    """Returns the stored results."""
    return json.loads(STORED.read_text(encoding="utf-8"))


def written(found):
    """Returns the page."""
    rows = [(entry, found["results"][entry.key]) for entry in ENTRIES if entry.key in found["results"]]
    parts = [START, conditions(found), table(rows), faster(rows), failures(rows), NOT_EXAMINED]
    return "\n".join(part for part in parts if part)


def conditions(found):
    machine = found["machine"]
    others = f"the others with Python {found['python']}, NumPy {found['numpy']}"
    return f"Measured on one machine: {machine}; {others}.\n" + earlier(found)


def earlier(found):
    """Returns a line that names what the last run has not examined, or "" if it has examined all."""
    kept = [entry for entry in ENTRIES if entry.key in found.get("missing", ()) and entry.key in found["results"]]
    packages = ", ".join(dict.fromkeys(entry.package for entry in kept))
    return f"Kept from an earlier run, perhaps on another machine: {len(kept)} rows, of {packages}.\n" if kept else ""


def table(rows):
    """Returns one line for each entry."""
    head = "| package | what | here | asked | cases | verdict | error | time |\n|---|---|---|---|---|---|---|---|\n"
    return head + "".join(line(entry, result) for entry, result in rows)


def line(entry, result):
    asked = entry.asked + (f" ({entry.note})" if entry.note else "")
    error = f"{result['error']:.0e}" if result["error"] and result["counterexample"] is None else "–"
    error = "0" if result["error"] == 0 else error
    times = "; ".join(f"{shown(size)}: {two_digits(ours / theirs)}" for size, ours, theirs in result["times"]) or "–"
    cells = (f"{entry.package} {result['version']}", f"`{entry.does}`", f"`{entry.function}`", asked)
    return f"| {' | '.join(cells)} | {result['cases']} | {verdict(result)} | {error} | {times} |\n"


def shown(size):
    """Returns a size as text: 1000, or 50 by 2000."""
    return " by ".join(map(str, size)) if isinstance(size, (list, tuple)) else str(size)


def verdict(result):
    """Returns "right", or how many answers are wrong."""
    wrong = result["cases"] - result["passed"]
    return f"wrong in {wrong}" if result["counterexample"] else "right"


def faster(rows):
    """Returns a sentence on the instances for which another function takes less time."""
    quicker = [
        f"`{entry.does}` ({entry.package}) at {shown(size)}, {two_digits(theirs / ours)} of our `{entry.function}`"
        for entry, result in rows
        for size, ours, theirs in result["times"]
        if theirs < ours
    ]
    said = (
        "Others take less time: " + "; ".join(quicker) + "."
        if quicker
        else "On the timed instances, `fast` takes less time than all of them."
    )
    return f"{said}\n"


def failures(rows):
    """Returns a section with the counter-examples, and what was verified by hand."""
    wrong = [(entry, result) for entry, result in rows if result["counterexample"]]
    if not wrong:
        return ""
    parts = ["## Counter-examples\n\nEach is the smallest that was found, and each was verified by hand.\n"]
    for entry, result in wrong:
        title = f"### {entry.package} {result['version']}, `{entry.does}`"
        parts.append(f"{title}\n\n{entry.verified}\n\n```text\n{result['counterexample']}\n```\n")
    return "\n".join(parts)
