"""The examination: calls each function of TARGET on each case, in TARGET's process, and judges the answers here."""

import importlib
import shlex
import statistics
import time
import zlib

import numpy as np

from . import real_input
from .judges._base import Outcome, answer_dtype, conduct
from .naming import Naming
from .problems._base import Case
from .report import Failure, Report, Row
from .sandbox.sandbox import Fatal, Limits, Sandbox
from .shrink import smallest_failure
from .subjects import SUBJECTS

TIMED_FOR = 0.03  # seconds a measurement takes at least, so that its overhead does not count
LONG = 0.3  # seconds of a call that is not repeated, as its first run hardly differs from the next
TIMED_IN_ALL = 1.0  # seconds of the reference after which no further instance of a function is timed


def check(
    target, only=None, seed=0, quick=False, limits=None, report_progress=None, timed=True, enough=None, csr=True,
    naming=None, report_row=None,
):  # fmt: skip
    """Examine the public functions of TARGET. Returns a Report.

    A function whose contract takes scipy's CSR has two rows in the report, NAME and NAME + ", CSR". The second row is
    examined if the first is right, and has its own verdict and counter-example. A solution that takes arrays only is
    right in the first row and wrong in the second, so the report as a whole does not pass. Use `csr=False` if the task
    was to take arrays only: there is no second row, and such a solution passes.

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
    report_progress : function of (name of the function, number of cases done), optional
        Called after each case.
    timed : bool
        Also measure the speed-up over the reference. This takes about as long as judging the answers.
    enough : int, optional
        Stop examining a function after this many failures. By default all cases are run.
    csr : bool
        Also examine CSR input.
    naming : Naming, optional
        The names that TARGET has for functions and arguments, if they are not those of this project.
    report_row : function of a Row, optional
        Called when a function, or its CSR input, is examined.

    Returns
    -------
    report : Report
        True if nothing is wrong. `str(report)` is the table and `report.counterexample()` the first failure as text.

    Raises
    ------
    ValueError
        `only` is not the name of a function that can be examined.
    """
    if only is not None and only not in SUBJECTS:
        raise ValueError(f"only must be one of {', '.join(SUBJECTS)}, got {only!r}")
    names = list(SUBJECTS) if only is None else [only]
    report = Report(_title(target), seed, quick)
    start = time.monotonic()
    is_program = isinstance(target, (list, tuple))
    with _box(target, names, limits or Limits(), naming or Naming()) as box:
        box.start()
        report.error = box.error
        report.missing = [name for name in names if name not in box.public]
        if report.error is None and not box.public:
            report.error = f"has none of the public functions ({', '.join(names)})"
        if not box.limited:
            report.statements.append("Memory is not limited on this platform.")
        largest = box.LARGEST if is_program else np.inf
        examination = Examination(box, seed, quick, report_progress, enough, largest, report_row)
        if report.error is None:
            timed = timed and not is_program and report.target != "reference"
            report.rows = examination.rows(names, timed, csr and (not is_program or box.takes_csr))
    report.seconds = time.monotonic() - start
    return report


def _box(target, names, limits, naming):
    """Returns the Sandbox of functions in Python, or the Program of a command."""
    if isinstance(target, (list, tuple)):
        from .vectors.program import Program

        return Program(target, names, limits)
    return Sandbox(target if isinstance(target, dict) else str(target), names, limits, naming)


