"""How arguments travel to the worker and answers come back: raw memory and plain JSON, nothing that could run code."""

import ctypes

import numpy as np

DTYPES = ("f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1")


def packed(arguments, positional):
    """(how the worker finds each argument, the raw memory of the arrays), layout and gaps included."""
    forms, raw, offset = [], [], 0
    for i, (name, value) in enumerate(arguments.items()):
        place = "positional" if i < positional else "keyword"
        if isinstance(value, np.ndarray) and value.dtype != object:
            low, high = np.lib.array_utils.byte_bounds(value)
            start = offset + value.__array_interface__["data"][0] - low
            form = {"dtype": value.dtype.str, "shape": value.shape, "strides": value.strides, "offset": start}
            memory = ctypes.string_at(low, high - low)
            raw.append(memory + bytes(-len(memory) % 64))
            offset += len(raw[-1])
            forms.append((name, place, {"array": form}))
        else:
            forms.append((name, place, {"value": value.item() if isinstance(value, np.generic) else value}))
    return forms, raw


def changed_argument(file, raw, forms):
    """The name of the argument whose memory is no longer what it was, read from the file itself, or None."""
    names = [name for name, _, value in forms if "array" in value]
    file.seek(0)
    for name, memory in zip(names, raw, strict=True):
        if file.read(len(memory)) != memory:
            return name
    return None


def announced(form):
    """(dtype, shape, bytes) of an array that a header announces; ValueError if there can be no such array."""
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
    """The answer as nested plain values; a named tuple becomes a dict, a number keeps its NumPy type."""
    if "array" in tree:
        return arrays[tree["array"]]
    if "scalar" in tree:
        dtype = np.dtype(str(tree["dtype"]))
        if dtype.str[1:] not in DTYPES:
            raise ValueError("a number of no plain type")
        return dtype.type(tree["scalar"])
    if "named" in tree:
        return {name: unpacked(part, arrays) for name, part in tree["parts"].items()}
    if "fields" in tree:
        return {name: unpacked(part, arrays) for name, part in tree["fields"].items()}
    if "sequence" in tree:
        return [unpacked(part, arrays) for part in tree["sequence"]]
    return tree["value"] if "value" in tree else Other(str(tree["other"]))


class Other(str):
    """The beginning of the repr of an object that is neither an array nor a number."""
