"""The judge's side of a student's process: runs cells in it, calls its functions, believes nothing that it sends."""

import os
import secrets
import subprocess
import tempfile
import time
import warnings
from contextlib import suppress
from typing import NamedTuple

import numpy as np

from ..sandbox import worker
from ..sandbox.process import Inbox, resident
from ..sandbox.sandbox import Fatal, Limits, Reply, Sandbox
from ..sandbox.transport import unpacked
from . import isolation

RESTARTS = 12  # processes for one submission
PAUSE = 0.02  # seconds between two looks at the clock and the memory
LIMITS = Limits(seconds=20.0, first_seconds=20.0, memory=1 << 30, answer=64 << 20)


class Patience(NamedTuple):
    """Seconds for student code."""

    cell: float = 60.0  # one cell of the notebook
    submission: float = 300.0  # all cells and calls of one submission


class Student(Sandbox):
    """The process of one submission.

    Parameters
    ----------
    cells : dict of str: str
        The code of the notebook, but for the tests, by the names that notes use. A cell that hangs or ends the
        process is left out from then on.
    command : list of str
        What starts the process: see `isolation.command`.
    given : set of str
        The names of cells that are not the student's own. If one of them raises, this is not reported.
    library : dict of str: function
        What `reference.NAME` computes in the student's process; all other names are closed there.
    limits, patience
        The time and the memory that the process, and each of its cells, may take.
    """

    def __init__(self, cells, command, given=(), library=None, limits=LIMITS, patience=Patience()):  # noqa: B008
        super().__init__("a notebook", [], limits)
        self.cells, self.library, self.notes, self.patience = cells, library or {}, [], patience
        self.outputs, self._left_out, self._spent = dict.fromkeys(cells, ()), set(), 0.0
        self._command, self._given = list(command), set(given)

    def start(self):
        """Start the process and run the cells. Those that end it are noted and left out, and it is started again."""
        while True:
            if self.generation >= RESTARTS:
                raise Fatal("exited", f"{RESTARTS} processes of this submission have ended; no more are started")
            self.generation += 1
            i = None  # the cell that runs
            try:
                self._spawn()
                for i, source in self.cells.items():
                    if i not in self._left_out:
                        self._run(i, source)
                return
            except Fatal as end:
                self.stop()
                if i is None:
                    raise
                self._left_out.add(i)
                self.outputs[i] = [_text(f"This cell was left out: {end}.\n")]
                self.notes.append(f"cell {i}: left out, {end}")

    def value(self, name):
        """What the notebook calls `name`, as plain numbers, lists and arrays; NameError if there is no such name."""
        header, arrays = self._asked({"value": name}, self.limits.answer)
        if "answer" not in header:
            raise NameError(f"{name} is not defined")
        return self._plain(header, arrays)

    def call(self, name, arguments):
        """Call a function of the notebook: a Reply. Raises Fatal if the process ends or takes too long."""
        arrays, asked = [], dict(self.library)
        forms = [self._form(value, arrays, asked) for value in arguments]
        most = self.limits.answer + 4 * sum(array.nbytes for array in arrays)
        troubles = []
        header, made = self._asked({"call": name, "arguments": forms}, most, arrays, asked, troubles)
        if troubles:  # whatever the student's function made of it: a right one gives no trouble
            raise troubles[0]
        printed, warned = str(header.get("printed", ""))[:200], tuple(map(str, header.get("warnings", ())))
        if raised := header.get("raised"):
            kinds = [str(kind) for kind in raised["kinds"]]
            what = {"kinds": kinds, "message": str(raised["message"])[:500], "line": str(raised["line"])[:100]}
            return Reply(raised=what, printed=printed, warnings=warned)
        return Reply(self._plain(header, made), None, "yes" if header.get("changed") else None, printed, warned)

    # --- messages --------------------------------------------------------------------------------------------------

    def _spawn(self):
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed in stop()
        environment = {**isolation.ENVIRONMENT, "PATH": os.environ.get("PATH", ""), "HOME": self._folder.name}
        self._process = subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors,
            start_new_session=True, cwd=self._folder.name, env=environment,
        )  # fmt: skip
        self._requests, self._inbox = self._process.stdin, Inbox(os.dup(self._process.stdout.fileno()))
        self._process.stdout.close()
        self._base = 0
        header, _ = self._asked({"memory": self.limits.memory}, 0, seconds=60.0)
        self.limited = bool(header.get("limited"))

    def _run(self, i, source):
        header, _ = self._asked({"run": source}, 0, seconds=self.patience.cell)
        try:
            self.outputs[i] = [clean(output) for output in header["outputs"][:60]]
        except (KeyError, TypeError, ValueError, RecursionError):
            raise Fatal("malformed answer", "what came back are no outputs") from None
        raised = header.get("raised")
        note = f"cell {i} raised {str(raised)[:200]}"
        untouched = str(raised).startswith("NotImplementedError")
        if raised and not untouched and note not in self.notes and i not in self._given:
            self.notes.append(note)

    def _asked(self, request, most, arrays=(), asked=None, troubles=None, seconds=None):
        """Send a request, answer what it asks for in between, and return (the reply, its arrays)."""
        if self._process is None:
            self.start()
        token, left = secrets.token_hex(8), min(seconds or self.limits.seconds, self.patience.submission - self._spent)
        if left <= 0:
            self.stop()
            raise Fatal("hung", f"the code of this submission took more than {self.patience.submission:.0f} s in all")
        allowed, message = left, {**request, "id": token, "open": sorted(self.library)}
        while True:
            before = time.monotonic()
            self._post(message, arrays)
            header, made = self._receive(token, left, most)
            left -= time.monotonic() - before
            self._spent += time.monotonic() - before
            if "ask" not in header:
                return header, made
            if left <= 0:
                self.stop()
                raise Fatal("hung", f"no answer within {allowed:g} s")
            message, arrays = self._computed(header, made, asked or self.library, [] if troubles is None else troubles)
            message["id"] = token

    def _computed(self, header, made, asked, troubles):
        """The answer to what a student's process asked for."""
        arrays, function = [], asked.get(str(header["ask"]))
        if function is None:
            return {"raised": "there is no such function"}, arrays
        try:
            given = [unpacked(form, made) for form in header["arguments"]]
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return {"answer": worker.plain(function(*given), arrays)}, arrays
        except Exception as trouble:
            troubles.append(trouble)
            return {"raised": f"{type(trouble).__name__}: {trouble}"[:500]}, arrays

    def _form(self, value, arrays, asked):
        if callable(value):
            name = f"argument {len(asked)}"
            asked[name] = value
            return {"ask": name}
        if isinstance(value, str):
            return {"value": value}
        return worker.plain(value, arrays)

    def _plain(self, header, arrays):
        try:
            return unpacked(header["answer"], arrays)
        except (KeyError, TypeError, ValueError, IndexError, AttributeError, RecursionError) as trouble:
            self.stop()
            raise Fatal("malformed answer", f"what came back is no answer ({str(trouble)[:100]})") from None

    def _post(self, message, arrays):
        try:
            worker.send(self._requests, message, arrays)
        except OSError:
            raise self._gone() from None

    def _take(self, n):
        """The next n bytes; whenever none came for a moment, looks at the clock and the memory."""
        while len(self._inbox.buffer) < n:
            if self._inbox.more(timeout=PAUSE):
                continue
            if self._inbox.ended:
                raise self._gone()
            if time.monotonic() > self._deadline:
                raise Fatal("hung", f"no answer within {self._allowed:g} s")
            if _held(self._process.pid) > self.limits.memory:
                raise Fatal("out of memory", f"took more than {self.limits.memory / 2**20:.0f} MiB")
        taken = bytes(self._inbox.buffer[:n])
        del self._inbox.buffer[:n]
        return taken


def _held(pid):
    """Bytes of memory that a process and all its descendants hold."""
    held = resident(pid) or 0
    with suppress(OSError, ValueError), open(f"/proc/{pid}/task/{pid}/children") as file:
        held += sum(_held(int(child)) for child in file.read().split())
    return held


def _text(text):
    return {"output_type": "stream", "name": "stdout", "text": text}


def clean(output):
    """An output of a student's cell, made of nothing but text and pictures, whatever the process sent."""
    kind = output.get("output_type") if isinstance(output, dict) else None
    if kind == "error":
        frames = [str(frame) for frame in output.get("traceback", ())]
        return {"output_type": "error", "ename": str(output.get("ename")), "evalue": str(output.get("evalue")),
                "traceback": frames}  # fmt: skip
    data = output.get("data") if kind == "display_data" else None
    if isinstance(data, dict):
        data = {str(key): str(text) for key, text in data.items() if key in ("text/plain", "image/png")}
        return {"output_type": "display_data", "data": data, "metadata": {}}
    return _text(str(output.get("text", "")) if kind == "stream" else "")
