"""The examination: calls each function of TARGET on each case, in TARGET's process, and judges the answers here."""

import importlib
import statistics
import zlib

import numpy as np

from . import real_input
from .judging.contract import ALONE, divided
from .judging.outcome import Outcome, answer_dtype, conduct
from .judging.shrink import smallest_failure, weight
from .judging.specs import SPECS
from .judging.subject import SUBJECTS
from .report import MATHEMATICS, NO_ANSWER, WRONG, Failure, Row
from .sandbox.sandbox import Fatal
from .speed import seconds_a_call, timed

CSR = ".csr"  # in the names of instances that hold CSR matrices
NOT_OFFERED = Outcome("", "a function without this argument")
# Functions that existed without an argument, and are examined without it where TARGET does not know it.
EXTRAS = {"topk_hinge": ("smoothing",), "fit_passive_aggressive": ("sample_weight",)}
EXTRAS["fit_topk_svm"] = EXTRAS["fit_topk_svm_kernel"] = "smoothing", "sample_weight", "duals", "sparse_duals"
EXTRAS["fit_topk_svm_parts"] = ("sparse_duals",)
TIMED_IN_ALL = 1.0  # seconds of the reference after which no further instance of a function is timed


class Examination:
    """The state of one run: the worker, the kinds of calls it has compiled, and the functions it has served."""

    most_ends = 3  # times that a function may end its process, or 2 if it hangs; it is not asked any more then
    divides = True  # whether a broken contract is told from wrong mathematics

    def __init__(
        self, box, seed, quick, report_progress=None, enough=None, largest=np.inf, report_row=None, only_answers=False,
        ids=None,
    ):  # fmt: skip
        self.box, self.seed, self.quick, self.only_answers, self.ids = box, seed, quick, only_answers, ids
        self.report_progress = report_progress or (lambda name, done: None)
        self.report_row = report_row or (lambda row: None)
        self.enough, self.largest = enough or np.inf, largest  # the most failures, and the most numbers in one case
        self._known, self._served, self._hung, self._generation = set(), [], set(), box.generation
        self._is_fresh = True
        self._ended = set()  # the ids of instances that ended a fresh process, as its first call
        self.broke = {}  # by function: how a later call of another one ended, which did not in a fresh worker

    def rows(self, names, timed, csr=True, fail_fast=False):
        """Returns a row for each function of TARGET, another if it is right and takes CSR, and those on real input."""
        rows = {}
        for name in (name for name in names if name in self.box.public):
            rows[name] = self.rows_of(name, timed, csr)
            if fail_fast and any(row.failure for row in rows[name]):
                break
        for name, end in self.broke.items():
            if rows.get(name) and (row := rows[name][0]).failure is None:
                row.passed -= 1
                place = SUBJECTS[name].place
                row.failure = Failure(name, "left its process broken", str(end), "a later call", place)
        digits = [row for name, found in rows.items() for row in self.digits_after(name, found)]
        return [*(row for found in rows.values() for row in found), *digits]

    def rows_of(self, name, timed, csr=True):
        """Returns the row of one function, and that of its CSR input if it takes CSR and the first is right."""
        if self.ids is not None:
            stems = {one.rpartition(":")[0] for one in self.ids}
            kinds = {name: None} | ({name + CSR: SUBJECTS[name].csr} if csr and SUBJECTS[name].csr else {})
            return [self.examine(name, timed, kind) for stem, kind in kinds.items() if stem in stems]
        rows = [self.examine(name, timed)]
        if csr and SUBJECTS[name].csr and rows[0].failure is None:
            rows.append(self.examine(name, False, SUBJECTS[name].csr))
        return rows

    def digits_after(self, name, rows):
        """Returns the rows on real input if these are the rows of the function that is fitted to it, and is right."""
        fits = name == real_input.FUNCTION and self.largest == np.inf
        is_right = self.ids is not None or rows[0].failure is None
        return real_input.digits_rows(self) if fits and is_right else []

    def has(self, identity):
        """True if this instance is one of those that are asked."""
        return self.ids is None or identity in self.ids

    def is_wrong_at_first(self, name):
        """Call TARGET on the first case only. Returns whether the answer is wrong."""
        return bool(self.run(name, next(iter(SUBJECTS[name].cases(self.generator(name), self.quick)))).reason)

    def examine(self, name, timed, csr=None):
        """Returns the row of one function. Stops after some hangs or exits, and after `enough` failures."""
        row, failures, timings = Row(f"{name}, CSR" if csr else name), {}, []
        cases = [case for case in self.cases(name, csr) if self.is_asked(name, case)]
        row.cases = len(cases)
        self.report_progress(row.name, 0)
        for done, case in enumerate(cases):
            outcome = self.run(name, case)
            if outcome is NOT_OFFERED:
                row.cases -= 1
                continue
            kind, outcome = self.divided(name, case, outcome)
            row.saw(outcome, answer_dtype(next(iter(case.arguments.values()))), kind, case)
            self.report_progress(row.name, done + 1)
            if kind:
                failures.setdefault(kind, []).append((case, outcome))
            if self._is_over(failures):
                row.unasked = len(cases) - done - 1
                break
            if case.timed and timed and not failures and not outcome.skipped:
                timings.append(case)
        if failures:
            row.failure, *row.others = self.one_of_each(name, failures)
        elif failure := nothing_answered(name, row):
            row.failure = failure
        elif timings:
            self._time(name, row, timings)
        self.report_row(row)
        return row

    def _is_over(self, failures):
        ends = [outcome.reason for _, outcome in failures.get(NO_ANSWER, ())]
        has_ended = len(ends) >= self.most_ends or ends.count("hung") >= min(self.most_ends, 2)
        return has_ended or sum(map(len, failures.values())) >= self.enough

    def divided(self, name, case, outcome):
        """Returns (what is broken, the Outcome). Nothing is broken if only the mathematics is asked, and is right."""
        if not outcome.reason:
            return "", outcome
        if not self.divides or name not in SPECS:
            return NO_ANSWER if outcome.reason in Fatal.REASONS else MATHEMATICS, outcome
        kind, outcome = divided(SPECS[name], SUBJECTS[name].judge, case, outcome, lambda other: self.run(name, other))
        if self.only_answers and kind not in WRONG:
            return "", Outcome(error=outcome.error, certificate=outcome.certificate)
        return kind, outcome

    def one_of_each(self, name, failures):
        """Returns the Failure of wrong mathematics first, simplified, and one of each other kind that is broken."""
        every = [one for kind in failures for one in failures[kind]]
        kinds = sorted(failures, key=lambda kind: (NO_ANSWER, MATHEMATICS, kind).index(kind))
        if kinds[0] not in WRONG:
            kinds.sort(key=lambda kind: min(map(weight, failures[kind])))
        first = every if not self.divides else failures[kinds[0]]
        shown = [self.smallest(name, first)]
        shown += [self.failure(name, *min(failures[kind], key=weight)) for kind in kinds[1:] if self.divides]
        for kind, failure in zip(kinds, shown, strict=False):
            failure.kind = kind
            if kind == NO_ANSWER and self.divides:
                failure.detail += f"; {self._alone(name, failures[kind][0][0])} in a fresh process"
            if kind in ALONE and failure.reason != "wrong dtype":
                failure.detail = f"{failure.detail}; {ALONE[kind]}".strip("; ")
        return shown

    def _alone(self, name, case):
        """Returns whether an instance that ended the process does so if it is the first, in words."""
        if case.id not in self._ended:
            self.box.stop()
            self.run(name, case)
        return "it fails alone, too," if case.id in self._ended else "it does not fail alone"

    def cases(self, name, csr=None):
        """Returns the instances of one function, or those of its CSR input."""
        row, stem = (f"{name}, CSR", name + CSR) if csr else (name, name)
        cases = (csr or SUBJECTS[name].cases)(self.generator(row), self.quick)
        return [case._replace(id=f"{stem}:{place}") for place, case in enumerate(cases)]

    def is_asked(self, name, case):
        """True if TARGET is given this instance: a program is given no large ones, and no arguments of EXTRAS."""
        if (self.only_answers and case.refuses) or not self.has(case.id):
            return False
        is_program = self.largest < np.inf
        return size_of(case.arguments) <= self.largest and not (is_program and extras_in(name, case))

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
        if lack := self.lack(name, case):
            return Outcome(skipped=lack)
        try:
            reply = self.call(name, case)
        except Fatal as end:
            return Outcome(end.reason, end.message)
        if _is_not_offered(name, case, reply):
            return NOT_OFFERED
        outcome = conduct(case, reply) or SUBJECTS[name].judge(case, reply)
        return outcome._replace(reply=reply) if outcome.reason else outcome

    def lack(self, name, case):
        """Returns what TARGET has declared that it lacks for this instance, or "" if nothing."""
        naming = getattr(self.box, "naming", None)
        return naming.lack(name, case.arguments) if naming else ""

    def call(self, name, case, repeat=1, patience=1):
        """Call TARGET. Returns the Reply, or raises Fatal.

        If the call ends a worker that other functions have used, it is tried again in a fresh one, since one of them
        may have broken the worker.
        """
        others = [other for other in self._served if other != name]
        try:
            return self._call(name, case, repeat, patience)
        except Fatal as end:
            if end.reason == "hung":
                self._hung.add(name)
            if end.reason == "hung" or not others:
                raise
            reply = self._call(name, case, repeat, patience)
            self.broke.setdefault(others[-1], end)
            return reply

    def _call(self, name, case, repeat, patience):
        self.box.ensure_started()
        if self.box.generation != self._generation:
            self._known, self._served, self._generation, self._is_fresh = set(), [], self.box.generation, True
        given = case.given
        kind = (name, *sorted(_kind(key, value) for key, value in given.items()))
        is_short = kind in self._known or name in self._hung
        seconds = self.box.limits.seconds if is_short else self.box.limits.first_seconds
        if name not in self._served:
            self._served.append(name)
        fresh, self._is_fresh = self._is_fresh, False
        try:
            reply = self.box.call(name, given, SUBJECTS[name].positional, patience * seconds, repeat)
        except Fatal:
            if fresh:
                self._ended.add(case.id)
            raise
        self._known.add(kind)
        return reply

    def smallest(self, name, failures):
        """Returns the Failure of the simplest instance that fails, given the failures (case, outcome) so far."""
        subject = SUBJECTS[name]
        ends = [one for one in failures if one[1].reason in Fatal.REASONS]
        case, outcome = (ends or failures)[0]
        if not ends:
            run, rng = (lambda trial: self._judged(name, trial)), self.generator(name)
            case, outcome = smallest_failure(run, subject, rng, failures)
        return self.failure(name, case, outcome)

    @staticmethod
    def failure(name, case, outcome):
        """Returns the Failure of an instance that failed."""
        subject = SUBJECTS[name]
        expected = subject.expected(case) if outcome.expected is None else outcome.expected
        return Failure(
            name, outcome.reason, outcome.detail, case.label, subject.place, case.given, subject.positional,
            expected, outcome.got, id=case.id,
        )  # fmt: skip

    def _time(self, name, row, cases):
        """Enter the speed-up on these cases into the row."""
        try:
            row.speedup = self._speedup(name, cases)
        except Fatal as end:
            row.passed -= 1
            row.failure = Failure(name, end.reason, end.message, "many calls, to be timed", SUBJECTS[name].place)

    def _speedup(self, name, cases):
        """Returns the median, over these cases, of the time of the reference divided by the time of TARGET."""
        twin, ratios, spent = getattr(importlib.import_module("reference"), name), [], 0.0
        for case in cases:
            theirs = seconds_a_call(lambda repeat, case=case: self.call(name, case, repeat).seconds)
            ours = seconds_a_call(lambda repeat, case=case: timed(twin, case, SUBJECTS[name].positional, repeat))
            ratios.append(ours / theirs)
            spent += ours
            if spent > TIMED_IN_ALL:
                break
        return statistics.median(ratios)


def nothing_answered(name, row):
    """Returns the Failure of a row in which cases were skipped and no answer was judged, or None."""
    if not row.skips or row.error or row.certificate:
        return None
    reason, detail = "answered nothing", f"{row.skipped} of {row.cases} instances were skipped"
    return Failure(name, reason, detail, "all", SUBJECTS[name].place)


def extras_in(name, case):
    """Returns the arguments of EXTRAS that this instance has."""
    return [extra for extra in EXTRAS.get(name, ()) if extra in case.arguments]


def _is_not_offered(name, case, reply):
    """True if TARGET does not know an argument of EXTRAS that this instance has."""
    if reply.raised is None or "TypeError" not in reply.raised["kinds"]:
        return False
    return any(f"keyword argument '{extra}'" in reply.raised["message"] for extra in extras_in(name, case))


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
