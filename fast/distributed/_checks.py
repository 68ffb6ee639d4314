"""The checks of blocks: small facts from the workers, and from them errors that name the block and the row."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from reference.problems import checks

from ._files import TEXT, UNREADABLE, FileBlock

LARGEST_LABEL = 2**53  # up to which float64 holds all integers


class Facts(NamedTuple):
    """What the driver learns of a block. If `problem` is not None, the rest need not hold."""

    shape: tuple
    dtype: np.dtype
    vectors: dict  # the row vectors of its file
    least_column: int  # that has an entry, of svmlight text
    problem: str | None = None
    row: int | None = None  # of the block, where the problem is
    is_sparse: bool = False
    squared_norm: float = 0.0  # of the whole block: it tells data apart


def facts_of(source):
    """Returns the Facts of a block. It runs on a worker."""
    X, vectors = source, {}
    try:
        if isinstance(source, FileBlock):
            X, vectors = source.read()
    except UNREADABLE as error:
        return _refused(f"X must be files that can be read, got {source.path}: {error}")
    is_text = isinstance(source, FileBlock) and source.format == TEXT
    bad = first_bad_entry(X)
    if bad is not None:
        row, column, value = bad
        return _refused(checks.not_in_range("X", value, checks.LARGEST[value.dtype], f"in column {column}"), row)
    try:
        X = checks.features(X)
    except ValueError as error:
        return _refused(str(error))
    norms = _squared_norms(X)
    wrong = [name for name, vector in vectors.items() if vector.shape != (X.shape[0],)]
    if wrong:
        shape = vectors[wrong[0]].shape
        return _refused(f"{wrong[0]} must have shape ({X.shape[0]},), one entry a row, got shape {shape}")
    least = int(X.indices.min()) if is_text and X.nnz else 1
    return Facts(X.shape, X.dtype, vectors, least, None, None, hasattr(X, "tocsr"), float(norms.sum()))


def _refused(problem, row=None):
    return Facts((0, 0), np.dtype(np.float64), {}, 1, problem, row)


def first_bad_entry(X):
    """Returns (row, column, value) of the first entry of an array or a CSR matrix that is not in range, or None."""
    is_sparse = getattr(X, "format", None) == "csr"
    values = X.data if is_sparse else X
    if not isinstance(values, np.ndarray) or values.dtype not in checks.LARGEST or values.size == 0:
        return None
    largest = checks.LARGEST[values.dtype]
    if values.ndim != (1 if is_sparse else 2) or -largest <= values.min() <= values.max() <= largest:
        return None
    in_range = np.abs(values) <= largest
    if is_sparse:
        entry = int(np.argmin(in_range))
        return int(np.searchsorted(X.indptr, entry, side="right")) - 1, int(X.indices[entry]), values[entry]
    row, column = map(int, np.argwhere(~in_range)[0])
    return row, column, values[row, column]


def _squared_norms(X):
    with np.errstate(over="ignore"):
        if not hasattr(X, "tocsr"):
            return np.einsum("ij,ij->i", X, X, dtype=np.float64)
        rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
        return np.bincount(rows, X.data.astype(np.float64) ** 2, X.shape[0])


# --- on the driver -------------------------------------------------------------------------------------------------


def checked_facts(facts, sources):
    """Returns the first row of each block and n, the number of columns, and the dtype, or raises ValueError."""
    rows = [fact.shape[0] for fact in facts]
    starts = np.concatenate([[0], np.cumsum(rows)]).astype(np.int64)
    for block, (fact, source) in enumerate(zip(facts, sources, strict=True)):
        if fact.problem is not None:
            raise ValueError(f"{fact.problem}{place(block, fact.row, starts)}")
        is_text = isinstance(source, FileBlock) and source.format == TEXT
        if fact.shape[1] != facts[0].shape[1] and not is_text:
            got = f"{fact.shape[1]} in block {block} and {facts[0].shape[1]} in block 0"
            raise ValueError(f"X must have as many columns in all blocks, got {got}")
        if fact.is_sparse != facts[0].is_sparse:
            kinds = [("an array", "a CSR matrix")[each.is_sparse] for each in (fact, facts[0])]
            got = f"{kinds[0]} in block {block} and {kinds[1]} in block 0"
            raise ValueError(f"X must have blocks of one kind, got {got}")
    d = max(fact.shape[1] for fact in facts) - (first_column(facts) if is_text else 0)
    if d == 0:
        raise ValueError("X must have a feature in some file, got none")
    single = all(fact.dtype == np.float32 for fact in facts)
    return starts, d, np.dtype(np.float32 if single else np.float64)


def place(block, row, starts):
    """Returns the end of a message that says in which block a value is, and in which row of it and of X."""
    if row is None:
        return f", in block {block}"
    return f", at row {row} of block {block}, row {starts[block] + row} of X"


def first_column(facts):
    """Returns 1 if no block of svmlight text has an entry in column 0, else 0."""
    return min(1, min(fact.least_column for fact in facts))


def blocks_of_text(sources, facts):
    """Returns the blocks of files, which know how many rows they have, and the columns of svmlight text."""
    if sources[0].format != TEXT:
        return [replace(source, vectors=()) for source in sources]
    first = first_column(facts)
    columns = max(fact.shape[1] for fact in facts) - first
    return [replace(source, vectors=(), columns=columns, first_column=first) for source in sources]


def labels_of(y, starts, n_classes=None):
    """Returns labels (n,) in 0..m-1 as int64, and m. Warns of missing labels if m is not given."""
    n, y = int(starts[-1]), checks.integers(y, "y must hold integers 0..m-1")
    if y.shape != (n,):
        raise ValueError(f"y must have shape ({n},), one label a row of X, got shape {y.shape}")
    m = int(y.max()) + 1 if n_classes is None else checks.count(n_classes, "n_classes", smallest=2)
    outside = (y < 0) | (y >= m)
    if outside.any():
        row, top = int(np.argmax(outside)), "m-1" if n_classes is None else m - 1
        raise ValueError(f"y must hold integers in 0..{top}, got {y[row]}{place_of(row, starts)}")
    y = checks.training_labels(y, n)[0]
    missing = np.setdiff1d(np.arange(m), y) if n_classes is None else np.zeros(0)
    if missing.size:
        checks.warn(
            f"y has labels up to {m - 1}, so {m} classes are fitted, but it has no example of "
            f"{checks.brief(missing.tolist())}: number the labels without gaps, or pass n_classes={m} if you mean it"
        )
    return y, m


def whole_numbers(y, starts):
    """Returns the labels of files as integers. svmlight text is read as floats."""
    if y.dtype.kind != "f":
        return y
    whole = np.isfinite(y) & (np.abs(y) <= LARGEST_LABEL) & (np.trunc(y) == y)
    if not whole.all():
        row = int(np.argmin(whole))
        raise ValueError(f"y must hold integers 0..m-1, got {y[row]}{place_of(row, starts)}")
    return y.astype(np.int64)


def place_of(row, starts):
    """Returns the end of a message that says where a row of X is."""
    block = int(np.searchsorted(starts, row, side="right")) - 1
    return place(block, row - int(starts[block]), starts)
