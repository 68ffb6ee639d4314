"""What all certified answers share: a condition that was measured, and readers of answers in several forms."""

from typing import NamedTuple

import numpy as np
import scipy.sparse

from ...problems import checks

TELLING = 0.1  # the share of a bound from which on a cause of it is named
SUBOPTIMAL = "proved bound of the relative suboptimality"


class Condition(NamedTuple):
    """One number that was measured, the largest one that is allowed, and what it means in English."""

    value: float
    bound: float
    what: str
    note: str = ""  # what the number does not prove, or what it consists of


def suboptimality(found, tol, note=""):
    """Returns the Condition that the Bounds of a fit of a convex problem are as close as `tol`."""
    text = f"The objective is at most {found.primal:.6g}, the minimum at least {found.dual:.6g}."
    repair, rounding = found.causes if np.isfinite(found.value) and found.value > tol else (0.0, 0.0)
    if repair > TELLING * found.value:
        text += f" The duals are outside of their domain: {repair:.2g} is what it costs to bring them into it."
    if rounding > TELLING * found.value > 0:
        text += f" Rounding in float64 may be {rounding:.2g} of it."
    return Condition(found.value, tol, SUBOPTIMAL, f"{text} {note}".strip())


class Malformed(Exception):
    """An answer that cannot be right, because its form or its numbers are not those of an answer."""


def parts_of(answer, *fields):
    """Returns the fields of an answer as a dict: a fit, a dict, a plain tuple of `fields`, or the first field alone."""
    if hasattr(answer, "_asdict"):
        answer = answer._asdict()
    elif isinstance(answer, tuple) and len(answer) == len(fields) > 1:
        answer = dict(zip(fields, answer, strict=True))
    elif not isinstance(answer, dict):
        answer = {fields[0]: answer}
    return {name: value for name, value in answer.items() if value is not None}


def needed(parts, *names):
    """Raise Malformed unless the answer has these fields."""
    missing = [name for name in names if name not in parts]
    if missing:
        raise Malformed(f"it has no {' and no '.join(missing)}; it has {', '.join(map(str, parts)) or 'no arrays'}")


def numbers(value, shape, name):
    """Returns a finite array of this shape: float32 if it is, else float64. A sparse matrix becomes dense."""
    array = _array(value, shape, name, "fiu")
    array = array if array.dtype == np.float32 else array.astype(np.float64)
    if not np.isfinite(array).all():
        raise Malformed(f"{name} should be finite, and has NaN or infinities")
    return array


def integers(value, shape, name, least, most):
    """Returns an array of integers in least..most, of this shape."""
    array = _array(value, shape, name, "iu")
    if array.size and not (least <= array.min() and array.max() <= most):
        raise Malformed(f"{name} should be in {least}..{most}, got {array.min()}..{array.max()}")
    return array.astype(np.int64)


def number(value, name):
    """Returns a finite number as a float."""
    return float(numbers(value, (), name))


def entries(value):
    """Returns how many entries an answer has, 0 if it has no length."""
    try:
        return len(value)
    except Exception:  # of any object, as in _array
        return 0


def _array(value, shape, name, kinds):
    is_sparse = scipy.sparse.issparse(value)
    try:
        array = value if is_sparse else np.asarray(value)
    except Exception:  # an answer may be any object, whose conversion may raise anything
        array = np.array(None)
    if array.dtype.kind not in kinds:
        expected = "numbers" if "f" in kinds else "integers"
        raise Malformed(f"{name} should hold {expected}, got {checks.brief(value)}")
    if array.shape != tuple(shape):
        raise Malformed(f"{name} should have shape {tuple(shape)}, got {array.shape}")
    return array.toarray() if is_sparse else array
