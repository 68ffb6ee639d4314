"""Sparse instances, for every function that takes scipy's CSR.

They are small instances of the dense catalogue with two fifths of the features and all of one row set to 0. They have
the forms of `csr`: a matrix or an array, with stored zeros, unsorted, with duplicate entries, with wide indices. A
malformed matrix must be refused: a column out of range, decreasing row pointers, NaN.
"""

from itertools import cycle

import numpy as np

from ..csr import FORMS, PLAIN, as_csr
from .case import Case

SPECIAL = ("float32", "several labels", "ties", "one feature", "weights of groups", "weights to start from", "a seed")
EACH = ("many weights",)  # all of these are asked, after the others
WHOLE = tuple(form for form in FORMS if form != "duplicate entries")  # the forms of indicators, which hold no halves
LARGEST = 400  # entries
TRIES = 20


def sparse_cases(cases, names=("X",), is_sound=lambda arguments: True):
    """Returns a generator of CSR instances, a function of (generator, quick), from the generator of dense instances.

    `names` are the arguments that may be CSR if they have two dimensions. `is_sound` tells if the instance can still be
    judged after some features are set to 0.
    """

    def generate(rng, quick):
        dense = [case for case in cases(rng, True) if _suitable(case, names)]
        usual, forms = [case for case in dense if case.label not in SPECIAL + EACH], cycle(FORMS)
        special = [case for label in SPECIAL for case in dense if case.label == label]
        special = special[:2] if quick else special[:8]
        special += [case for case in dense if case.label in EACH]
        for case in [*(usual[i] for i in rng.integers(len(usual), size=(1 if quick else 2) * len(FORMS))), *special]:
            yield from _sparse(rng, case, names, next(forms), is_sound)
        several = next(case.arguments for case in usual if len(case.arguments[names[0]]) > 2)
        yield from _refused(several, names[0])

    return generate


def _suitable(case, names):
    if case.refuses or case.timed or case.warns or case.label not in ("random", *SPECIAL, *EACH):
        return False
    given = [case.arguments.get(name) for name in names]
    given = [value for value in given if isinstance(value, np.ndarray) and value.ndim == 2]
    return bool(given) and max(value.size for value in given) <= LARGEST and min(value.size for value in given) > 1


def _sparse(rng, case, names, form, is_sound):
    """Yields the case in this form, with some features set to 0, or nothing if no try is sound."""
    two = [name for name in names if np.ndim(case.arguments.get(name)) == 2]
    layout = tuple((name, form if name == "X" or form in WHOLE else PLAIN) for name in two)
    for _ in range(TRIES):
        arguments = dict(case.arguments)
        if "X" in two:
            arguments["X"] = _hollow(rng, arguments["X"])
        if is_sound(arguments):
            label = f"CSR, {form}" if case.label == "random" else f"CSR, {form}, {case.label}"
            yield Case(label, arguments, layout=layout)
            return


def _hollow(rng, X):
    """Returns X with two fifths of the entries and one of several rows set to 0. At least one entry stays."""
    kept = rng.random(X.shape) < 0.6
    if len(X) > 2:
        kept[rng.integers(len(X))] = False
    kept.flat[rng.integers(X.size)] = True
    return np.where(kept, X, 0).astype(X.dtype)


def _refused(arguments, name):
    for label in ("a column beyond the last", "a column before the first", "rows that end before they begin", "NaN"):
        broken = as_csr(np.asarray(arguments[name], dtype=np.float64), PLAIN)
        if label == "NaN":
            broken.data[-1] = np.nan
        elif label.startswith("rows"):
            broken.indptr[1:-1] = broken.indptr[1:-1][::-1] + len(broken.data)
        else:
            broken.indices[-1] = broken.shape[1] if "beyond" in label else -1
        yield Case(f"CSR, {label}", {**arguments, name: broken}, refuses=(name,))
