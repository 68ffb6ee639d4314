"""Programs that run in the browser's Python and in the Python here, and what the latter prints."""

import os
import subprocess
import sys

from book.sources import ROOT
from book.try_it.page import PROGRAMS

TITLES = [title for title, _ in PROGRAMS]
EXERCISES = [title for title, where in PROGRAMS if not isinstance(where, str)]
NEED_SCIPY = ["fit_topk_entropy", "fit_topk_entropy_kernel", "fit_truncated_topk_entropy"]

# Runs the examples in the docstrings of all functions. Prints how many there are, and the functions with a wrong one.
# Where integers have 32 bits, NumPy names the type of those that have 64.
DOCTESTS = """
import doctest, sys, numpy as np, reference
class Checker(doctest.OutputChecker):
    def check_output(self, want, got, flags):
        return super().check_output(want, got.replace(", dtype=int64", ""), flags)
count, failed = 0, []
for name in filter(lambda name: hasattr(getattr(reference, name), "__module__"), reference.__all__):
    for test in doctest.DocTestFinder(recurse=False).find(getattr(reference, name), name, globs={"np": np}):
        test.globs.update(vars(sys.modules[getattr(reference, name).__module__]))
        runner = doctest.DocTestRunner(Checker(), optionflags=doctest.NORMALIZE_WHITESPACE)
        result = runner.run(test, out=lambda text: None)
        count += result.attempted
        if result.failed: failed.append(name)
print(count, *failed)
"""
# Before a program: SciPy and scikit-learn cannot be imported, but for the exceptions of the latter.
WITHOUT_SCIPY = """
import importlib.util, sys, types
places = list(importlib.util.find_spec("sklearn").submodule_search_locations)
stub = sys.modules["sklearn"] = types.ModuleType("sklearn")
stub.__path__ = places
import sklearn.exceptions
stub.__path__, sys.modules["scipy"] = [], None
"""


def native(program):
    """Runs a program in a process of the Python here. Returns it with its output and its errors."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "notebooks")])}
    command = [sys.executable, "-c", program]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env=environment)
