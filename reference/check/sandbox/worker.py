"""The child process: loads TARGET, waits for calls, and answers with plain arrays and numbers.

It imports nothing from `reference` except the class of a fit, and this only if a fit is an argument.

A message is four bytes of length, JSON of that length, and the raw bytes of the arrays that the JSON lists. Requests
come through standard input and answers leave through standard output. Both are moved to private descriptors before
TARGET is loaded. What TARGET prints goes to a separate file.
"""

import contextlib
import importlib
import importlib.util
import json
import mmap
import operator
import os
import struct
import sys
import tempfile
import threading
import time
import traceback
import warnings

import numpy as np

LENGTH = struct.Struct(">I")
LONGEST_TEXT = 2000
# The packages from which `reference` imports names. A name from any other package was put there by TARGET.
IMPORTED_BY_REFERENCE = (sys.stdlib_module_names - {"__main__"}) | {
    "None",
    "reference",
    "numpy",
    "scipy",
    "sklearn",
    "cvxpy",
    "rich",
}
MOST_PRINTED = 256 << 20  # bytes, so that a file of TARGET cannot fill the disk
ROOM_TO_RESERVE = 8 << 30  # bytes of address space beyond the limit: Numba, LLVM and BLAS reserve more than they use


def main():
    """Serve the TARGET that the first message names, until the parent closes the pipe."""
    die_with_parent()
    requests, answers, printed = private_channels()
    start, before = receive(requests), numpy_as_it_was()
    sys.path[:] = start["path"]
    try:
        module = load(start["target"])
        functions = {name: getattr(module, name, None) for name in start["names"]}
        trouble = None
    except BaseException as error:  # also SystemExit: the parent reports whatever stopped the import
        functions, trouble = {}, "".join(traceback.format_exception_only(error))[:LONGEST_TEXT].strip()
    serve(requests, answers, printed, functions, start, before, trouble)


def serve(requests, answers, printed, functions, start, before, trouble=None):
    """Answer calls to `functions` until the parent closes the pipe."""
    limited = limit_memory(start["memory"])
    functions = {name: functions[name] for name in start["names"] if callable(functions.get(name))}
    taken(printed)
    send(answers, {"id": start["id"], "public": sorted(functions), "error": trouble, "limited": limited})
    in_order = {}
    while (request := receive(requests)) is not None:
        reply, arrays = call(functions[request["function"]], request)
        reply |= {"id": request["id"], "printed": taken(printed), "rewrote": rewritten(before, functions, in_order)}
        send(answers, reply, arrays)


def call(function, request):
    """Make one call, or several equal ones for the parent to time. Returns the reply and its arrays."""
    with open(request["inputs"], "r+b") as file:
        memory = mmap.mmap(file.fileno(), 0)
    given = [(name, place, restored(value, memory)) for name, place, value in request["arguments"]]
    before = [(name, value, parts_of(value)) for name, _, value in given if hasattr(value, "indptr")]
    args = [value for _, place, value in given if place == "positional"]
    kwargs = {name: value for name, place, value in given if place == "keyword"}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            for _ in range(request["repeat"]):
                answer = function(*args, **kwargs)
        except SystemExit as error:
            return {"exited": repr(error)[:LONGEST_TEXT]}, []
        except BaseException as error:
            kinds = [kind.__name__ for kind in type(error).__mro__]
            where = traceback.extract_tb(error.__traceback__)[-1]
            line = f"{os.path.basename(where.filename)}:{where.lineno}"
            return {"raised": {"kinds": kinds, "message": str(error)[:LONGEST_TEXT], "line": line}}, []
    arrays = []
    as_json = by_name if request["in_part"] else plain
    reply = {"answer": as_json(answer, arrays), "warnings": sorted({w.category.__name__ for w in caught})[:20]}
    replaced = [name for name, value, parts in before if any(map(operator.is_not, parts, parts_of(value)))]
    return reply | {"replaced": replaced[:1]}, arrays


# --- values --------------------------------------------------------------------------------------------------------


def restored(value, memory):
    """Returns an argument as the parent described it: an array in `memory`, a plain value, a fit, or a list of them."""
    if "fit" in value:  # the same class that TARGET imports
        parts = {name: restored(part, memory) for name, part in value["fit"].items()}
        return importlib.import_module("reference.problems.checks").WsabieFit(**parts)
    if "csr" in value:
        return rebuilt(value["kind"], value["shape"], **{k: restored(part, memory) for k, part in value["csr"].items()})
    for kind in (tuple, list):
        if kind.__name__ in value:
            return kind(restored(part, memory) for part in value[kind.__name__])
    if "array" not in value:
        return value["value"]
    form = value["array"]
    dtype = np.dtype(form["dtype"])
    return np.ndarray(form["shape"], dtype, buffer=memory, offset=form["offset"], strides=form["strides"])


def rebuilt(kind, shape, data, indices, indptr):
    """Returns a CSR matrix (or array) that holds these arrays themselves. The constructor would check and copy them."""
    from scipy import sparse

    matrix = {"csr_matrix": sparse.csr_matrix, "csr_array": sparse.csr_array}[kind](tuple(shape))
    matrix.data, matrix.indices, matrix.indptr = data, indices, indptr
    return matrix


def parts_of(matrix):
    """Returns the three arrays of a CSR matrix. Replacing one changes the matrix without changing any memory."""
    return matrix.data, matrix.indices, matrix.indptr


def by_name(answer, arrays):
    """Returns an answer as `plain` does. A dict of fields may stand for a fit."""
    if type(answer) is not dict or len(answer) > 100:
        return plain(answer, arrays)
    return {"some": {str(name): plain(dense(name, part), arrays, 1) for name, part in answer.items()}}


