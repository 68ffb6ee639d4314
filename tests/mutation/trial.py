"""Gives a mutant to the examiner: a copy of `reference` or `fast` in which one module is changed."""

import contextlib
import os
import re
import shutil
import tempfile
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np

from reference.check import Limits
from reference.check.examiner import Examination, size_of
from reference.check.judging.subject import SUBJECTS
from reference.check.sandbox.sandbox import Fatal, Sandbox
from tests.support.families import is_of_family

from .operators import mutations

ROOT = Path(__file__).parents[2]
PACKAGES = ("reference", "fast")
# Modules whose functions are not a part of an answer: checks of arguments, threads, progress and stored machine code.
NOT_MUTATED = ("problems", "datasets.py", "__init__.py", "cache.py", "jit.py", "threads.py", "recorder.py", "bits.py")
NOT_MUTATED += ("synthetic.py",)
COPY = "mutated"  # the name of the copy of the package
LEFT_OUT = ("check", "ground_truth", "estimators", "distributed", "warm.py", "__pycache__")
LIMITS = Limits(seconds=20.0, first_seconds=30.0)
# The families that a folder of private modules serves, the likeliest first. A public module serves its own functions.
SERVES = {
    "_projections": ("projections", "passive_aggressive", "svm"), "_svm": ("svm",), "_multilabel": ("multilabel",),
    "_passive_aggressive": ("passive_aggressive",), "_ranking": ("ranking",), "_wsabie": ("wsabie",),
    "layerwise": ("layerwise",), "_shared": ("svm", "multilabel", "ranking"),
}  # fmt: skip


class Verdict(NamedTuple):
    """What the examiner says of a mutant; the reason is empty if it finds nothing."""

    function: str
    label: str
    reason: str


def functions_of(package, module):
    """Returns the public functions that a module of a package serves, by its path within the package."""
    first = module.parts[0]
    if first in SERVES:
        return [name for family in SERVES[first] for name in SUBJECTS if is_of_family(name, family)]
    text = (ROOT / package / module).read_text(encoding="utf-8")
    return [name for name in re.findall(r"^def (\w+)\(", text, re.MULTILINE) if name in SUBJECTS]


def renamed(text, package):
    """Returns the text of a module with its imports from the copy of its package."""
    return re.sub(rf"^(\s*)(from|import) {package}\b", rf"\1\2 {COPY}", text, flags=re.MULTILINE)


def copied(package, folder):
    """Makes the copy of a package in a folder, and a file that imports its functions. Returns the file."""
    shutil.copytree(ROOT / package, folder / COPY, ignore=shutil.ignore_patterns(*LEFT_OUT))
    for path in (folder / COPY).rglob("*.py"):
        path.write_text(renamed(path.read_text(encoding="utf-8"), package), encoding="utf-8")
    target = folder / "target.py"
    names = ", ".join(SUBJECTS)
    target.write_text(f"import sys\nsys.path.insert(0, {str(folder)!r})\nfrom {COPY} import {names}\n")
    return target


@contextlib.contextmanager
def interpreted():
    """Kernels are not compiled in the processes that are started in this block: that would take most of the time."""
    before = os.environ.get("NUMBA_DISABLE_JIT")
    os.environ["NUMBA_DISABLE_JIT"] = "1"
    try:
        yield
    finally:
        del os.environ["NUMBA_DISABLE_JIT"]
        if before is not None:
            os.environ["NUMBA_DISABLE_JIT"] = before


def tried(target, names):
    """Returns the Verdict on the functions of a target: small instances first, up to the first failure."""
    with interpreted(), Sandbox(str(target), names, LIMITS) as box, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            box.start()
        except Fatal as end:
            return Verdict(names[0], "import", end.reason)
        examination = Examination(box, 0, True)
        for name in names:
            if name not in box.public:
                return Verdict(name, "import", "does not load")
            for case in instances(examination, name):
                outcome = examination.run(name, case)
                if outcome.reason:
                    return Verdict(name, case.label, outcome.reason)
    return Verdict("", "", "")


def instances(examination, name):
    """Returns the instances of a function, dense and CSR, the small ones first."""
    cases = examination.cases(name)
    if SUBJECTS[name].csr:
        cases += examination.cases(name, SUBJECTS[name].csr)
    return sorted(cases, key=lambda case: size_of(case.arguments))


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
    """Returns the row of one mutant."""
    package, module, mutation = work
    with tempfile.TemporaryDirectory(prefix="mutant-") as folder:
        target = copied(package, Path(folder))
        path = Path(folder) / COPY / module
        text = (ROOT / package / module).read_text(encoding="utf-8")
        path.write_text(renamed(mutation.applied(text), package), encoding="utf-8")
        verdict = tried(target, functions_of(package, module))
    row = {"module": f"{package}/{module}", "line": mutation.line, "kind": mutation.kind, "old": mutation.old}
    return row | {"new": mutation.new, **verdict._asdict()}
