"""The process that runs a student's code: executes the cells of a notebook, then answers calls of its functions.

It is started by path, in isolation, and imports nothing of this project but the two files beside which it is put:
`worker` and `transport`. It never sees an expected answer, a seed or a test. `import reference` and `import fast` give
modules in which everything is closed, except the functions that a task allows: those are computed by the judge.

Messages are those of `worker`. Requests: {"run": source}, {"value": name}, {"call": name, "arguments": [...]}. While it
answers a call it may send {"ask": function, "arguments": [...]}, for a function that it was given or that is allowed.
The arrays that a function is given lie in memory that the judge sees, too, and compares after the call.
"""

import contextlib
import ctypes
import importlib.abc
import importlib.machinery
import io
import itertools
import json
import mmap
import os
import platform
import struct
import sys
import types
import warnings

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import transport
import worker

sys.path.pop(0)
LONGEST_OUTPUT = 100_000  # characters of text that one cell may show
MOST_SHOWN = 900_000  # bytes of all that one cell shows, so that it fits into a message
PROCESSES, FILES = 64, 64
# The magics that Jupyter's kernel adds to those of IPython. There is no kernel and no page here, so they do nothing.
KERNELS_MAGICS = ("autosave", "clear", "connect_info", "ed", "edit", "less", "man", "more", "qtconsole", "subshell")
# For each machine: its number in seccomp, that of the call seccomp, and those of the calls that are closed. First those
# that make memory which belongs to no process, so that nobody could count it: shmget, semget, msgget, add_key,
# memfd_create, io_uring_setup, memfd_secret. Then, for root only, those that change who may use a file: chmod, chown,
# setxattr and their kin. The devices in /dev are those of the machine, and root owns them.
SYSTEM = {
    "x86_64": (0xC000003E, 317, (29, 64, 68, 248, 319, 425, 447),
               (90, 91, 268, 452, 92, 93, 94, 260, 188, 189, 190, 463)),
    "aarch64": (0xC00000B7, 277, (194, 190, 186, 217, 279, 425, 447), (52, 53, 452, 54, 55, 5, 6, 7, 463)),
}  # fmt: skip
CLOSED = "the functions of reference and fast are closed here: this one is yours to write"


class Channel:
    """The two pipes to the judge."""

    def __init__(self, requests, answers):
        self.requests, self.answers, self.current = requests, answers, None

    def receive(self):
        """(the next message, its arrays), (None, None) at the end of the pipe."""
        message = worker.receive(self.requests)
        if message is None:
            return None, None
        arrays = []
        for form in message.get("arrays", ()):
            dtype, shape, nbytes = transport.announced(form)
            arrays.append(np.frombuffer(bytearray(self.requests.read(nbytes)), dtype).reshape(shape))
        return message, arrays

    def send(self, message, arrays=()):
        worker.send(self.answers, message | {"id": self.current}, arrays)

    def ask(self, function, arguments, options=()):
        """Let the judge compute one of its own functions."""
        arrays, forms = [], {}
        forms["arguments"] = [worker.plain(value, arrays) for value in arguments]
        forms["options"] = {name: worker.plain(value, arrays) for name, value in dict(options).items()}
        self.send({"ask": function, **forms}, arrays)
        message, arrays = self.receive()
        if message is None:
            os._exit(1)
        if message.get("raised"):
            raise RuntimeError(message["raised"])
        return transport.unpacked(message["answer"], arrays)


# --- the library, closed -------------------------------------------------------------------------------------------