def dense(name, part):
    """Returns a part of a fit, which for sparse duals is the array that they stand for, if they are not broken."""
    if name == "duals" and hasattr(part, "indptr"):
        with contextlib.suppress(Exception):
            return part.toarray()
    return part


def plain(value, arrays, depth=0):
    """Returns `value` as JSON. An array is its index in `arrays`, to which it is appended."""
    if isinstance(value, np.ndarray) and value.dtype.names and depth < 3:
        return {"fields": {name: plain(np.array(value[name]), arrays, depth + 1) for name in value.dtype.names}}
    if isinstance(value, np.generic) and value.dtype.kind in "fiub":
        return {"scalar": value.item(), "dtype": value.dtype.name}
    if isinstance(value, np.ndarray) and value.dtype.kind in "fiub" and value.dtype.itemsize <= 8:
        arrays.append(value)
        return {"array": len(arrays) - 1}
    if value is None or isinstance(value, (bool, float)) or (isinstance(value, int) and abs(value) < 2**63):
        return {"value": value}
    if isinstance(value, str) and len(value) <= 40 and depth:  # a word in a fit
        return {"value": value}
    if isinstance(value, tuple) and hasattr(value, "_fields") and depth < 3:
        parts = zip(value._fields, value, strict=True)
        fields = {str(name): plain(dense(name, part), arrays, depth + 1) for name, part in parts}
        return {"named": type(value).__name__, "parts": fields}
    if isinstance(value, (tuple, list)) and len(value) <= 1000 and depth < 3:
        return {"sequence": [plain(part, arrays, depth + 1) for part in value], "type": type(value).__name__}
    kind = f"{type(value).__name__} of {value.dtype}" if isinstance(value, np.ndarray) else type(value).__name__
    return {"other": f"{kind}: {value!r}"[:200]}


# --- channels ------------------------------------------------------------------------------------------------------


def private_channels():
    """Returns (requests, answers, printed): the pipes on private descriptors, and the file for what TARGET prints."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    printed = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as the process lives
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(printed.fileno(), 1)
    sys.stdin, sys.stdout = open(0, closefd=False), open(1, "w", closefd=False)  # noqa: SIM115
    return requests, answers, printed


def taken(printed):
    """Returns the start of what was printed since the last call, and empties the file."""
    with contextlib.suppress(Exception):  # TARGET may have replaced or closed sys.stdout
        sys.stdout.flush()
    printed.seek(0)
    text = printed.read(200).decode(errors="replace")
    printed.seek(0)
    printed.truncate()
    return text


def receive(file):
    """Returns the next message, or None at the end of the pipe."""
    head = file.read(LENGTH.size)
    return json.loads(file.read(LENGTH.unpack(head)[0])) if len(head) == LENGTH.size else None


def send(file, message, arrays=()):
    """Write one message and its arrays."""
    arrays = [np.ascontiguousarray(array) for array in arrays]
    forms = [{"dtype": array.dtype.newbyteorder("=").str, "shape": array.shape} for array in arrays]
    text = json.dumps(message | {"arrays": forms}).encode()
    file.write(LENGTH.pack(len(text)) + text)
    for array in arrays:
        file.write(array.astype(array.dtype.newbyteorder("="), copy=False).data.cast("B") if array.size else b"")
    file.flush()


# --- the process ---------------------------------------------------------------------------------------------------


def load(target):
    """Returns the module of this name, or the one in this .py file."""
    if not target.endswith(".py"):
        return importlib.import_module(target)
    sys.path.insert(0, os.path.dirname(os.path.abspath(target)))
    name = os.path.splitext(os.path.basename(target))[0]
    spec = importlib.util.spec_from_file_location(name, target)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def limit_memory(nbytes):
    """Limit the address space and the files of this process. Returns False if the platform has no such limits."""
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_PRINTED, MOST_PRINTED))
        with open("/proc/self/statm") as file:
            mapped = int(file.read().split()[0]) * resource.getpagesize()
        most = mapped + nbytes + ROOM_TO_RESERVE
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    except (ImportError, OSError, ValueError):  # no such module, no /proc, or a lower limit is already set
        return False
    return True


def die_with_parent():
    """End this process when the parent ends, even if the parent is killed."""
    parent = os.getppid()
    if sys.platform == "linux":
        import ctypes
        import signal

        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    if os.getppid() != parent:
        os._exit(1)

    def watch():
        while os.getppid() == parent:
            time.sleep(1.0)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def numpy_as_it_was():
    """Returns the names of NumPy's modules and the objects that they refer to now."""
    return {module: dict(vars(module)) for module in (np, np.linalg, np.random)}


def rewritten(before, functions, in_order):
    """Returns the first name of NumPy or of `reference` that TARGET has replaced, or None.

    `in_order` has what the modules of `reference` held when nothing was wrong with them, so that after each call only
    modules that hold something else are looked through.
    """
    for module, names in before.items():
        now = vars(module)
        for name, meaning in names.items():
            if now.get(name) is not meaning and not name.startswith("__"):
                return f"{module.__name__}.{name}"
    origins = {str(getattr(function, "__module__", None)) for function in functions.values()}
    origins = {origin for origin in origins if origin.split(".")[0] not in IMPORTED_BY_REFERENCE}
    for path, module in list(sys.modules.items()):
        if not path.startswith("reference") or path.split(".")[0] != "reference":
            continue
        names, known = dict(vars(module)), in_order.get(path, ())
        if len(names) == len(known) and all(map(operator.is_, names.values(), known)):
            continue
        for name, meaning in names.items():
            if getattr(meaning, "__module__", None) in origins:
                return f"{path}.{name}"
        in_order[path] = [*names.values()]
    return None


if __name__ == "__main__":
    main()
