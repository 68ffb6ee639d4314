"""Examines one entry: the examiner's instances that it promises to solve, in the environment of the others."""

import sys
from pathlib import Path

import numpy as np

import reference
from reference.check.examiner import Examination, size_of
from reference.check.judging.arguments import problem_of
from reference.check.judging.condition import Minimum
from reference.check.judging.outcome import DIFFERS, Outcome, conduct
from reference.check.report import Row
from reference.check.sandbox.sandbox import Limits
from reference.check.topk_svm import truth
from reference.check.vectors.program import Program

HERE = Path(__file__).parent / "there"
PROGRAM = HERE / "program.py"
CVXPY_ERROR = 1e-6  # of an optimum, relative


class AskedOnly(Examination):
    """An examination that asks what an entry promises, and allows the error that it declares."""

    divides = False

    def __init__(self, box, entry, seed, quick):
        super().__init__(box, seed, quick, largest=box.LARGEST)
        self.entry = entry

    def is_asked(self, name, case):
        """True if the entry promises to solve this instance, even with an argument that a program need not know."""
        promised = not case.refuses and not case.warns and not case.layout
        return promised and size_of(case.arguments) <= self.largest and bool(self.entry.asks(case.arguments))

    def _judged(self, name, case):
        if not self.is_asked(name, case):  # a simpler instance that nobody promised is no counter-example
            return Outcome()
        if name == "fit_topk_svm" and self.entry.accuracy:  # weights alone
            reply = self.call(name, case)
            return conduct(case, reply) or by_objective(case, reply.answer, self.entry.accuracy)
        outcome = super()._judged(name, case)
        tolerable = outcome.reason in (DIFFERS, "certificate")
        errors = [error for error in (outcome.error, outcome.certificate) if error is not None]
        return outcome._replace(reason="") if tolerable and max(errors) <= self.entry.accuracy else outcome


def by_objective(case, answer, accuracy):
    """Returns the Outcome of weights without duals: their objective, relative to the minimum that CVXPY finds."""
    arguments, weights = case.arguments, answer["weights"]
    X, y = arguments["X"].astype(np.float64), arguments["y"]
    hinge = reference.topk_hinge(X @ weights, y, arguments.get("k", 1), arguments.get("kind", "alpha"))
    primal = arguments["regularization"] / 2 * float(np.sum(weights**2)) + float(hinge.mean())
    found = truth.fit_topk_svm(problem_of("fit_topk_svm", arguments))
    if not isinstance(found, Minimum):
        return Outcome()
    minimum = found.value
    error = (primal - minimum) / minimum
    reason = "" if -CVXPY_ERROR <= error <= accuracy + CVXPY_ERROR else DIFFERS
    detail = f"its objective is {primal:.8g}, the minimum {minimum:.8g}"
    return Outcome(reason, detail, abs(error), None, {"minimum": float(minimum)}, answer)


def examined(entry, python=sys.executable, quick=False, folder=HERE / "adapters"):
    """Returns the Row of one entry, over all its seeds.

    Parameters
    ----------
    entry : Entry
    python : str
        The interpreter of the environment in which its package is installed.
    quick : bool
        Ask the smaller catalogue.
    folder : Path
        The folder of the adapter.

    Raises
    ------
    RuntimeError
        The adapter does not load.
    """
    command = [str(python), str(PROGRAM), str(Path(folder) / f"{entry.adapter}.py")]
    total = Row(entry.function)
    for seed in range(entry.seeds):
        with Program(command, [entry.function], Limits(seconds=60.0, first_seconds=300.0)) as box:
            box.start()
            if entry.function not in box.public:
                raise RuntimeError(f"{entry.key} does not load: {box.error}")
            added(total, AskedOnly(box, entry, seed, quick).examine(entry.function, timed=False))
    return total


def added(total, row):
    """Add the result of one seed to that of those before. The first counter-example is kept."""
    total.cases += row.cases
    total.passed += row.passed
    total.failure = total.failure or row.failure
    for worst, new in ((total.error, row.error), (total.certificate, row.certificate)):
        for dtype, value in new.items():
            worst[dtype] = max(worst.get(dtype, 0.0), value)
