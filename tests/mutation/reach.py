"""Which instances of the examiner's quick catalogue run which functions of a package. Others cannot notice a mutant."""

import contextlib
import importlib
import os
import sys
import threading
import warnings
from pathlib import Path

import numpy as np

from tests.support.check import ROWS, call_of, cases_of

ROOT = Path(__file__).parents[2]


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


def instances(name):
    """Returns the instances of a public function, dense and CSR."""
    return [case for row in (name, f"{name}, CSR") if row in ROWS for case in cases_of(row)[1]]


def reached(work):
    """Returns {(module, first line, last line): numbers of instances} of the functions that a public function calls.

    `work` is (package, name of the public function). The process must have been started in `interpreted`.
    """
    package, name = work
    function, lines = getattr(importlib.import_module(package), name), {}
    for number, case in enumerate(instances(name)):
        for code in called(function, *call_of(name, case)):
            path = Path(code.co_filename)
            if path.is_relative_to(ROOT / package):
                last = max(line for *_, line in code.co_lines() if line)
                where = path.relative_to(ROOT).as_posix(), code.co_firstlineno, last
                lines.setdefault(where, []).append(number)
    return lines


def called(function, arguments, options):
    """Returns the code of all functions that a call runs, in all threads."""
    codes = set()

    def note(frame, event, _):
        if event == "call":
            codes.add(frame.f_code)

    with warnings.catch_warnings(), np.errstate(all="ignore"), contextlib.suppress(Exception):
        warnings.simplefilter("ignore")
        threading.setprofile(note)
        sys.setprofile(note)
        try:
            function(*arguments, **options)
        finally:
            sys.setprofile(None)
            threading.setprofile(None)
    return codes


def meets(mutation, module, lines):
    """Returns the numbers of the instances that run the function which a mutation changes."""
    spans = (
        (found, first <= mutation.line <= last) for (where, first, last), found in lines.items() if where == module
    )
    return sorted({number for found, holds_it in spans if holds_it for number in found})
