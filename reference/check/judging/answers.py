"""Readers of an answer: in one form for the judge, and in several for `certify`."""

import numpy as np
import scipy.sparse

from ...problems import checks
from ..sandbox.transport import Fields
from .outcome import Outcome, described, form
from .spec import DTYPES, is_array, letters, shape_of, sizes


class Malformed(Exception):
    """An answer that cannot be right, because its form or its numbers are not those of an answer."""

    def __init__(self, text, reason="wrong type"):
        super().__init__(text)
        self.reason = reason  # of the verdict


def strictly(spec, arguments, axes, answer):
    """Returns (the parts of an answer by name, None), or (None, the Outcome of an answer of another form).

    Fields may leave out what `certify` does not need. What they claim beside it is then left out, too.
    """
    names = list(axes)
    if isinstance(answer, dict) and len(names) > 1:
        is_whole = set(names) <= set(answer)
        needs, proving = (names, names) if is_whole or not isinstance(answer, Fields) else _proving(spec, axes)
        if missing := [name for name in needs if name not in answer]:
            enough = f"; enough would be {', '.join(needs)}" if isinstance(answer, Fields) else ""
            return None, Outcome("wrong type", f"it has no {' and no '.join(missing)}{enough}", got=answer)
        parts = {name: answer[name] for name in proving if name in answer}
    elif len(names) == 1:
        parts = {names[0]: answer}
    elif isinstance(answer, (list, tuple)) and len(answer) == len(names) and all(map(is_array, axes.values())):
        parts = dict(zip(names, answer, strict=True))
    else:
        text = "two arrays" if all(map(is_array, axes.values())) else f"a fit with {', '.join(names)}"
        return None, Outcome("wrong type", f"it should be {text}, got {described(answer)}", got=answer)
    found, dtype = sizes_of(spec, arguments, axes, parts), spec.dtype(arguments)
    for name, part in parts.items():
        if wrong := _of_wrong_form(part, axes[name], found, dtype, name if len(names) > 1 else "the answer"):
            return None, wrong
    return parts, None


def _of_wrong_form(value, axes, found, dtype, name):
    if is_array(axes):
        own = next((np.dtype(word) for word in axes.split() if word in DTYPES), dtype)
        return form(value, shape_of(axes, found), own, name)
    kinds = {"number": (int, float, np.number), "float": (float, np.float64), "integer": (int, np.integer)}
    if axes == "arrays":
        is_right, text = isinstance(value, (list, tuple)), "a tuple of arrays"
        for one in value if is_right else ():
            if wrong := form(one, getattr(one, "shape", None), dtype, name):
                return wrong
    elif axes.startswith("None"):
        is_right, text = value is None, "None"
    elif axes in kinds:
        is_right = isinstance(value, kinds[axes]) and not isinstance(value, bool) and np.isfinite(value)
        text = "an integer" if axes == "integer" else f"a finite {axes}"
    else:
        return None
    return None if is_right else Outcome("wrong type", f"{name} should be {text}, got {described(value)}", got=value)


def leniently(spec, arguments, axes, answer):
    """Returns the parts of an answer that prove something: of a fit, a dict, a tuple of arrays, or an array alone.

    Raises Malformed if one is missing that `certify` needs, or cannot be right. What an answer claims is left out.
    """
    axes = {name: text.removeprefix("None ") for name, text in axes.items()}
    arrays = [name for name, text in axes.items() if is_array(text)]
    needs, proving = _proving(spec, axes)
    several = [name for name in (needs if len(spec.needs) > 1 else arrays) if name in arrays or axes[name] == "arrays"]
    parts = parts_of(answer, needs[0], several)
    needed(parts, *needs)
    found = sizes_of(spec, arguments, axes, parts)
    return {name: _read(parts[name], axes[name], found, name if len(axes) > 1 else "the answer")
            for name in proving if name in parts}  # fmt: skip


def _proving(spec, axes):
    """Returns the names of the parts without which nothing is proved, and of all parts that prove something."""
    arrays = [name for name, text in axes.items() if is_array(text)]
    needs = [name for name in spec.needs or arrays or axes if axes[name] != "None"]
    return needs, [name for name in axes if name in (*needs, *arrays, *spec.reads) or axes[name] == "arrays"]


def sizes_of(spec, arguments, axes, parts):
    """Returns the sizes of the letters of the arguments, and of the first axes of parts that no argument has."""
    found = sizes(spec.axes(arguments), arguments)
    for name, text in axes.items():
        if is_array(text) and "(" not in text:
            found.setdefault(letters(text)[0], entries(parts.get(name)))
    return found


def _read(value, axes, found, name):
    array = integers if "int" in axes else numbers
    return value if axes in ("any", "arrays") else array(value, shape_of(axes, found) if is_array(axes) else (), name)


def parts_of(answer, alone, arrays=()):
    """Returns the parts of an answer as a dict: a fit, a dict, a tuple of these arrays, or the part `alone`."""
    if hasattr(answer, "_asdict"):
        answer = answer._asdict()
    elif isinstance(answer, (tuple, list)) and len(answer) == len(arrays) > 1:
        answer = dict(zip(arrays, answer, strict=True))
    elif not isinstance(answer, dict):
        answer = {alone: answer}
    return {name: value for name, value in answer.items() if value is not None}


def needed(parts, *names):
    """Raise Malformed unless the answer has these parts."""
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


def integers(value, shape, name, least=-np.inf, most=np.inf):
    """Returns an array of integers in least..most, of this shape."""
    array = _array(value, shape, name, "iu")
    if array.size and not (least <= array.min() and array.max() <= most):
        raise Malformed(f"{name} should be in {least}..{most}, got {array.min()}..{array.max()}")
    return array.astype(np.int64)


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
