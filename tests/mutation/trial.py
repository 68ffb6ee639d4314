"""Gives a mutant to the examiner: a copy of `reference` or `fast` in which one module is changed."""

import re
import shutil
import tempfile
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np

from reference.check import Limits
from reference.check.examiner import Examination, size_of
from reference.check.judging import outcome
from reference.check.judging.subject import SUBJECTS
from reference.check.sandbox.sandbox import Fatal, Sandbox

from .operators import mutations
from .reach import ROOT, instances, interpreted

PACKAGES = ("reference", "fast")
# Modules whose functions are not a part of an answer: checks of arguments, threads, progress and stored machine code.
NOT_MUTATED = ("problems", "datasets.py", "__init__.py", "cache.py", "jit.py", "threads.py", "recorder.py", "bits.py")
NOT_MUTATED += ("synthetic.py",)
COPY = "mutated"  # the name of the copy of the package
LEFT_OUT = ("check", "problems", "ground_truth", "estimators", "distributed", "warm.py", "__pycache__")
LIMITS = Limits(seconds=20.0, first_seconds=30.0)


class Verdict(NamedTuple):
    """What the examiner says of a mutant; the reason is empty if it finds nothing."""

    function: str
    label: str
    reason: str


def renamed(text, package):
    """Returns the text of a module with its imports from the copy of its package.

    The statements are those of `reference`, whose classes of results are those of the arguments.
    """
    text = re.sub(r"^(\s*from )\.+problems\b", r"\1reference.problems", text, flags=re.MULTILINE)
    return re.sub(rf"^(\s*)(from|import) {package}\b(?!\.problems)", rf"\1\2 {COPY}", text, flags=re.MULTILINE)


def copied(package, folder):
    """Makes the copy of a package in a folder, and a file that imports its functions. Returns the file."""
    shutil.copytree(ROOT / package, folder / COPY, ignore=shutil.ignore_patterns(*LEFT_OUT))
    for path in (folder / COPY).rglob("*.py"):
        path.write_text(renamed(path.read_text(encoding="utf-8"), package), encoding="utf-8")
    target = folder / "target.py"
    names = ", ".join(SUBJECTS)
    target.write_text(f"import sys\nsys.path.insert(0, {str(folder)!r})\nfrom {COPY} import {names}\n")
    return target


def remember():
    """What the ground truth found for an instance is kept in this process."""
    outcome.known = {}


def tried(target, work):
    """Returns the Verdict on a target: small instances first, up to the first failure.

    `work` is {name of a public function: numbers of the instances that it is given}.
    """
    with interpreted(), Sandbox(str(target), list(work), LIMITS) as box, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            box.start()
        except Fatal as end:
            return Verdict("", "import", end.reason)
        examination = Examination(box, 0, True)
        known = {name: instances(name) for name in work}
        asked = [(name, known[name][number]) for name, numbers in work.items() for number in numbers]
        for name, case in sorted(asked, key=lambda one: size_of(one[1].arguments)):
            if name not in box.public:
                return Verdict(name, "import", "does not load")
            found = examination.run(name, case)
            if found.reason:
                return Verdict(name, case.label, found.reason)
    return Verdict("", "", "")


def sample(each, seed, only=""):
    """Returns (package, module, Mutation) of up to `each` mutants a module, drawn at random."""
    found = []
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            module = path.relative_to(ROOT / package)
            left_out = {*module.parts, module.name} & {*LEFT_OUT, *NOT_MUTATED}
            if left_out or not f"{package}/{module}".startswith(only):
                continue
            all_of_it = mutations(path.read_text(encoding="utf-8"))
            draw = np.random.default_rng([seed, len(all_of_it)]).permutation(len(all_of_it))[:each]
            found += [(package, module, all_of_it[i]) for i in sorted(draw)]
    return found


def trial(work):
    """Returns the row of one mutant, given (package, module, Mutation, what `tried` takes)."""
    package, module, mutation, asked = work
    with tempfile.TemporaryDirectory(prefix="mutant-") as folder:
        target = copied(package, Path(folder))
        path = Path(folder) / COPY / module
        text = (ROOT / package / module).read_text(encoding="utf-8")
        path.write_text(renamed(mutation.applied(text), package), encoding="utf-8")
        verdict = tried(target, asked) if asked else Verdict("", "", "")
    row = {"module": f"{package}/{module}", "line": mutation.line, "kind": mutation.kind, "old": mutation.old}
    return row | {"new": mutation.new, "met": sum(map(len, asked.values())), **verdict._asdict()}
