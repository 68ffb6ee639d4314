"""The arrays of a counter-example that are too long to be printed, in a file, and the lines that repeat the call."""

import tempfile
from pathlib import Path

import numpy as np

from .report import LONGEST, called, readable


class Kept:
    """The files of one report, in a fresh folder, which is made for the first of them."""

    def __init__(self):
        self._folder, self._count = None, 0

    def lines(self, failure):
        """Returns the lines of Python that load long arguments of a Failure and repeat its call, "" if there are none.

        The file also has what was expected and what came, if these are long arrays.
        """
        arrays, texts = {}, {}
        for name, value in failure.arguments.items():
            texts[name] = _kept(name, value, arrays)
        if not arrays:
            return ""
        for name, value in (("expected", failure.expected), ("got", failure.got)):
            _kept(name, value, arrays)
        self._folder = self._folder or Path(tempfile.mkdtemp(prefix="counter-examples-"))
        self._count += 1
        path = self._folder / f"{failure.function}_{self._count}.npz"
        np.savez_compressed(path, **arrays)
        again = called(failure.function, failure.arguments, failure.positional, lambda name, value: texts[name])
        imports = "from scipy import sparse; " if any("sparse." in text for text in texts.values()) else ""
        return f"    {imports}given = np.load({str(path)!r})\n    {again}"


def _kept(name, value, arrays):
    """Returns an argument as Python text. A long array is put among the arrays, and the text loads it."""
    if isinstance(value, np.ndarray) and value.size > LONGEST and value.dtype != object:
        arrays[name] = value
        return f"given[{name!r}]"
    if hasattr(value, "indptr") and (value.data.size > LONGEST or value.shape[0] > LONGEST):
        for part in ("data", "indices", "indptr"):
            arrays[f"{name}.{part}"] = getattr(value, part)
        parts = ", ".join(f"given['{name}.{part}']" for part in ("data", "indices", "indptr"))
        return f"sparse.{type(value).__name__}(({parts}), shape={value.shape})"
    return readable(value)
