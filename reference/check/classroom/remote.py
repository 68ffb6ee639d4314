"""The judge's side of a student's process: runs cells in it, calls its functions, believes nothing that it sends.

The arrays that a function is given lie in memory that both processes see. So the judge compares them itself after the
call; what the student's process says of them does not count.
"""

import contextlib
import io
import json
import os
import secrets
import select
import subprocess
import tempfile
import threading
import time
import warnings
from typing import NamedTuple

import numpy as np

from ..sandbox import worker
from ..sandbox.process import LONGER, doing_of, resident
from ..sandbox.sandbox import Fatal, Limits, Reply, Sandbox
from ..sandbox.shared import laid_out, shared_memory, write
from ..sandbox.transport import unpacked
from . import isolation
from .limits import OutOfTime, alarm, held, processes_of
from .plain import output, stream

RESTARTS = 12  # processes for one submission
MOST_SHOWN = 16 << 20  # bytes of all that the cells of one submission show
PAUSE = 0.1  # seconds between two looks at the memory
MORE_CPU = 10.0  # seconds beyond those of one processor
PROCESSES, THREADS = 64, 256  # of one submission at the same time
LIMITS = Limits(seconds=20.0, first_seconds=20.0, memory=1 << 30, answer=64 << 20)


class Patience(NamedTuple):
    """Seconds for student code. Those in which it could run, or the judge, but gets no processor do not count.

    So a busy machine fails nobody. By the clock it may take LONGER times as long.
    """

    cell: float = 60.0  # one cell of the notebook
    submission: float = 300.0  # all cells and calls of one submission, with what they ask the judge
    judge: float = 300.0  # one test, with all that the judge computes for it


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
        The names of cells that are not the student's own work. If one of them raises, this is not reported.
    library : dict of str: function
        What `reference.NAME` computes in the student's process; all other names are closed there.
    limits, patience
        The time and the memory that the process, and each of its cells, may take.
    """

    def __init__(self, cells, command, given=(), library=None, limits=LIMITS, patience=Patience()):  # noqa: B008
        super().__init__("a notebook", [], limits)
        self.cells, self.library, self.notes, self.patience = cells, library or {}, [], patience
        self.outputs, self._left_out, self._spent = dict.fromkeys(cells, ()), set(), 0.0
        self._time = 0.0  # that has passed for this submission; see `_watch`
        self._command, self._given, self._room = list(command), set(given), MOST_SHOWN

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
                self.outputs[i] = [stream(f"This cell was left out: {end}.\n")]
                self.notes.append(f"cell {i}: left out, {end}")

    def value(self, name):
        """What the notebook calls `name`, as plain numbers, lists and arrays; NameError if there is no such name."""
        header, arrays = self._asked({"value": name}, self.limits.answer)
        if "answer" not in header:
            raise NameError(f"{name} is not defined")
        return self._plain(header, arrays)

    def call(self, name, arguments):
        """Call a function of the notebook: a Reply. Raises Fatal if the process ends or takes too long."""
        if self._process is None:
            self.start()
        arrays, asked, troubles = [], dict(self.library), []
        forms = [self._form(value, arrays, asked) for value in arguments]
        memory, places = laid_out(arrays)
        request = {"call": name, "arguments": forms, "inputs": places, "bytes": write(self._shared, memory)}
        header, made = self._asked(request, self.limits.answer + 4 * len(memory), (), asked, troubles)
        if troubles:  # whatever the student's function made of it: a right one gives no trouble
            raise troubles[0]
        printed, warned = str(header.get("printed", ""))[:200], tuple(map(str, header.get("warnings", ())))
        if raised := header.get("raised"):
            kinds = [str(kind) for kind in raised["kinds"]]
            what = {"kinds": kinds, "message": str(raised["message"])[:500], "line": str(raised["line"])[:100]}
            return Reply(raised=what, printed=printed, warnings=warned)
        changed = "yes" if os.pread(self._shared, len(memory), 0) != memory else None
        return Reply(self._plain(header, made), None, changed, printed, warned)

    def stop(self):
        """End the process and all that it started."""
        if self._process is not None:
            os.close(self._shared)
        super().stop()

    # --- messages --------------------------------------------------------------------------------------------------

    def _spawn(self):
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed in stop()
        self._shared = shared_memory()
        environment = {**isolation.ENVIRONMENT, "PATH": os.environ.get("PATH", ""), "HOME": self._folder.name}
        self._process = subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors,
            start_new_session=True, cwd=self._folder.name, env=environment, pass_fds=(self._shared,),
        )  # fmt: skip
        self._requests, self._inbox = self._process.stdin, Pipe(os.dup(self._process.stdout.fileno()))
        os.set_blocking(self._requests.fileno(), False)
        self._process.stdout.close()
        self._started = time.monotonic()
        self._trouble = None
        threading.Thread(target=self._watch, args=(self._process,), daemon=True).start()
        start = {"memory": self.limits.memory, "inputs": self._shared}
        self._asked(start, 0, seconds=60.0)

    def _run(self, i, source):
        header, _ = self._asked({"run": source}, 0, seconds=self.patience.cell)
        try:
            self.outputs[i] = [output(one) for one in header["outputs"][:60]]
        except (KeyError, TypeError, ValueError, RecursionError):
            raise Fatal("malformed answer", "what came back are no outputs") from None
        self._room -= len(json.dumps(self.outputs[i]))
        if self._room < 0:
            self.outputs[i] = [stream("(Left out: the cells of this notebook show too much.)\n")]
        raised = header.get("raised")
        note = f"cell {i} raised {str(raised)[:200]}"
        if raised and note not in self.notes and i not in self._given:
            self.notes.append(note)

    def _asked(self, request, most, arrays=(), asked=None, troubles=None, seconds=None):
        """Send a request, answer what it asks for in between, and return (the reply, its arrays)."""
        if self._process is None:
            self.start()
        token, left = secrets.token_hex(8), min(seconds or self.limits.seconds, self.patience.submission - self._spent)
        if left <= 0:
            self.stop()
            raise Fatal("hung", f"the code of this submission took more than {self.patience.submission:.0f} s in all")
        start, message = self._time, {**request, "id": token, "open": sorted(self.library)}
        self._deadline, self._latest, self._allowed = start + left, time.monotonic() + LONGER * left, left
        try:
            while True:
                self._post(message, arrays)
                header, made = self._receive(token, self._deadline - self._time, most)
                if "ask" not in header:
                    return header, made
                asked_for = self.library if asked is None else asked
                message, arrays = self._computed(header, made, asked_for, [] if troubles is None else troubles)
                message["id"] = token
        finally:
            self._spent += self._time - start

    def _computed(self, header, made, asked, troubles):
        """The answer to what a student's process asked for."""
        arrays, function = [], asked.get(str(header["ask"]))
        if function is None:
            return {"raised": "there is no such function"}, arrays
        try:
            given = [unpacked(form, made) for form in header["arguments"]]
            named = {str(name): unpacked(form, made) for name, form in header["options"].items()}
            left = max(self._deadline - self._time, 0.01)
            with np.errstate(all="ignore"), warnings.catch_warnings(), alarm(left, OutOfTime):
                warnings.simplefilter("ignore")
                return {"answer": worker.plain(function(*given, **named), arrays)}, arrays
        except OutOfTime:
            self.stop()
            raise Fatal("hung", f"no answer within {self._allowed:g} s: it asked the judge for too much") from None
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
        """Send a message, at most until the deadline: the process need not read it."""
        file = io.BytesIO()
        worker.send(file, message, arrays)
        left, descriptor = memoryview(file.getvalue()), self._requests.fileno()
        while left:
            self._look()
            try:
                left = left[os.write(descriptor, left) :]
            except BlockingIOError:  # the pipe is full
                select.select([], [descriptor], [], PAUSE)
            except OSError:
                raise self._gone() from None

    def _begin(self, seconds):
        """The time is told by `_watch`."""

    def _take(self, n):
        """Returns the next n bytes. Looks at the clock and the memory in between, whether bytes come or not."""
        while len(self._inbox.buffer) < n:
            if not self._inbox.more(PAUSE) and self._inbox.ended:
                raise self._gone()
            self._look()
        taken = bytes(self._inbox.buffer[:n])
        del self._inbox.buffer[:n]
        return taken

    def _look(self):
        """Raises Fatal if the time is over, or if the processes were ended since they took too much."""
        trouble = self._trouble
        if not trouble and (self._time > self._deadline or time.monotonic() > self._latest):
            trouble = Fatal("hung", f"no answer within {self._allowed:g} s")
        if trouble:
            self.stop()
            raise trouble

    def _gone(self):
        trouble = super()._gone()
        return self._trouble or trouble

    def _watch(self, process):
        """The program of a thread: ends the processes if they take too much, also while the judge computes.

        It tells the time, too: what they and the judge compute counts, and what all of them wait for something else.
        """
        last, before = time.monotonic(), 0.0
        while self._process is process:
            with contextlib.suppress(OSError):  # it was stopped meanwhile
                found, (waits, computed) = processes_of(process.pid), doing_of(os.getpid())
                now, computed = time.monotonic(), computed + sum(one.seconds for one in found.values())
                idle = waits and all(one.waits for one in found.values())
                self._time += now - last if idle else min(now - last, max(computed - before, 0.0))
                last, before = now, computed
                if trouble := self._too_much(found):
                    self._trouble = trouble
                    process.kill()
                    return
            time.sleep(PAUSE)

    def _too_much(self, found):
        """Returns a Fatal if the processes are too many, hold too much memory, or have used too much time."""
        if len(found) > PROCESSES or sum(one.threads for one in found.values()) > THREADS:
            return Fatal("out of memory", f"more than {PROCESSES} processes or {THREADS} threads")
        most = self.limits.memory - 512 * os.fstat(self._shared).st_blocks
        if sum(resident(pid) or 0 for pid in found) > most and held(found) > most:
            return Fatal("out of memory", f"took more than {self.limits.memory / 2**20:.0f} MiB")
        if sum(one.seconds for one in found.values()) > time.monotonic() - self._started + MORE_CPU:
            return Fatal("hung", "its processes took more time than one processor has")
        return None


class Pipe:
    """Bytes from a pipe, at most 64 KiB of them beyond what is asked for: as many as a pipe holds."""

    def __init__(self, descriptor):
        self.descriptor, self.buffer, self.ended = descriptor, bytearray(), False
        os.set_blocking(descriptor, False)

    def more(self, timeout):
        """Wait for bytes. Returns False if none came."""
        if not select.select([self.descriptor], [], [], timeout)[0]:
            return False
        try:
            chunk = os.read(self.descriptor, 1 << 16)
        except BlockingIOError:  # the other side can open its end for reading, and take back what it wrote
            return False
        self.buffer += chunk
        self.ended = not chunk
        return bool(chunk)

    def close(self):
        os.close(self.descriptor)
