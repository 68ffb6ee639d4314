"""Blocks of rows in files, which the workers read: `.npy` and `.npz` of NumPy and SciPy, and svmlight text.

Each reader returns a matrix and a dict of the row vectors, such as labels, that its file holds beside it.
"""

import contextlib
import os
import zipfile
import zlib
from dataclasses import dataclass, replace
from functools import wraps

import numpy as np
from scipy import sparse

NUMPY, ZIPPED, TEXT = ".npy", ".npz", "svmlight"  # a file with neither of the two endings is svmlight text
UNREADABLE = (OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile, zlib.error)
CSR_ARRAYS = ("data", "indices", "indptr", "shape")  # what scipy.sparse.save_npz writes
QUERIES = "groups"  # the row vector that svmlight text holds as qid:
ATTEMPTS = 5


def repeated(read):
    """A reader that is called again after a SystemError.

    NumPy reads the header of an array by Python's parser, which fails now and then if another thread uses it at the
    same time: "AST constructor recursion depth mismatch". A worker may have several threads.
    """

    @wraps(read)
    def wrapper(*arguments):
        for _ in range(ATTEMPTS - 1):
            with contextlib.suppress(SystemError):
                return read(*arguments)
        return read(*arguments)

    return wrapper


@dataclass(frozen=True)
class FileBlock:
    """Rows first..last-1 of a `.npy` file, or all rows of another file."""

    path: str
    vectors: tuple = ()  # the names of the row vectors that are read from the file, too
    first: int = 0
    last: int | None = None
    columns: int | None = None  # of svmlight text: the number of features in all files
    first_column: int = 0  # of svmlight text: 1 if no file has a feature 0

    @property
    def format(self):
        """The kind of file, by the ending of its name."""
        ending = os.path.splitext(self.path)[1].lower()
        return ending if ending in (NUMPY, ZIPPED) else TEXT

    @repeated
    def read(self):
        """Returns the matrix of the block, and its row vectors by name."""
        return {NUMPY: _read_numpy, ZIPPED: _read_zipped, TEXT: _read_text}[self.format](self)


@repeated
def cut(block, most_bytes):
    """Returns the blocks of at most `most_bytes` that a `.npy` file is cut into; another file is one block."""
    if block.format != NUMPY:
        return [block]
    shape, by_columns, dtype, _ = _header(block.path)
    if len(shape) != 2 or 0 in shape or by_columns:  # the checks of X refuse the first two
        return [block]
    rows = max(most_bytes // (shape[1] * dtype.itemsize), 1)
    parts = -(-shape[0] // rows)
    edges = [shape[0] * part // parts for part in range(parts + 1)]
    return [replace(block, first=first, last=last) for first, last in zip(edges, edges[1:], strict=False)]


def _header(path):
    """Returns the shape, the order (True: by columns), the dtype and the place of the data of a `.npy` file."""
    with open(path, "rb") as file:
        version = np.lib.format.read_magic(file)
        readers = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
        if version not in readers:
            raise ValueError(f"version {version} of the format is only for arrays of several fields")
        shape, by_columns, dtype = readers[version](file)
        if dtype.hasobject:
            raise ValueError("it holds Python objects, which are never loaded")
        return shape, by_columns, dtype, file.tell()


def _read_numpy(block):
    """Only these rows are mapped, so that a limit on the address space binds the block and not the file."""
    shape, by_columns, dtype, start = _header(block.path)
    if len(shape) != 2 or 0 in shape:
        return np.empty(shape, dtype), {}
    if by_columns:
        return np.asarray(np.memmap(block.path, dtype, "r", start, shape, order="F")), {}
    last = shape[0] if block.last is None else block.last
    start += block.first * shape[1] * dtype.itemsize
    return np.asarray(np.memmap(block.path, dtype, "r", start, (last - block.first, shape[1]))), {}


def _read_zipped(block):
    # NumPy does not close a damaged file that it has opened itself.
    with open(block.path, "rb") as raw, contextlib.closing(_archive(raw)) as file:
        if set(CSR_ARRAYS) <= set(file.files):
            X = _csr(file)
        elif "X" in file.files:
            X = file["X"]
        else:
            raise ValueError(f"it must hold X, or {', '.join(CSR_ARRAYS)}, and holds {', '.join(file.files)}")
        absent = [name for name in block.vectors if name not in file.files]
        if absent:
            raise ValueError(f"{absent[0]} is not given and not in it; it holds {', '.join(file.files)}")
        return X, {name: file[name] for name in block.vectors}


def _archive(raw):
    """Returns the open `.npz` file, from which nothing is unpickled."""
    file = np.load(raw, allow_pickle=False)
    if isinstance(file, np.ndarray):
        raise ValueError("it holds a single array, as a .npy file does")
    return file


def _csr(file):
    """Returns the CSR matrix of a file of scipy.sparse.save_npz."""
    layout = file["format"].item() if "format" in file.files else b"csr"
    if layout not in (b"csr", "csr"):
        raise ValueError(f"its matrix must be CSR, and is {layout}")
    data, indices, indptr, shape = (file[name] for name in CSR_ARRAYS)
    return sparse.csr_matrix((data, indices, indptr), shape=tuple(shape.tolist()))


def _read_text(block):
    from sklearn.datasets import load_svmlight_file  # takes half a second to import, and few fits need it

    with_queries = QUERIES in block.vectors
    # zero_based=True: the columns are as in the file, and `first_column` is the same for all files.
    X, *vectors = load_svmlight_file(block.path, dtype=np.float64, zero_based=True, query_id=with_queries)
    if X.shape[1] == 0 or block.columns is not None:
        shape = X.shape[0], block.columns or 1  # a file without any entry need not be the only one
        X = sparse.csr_matrix((X.data, X.indices - block.first_column, X.indptr), shape=shape)
    labels = [name for name in block.vectors if name != QUERIES]
    return X, dict(zip([*labels[:1], *[QUERIES] * with_queries], vectors, strict=False))
