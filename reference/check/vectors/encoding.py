"""Values as JSON and back, without losing a bit.

An array is {"dtype", "shape", "data"}, with its numbers in row-major order. A CSR matrix is {"csr": {"shape", "data",
"indices", "indptr"}}. A fit is {"fit": {field: value}}. Numbers have the fewest digits that give the same float64
again; float32 values are written as the float64 that equals them. JSON has no infinities and no NaN: these are the
strings "inf", "-inf" and "nan".
"""

import numpy as np

from ...problems import checks
from ..csr import PLAIN
from ..sandbox.transport import Fields

SPECIAL = {"inf": np.inf, "-inf": -np.inf, "nan": np.nan}
SECONDS = "seconds"
CSR_PARTS = ("data", "indices", "indptr")


def encoded(value):
    """Returns an argument or an answer as JSON."""
    if isinstance(value, np.ndarray) and value.dtype.names:
        return encoded({name: np.array(value[name]) for name in value.dtype.names})
    if isinstance(value, np.ndarray):
        return {"dtype": str(value.dtype), "shape": list(value.shape), "data": _numbers(value)}
    if hasattr(value, "indptr"):
        parts = {name: _numbers(getattr(value, name)) for name in CSR_PARTS}
        return {"csr": {"dtype": str(value.dtype), "shape": list(value.shape), **parts}}
    if hasattr(value, "_asdict"):
        return {"fit": {name: encoded(part) for name, part in value._asdict().items()}}
    if isinstance(value, dict):
        return {"fit": {name: encoded(_steady(name, part)) for name, part in value.items()}}
    if isinstance(value, (tuple, list)):
        return [encoded(part) for part in value]
    return _number(value.item() if isinstance(value, np.generic) else value)


def _steady(name, column):
    """Returns a column of a history. Running times become 0, since they differ from run to run."""
    return np.zeros_like(column) if name == SECONDS else column


def _numbers(array):
    """Returns the entries of an array as JSON has them."""
    entries = array.ravel().tolist()
    is_plain = array.dtype.kind in "iub" or (array.dtype.kind == "f" and np.isfinite(array).all())
    return entries if is_plain else [_number(entry) for entry in entries]


def _number(value):
    """Returns a number, word, truth value or None as JSON has it."""
    if isinstance(value, float) and not np.isfinite(value):
        return str(value)
    return value


def argument(form):
    """Returns the argument that `encoded` wrote; a CSR matrix comes as the dense array that it stands for."""
    if isinstance(form, list):
        return [argument(part) for part in form]
    if not isinstance(form, dict):
        return SPECIAL.get(form, form) if isinstance(form, str) else form
    if "fit" in form:
        parts = {name: argument(part) for name, part in form["fit"].items()}
        return checks.WsabieFit(**parts)
    if "csr" in form:
        return dense(form["csr"])
    return _array(form)


def layout(forms):
    """Returns which of the encoded arguments are CSR, as `Case.layout` has it."""
    return tuple((name, PLAIN) for name, form in forms.items() if isinstance(form, dict) and "csr" in form)


def _array(form):
    return np.array(_special(form["data"]), dtype=form["dtype"]).reshape(form["shape"])


def dense(form):
    """Returns the array that a CSR matrix stands for. Entries at the same place are added."""
    array, starts = np.zeros(form["shape"], form["dtype"]), form["indptr"]
    rows = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    np.add.at(array, (rows, np.array(form["indices"], dtype=np.int64)), np.array(form["data"], dtype=form["dtype"]))
    return array


# --- answers of another program ------------------------------------------------------------------------------------


def answer(value, like, enough=()):
    """Returns the answer of another program in the form that the judges take.

    `like` is a right answer to the same instance, encoded. It tells which numbers are arrays, and of which type:
    another language may write an array as a plain list, nested or flat. Where the answer has another form, it is
    returned as it is, and the judge says what is wrong with it. In place of a fit, the first of the parts that are
    `enough` may come alone.
    """
    is_array = isinstance(value, list) or (isinstance(value, dict) and "data" in value)
    if isinstance(like, dict) and "fit" in like and enough and is_array:
        value = {enough[0]: value}
    if isinstance(like, list) and isinstance(value, dict) and len(like) == len(enough):  # a pair, with names
        like = {"fit": dict(zip(enough, like, strict=True))}
    found = _like(value, like)
    return Fields(found) if isinstance(found, dict) else found


def _like(value, like):
    if isinstance(like, dict) and "csr" in like:
        like = like["csr"]
    if isinstance(like, dict) and "fit" in like:
        given = value.get("fit", value) if isinstance(value, dict) else None
        if not isinstance(given, dict):
            return value
        return {name: _like(part, like["fit"].get(name)) for name, part in given.items()}
    if isinstance(like, dict) and "dtype" in like:
        return _array_like(value, like)
    if isinstance(like, list) and isinstance(value, list):
        likes = like if len(like) == len(value) else [None] * len(value)
        return [_like(part, other) for part, other in zip(value, likes, strict=True)]
    return SPECIAL.get(value, value) if isinstance(value, str) else value


def _dense_like(matrix, like):
    """Returns the array that a CSR matrix stands for, which is refused if it has a column outside of it."""
    if not set(matrix["indices"]) <= set(range(like["shape"][1])):
        raise ValueError("no such column")
    return dense({"dtype": like["dtype"], **matrix})


def _array_like(value, like):
    """Returns an array of the type of `like`, or the value itself if it is no array of such numbers."""
    shape, dtype = None, np.dtype(like["dtype"])
    if isinstance(value, dict) and "data" in value:
        shape, value = value.get("shape"), value["data"]
    matrix = value.get("csr") if isinstance(value, dict) else None
    is_csr = isinstance(matrix, dict) and matrix.get("shape") == like["shape"]
    if not (isinstance(value, list) or is_csr):
        return value
    try:
        array = _dense_like(matrix, like) if is_csr else np.array(_special(value))
        array = array.reshape(shape if shape is not None else array.shape)
    except (ValueError, TypeError, OverflowError, LookupError, MemoryError):  # ragged, or a shape that does not fit
        return value
    if array.size == 0:
        array = array.astype(dtype)
    if array.dtype.kind not in "iuf" or (dtype.kind in "iu" and not (array == np.round(array)).all()):
        return value
    if shape is None and array.ndim == 1 and array.size == int(np.prod(like["shape"])):
        array = array.reshape(like["shape"])
    with np.errstate(over="ignore"):  # infinite in float32, which the judge refuses
        return array.astype(dtype)


def _special(value):
    """Returns nested lists with infinities and NaN in place of the words for them."""
    if isinstance(value, list):
        return value if {*map(type, value)} <= {float, int, bool} else [_special(part) for part in value]
    return SPECIAL.get(value, value) if isinstance(value, str) else value
