"""The duals of a fit in a file, from which it can be resumed after the whole cluster is gone."""

import json
import os
import tempfile
import zipfile
from pathlib import Path

import numpy as np
from scipy import sparse

NAME, VERSION = "topk_svm.npz", 1
UNREADABLE = (OSError, ValueError, KeyError, zipfile.BadZipFile)


class Checkpoint:
    """A folder with the duals of the last round of one fit, and what tells this fit from others."""

    def __init__(self, folder, about):
        """`about` is a dict of numbers and strings that describes the problem."""
        self.folder, self.about = Path(folder), {"version": VERSION, **about}
        self.path = self.folder / NAME
        if self.folder.exists() and not self.folder.is_dir():
            raise ValueError(f"checkpoint must be a folder, got the file {str(folder)!r}")
        self.folder.mkdir(parents=True, exist_ok=True)

    def duals(self):
        """Returns the duals (n, m) that the folder holds as a CSR array, or None if it holds none.

        Raises
        ------
        ValueError
            The file is damaged, or belongs to another fit.
        """
        if not self.path.exists():
            return None
        try:
            with np.load(self.path, allow_pickle=False) as found:
                about = json.loads(str(found["about"]))
                arrays = found["data"], found["indices"], found["indptr"]
                duals = sparse.csr_array(arrays, shape=tuple(found["shape"].tolist()))
        except UNREADABLE as error:
            raise ValueError(f"checkpoint must hold a fit that can be read, got {str(self.path)!r}: {error}") from error
        for name, value in self.about.items():
            if about.get(name) != value:
                expected = f"checkpoint must hold a fit with {name} = {value!r}"
                raise ValueError(f"{expected}, got {about.get(name)!r} in {str(self.path)!r}: choose another folder")
        return duals

    def save(self, duals):
        """Replace what the folder holds by these duals, a CSR array. If this is interrupted, the old file remains."""
        handle, temporary = tempfile.mkstemp(suffix=".part", dir=self.folder)
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
