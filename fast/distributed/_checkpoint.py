"""The duals of a fit in a file, from which it can be resumed after the whole cluster is gone."""

import contextlib
import json
import math
import os
import tempfile
from pathlib import Path

import numpy as np
from scipy import sparse

from reference.problems import checks

from ._files import UNREADABLE

NAME, VERSION = "topk_svm.npz", 1
ROUNDED = 1e-9  # by which numbers may differ that are sums over blocks: other blocks have other roundings


class Checkpoint:
    """A folder with the duals of the last round of one fit, and what tells this fit from others."""

    def __init__(self, folder):
        """Make the folder, unless it exists, and see that files can be written to it."""
        if not isinstance(folder, (str, os.PathLike)):
            raise ValueError(f"checkpoint must be the path of a folder, got {checks.brief(folder)}")
        self.folder, self.about = Path(folder), {}
        self.path = self.folder / NAME
        if self.folder.exists() and not self.folder.is_dir():
            raise ValueError(f"checkpoint must be a folder, got the file {str(folder)!r}")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            handle, temporary = self._new_file()
            os.close(handle)
            os.unlink(temporary)
        except OSError as error:
            raise ValueError(f"checkpoint must be a folder for new files, got {str(folder)!r}: {error}") from error

    def _new_file(self):
        return tempfile.mkstemp(".part", f"{NAME}.", self.folder)

    def duals(self, about):
        """Returns the duals (n, m) that the folder holds as a CSR array, or None if it holds none.

        `about` is a dict of numbers and strings that describes the problem. It is saved with the duals.

        Raises
        ------
        ValueError
            The file is damaged, or belongs to another fit.
        """
        self.about = {"version": VERSION, **about}
        if not self.path.exists():
            return None
        try:
            found, duals = self._read()
        except UNREADABLE as error:
            raise ValueError(f"checkpoint must hold a fit that can be read, got {str(self.path)!r}: {error}") from error
        for name, value in self.about.items():
            if not _is_same(found.get(name), value):
                expected = f"checkpoint must hold a fit with {name} = {value!r}"
                raise ValueError(f"{expected}, got {found.get(name)!r} in {str(self.path)!r}: choose another folder")
        return duals

    def _read(self):
        # NumPy does not close a damaged file that it has opened itself.
        with open(self.path, "rb") as raw:
            file = np.load(raw, allow_pickle=False)
            if isinstance(file, np.ndarray):
                raise ValueError("it holds a single array")
            with contextlib.closing(file):
                about = json.loads(str(file["about"]))
                if not isinstance(about, dict):
                    raise ValueError("it does not say of which fit it is")
                arrays = file["data"], file["indices"], file["indptr"]
                duals = sparse.csr_array(arrays, shape=tuple(file["shape"].tolist()))
        duals.check_format(full_check=True)
        return about, duals

    def save(self, duals):
        """Replace what the folder holds by these duals, a CSR array. If this is interrupted, the old file remains."""
        handle, temporary = self._new_file()
        try:
            with os.fdopen(handle, "wb") as file:
                np.savez(
                    file, about=json.dumps(self.about), data=duals.data, indices=duals.indices, indptr=duals.indptr,
                    shape=np.array(duals.shape),
                )  # fmt: skip
            os.replace(temporary, self.path)
        except BaseException:
            os.unlink(temporary)
            raise


def _is_same(found, value):
    if isinstance(value, float) and isinstance(found, float):
        return math.isclose(found, value, rel_tol=ROUNDED)
    return found == value
