"""`python -m reference.check TARGET [--only NAME] [--seed S] [--quick] [--dense] [--names FILE] [--json FILE]`

In place of TARGET: `--command "PROGRAM ARGUMENTS"` examines a program in any language, `--export FOLDER` writes test
vectors, and `--verify FOLDER` judges the answers beside them. The exit status is 0 if every function is right, and 1
otherwise.
"""

import argparse
import shlex
import sys
from pathlib import Path

from rich.console import Console
from rich.progress import Progress, TextColumn, TimeElapsedColumn

from . import check
from .naming import Naming, from_file
from .subjects import SUBJECTS
from .vectors import export, verify


def main(argv=None):
    """Examine TARGET and print the table, or write test vectors. Returns the exit status."""
    options = _options(argv)
    columns = (TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task("loading", total=None)

        def show(name, done):
            bar.update(task, description=f"{name}: {done} cases")

        if options.export:
            counts = export(options.export, options.only, options.seed, options.quick, show)
            print(f"{sum(counts.values())} instances in {len(counts)} files in {options.export}")
            return 0
        if options.verify:
            report = verify(options.verify, options.only, show)
        else:
            asked = options.target or shlex.split(options.command), options.only, options.seed, options.quick
            report = check(*asked, report_progress=show, csr=not options.dense, naming=options.names)
    report.print(Console(width=None if sys.stdout.isatty() else 120))
    if options.json:
        report.save(options.json)
    return 0 if report.passed else 1


def _options(argv):
    """Returns the options; exits with status 2 if they contradict each other."""
    parser = argparse.ArgumentParser(prog="python -m reference.check", description="Examine an implementation.")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument(
        "target", metavar="TARGET", nargs="?", help="a module name (fast, reference) or the path of a .py file"
    )
    what.add_argument("--command", metavar="COMMAND", type=_command, help="examine this program, in any language")
    what.add_argument("--export", metavar="FOLDER", help="write instances and right answers there, as JSON lines")
    what.add_argument("--verify", metavar="FOLDER", type=_folder, help="judge the answers that were written there")
    parser.add_argument("--only", metavar="NAME", choices=list(SUBJECTS), help=f"one of {', '.join(SUBJECTS)}")
    parser.add_argument("--seed", metavar="S", type=_seed, default=0, help="the seed of all random instances")
    parser.add_argument("--quick", action="store_true", help="a smaller catalogue: seconds instead of minutes")
    parser.add_argument("--dense", action="store_true", help="no CSR input: for a solution that takes arrays only")
    parser.add_argument("--json", metavar="FILE", type=_writable, help="also write the whole report to this JSON file")
    parser.add_argument(
        "--names", metavar="FILE", type=_names, help="TOML: the names that TARGET has for functions and arguments"
    )
    options = parser.parse_args(argv)
    if options.names and not options.target:
        parser.error("--names goes with TARGET: a program names its functions by itself")
    return options


def _names(text):
    try:
        return Naming(from_file(text))
    except (OSError, ValueError) as trouble:
        raise argparse.ArgumentTypeError(str(trouble)) from None


def _command(text):
    if not shlex.split(text):
        raise argparse.ArgumentTypeError("must name a program")
    return text


def _folder(text):
    if not any(Path(text).glob("*.jsonl")):
        raise argparse.ArgumentTypeError(f"there are no test vectors in {text}: write some by --export")
    return text


def _writable(text):
    if not Path(text).absolute().parent.is_dir():
        raise argparse.ArgumentTypeError(f"the folder {Path(text).parent} does not exist")
    return text


def _seed(text):
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError(f"must be >= 0, got {number}")
    return number


if __name__ == "__main__":
    sys.exit(main())
