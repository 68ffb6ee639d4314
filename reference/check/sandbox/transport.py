"""Encodes arguments and decodes answers. They travel as raw memory and plain JSON, which cannot run code."""

import ctypes

import numpy as np

DTYPES = ("f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1")


def packed(arguments, positional):
    """Returns the JSON form of each argument, and the raw memory of all arrays with their strides and gaps."""
    forms, raw = [], []
    for i, (name, value) in enumerate(arguments.items()):
        forms.append((name, "positional" if i < positional else "keyword", _form(value, raw)))
    return forms, raw


def _form(value, raw):
    """Returns one argument as JSON, and appends the memory of its arrays to `raw`."""
    if isinstance(value, np.ndarray) and value.dtype != object:
        low, high = np.lib.array_utils.byte_bounds(value)
        start = sum(map(len, raw)) + value.__array_interface__["data"][0] - low
        memory = ctypes.string_at(low, high - low)
        raw.append(memory + bytes(-len(memory) % 64))
        return {"array": {"dtype": value.dtype.str, "shape": value.shape, "strides": value.strides, "offset": start}}
    if getattr(value, "format", None) == "csr":
        parts = {name: _form(getattr(value, name), raw) for name in ("data", "indices", "indptr")}
        return {"csr": parts, "kind": type(value).__name__, "shape": value.shape}
    if hasattr(value, "_fields"):
        return {"fit": {name: _form(part, raw) for name, part in zip(value._fields, value, strict=True)}}
    if isinstance(value, (tuple, list)):
        return {type(value).__name__: [_form(part, raw) for part in value]}
    return {"value": value.item() if isinstance(value, np.generic) else value}


def _owners(name, form):
    """Returns the name of the argument, repeated once for each of its arrays."""
    if "array" in form:
        return [name]
    parts = form.get("fit", form.get("csr", {})).values() or form.get("tuple", form.get("list", ()))
    return [owner for part in parts for owner in _owners(name, part)]


def changed_argument(file, raw, forms):
    """Compares the file with the memory that was sent. Returns the name of the first changed argument, or None."""
    names = [owner for name, _, form in forms for owner in _owners(name, form)]
    file.seek(0)
    for name, memory in zip(names, raw, strict=True):
        if file.read(len(memory)) != memory:
            return name
    return None


def announced(form):
    """Returns (dtype, shape, bytes) of an array that a header announces. Raises ValueError if they are impossible."""
    dtype, shape = str(form["dtype"]), tuple(form["shape"])
    if dtype[1:] not in DTYPES or dtype[0] not in "<>|=" or len(shape) > 8:
        raise ValueError(f"an array of {dtype!r:.20}")
    if not all(type(n) is int and 0 <= n < 2**40 for n in shape):
        raise ValueError("an impossible shape")
    dtype, size = np.dtype(dtype), 1
    for n in shape:
        size *= n
    return dtype, shape, size * dtype.itemsize


def unpacked(tree, arrays):
    """Returns the answer as nested plain values. A named tuple becomes a dict; a number keeps its NumPy type."""
    if "array" in tree:
        return arrays[tree["array"]]
    if "scalar" in tree:
        dtype = np.dtype(str(tree["dtype"]))
        if dtype.str[1:] not in DTYPES:
            raise ValueError("a number of no plain type")
        return dtype.type(tree["scalar"])
    if "named" in tree:
        return {name: unpacked(part, arrays) for name, part in tree["parts"].items()}
    if "some" in tree:
        return Fields({name: unpacked(part, arrays) for name, part in tree["some"].items()})
    if "fields" in tree:
        return {name: unpacked(part, arrays) for name, part in tree["fields"].items()}
    if "sequence" in tree:
        return [unpacked(part, arrays) for part in tree["sequence"]]
    return tree["value"] if "value" in tree else Other(str(tree["other"]))


class Fields(dict):
    """Parts of an answer by name. They need not be all parts, if they prove that the answer is right."""


class Other(str):
    """The start of the repr of an object that is neither an array nor a number."""
