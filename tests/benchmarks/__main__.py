"""Run the benchmarks and print one table: `python -m tests.benchmarks [--quick] [--only TEXT] [--json FILE]`."""

import argparse
import importlib
import json
import pkgutil
import statistics
import sys

from rich import box
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

import tests.benchmarks
from tests.benchmarks.measure import measure


def main(arguments=None):
    """Print a row for every case; exit status 1 only with --strict, if a ratio misses what it must reach."""
    options = parse(arguments)
    rows = list(run(options))
    if not rows:
        sys.exit(f"no benchmark has {options.only!r} in its name")
    Console(width=None if sys.stdout.isatty() else 120).print(table(rows))
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=2)
    missed = sum(row["ratio"] > row["at_least"] for row in rows)
    sys.exit(1 if options.strict and missed else 0)


def parse(arguments):
    title = tests.benchmarks.__doc__.split(":")[0]
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=title)
    parser.add_argument("--quick", action="store_true", help="smaller inputs and fewer repeats")
    parser.add_argument("--only", metavar="TEXT", default="", help="only the cases with TEXT in their work, any case")
    parser.add_argument("--json", metavar="FILE", help="also write the rows there")
    parser.add_argument("--strict", action="store_true", help="exit status 1 if a ratio misses what it must reach")
    return parser.parse_args(arguments)


def run(options):
    """Yields one row a case: its words, the two medians in seconds, and how their ratio stands."""
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("", total=None)
        for case in cases(options.quick):
            if options.only.lower() not in case["work"].lower():
                continue
            progress.update(task, description=case["work"])
            ours, theirs = measure(case["ours"], case["theirs"], case["repeats"])
            yield row(case, ours, theirs)


def cases(quick):
    """Yields the cases of all modules, in the order of their names."""
    modules = sorted(module.name for module in pkgutil.iter_modules(tests.benchmarks.__path__))
    for name in modules:
        if name.startswith("bench_"):
            yield from importlib.import_module(f"tests.benchmarks.{name}").cases(quick=quick)


def row(case, ours, theirs):
    ours, theirs = statistics.median(ours), statistics.median(theirs)
    ratio = ours / theirs
    verdict = "aim" if ratio <= case["aim"] else "ok" if ratio <= case["at_least"] else "misses"
    verdict = "" if case["at_least"] == float("inf") else verdict
    measured = {"ours": ours, "theirs": theirs, "ratio": ratio, "verdict": verdict}
    return {"work": case["work"], "at_least": case["at_least"], "aim": case["aim"], **measured}


def table(rows):
    result = Table(title="ours against theirs, medians in ms, single thread", box=box.SIMPLE_HEAD)
    result.add_column("work", ratio=1)
    for name in ("ours", "theirs", "ratio", "at least", "aim"):
        result.add_column(name, justify="right", no_wrap=True)
    result.add_column("verdict", no_wrap=True)
    styles = {"aim": "green", "ok": "", "misses": "bold red", "": ""}
    for line in rows:
        numbers = [f"{1e3 * line[side]:.3g}" for side in ("ours", "theirs")]
        numbers += [f"{line[name]:.3g}".replace("inf", "") for name in ("ratio", "at_least", "aim")]
        result.add_row(line["work"], *numbers, line["verdict"], style=styles[line["verdict"]])
    return result


if __name__ == "__main__":
    main()