class Closed(types.ModuleType):
    """A module of this project, or a name in one: nothing in it works here, except what the judge computes."""

    channel, open = None, ()  # `open` are the names that may be called

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Closed(f"{self.__name__}.{name}")

    def __setattr__(self, name, value):
        if not name.startswith("__") and not isinstance(value, Closed):
            raise RuntimeError(f"{self.__name__}.{name} cannot be replaced: reference and fast are closed here")
        super().__setattr__(name, value)

    def __call__(self, *arguments, **options):
        name = self.__name__.split(".", 1)[-1]
        if name not in Closed.open:
            raise RuntimeError(CLOSED)
        return Closed.channel.ask(name, arguments, options)


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the packages of this project, closed."""

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("reference", "fast"):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        return Closed(spec.name)

    def exec_module(self, module):
        pass


# --- cells ---------------------------------------------------------------------------------------------------------


def notebook():
    """An IPython shell whose `caught` is the traceback of the last cell that raised."""
    from IPython.core.interactiveshell import InteractiveShell

    class Shell(InteractiveShell):
        caught = None

        def _showtraceback(self, etype, evalue, stb):
            self.caught = {"ename": etype.__name__, "evalue": str(evalue)[:1000], "traceback": [str(s) for s in stb]}

        def enable_gui(self, gui=None):
            """There is no event loop here to connect figures to."""

    shell = Shell.instance()
    shell.history_manager.enabled = False
    shell.colors = "NoColor"
    for name in KERNELS_MAGICS:
        shell.register_magic_function(lambda line="": None, "line", name)
    return shell


def run(shell, source):
    """One cell: what it showed, as outputs of a notebook (text and PNG only), and what it raised."""
    from IPython.utils.capture import capture_output

    shell.caught = None
    with capture_output() as shown:
        done = shell.run_cell(source, store_history=False)
    error = done.error_before_exec or done.error_in_exec
    if error and not shell.caught:  # such as a magic that nobody knows, of which IPython prints a line only
        shell.caught = {"ename": type(error).__name__, "evalue": str(error)[:1000], "traceback": []}
    outputs = [{"output_type": "stream", "name": "stdout", "text": text[:LONGEST_OUTPUT]}
               for text in (shown.stdout, shown.stderr) if text]  # fmt: skip
    for output in shown.outputs[:20]:
        data = {kind: text if kind == "image/png" else text[:LONGEST_OUTPUT] for kind, text in output.data.items()
                if kind in ("text/plain", "image/png") and isinstance(text, str)}  # fmt: skip
        outputs.append({"output_type": "display_data", "data": data, "metadata": {}})
    if shell.caught:
        frames = [frame[:LONGEST_OUTPUT] for frame in shell.caught["traceback"][-20:]]
        outputs.append({"output_type": "error", **shell.caught, "traceback": frames})
    raised = shell.caught and f"{shell.caught['ename']}: {shell.caught['evalue'][:200]}"
    return {"outputs": fitting(outputs), "raised": raised}


def fitting(outputs):
    """The outputs that are small enough, and for the others a word that they are missing."""
    left, found = MOST_SHOWN, []
    for output in outputs:
        if (size := len(json.dumps(output))) > left:
            output = {"output_type": "stream", "name": "stdout", "text": "(Left out: this cell shows too much.)\n"}
            size = 0
        found.append(output)
        left -= size
    return found


# --- calls ---------------------------------------------------------------------------------------------------------


def call(channel, namespace, request, memory):
    """Call a function of the notebook: a reply and the arrays that belong to it."""
    name, made = request["call"], []
    arrays = [np.ndarray(form["shape"], np.dtype(form["dtype"]), memory, form["offset"]) for form in request["inputs"]]
    if not callable(namespace.get(name)):
        what = "not defined" if name not in namespace else f"no function, but {type(namespace[name]).__name__}"
        return {"raised": {"kinds": ["NameError"], "message": f"{name} is {what}", "line": ""}}, made
    given = [argument(channel, form, arrays) for form in request["arguments"]]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            answer = namespace[name](*given)
        except BaseException as error:
            kinds = [kind.__name__ for kind in type(error).__mro__]
            return {"raised": {"kinds": kinds, "message": str(error)[:2000], "line": ""}}, made
    seen = sorted({warning.category.__name__ for warning in caught})[:20]
    return {"answer": worker.plain(answer, made), "warnings": seen}, made


def argument(channel, form, arrays):
    """A value, or a function that the judge computes."""
    if "ask" in form:
        return lambda *arguments: channel.ask(form["ask"], arguments)
    return transport.unpacked(form, arrays)


def limit(memory):
    """Bound memory, files and processes; False where the platform has no such limits."""
    worker.ROOM_TO_RESERVE = 1 << 30
    limited = worker.limit_memory(memory)
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_NPROC, (PROCESSES, PROCESSES))
        resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, FILES))
    return close_calls() and limited


def close_calls():
    """Make calls of SYSTEM fail, in all threads and in all that they start; False where that is not possible."""
    if sys.platform != "linux" or platform.machine() not in SYSTEM:
        return False
    machine, seccomp, calls, of_root = SYSTEM[platform.machine()]
    calls = calls if os.getuid() else calls + of_root
    load, equal, at_least, end = 0x20, 0x15, 0x35, 0x06  # instructions of the filter: (what, if so, if not, number)
    steps = [(load, 0, 0, 4), (equal, 0, len(calls) + 3, machine), (load, 0, 0, 0)]
    steps += [(at_least, len(calls) + 1, 0, 0x40000000)]  # the second set of numbers that x86_64 has
    steps += [(equal, len(calls) - i, 0, call) for i, call in enumerate(calls)]
    steps += [(end, 0, 0, 0x7FFF0000), (end, 0, 0, 0x00050001)]  # go on; "not permitted"
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(steps), ctypes.addressof(code)))
    libc = ctypes.CDLL(None)
    libc.prctl(38, 1, 0, 0, 0)  # no new privileges, without which a filter is refused
    return libc.syscall(seccomp, 1, 1, program) == 0  # a filter for all threads


def main():
    """Run cells and answer calls until the judge closes the pipe."""
    worker.die_with_parent()
    requests, answers, printed = worker.private_channels()
    channel = Closed.channel = Channel(requests, answers)
    sys.meta_path.insert(0, Finder())
    shell = notebook()
    start, _ = channel.receive()
    channel.current, inputs = start["id"], start["inputs"]
    limit(start["memory"])
    memory = b""
    channel.send({})
    for _ in itertools.count():
        request, _ = channel.receive()
        if request is None:
            break
        channel.current, Closed.open, made = request["id"], tuple(request.get("open", ())), []
        if "run" in request:
            reply = run(shell, request["run"])
        elif "value" in request:
            known = request["value"] in shell.user_ns
            reply = {"answer": worker.plain(shell.user_ns[request["value"]], made)} if known else {"missing": True}
        else:
            if len(memory) < request["bytes"]:
                memory = mmap.mmap(inputs, request["bytes"])
            with contextlib.redirect_stdout(io.StringIO()) as text:
                reply, made = call(channel, shell.user_ns, request, memory)
            reply["printed"] = (text.getvalue() + worker.taken(printed))[:200]
        channel.send(reply, made)
    os._exit(0)


if __name__ == "__main__":
    main()
