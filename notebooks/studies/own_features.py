"""The methods of notebook 14 on features of your own, such as those of a deep network.

    make study DATA=FILE.npz          or          python -m notebooks.studies.image_classification --data FILE.npz

with ARGS='--rows "top-1 alpha,softmax"' for some of the rows only. The file holds, in one of two forms,

    X_train, y_train, X_validation, y_validation, X_test, y_test            three parts
    X, y, train, validation, test                                           one set, and the indices of three parts

X is (n, d), float32 or float64, and stays what it is. y is (n,) integers: any labels, as long as each one of the
validation and test parts occurs in the training part. A sparse X is held as CSR, in arrays X_data, X_indices, X_indptr
and X_shape (X_train_data, ... for parts). `save` writes such files. With three parts nothing is copied when the file is
read. The second form needs memory for X twice.

Scale the features by one number, such that |x|^2 is about 1 on average. The path of lambda is made for that, and on
features of a larger scale its fits at small lambda take long.

For each method, lambda goes along the path of the first split of `image_classification`. The rows are printed, and
stored beside the file as FILE.table.json after each one. A row that is stored is not computed again.
"""

import zipfile
from pathlib import Path

import numpy as np
from scipy import sparse

from . import image_classification as study
from .table1_methods import KS, METHODS

PARTS = ("train", "validation", "test")
CSR = ("data", "indices", "indptr", "shape")
ROWS = [
    "SVM one-vs-all",
    *(f"top-{k} alpha" for k in KS),
    *(f"top-{k} beta" for k in KS[1:]),
    "top-1 smooth",
    "softmax",
]


def save(path, **arrays):
    """Write a file that `load` reads. A sparse matrix is stored as CSR, in four arrays."""
    flat = {}
    for name, array in arrays.items():
        if sparse.issparse(array):
            array = array.tocsr()
            flat |= {f"{name}_{part}": getattr(array, part) for part in CSR}
        else:
            flat[name] = array
    np.savez(path, **flat)


def load(path):
    """Read a file of features and labels.

    Returns
    -------
    data : dict
        {"train": (X, y), "validation": (X, y), "test": (X, y)} with classes 0..m-1, in the order of the labels.

    Raises
    ------
    FileNotFoundError
        There is no such file.
    ValueError
        The file is not of one of the two forms, or the arrays do not fit together.
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"DATA must be a .npz file, but {path} does not exist")
    if not zipfile.is_zipfile(path):
        raise ValueError(
            f"DATA must be a .npz file, but {path} is not one: write it by numpy.savez or own_features.save"
        )
    with np.load(path, allow_pickle=False) as arrays:
        data, names = _parts_of(arrays), ", ".join(arrays)
    if set(data) != set(PARTS):
        raise ValueError(
            f"{path} must hold X_train, y_train, X_validation, y_validation, X_test, y_test, or "
            f"X, y, train, validation, test: got {names}"
        )
    return _numbered(data)


def _parts_of(arrays):
    """Returns the parts that the arrays of a file hold."""
    if "y" not in arrays:
        return {part: _one_part(arrays, f"X_{part}", f"y_{part}") for part in PARTS if f"y_{part}" in arrays}
    X, y = _one_part(arrays, "X", "y")
    return {part: (X[index], y[index]) for part in PARTS if part in arrays for index in [_index(arrays, part, len(y))]}


def _one_part(arrays, X_name, y_name):
    if X_name in arrays:
        X = arrays[X_name]
    elif all(f"{X_name}_{part}" in arrays for part in CSR):
        data, indices, indptr, shape = (arrays[f"{X_name}_{part}"] for part in CSR)
        X = sparse.csr_matrix((data, indices, indptr), shape=tuple(shape))
    else:
        raise ValueError(f"{X_name} must be an array, or a CSR matrix in {X_name}_data, ..., got neither")
    y = arrays[y_name]
    if X.ndim != 2 or X.dtype not in (np.float32, np.float64):
        raise ValueError(f"{X_name} must be (n, d) of float32 or float64, got {X.shape} of {X.dtype}")
    if y.shape != X.shape[:1] or y.dtype.kind not in "iu":
        raise ValueError(f"{y_name} must be {X.shape[:1]} integers, got {y.shape} of {y.dtype}")
    return X, y


def _index(arrays, part, n):
    index = arrays[part]
    if index.ndim != 1 or index.dtype.kind not in "iu" or (index >= n).any() or (index < 0).any():
        raise ValueError(f"{part} must be indices of 0..{n - 1}, got {index.dtype} of shape {index.shape}")
    return index


def _numbered(data):
    """The same parts, with the labels of the training part numbered 0..m-1."""
    labels, numbered = np.unique(data["train"][1]), {}
    for part, (X, y) in data.items():
        if X.shape[1] != data["train"][0].shape[1]:
            raise ValueError(f"{part} must have as many features as train, got {X.shape[1]}")
        unknown = np.setdiff1d(y, labels)
        if len(unknown):
            raise ValueError(f"each label of {part} must occur in train, got {unknown[:5].tolist()}")
        numbered[part] = X, np.searchsorted(labels, y).astype(np.int64)
    return numbered


def fitting(rows, n_classes):
    """Those of the rows whose k is below the number of classes. ValueError for a name that is no method."""
    unknown = sorted(set(rows) - set(METHODS))
    if unknown:
        raise ValueError(f"rows must be of {', '.join(METHODS)}: got {', '.join(unknown)}")
    return [name for name in rows if not name.startswith("top-") or int(name[4:].split()[0]) < n_classes]


def table(path, rows=ROWS):
    """Compute the rows that are missing in FILE.table.json, print each, and return what is stored."""
    results, data = Path(path).with_suffix(".table.json"), load(path)
    (X, y), n_test = data["train"], len(data["test"][1])
    m = int(y.max()) + 1
    _claim(results, path)
    print(f"{X.shape[0]} examples to train, {X.shape[1]} features, {m} classes")
    print(f"accuracy in %, {n_test} test examples\n{'top-':16}" + "".join(f"{k:7}" for k in study.COLUMNS))
    for name in fitting(rows, m):
        if name not in study.stored(results):
            study.store(name, study.row_on(data, name, METHODS[name].begin), results)
        row = study.stored(results)[name]
        print(f"{name:16}" + "".join(f"{100 * count / n_test:7.2f}" for count in row["test"]), flush=True)
    return study.stored(results)


def _claim(results, path):
    """Note in the results which file they are of, by the checksums that it holds. ValueError if they are of another."""
    with zipfile.ZipFile(path) as file:
        checksums = {member.filename: member.CRC for member in file.infolist()}
    if study.stored(results).get("checksums", checksums) != checksums:
        raise ValueError(f"{results} must be of {path}, but the file has changed since: remove or rename the results")
    study.store("checksums", checksums, results)
