"""`python -m reference.check TARGET [--only NAME] [--seed S] [--quick] [--dense] [--json FILE]`

The exit status is 0 if every function is right, and 1 otherwise.
"""

import argparse
import sys
from pathlib import Path

from rich.console import Console

from .live import Live


def main(argv=None):
    """Examine TARGET and print the table. Returns the exit status."""
    with Live(Console(stderr=True)) as live:
        live.say("loading the problems and their ground truth")
        from . import check
        from .subjects import SUBJECTS

        options = _parser(SUBJECTS).parse_args(argv)
        live.say(f"starting {options.target}")
        asked = options.target, options.only, options.seed, options.quick
        report = check(*asked, report_progress=live.case, report_row=live.row, csr=not options.dense)
    report.print(Console(width=None if sys.stdout.isatty() else 120))
    if options.json:
        report.save(options.json)
    return 0 if report.passed else 1


def _parser(names):
    parser = argparse.ArgumentParser(prog="python -m reference.check", description="Examine an implementation.")
    parser.add_argument("target", metavar="TARGET", help="a module name (fast, reference) or the path of a .py file")
    parser.add_argument("--only", metavar="NAME", choices=list(names), help=f"one of {', '.join(names)}")
    parser.add_argument("--seed", metavar="S", type=_seed, default=0, help="the seed of all random instances")
    parser.add_argument("--quick", action="store_true", help="a smaller catalogue: seconds instead of a minute")
    parser.add_argument("--dense", action="store_true", help="no CSR input: for a solution that takes arrays only")
    parser.add_argument("--json", metavar="FILE", type=_writable, help="also write the whole report to this JSON file")
    return parser


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
