"""What the tests of the examiner share: the mutants, the verdicts they declare, and how they are examined."""

import ast
import contextlib
import importlib
import time
from pathlib import Path
from typing import NamedTuple

import pytest

from reference.check import Limits, check
from reference.check.examiner import Examination
from reference.check.judging import outcome
from reference.check.judging.subject import SUBJECTS
from reference.check.sandbox.sandbox import Sandbox

MUTANTS = Path(__file__).parents[1] / "mutants"
ROOT = MUTANTS.parents[1]
DIFFERS = "differs from the ground truth"
DECLARED = ("FUNCTION", "FUNCTIONS", "REASON", "PHRASE", "LARGEST", "ENOUGH")
# What a mutant may declare otherwise.
LARGEST = 6  # the most entries along one axis of an array of the counter-example
MOST_EPOCHS = 3000  # of a wrong fit, which may never end; no right one needs as many
ENOUGH = 1  # failures for this reason, from the smallest of which the counter-example is made


class Mutant(NamedTuple):
    """One wrong function, and the verdict that it declares."""

    path: Path
    function: str
    reason: str  # of the verdict
    phrase: str  # in the text of the counter-example
    largest: int
    enough: int
    is_special: bool  # it declares how its counter-example looks

    @property
    def family(self):
        return self.path.parent.name

    @property
    def functions(self):
        """The wrong function by its name, imported into this process. Never ask this of a hostile mutant."""
        module = ".".join(self.path.relative_to(ROOT).with_suffix("").parts)
        return {self.function: getattr(importlib.import_module(module), self.function)}

    def __str__(self):
        return f"{self.family}-{self.path.stem}-{self.function}"


def mutants(*families):
    """Returns all mutants of these families, or of all families. A file that starts with _ is not a mutant."""
    paths = sorted(path for path in MUTANTS.glob("*/*.py") if not path.stem.startswith("_"))
    return [one for path in paths if not families or path.parent.name in families for one in _declared_in(path)]


def _declared_in(path):
    """Reads the constants of a mutant without running it. REASON may be a dict with one reason for each function."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    constants = {
        node.targets[0].id: ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", None) in DECLARED
    }
    names = constants.get("FUNCTIONS") or (constants["FUNCTION"],)
    for name in names:
        reason = constants["REASON"]
        reason = reason[name] if isinstance(reason, dict) else reason
        bounds = constants.get("LARGEST", LARGEST), constants.get("ENOUGH", ENOUGH)
        is_special = bool({"PHRASE", "LARGEST", "ENOUGH"} & set(constants))
        yield Mutant(path, name, reason, constants.get("PHRASE", ""), *bounds, is_special)


ROWS = [row for name in SUBJECTS for row in ([name, f"{name}, CSR"] if SUBJECTS[name].csr else [name])]


@contextlib.contextmanager
def remembering():
    """What the ground truth found for an instance is kept in this block, in this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(outcome, "known", {})
        yield


def cases_of(row):
    """Returns (name of the function, instances) of a row of the examiner's quick report, dense or CSR."""
    name, *csr = row.split(", ")
    cases = SUBJECTS[name].csr if csr else SUBJECTS[name].cases
    return name, cases(Examination.generator_of(0, row), True)


def call_of(name, case):
    """Returns (arguments by position, options) of the call that an instance stands for."""
    values, positional = list(case.given.items()), SUBJECTS[name].positional
    return [value for _, value in values[:positional]], dict(values[positional:])


def ended_early(case):
    """Returns the same instance with at most MOST_EPOCHS."""
    epochs = case.arguments.get("max_epochs", 0)
    return case._replace(arguments={**case.arguments, "max_epochs": MOST_EPOCHS}) if epochs > MOST_EPOCHS else case


def first_failure(target, name, reason, enough=1, simplified=True):
    """Calls a function of TARGET on case after case until `enough` of them fail for this reason.

    Returns (the Failure, simplified or as it is; all reasons on the way). It is None if no case fails for this reason.
    """
    with Sandbox(target, [name], Limits()) as box:
        box.start()
        examination, failures, reasons = Examination(box, 0, True, lambda name, done: None), [], []
        for case in map(ended_early, SUBJECTS[name].cases(examination.generator(name), True)):
            outcome = examination.run(name, case)
            if outcome.reason:
                failures.append((case, outcome))
                reasons.append(outcome.reason)
            if reasons.count(reason) >= enough:
                break
        if reason not in reasons:
            return None, reasons
        return examination.smallest(name, failures) if simplified else Examination.failure(name, *failures[-1]), reasons


def examine(name, **options):
    """Examines one mutant, FAMILY/STEM, in a fresh interpreter."""
    return check(MUTANTS / f"{name}.py", quick=True, **options)


def failure_of(result, name):
    return next(row for row in result.rows if row.name == name).failure


def wait_until(condition, seconds=30.0):
    """Returns what the condition returns as soon as it is true, or after these seconds."""
    end = time.monotonic() + seconds
    while not (result := condition()) and time.monotonic() < end:
        time.sleep(0.05)
    return result
