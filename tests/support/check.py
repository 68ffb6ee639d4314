"""What the tests of the examiner share: how mutants are examined, and the instances of the catalogue."""

import contextlib
import functools
import time
from pathlib import Path

import numpy as np
import pytest

import reference
from reference.check.examiner import Examination, size_of
from reference.check.judging import outcome
from reference.check.judging.arguments import problem_of
from reference.check.judging.case import Case
from reference.check.judging.specs import SPECS
from reference.check.judging.subject import SUBJECTS
from reference.check.sandbox import worker
from reference.check.sandbox.sandbox import Reply, Sandbox
from tests.mutants import DIFFERS
from tests.support.twins import fit

ROOT = Path(__file__).parents[2]
MOST_EPOCHS = 100  # of a wrong fit, which may never end; no right one of the catalogue needs a third of them
ROWS = [row for name in SUBJECTS for row in ([name, f"{name}, CSR"] if SUBJECTS[name].csr else [name])]


@contextlib.contextmanager
def remembering():
    """What the ground truth found for an instance is kept in this block, in this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(outcome, "known", {})
        yield


def drawn(row):
    """Returns a generator of the instances of a row of the examiner's quick report, dense or CSR."""
    name, *csr = row.split(", ")
    cases = SUBJECTS[name].csr if csr else SUBJECTS[name].cases
    return cases(Examination.generator_of(0, row), True)


@functools.cache
def cases_of(row):
    """Returns (name of the function, all instances) of a row.

    They are drawn once in a process, so nothing may change their arguments.
    """
    return row.split(", ")[0], tuple(drawn(row))


def call_of(name, case):
    """Returns (arguments by position, options) of the call that an instance stands for."""
    values, positional = list(case.given.items()), SUBJECTS[name].positional
    return [value for _, value in values[:positional]], dict(values[positional:])


def ended_early(case):
    """Returns the same instance with at most MOST_EPOCHS."""
    epochs = case.arguments.get("max_epochs", 0)
    return case._replace(arguments={**case.arguments, "max_epochs": MOST_EPOCHS}) if epochs > MOST_EPOCHS else case


class Several(Sandbox):
    """Versions of functions in one process, by any names. A call of whichever function is one of the version chosen.

    After a call, nobody looks for what it has rewritten: half of the time would go there.
    """

    def __init__(self, versions):
        super().__init__(versions, versions)
        self.start()

    def start(self):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(worker, "rewritten", lambda *_: None)
            super().start()

    def choose(self, name):
        self.chosen = name
        return self

    def call(self, function, *given, **how):
        return super().call(self.chosen, *given, **how)


def first_failure(target, name, *how, **options):
    """Returns what `failure_in` does, of functions in a process of their own."""
    with Several(target) as box:
        return failure_in(box.choose(name), name, *how, **options)


def failure_in(box, name, reason=DIFFERS, enough=1, simplified=True, largest=np.inf, backwards=False):
    """Calls a function in a sandbox on case after case until `enough` of them fail for this reason, or any if None.

    Cases with more than `largest` numbers are left out, and the last may come first. Returns (the Failure, simplified
    or as it is; all reasons on the way). It is None if no case fails for this reason.
    """
    examination, failures, reasons = Examination(box, 0, True, lambda name, done: None), [], []
    _, cases = cases_of(name)
    for case in reversed(cases) if backwards else cases:
        if size_of(case.arguments) > largest:
            continue
        case = ended_early(case)
        outcome = examination.run(name, case)
        if outcome.reason:
            failures.append((case, outcome))
            reasons.append(outcome.reason)
        if (len(reasons) if reason is None else reasons.count(reason)) >= enough:
            break
    if not reasons or reason not in (None, *reasons):
        return None, reasons
    return examination.smallest(name, failures) if simplified else Examination.failure(name, *failures[-1]), reasons


def solution(folder, text):
    """Returns the path of a file with this text, in a folder: a solution, or a program."""
    path = folder / "solution.py"
    path.write_text(text)
    return path


def in_brief(form):
    """Returns the JSON form of a value with few numbers, which the schema of the test vectors takes as it takes `form`.

    Of a number it asks the type and the sign only, and the same of all numbers of a list.
    """
    if isinstance(form, dict):
        return {name: in_brief(part) for name, part in form.items()}
    if isinstance(form, list):
        alike = {*map(type, form)} in ({float}, {int}, {bool})
        return [in_brief(part) for part in ([min(form)] if alike else form)]
    if isinstance(form, float):
        return 0.5
    return int(np.sign(form)) if type(form) is int else form


def as_answer(fit):
    """Returns a fit, or an Inference, as the examiner receives it from the process of TARGET."""
    answer = fit._asdict()
    if "history" in answer and fit.history is not None:
        answer["history"] = {field: np.asarray(fit.history[field]) for field in fit.history.dtype.names}
    return answer | ({"last_fit": as_answer(fit.last_fit)} if "last_fit" in answer else {})


def right_answer(name, arguments):
    """Returns the answer of the reference, as `as_answer` has it, or its parts by name if there are several."""
    answer, parts = fit(getattr(reference, name), **arguments), SPECS[name].parts(problem_of(name, arguments))
    if hasattr(answer, "_asdict"):
        return as_answer(answer)
    return dict(zip(parts, answer, strict=True)) if len(parts) > 1 else answer


def judged(name, arguments, answer, **how):
    """Returns the reason for which the answer of this call is refused, or "". `how` are further fields of a Case."""
    return SUBJECTS[name].judge(Case("", arguments, **how), Reply(answer=answer)).reason


def wait_until(condition, seconds=30.0):
    """Returns what the condition returns as soon as it is true, or after these seconds."""
    end = time.monotonic() + seconds
    while not (result := condition()) and time.monotonic() < end:
        time.sleep(0.05)
    return result
