"""`python -m reference.check TARGET`, with options: `--help` lists them.

In place of TARGET: `--command "PROGRAM ARGUMENTS"` examines a program in any language, `--export FOLDER` writes test
vectors, and `--verify FOLDER` judges the answers beside them. The exit status is 0 if every function is right, and 1
otherwise.

`--jobs N` examines N functions at the same time, each in a process with a TARGET of its own. By default N is the number
of processors, but at most MOST_USEFUL. The report is the same for any N, except for the seconds and the speed-ups.
"""

import os
import shlex
import sys

from .options import options_of


def main(argv=None):
    """Examine TARGET and print the table, or write test vectors. Returns the exit status."""
    options = options_of(argv)
    if options.case == []:
        print("no instance of that report failed: nothing is asked")
        return 0
    from .large import Kept
    from .live import Console, Live

    with Live(Console(stderr=True, quiet=options.quiet)) as live:
        live.say("loading the problems and their ground truth")
        if options.export:
            return _export(options, live)
        report = _report(options, live)
    if options.quiet:
        print(report.verdicts())
    else:
        is_known = sys.stdout.isatty() or os.environ.get("COLUMNS", "").isdecimal()
        report.print(Console(width=None if is_known else 120), Kept().lines)
    if options.json:
        report.save(options.json)
    if options.junit:
        from . import junit

        junit.write(report, options.junit)
    return 0 if report.passed else 1


def _report(options, live):
    """Returns the report on TARGET, on a program, or on the answers in a folder."""
    from . import Limits, check
    from .vectors import verify

    if options.verify:
        live.say(f"judging the answers in {options.verify}")
        return verify(options.verify, options.only, live.case, options.only_answers)
    target = options.target or shlex.split(options.command)
    live.say(f"starting {options.target or options.command}")
    asked = target, options.only, options.seed, options.quick
    watched = {"report_progress": live.case, "report_row": live.row}
    how = {"csr": not options.dense, "naming": options.names, "jobs": options.jobs}
    how |= {"only_answers": options.only_answers, "cases": options.case, "fail_fast": options.fail_fast}
    how |= {"limits": Limits(options.timeout, options.timeout)} if options.timeout else {}
    report = check(*asked, **watched, **how)
    report.again = _again(options)
    return report


def _again(options):
    """Returns the command that asks one instance again, without its id."""
    words = [options.target] if options.target else ["--command", options.command]
    words += ["--names", options.names.file] if options.names else []
    words += ["--seed", str(options.seed)] if options.seed else []
    words += ["--timeout", f"{options.timeout:g}"] if options.timeout else []
    words += [f"--{name}" for name in ("quick", "only-answers") if getattr(options, name.replace("-", "_"))]
    return shlex.join(["python", "-m", "reference.check", *words])


def _export(options, live):
    """Write test vectors. Returns the exit status."""
    from .vectors import export

    live.say(f"solving the instances for {options.export}")
    counts = export(options.export, options.only, options.seed, options.quick, live.case, not options.dense)
    print(f"{sum(counts.values())} instances in {len(counts)} files in {options.export}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
