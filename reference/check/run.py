"""One run of the examiner, in this process or in several.

Where the kernels of `fast` must be compiled, almost two thirds of the processor time are spent in TARGET's process.
Otherwise three quarters are spent on judging, in Python, which holds its lock. Threads would overlap only judging with
TARGET's work. Processes overlap all of it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Sequence
from typing import Any

from .jobs import Jobs, rows_from
from .naming import Naming
from .plan import Plan, function_of
from .report import Report, Row
from .sandbox.sandbox import Limits

ERROR = 2  # the place of the error in what a job finds: all names, those in TARGET, the error, and `limited`


def check(
    target: str | os.PathLike[str] | dict[str, Callable[..., Any]] | Sequence[str], only: str | None = None,
    seed: int = 0, quick: bool = False, limits: Limits | None = None,
    report_progress: Callable[[str, int], object] | None = None, timed: bool = True, enough: int | None = None,
    csr: bool = True, naming: Naming | None = None, report_row: Callable[[Row], object] | None = None, jobs: int = 1,
    only_answers: bool = False, cases: Collection[str] | None = None, fail_fast: bool = False,
) -> Report:  # fmt: skip
    """Examine the public functions of TARGET. Returns a Report.

    A function that takes scipy's CSR has two rows in the report, NAME and NAME + ", CSR". The second row is
    examined if the first is right, and has its own verdict and counter-example. A solution that takes arrays only is
    right in the first row and wrong in the second, so the report as a whole does not pass. Use `csr=False` if the task
    was to take arrays only: there is no second row, and such a solution passes.

    A function may lack a part of what is asked: it raises NotImplementedError, or `naming` says so. Such instances are
    skipped. They are counted apart, and a function that answers nothing is not right.

    A verdict says whether the mathematics is right, and whether the contract of the call is kept: the type of the
    answer, batches, refusals, arguments that are left as they are, nothing printed, warnings. An answer that breaks the
    contract is still judged in its numbers, in the type that is asked for. A batch that fails although its rows are
    right when they are asked alone breaks the contract.

    Parameters
    ----------
    target : str, path, dict or list of str
        A module name, the path of a .py file, or a dict of functions, which run in a process of their own. A list is
        the command of a program in any language: see `vectors.program`.
    only : str, optional
        Examine this function only.
    seed : int
        The seed of all random instances.
    quick : bool
        Use a smaller catalogue, which takes seconds instead of minutes.
    limits : Limits, optional
        The most time and memory that one case may take.
    report_progress : function of (name of the row, number of cases done), optional
        Called at the start of a row, with 0, and after each case.
    timed : bool
        Also measure the speed-up over the reference. This takes about as long as judging the answers.
    enough : int, optional
        Stop examining a function after this many failures. By default all cases are run.
    csr : bool
        Also examine CSR input.
    naming : Naming, optional
        The names that TARGET has for functions and arguments, if they are not those of this project, and what it lacks.
    report_row : function of a Row, optional
        Called when a function, or its CSR input, is examined. With several jobs the rows come in the order in which
        they are finished.
    jobs : int, >= 1
        Examine so many functions at the same time, each in a process with a TARGET of its own. See Notes.
    only_answers : bool
        Ask and judge the mathematics only: no wrong arguments are given, and the contract may be broken.
    cases : collection of str, optional
        Ask these instances only, by their ids: NAME:NUMBER, or NAME.csr:NUMBER for CSR input. A Failure has its id, and
        a Row all ids that failed. The same seed and `quick` give the same instances.
    fail_fast : bool
        Stop at the first failure. The functions are then examined one after the other, by one job.

    Returns
    -------
    report : Report
        True if nothing is wrong. `str(report)` is the table and `report.counterexample()` the first failure as text.

    Raises
    ------
    ValueError
        `only` is not the name of a function that can be examined, or an id in `cases` names none.
        `jobs` is not an integer >= 1, or is more than 1 for a dict of functions.
    RuntimeError
        A process of several jobs has failed.

    Notes
    -----
    The instances of a row depend on `seed` and on the row's name only, and the report has its rows in one fixed order.
    So the report is the same for any number of jobs, except for the seconds and the speed-ups. Both sides of a speed-up
    are measured in turn by the same job. They still depend on what else runs: on a machine that was busy with other
    work, two jobs measured 1.5 times the speed-up of one job in the median, and twice in a few rows. Use one job for
    speed-ups that are to be published.

    A function that disturbs others in its process is looked for with several jobs, too: after its share, each job makes
    one call to each function that it has not called before. If a call shows a disturbance, all functions are examined
    once more, in one process, and that report is returned.

    BLAS uses the processors divided by `jobs` as its number of threads in each job, unless OMP_NUM_THREADS or the like
    is set. Sums are rounded differently with another number of threads, so a worst error may differ in its last digits.

    The processes are spawned. A script that calls this function with several jobs needs `if __name__ == "__main__":`.
    """
    _validate(only, jobs, target, cases)
    ids = None if cases is None else frozenset(cases)
    plan = Plan(target, only, seed, quick, limits or Limits(), timed, enough, csr, naming, only_answers, ids, fail_fast)
    report, start = Report(plan.title, seed, quick, only_answers=only_answers), time.monotonic()
    watched = report_progress or (lambda name, done: None), report_row or (lambda row: None)
    if jobs == 1 or only is not None or fail_fast or not _examined_by_jobs(plan, jobs, report, watched):
        _examined_here(plan, report, watched)
    report.seconds = time.monotonic() - start
    _note_unknown(report, plan)
    return report


def _note_unknown(report, plan):
    """Enter into the report that instances that should have been asked do not exist."""
    unknown = (plan.ids or set()) - {one["id"] for row in report.rows for one in row.instances}
    unknown = sorted(one for one in unknown if function_of(one) not in report.missing)
    if unknown and not report.error and not any(row.unasked for row in report.rows):
        report.error = f"is not asked {', '.join(unknown)}: there is no such instance for this seed and catalogue"


def _validate(only, jobs, target, cases):
    if only is not None:
        from .judging.subject import SUBJECTS

        if only not in SUBJECTS:
            raise ValueError(f"only must be one of {', '.join(SUBJECTS)}, got {only!r}")
    for one in cases or ():
        from .judging.subject import SUBJECTS

        if function_of(one) not in SUBJECTS or not one.rpartition(":")[2].isdecimal():
            raise ValueError(f"cases must be ids such as topk_error:12, got {one!r}")
    if not isinstance(jobs, int) or jobs < 1:
        raise ValueError(f"jobs must be an integer >= 1, got {jobs!r}")
    if jobs > 1 and isinstance(target, dict):
        raise ValueError(f"jobs must be 1 for a dict of functions, got {jobs}: put them into a .py file for more")


def _examined_here(plan, report, watched):
    """Fill the report with what is found in one process."""
    with plan.box() as box:
        box.start()
        _load(report, plan.names, box.public, box.error, box.limited)
        if report.error is None:
            examination, csr = plan.examination(box, *watched)
            report.rows = examination.rows(plan.names, plan.measures and plan.ids is None, csr, plan.fail_fast)
            if plan.fail_fast and (left := len(set(box.public) - {row.name.split(", ")[0] for row in report.rows})):
                report.statements.append(f"{left} functions were not examined after the first failure.")


def _examined_by_jobs(plan, count, report, watched):
    """Fill the report with what several jobs find. Returns False if functions of TARGET disturb each other."""
    with Jobs(plan, count) as jobs:
        found = jobs.loaded()
        first = next((one for one in found if one[ERROR] is None), found[0])
        _load(report, *first)
        if report.error is None and any(one != first for one in found):
            trouble = next((one[ERROR] for one in found if one[ERROR]), "other functions are found")
            report.error = f"does not load {count} times at once, so use one job: {trouble}"
        if report.error is None:
            names, public, *_ = first
            report.rows = rows_from(jobs, [name for name in names if name in public], *watched)
    return report.rows is not None


def _load(report, names, public, error, limited):
    """Enter into the report what was found when TARGET was loaded."""
    report.statements = [] if limited else ["Memory is not limited on this platform."]
    report.missing = [name for name in names if name not in public]
    report.error = error
    if error is None and not public:
        report.error = f"has none of the public functions ({', '.join(names)})"
