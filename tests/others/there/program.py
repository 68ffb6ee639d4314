"""The program that answers the examiner in the environment of the others: `python program.py ADAPTER`.

It loads an adapter, a file with functions of our names, and speaks the protocol of `reference.check.vectors.program`.
It imports NumPy and the adapter, and nothing of this project.
"""

import importlib.util
import inspect
import json
import math
import os
import sys
from pathlib import Path

import numpy as np

SPECIAL = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}


def loaded(path):
    """Returns the adapter in this file as a module."""
    path = Path(path).resolve()
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def defined(module):
    """Returns the functions that a module defines itself, by their names."""
    found = inspect.getmembers(module, inspect.isfunction)
    return {name: function for name, function in found if function.__module__ == module.__name__}


def decoded(form):
    """Returns an argument: an array, a number, a word or None."""
    if isinstance(form, dict):
        values = [SPECIAL.get(entry, entry) if isinstance(entry, str) else entry for entry in form["data"]]
        return np.array(values, dtype=form["dtype"]).reshape(form["shape"])
    return SPECIAL.get(form, form) if isinstance(form, str) else form


def encoded(value):
    """Returns an answer as JSON: nested lists of numbers, with infinities and NaN as words."""
    if isinstance(value, dict):
        return {name: encoded(part) for name, part in value.items()}
    if isinstance(value, (np.ndarray, np.generic)):
        return encoded(value.tolist())
    if isinstance(value, (list, tuple)):
        return [encoded(part) for part in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def answer(functions, line):
    """Returns the line that answers a request."""
    values = {name: decoded(form) for name, form in line["arguments"].items()}
    leading = [values.pop(name) for name in list(values)[: line["positional"]]]
    try:
        return {"id": line["id"], "answer": encoded(functions[line["function"]](*leading, **values))}
    except Exception as trouble:
        return {"id": line["id"], "error": f"{type(trouble).__name__}: {trouble}"}


def main():
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as answers:
        os.dup2(2, 1)  # what a package prints does not mix with the answers
        functions = defined(loaded(sys.argv[1]))
        print(json.dumps({"functions": list(functions)}), file=answers, flush=True)
        for line in sys.stdin:
            print(json.dumps(answer(functions, json.loads(line))), file=answers, flush=True)


if __name__ == "__main__":
    main()
