"""`python -m reference.check TARGET`, with options: `--help` lists them.

In place of TARGET: `--command "PROGRAM ARGUMENTS"` examines a program in any language, `--export FOLDER` writes test
vectors, and `--verify FOLDER` judges the answers beside them. The exit status is 0 if every function is right, and 1
otherwise.

`--jobs N` examines N functions at the same time, each in a process with a TARGET of its own. By default N is the number
of processors, but at most MOST_USEFUL. The report is the same for any N, except for the seconds and the speed-ups.
"""

import argparse
import shlex
import sys
from pathlib import Path

from .live import Console, Live
from .protocol import PROGRAM


def main(argv=None):
    """Examine TARGET and print the table, or write test vectors. Returns the exit status."""
    with Live(Console(stderr=True)) as live:
        live.say("loading the problems and their ground truth")
        options = _options(argv)
        if options.export:
            return _export(options, live)
        report = _report(options, live)
    report.print(Console(width=None if sys.stdout.isatty() else 120))
    if options.json:
        report.save(options.json)
    return 0 if report.passed else 1


def _report(options, live):
    """Returns the report on TARGET, on a program, or on the answers in a folder."""
    from . import check
    from .vectors import verify

    if options.verify:
        live.say(f"judging the answers in {options.verify}")
        return verify(options.verify, options.only, live.case, options.only_answers)
    target = options.target or shlex.split(options.command)
    live.say(f"starting {options.target or options.command}")
    asked = target, options.only, options.seed, options.quick
    watched = {"report_progress": live.case, "report_row": live.row}
    how = {"csr": not options.dense, "naming": options.names, "jobs": options.jobs}
    report = check(*asked, **watched, **how, only_answers=options.only_answers, cases=options.case)
    report.again = _again(options)
    return report


def _again(options):
    """Returns the command that asks one instance again, without its id."""
    words = [options.target] if options.target else ["--command", options.command]
    words += ["--names", options.names.file] if options.names else []
    words += ["--seed", str(options.seed)] if options.seed else []
    words += [f"--{name}" for name in ("quick", "only-answers") if getattr(options, name.replace("-", "_"))]
    return shlex.join(["python", "-m", "reference.check", *words])


def _export(options, live):
    """Write test vectors. Returns the exit status."""
    from .vectors import export

    live.say(f"solving the instances for {options.export}")
    counts = export(options.export, options.only, options.seed, options.quick, live.case, not options.dense)
    print(f"{sum(counts.values())} instances in {len(counts)} files in {options.export}")
    return 0


def _options(argv):
    """Returns the options; exits with status 2 if they contradict each other."""
    from .jobs import MOST_USEFUL, processors

    parser = argparse.ArgumentParser(
        prog="python -m reference.check", description="Examine an implementation.", epilog=PROGRAM,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument(
        "target", metavar="TARGET", nargs="?", help="a module name (fast, reference) or the path of a .py file"
    )
    what.add_argument("--command", metavar="COMMAND", type=_command, help="examine this program, in any language")
    what.add_argument("--export", metavar="FOLDER", help="write instances and right answers there, as JSON lines")
    what.add_argument("--verify", metavar="FOLDER", type=_folder, help="judge the answers that were written there")
    parser.add_argument("--only", metavar="NAME", choices=_Names(), help="one of %(choices)s")
    parser.add_argument(
        "--case", metavar="ID", type=_case, action="append",
        help="ask this instance only, such as topk_error:12, with the same --seed and --quick; several may be given",
    )  # fmt: skip
    parser.add_argument("--seed", metavar="S", type=_seed, default=0, help="the seed of all random instances")
    parser.add_argument("--quick", action="store_true", help="a smaller catalogue: seconds instead of minutes")
    parser.add_argument("--dense", action="store_true", help="no CSR: for a solution that takes arrays only")
    parser.add_argument(
        "--only-answers", action="store_true",
        help="judge the mathematics only: not types, batches, refusals, changed arguments, prints and warnings",
    )  # fmt: skip
    parser.add_argument("--json", metavar="FILE", type=_writable, help="also write the whole report to this JSON file")
    parser.add_argument(
        "--names", metavar="FILE", type=_names, help="TOML: what TARGET calls functions and arguments, what it lacks"
    )
    parser.add_argument(
        "--jobs", metavar="N", type=_jobs, default=min(processors(), MOST_USEFUL),
        help="examine N functions at the same time, each with a TARGET of its own (by default, here: %(default)s)",
    )  # fmt: skip
    options = parser.parse_args(argv)
    if options.names and not options.target:
        parser.error("--names goes with TARGET: a program names its functions by itself")
    if options.case and (options.only or not (options.target or options.command)):
        parser.error("--case goes with TARGET or --command, and without --only: an ID names the function, too")
    return options


class _Names:
    """The names of all functions. The ground truth, which takes seconds to load, is loaded if they are asked for."""

    def __iter__(self):
        from .judging.specs import SPECS

        return iter(SPECS)


def _names(text):
    from .naming import Naming, from_file

    try:
        naming = Naming(from_file(text))
        naming.file = text
        return naming
    except (OSError, ValueError) as trouble:
        raise argparse.ArgumentTypeError(str(trouble)) from None


def _case(text):
    from .plan import function_of

    if function_of(text) not in _Names() or not text.rpartition(":")[2].isdecimal():
        raise argparse.ArgumentTypeError(f"must be an id such as topk_error:12, got {text}")
    return text


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


def _jobs(text):
    if not text.strip().isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number >= 1, got {text}")
    return int(text)


def _seed(text):
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError(f"must be >= 0, got {number}")
    return number


if __name__ == "__main__":
    sys.exit(main())
