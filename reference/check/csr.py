"""Sparse arguments: the forms in which scipy's CSR reaches a function.

A case holds the dense array. Its layout says in which form TARGET receives it. Judges, ground truth, certificates and
the functions that simplify an instance see the dense array only.
"""

import numpy as np

from .sandbox.worker import rebuilt

FORMS = ("csr_matrix", "csr_array", "explicit zeros", "unsorted indices", "duplicate entries", "int64 indices")
PLAIN = FORMS[0]


def as_csr(array, form):
    """Returns a dense matrix as CSR in this form: a csr_array if `form` says so, and a csr_matrix otherwise."""
    n, d = array.shape
    stored = array != 0
    if form == "explicit zeros":
        stored[::2] = True  # every other row stores all of its entries
    rows, columns = np.nonzero(stored)
    if form == "unsorted indices":
        backwards = np.lexsort((-columns, rows))
        rows, columns = rows[backwards], columns[backwards]
    data = array[rows, columns]
    if form == "duplicate entries":  # halving and adding are exact
        rows, columns, data = np.repeat(rows, 2), np.repeat(columns, 2), np.repeat(data / 2, 2).astype(array.dtype)
    wide, kind = np.int64 if form == "int64 indices" else np.int32, form if form == "csr_array" else PLAIN
    starts = np.searchsorted(rows, np.arange(n + 1))
    return rebuilt(kind, (n, d), data, columns.astype(wide), starts.astype(wide))


def plainer(layout):
    """Yields simpler layouts: one of several arguments dense again, then all of them as a plain csr_matrix."""
    if len(layout) > 1:
        yield from (layout[:i] + layout[i + 1 :] for i in range(len(layout)))
    plain = tuple((name, PLAIN) for name, _ in layout)
    if plain != layout:
        yield plain
