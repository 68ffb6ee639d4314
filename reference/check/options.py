"""The options of `python -m reference.check`. Reading them loads neither the ground truth nor a solver."""

import argparse
import json
import shlex
from pathlib import Path
from types import FunctionType

import reference

from .jobs import MOST_USEFUL, processors
from .protocol import PROGRAM

# The public functions, all of which are examined.
NAMES = tuple(name for name in reference.__all__ if isinstance(getattr(reference, name), FunctionType))


def options_of(argv):
    """Returns the options; exits with status 2 if they contradict each other."""
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
    _add_asked(parser)
    _add_runs(parser)
    options = parser.parse_args(argv)
    if options.names and not options.target:
        parser.error("--names goes with TARGET: a program names its functions by itself")
    if options.last_failed is not None:
        if options.case:
            parser.error("--last-failed goes without --case")
        options.case, options.seed, options.quick = options.last_failed
    if options.case is not None and (options.only or not (options.target or options.command)):
        parser.error("instances are asked again with TARGET or --command, and without --only: an ID names the function")
    return options


def _add_asked(parser):
    parser.add_argument("--only", metavar="NAME", choices=NAMES, help="one of %(choices)s")
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
    parser.add_argument(
        "--names", metavar="FILE", type=_names, help="TOML: what TARGET calls functions and arguments, what it lacks"
    )
    parser.add_argument(
        "--jobs", metavar="N", type=_jobs, default=min(processors(), MOST_USEFUL),
        help="examine N functions at the same time, each with a TARGET of its own (by default, here: %(default)s)",
    )  # fmt: skip


def _add_runs(parser):
    parser.add_argument("--fail-fast", action="store_true", help="stop at the first failure of all; one job")
    parser.add_argument(
        "--timeout", metavar="S", type=_seconds, help="the most seconds of a call, and of loading TARGET"
    )
    parser.add_argument("--quiet", action="store_true", help="print a line with the verdict for each function only")
    parser.add_argument("--json", metavar="FILE", type=_report, help="also write the whole report to this JSON file")
    parser.add_argument("--junit", metavar="FILE", type=_report, help="also write the verdicts as JUnit's XML")
    parser.add_argument(
        "--last-failed", metavar="FILE", type=_failed,
        help="ask the instances only that failed in this report (of --json), with its seed and its catalogue",
    )  # fmt: skip


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

    if function_of(text) not in NAMES or not text.rpartition(":")[2].isdecimal():
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


def _report(text):
    """The name of a file to write. A file that another program wrote is not written over."""
    path = Path(text)
    if not path.absolute().parent.is_dir():
        raise argparse.ArgumentTypeError(f"the folder {path.parent} does not exist")
    if path.exists() and (not path.is_file() or (path.stat().st_size and not _is_ours(path))):
        raise argparse.ArgumentTypeError(f"{text} exists, and is no report of this program: remove it, or name another")
    return text


def _is_ours(path):
    from . import junit

    try:
        text = path.read_text(encoding="utf-8")
        return junit.is_ours(text) or {"target", "rows"} <= set(json.loads(text))
    except (OSError, ValueError, TypeError):
        return False


def _failed(text):
    """Returns (the ids that failed, the seed, whether the catalogue was the quick one) of an earlier report."""
    try:
        report = json.loads(Path(text).read_text(encoding="utf-8"))
        ids = [_case(one["id"]) for row in report["rows"] for one in row["failing"]]
        asked = ids, int(report["seed"]), bool(report["quick"])
    except (OSError, ValueError, TypeError, LookupError) as trouble:
        raise argparse.ArgumentTypeError(f"{text} is no report that --json wrote for a TARGET ({trouble})") from None
    if not ids and not report["passed"]:
        raise argparse.ArgumentTypeError(f"no instance in {text} failed by itself: examine all again")
    return asked


def _seconds(text):
    number = float(text)
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"must be > 0, got {text}")
    return number


def _jobs(text):
    if not text.strip().isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number >= 1, got {text}")
    return int(text)


def _seed(text):
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError(f"must be >= 0, got {number}")
    return number
