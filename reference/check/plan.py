"""What one run examines, and how. A Plan holds no running process, so it can be sent to another process."""

import shlex
from typing import NamedTuple

import numpy as np

from .sandbox.sandbox import Limits, Sandbox


class Plan(NamedTuple):
    """The arguments of `check` that each process of a run needs."""

    target: object
    only: str | None = None
    seed: int = 0
    quick: bool = False
    limits: Limits = Limits()
    timed: bool = True
    enough: int | None = None
    csr: bool = True
    naming: object = None
    only_answers: bool = False
    ids: frozenset | None = None  # of the instances to ask
    fail_fast: bool = False

    @property
    def title(self):
        """The name of TARGET, for the table."""
        if self.is_program:
            return shlex.join(self.target)
        return "functions" if isinstance(self.target, dict) else str(self.target)

    @property
    def is_program(self):
        """True if TARGET is the command of a program."""
        return isinstance(self.target, (list, tuple))

    @property
    def names(self):
        """The functions to look for in TARGET, in the order of the report."""
        from .judging.subject import SUBJECTS

        if self.ids is not None:
            return [name for name in SUBJECTS if name in map(function_of, self.ids)]
        return list(SUBJECTS) if self.only is None else [self.only]

    def box(self):
        """Returns the Sandbox of functions in Python, or the Program of a command."""
        if self.is_program:
            from .vectors.program import Program

            return Program(self.target, self.names, self.limits)
        target = self.target if isinstance(self.target, dict) else str(self.target)
        return Sandbox(target, self.names, self.limits, self.naming, in_part=True)

    def examination(self, box, report_progress, report_row):
        """Returns the Examination of what runs in this box, and whether it has rows for CSR, too."""
        from .examiner import Examination

        largest = box.LARGEST if self.is_program else np.inf
        watched = report_progress, 1 if self.fail_fast else self.enough, largest, report_row
        examination = Examination(box, self.seed, self.quick, *watched, self.only_answers, self.ids)
        return examination, self.csr and (not self.is_program or box.takes_csr)

    @property
    def measures(self):
        """True if the speed-up over the reference is measured. It is not measured for programs and the reference."""
        return self.timed and not self.is_program and self.title != "reference"


def function_of(identity):
    """Returns the name of the function that an instance is given to."""
    stem = identity.rpartition(":")[0].removesuffix(".csr")
    return "fit_topk_svm" if stem == "digits" else stem