class Examination:
    """The state of one run: the worker, the kinds of calls it has compiled, and the functions it has served."""

    def __init__(self, box, seed, quick, report_progress=None, enough=None, largest=np.inf, report_row=None):
        self.box, self.seed, self.quick = box, seed, quick
        self.report_progress, self.report_row = report_progress or (lambda name, done: None), report_row
        self.enough, self.largest = enough or np.inf, largest  # the most failures, and the most numbers in one case
        self._known, self._served, self._generation, self._broke = set(), [], box.generation, {}

    def rows(self, names, timed, csr=True):
        """Returns a row for each function of TARGET, another if it is right and takes CSR, and those on real input."""
        rows = {}
        for name in [name for name in names if name in self.box.public]:
            rows[name] = self.examine(name, timed)
            if csr and SUBJECTS[name].csr and rows[name].failure is None:
                rows[f"{name}, CSR"] = self.examine(name, False, SUBJECTS[name].csr)
        for name, end in self._broke.items():
            if rows[name].failure is None:
                rows[name].passed -= 1
                place = SUBJECTS[name].place
                rows[name].failure = Failure(name, "left its process broken", str(end), "a later call", place)
        fit = rows.get(real_input.FUNCTION)
        digits = fit and not fit.failure and self.largest == np.inf
        return [*rows.values(), *(real_input.digits_rows(self) if digits else ())]

    def examine(self, name, timed, csr=None):
        """Returns the row of one function. Stops at a hang or an exit, and after `enough` failures."""
        subject, row, failures, timings = SUBJECTS[name], Row(f"{name}, CSR" if csr else name), [], []
        cases = (csr or subject.cases)(self.generator(row.name), self.quick)
        cases = [case for case in cases if size_of(case.arguments) <= self.largest]
        row.cases = len(cases)
        for done, case in enumerate(cases):
            outcome = self.run(name, case)
            row.saw(outcome, answer_dtype(next(iter(case.arguments.values()))))
            self.report_progress(row.name, done + 1)
            if outcome.reason:
                failures.append((case, outcome))
            if outcome.reason in Fatal.REASONS or len(failures) >= self.enough:
                break
            if case.timed and timed and not failures:
                timings.append(case)
        if failures:
            row.failure = self.smallest(name, failures)
        elif timings:
            try:
                row.speedup = self._speedup(name, timings)
            except Fatal as end:
                row.passed -= 1
                row.failure = Failure(name, end.reason, end.message, "many calls, to be timed", subject.place)
        if self.report_row:
            self.report_row(row)
        return row

    def generator(self, name):
        """Returns the random generator of one function. It does not depend on which others are examined."""
        return self.generator_of(self.seed, name)

    @staticmethod
    def generator_of(seed, name):
        """Returns the random generator of one row of the report, such as NAME or NAME + ", CSR"."""
        return np.random.default_rng([seed, zlib.crc32(name.encode())])

    def run(self, name, case):
        """Call TARGET on a case. Returns the Outcome."""
        try:
            return self._judged(name, case)
        except (ArithmeticError, LookupError, TypeError, ValueError) as trouble:  # the other rows are still produced
            return Outcome("could not be judged", repr(trouble)[:200])

    def _judged(self, name, case):
        try:
            reply = self.call(name, case)
        except Fatal as end:
            return Outcome(end.reason, end.message)
        return conduct(case, reply) or SUBJECTS[name].judge(case, reply)

    def call(self, name, case, repeat=1, patience=1):
        """Call TARGET. Returns the Reply, or raises Fatal.

        If the call ends a worker that other functions have used, it is tried again in a fresh one, since one of them
        may have broken the worker.
        """
        others = [other for other in self._served if other != name]
        try:
            return self._call(name, case, repeat, patience)
        except Fatal as end:
            if end.reason == "hung" or not others:
                raise
            reply = self._call(name, case, repeat, patience)
            self._broke.setdefault(others[-1], end)
            return reply

    def _call(self, name, case, repeat, patience):
        self.box.ensure_started()
        if self.box.generation != self._generation:
            self._known, self._served, self._generation = set(), [], self.box.generation
        given = case.given
        kind = (name, *sorted(_kind(key, value) for key, value in given.items()))
        seconds = self.box.limits.seconds if kind in self._known else self.box.limits.first_seconds
        if name not in self._served:
            self._served.append(name)
        reply = self.box.call(name, given, SUBJECTS[name].positional, patience * seconds, repeat)
        self._known.add(kind)
        return reply

    def smallest(self, name, failures):
        """Returns the Failure of the simplest instance that fails, given the failures (case, outcome) so far."""
        subject = SUBJECTS[name]
        case, outcome = failures[-1]
        if outcome.reason not in Fatal.REASONS:
            run, rng = (lambda trial: self._judged(name, trial)), self.generator(name)
            case, outcome = smallest_failure(run, subject, rng, failures)
        return Failure(
            name, outcome.reason, outcome.detail, case.label, subject.place, case.given, subject.positional,
            outcome.expected, outcome.got,
        )  # fmt: skip

    def _speedup(self, name, cases):
        """Returns the median, over these cases, of the time of the reference divided by the time of TARGET."""
        twin, ratios, spent = getattr(importlib.import_module("reference"), name), [], 0.0
        for case in cases:
            theirs = _seconds_a_call(lambda repeat, case=case: self.call(name, case, repeat).seconds)
            ours = _seconds_a_call(lambda repeat, case=case: _timed(twin, case, name, repeat))
            ratios.append(ours / theirs)
            spent += ours
            if spent > TIMED_IN_ALL:
                break
        return statistics.median(ratios)


def _timed(function, case: Case, name, repeat):
    values = list(case.given.items())
    leading, rest = values[: SUBJECTS[name].positional], values[SUBJECTS[name].positional :]
    start = time.perf_counter()
    for _ in range(repeat):
        function(*(value for _, value in leading), **dict(rest))
    return time.perf_counter() - start


def _seconds_a_call(measure):
    """Returns the time of one call, from as many calls as take TIMED_FOR seconds. A short first one does not count."""
    repeat = 1
    if (first := measure(repeat)) > LONG:
        return first
    while (spent := measure(repeat)) < TIMED_FOR and repeat < 10_000:
        repeat *= 4
    return spent / repeat


def size_of(arguments):
    """Returns the number of entries of all arguments of an instance."""
    return sum(getattr(value, "size", 1) for value in arguments.values())


def _kind(key, value):
    """Returns the kind of an argument. Calls of one kind run the same kernels, so only the first of them compiles."""
    if isinstance(value, np.ndarray):
        return key, f"{value.dtype} {value.ndim} {value.flags.c_contiguous} {value.flags.f_contiguous}"
    if hasattr(value, "indptr"):
        return key, f"{type(value).__name__} {value.dtype} {value.indices.dtype}"
    return key, value if isinstance(value, str) else type(value).__name__


def _title(target):
    if isinstance(target, (list, tuple)):
        return shlex.join(target)
    return "functions" if isinstance(target, dict) else str(target)
