"""Run the benchmarks and print two tables: `python -m tests.benchmarks [--quick] [--only TEXT] [--json FILE]`.

With --update FILE, the rows replace those of the same work in a file, or are added to it. With --cpu, they are CPU
times, which tell the ratio of single threads on a machine that has other work.
"""

import argparse
import importlib
import json
import pkgutil
import statistics
import sys
from pathlib import Path
from time import perf_counter, process_time

from rich import box
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

import tests.benchmarks
from tests.benchmarks.measure import measure
from tests.benchmarks.scaling import exponent, machine, series_of

SIDES = ("ours", "theirs", "repeats")
AIM, OK, MISSES, NO_PROMISE = "aim", "ok", "misses", ""  # verdicts on a ratio


def main(arguments=None):
    """Print a row for every case and a line for every sweep. With --strict, exit with status 1 if a ratio misses."""
    options = parse(arguments)
    rows = list(run(options))
    if not rows:
        sys.exit(f"no benchmark {options.module} has {options.only!r} in its name".replace("  ", " "))
    console = Console(width=None if sys.stdout.isatty() else 120)
    single, swept = [row for row in rows if "sweep" not in row], series_of(rows)
    if single:
        console.print(table(single))
    if swept:
        console.print(scaling_table(swept))
    if options.json:
        write(rows, options.json)
    if options.update:
        write(updated(json.loads(Path(options.update).read_text(encoding="utf-8")), rows), options.update)
    missed = sum(row["verdict"] == MISSES for row in rows)
    sys.exit(1 if options.strict and missed else 0)


def write(rows, path):
    """Write the rows as JSON, one a line."""
    with open(path, "w", encoding="utf-8") as file:
        file.write("[\n" + ",\n".join(json.dumps(row, allow_nan=False) for row in rows) + "\n]\n")


def updated(stored, rows):
    """Returns the stored rows, with the new rows in place of those of the same work or else after them."""
    new = {row["work"]: row for row in rows}
    return [new.pop(row["work"], row) for row in stored] + list(new.values())


def parse(arguments):
    title = tests.benchmarks.__doc__.split(":")[0]
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=title)
    parser.add_argument("--quick", action="store_true", help="smaller inputs and fewer repeats")
    parser.add_argument("--only", metavar="TEXT", default="", help="only the cases with TEXT in their work, any case")
    parser.add_argument("--module", metavar="NAME", default="", help="only the cases of one module, as bench_entropy")
    parser.add_argument("--json", metavar="FILE", help="also write the rows there")
    parser.add_argument("--update", metavar="FILE", help="put the rows in place of those of the same work there")
    parser.add_argument("--cpu", action="store_true", help="CPU time instead of wall time; single threads only")
    parser.add_argument("--strict", action="store_true", help="exit status 1 if a ratio misses what it must reach")
    return parser.parse_args(arguments)


def run(options):
    """Yields one row a case: its words, the two medians in seconds, the verdict on their ratio, and the machine."""
    console, here = Console(stderr=True), machine()
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("", total=None)
        for case in cases(options.quick, options.module):
            if options.only.lower() not in case["work"].lower():
                continue
            progress.update(task, description=case["work"])
            if "measure" in case and options.cpu:
                raise ValueError(f"--cpu needs cases of a single process and thread, got {case['work']!r}: use --only")
            clock = process_time if options.cpu else perf_counter
            ours, theirs = case["measure"]() if "measure" in case else measure(*(case[key] for key in SIDES), clock)
            yield {**row(case, ours, theirs), **({"clock": "cpu"} if options.cpu else {}), "machine": here}


def cases(quick, module=""):
    """Yields the cases of all modules, in the order of their names, or of one."""
    modules = sorted(module.name for module in pkgutil.iter_modules(tests.benchmarks.__path__))
    for name in modules:
        if name.startswith("bench_") and module in ("", name):
            yield from importlib.import_module(f"tests.benchmarks.{name}").cases(quick=quick)


def row(case, ours, theirs):
    calls = case.get("calls", (1, 1))
    ours, theirs = (statistics.median(side) / times for side, times in zip((ours, theirs), calls, strict=True))
    ratio = ours / theirs
    bounds = {name: case.get(name) for name in ("at_least", "aim")}
    measured = {"ours": ours, "theirs": theirs, "ratio": ratio, "verdict": verdict(ratio, **bounds)}
    return {"work": case["work"], **bounds, **measured, **case.get("sweep", {})}


def verdict(ratio, at_least, aim):
    """Returns the verdict on a ratio. A bound may be None, if there is none."""
    if aim is not None and ratio <= aim:
        return AIM
    return NO_PROMISE if at_least is None else OK if ratio <= at_least else MISSES


def table(rows):
    result = Table(title="ours against theirs, medians in ms, single thread", box=box.SIMPLE_HEAD)
    result.add_column("work", ratio=1)
    for name in ("ours", "theirs", "ratio", "at least", "aim"):
        result.add_column(name, justify="right", no_wrap=True)
    result.add_column("verdict", no_wrap=True)
    styles = {AIM: "green", OK: "", MISSES: "bold red", NO_PROMISE: ""}
    for line in rows:
        numbers = [f"{1e3 * line[side]:.3g}" for side in ("ours", "theirs")]
        numbers += ["" if line[name] is None else f"{line[name]:.3g}" for name in ("ratio", "at_least", "aim")]
        result.add_row(line["work"], *numbers, line["verdict"], style=styles[line["verdict"]])
    return result


def scaling_table(series):
    """Returns the table of the sweeps, with a line for each series, from its smallest size to its largest."""
    result = Table(title="how times grow: ours in µs, single thread", box=box.SIMPLE_HEAD, show_edge=False)
    result.add_column("series, against", ratio=1)
    for name in ("size", "ours", "grows like", "ours / theirs"):
        result.add_column(name, justify="right", no_wrap=True)
    for (_, along, name), rows in series:
        power = exponent([row["size"] for row in rows], [row["ours"] for row in rows])
        columns = [row["size"] for row in rows], [1e6 * row["ours"] for row in rows], [row["ratio"] for row in rows]
        sizes, ours, ratios = (f"{column[0]:.3g} – {column[-1]:.3g}" for column in columns)
        result.add_row(f"{name}, against {rows[0]['against']}", sizes, ours, f"{along}^{power:.1f}", ratios)
    return result


if __name__ == "__main__":
    main()
