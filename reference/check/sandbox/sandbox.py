"""The parent's handle on the worker: starts it, limits its time and memory, ends it, and checks all that it sends."""

import json
import os
import secrets
import signal
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import numpy as np

from . import worker
from .process import Clock, end, fork, last_lines, resident, spawn, wait_for
from .transport import announced, changed_argument, packed, unpacked

LONGEST_HEADER = 1 << 20  # bytes


class Limits(NamedTuple):
    """The most that one case may cost. Time in which TARGET waits for a processor does not count (see `Clock`).

    Attributes
    ----------
    seconds : float
        For a call whose kernels are compiled.
    first_seconds : float
        For an import, and for a first call, which may compile.
    memory : int
        Bytes beyond what the process holds after the import.
    answer : int
        Bytes of the answer beyond four times the input.
    """

    seconds: float = 20.0
    first_seconds: float = 120.0
    memory: int = 2 << 30
    answer: int = 64 << 20


class Reply(NamedTuple):
    """The result of one call."""

    answer: object = None  # arrays, numbers, None, strings, tuples, dicts of fields
    raised: dict | None = None  # kinds, message, line
    changed: str | None = None  # the name of the argument that was modified
    printed: str = ""
    warnings: tuple = ()
    seconds: float = 0.0  # on the parent's clock
    skipped: str = ""  # why TARGET gives no answer to this instance


class Fatal(Exception):
    """The worker has ended. `reason` is one of REASONS."""

    REASONS = ("hung", "exited", "out of memory", "malformed answer", "rewrote other people's code")

    def __init__(self, reason, message):
        super().__init__(f"{reason}: {message}")
        self.reason, self.message = reason, message


class Sandbox:
    """TARGET in a process of its own, which is started at the first call and again whenever it has ended.

    If it may answer `in_part`, NotImplementedError skips an instance, and a dict of some fields stands for a fit.
    """

    def __init__(self, target, names, limits=None, naming=None, in_part=False):
        self.target, self.names, self.limits, self.naming = target, list(names), limits or Limits(), naming
        self.public, self.error, self.limited, self.in_part = [], None, True, in_part
        self._process, self.generation = None, 0
        self._folder = tempfile.TemporaryDirectory(prefix="examiner-", ignore_cleanup_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
        self._folder.cleanup()

    def start(self):
        """Start the worker and load TARGET. Sets `public` to the names found, or `error` to why TARGET did not load."""
        self.generation += 1
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed in stop()
        start = (fork if isinstance(self.target, dict) else spawn)(self._errors)
        self._process, self._requests, self._inbox, first = start(self.target)
        token = secrets.token_hex(8)
        first |= {"id": token, "names": [self._name(name) for name in self.names], "memory": self.limits.memory}
        try:
            self._send(first)
            header, _ = self._receive(token, self.limits.first_seconds, most=0)
        except Fatal as end:
            self.public, self.error = [], str(end)
            return
        public, error = header.get("public"), header.get("error")
        self.public = [name for name in self.names if isinstance(public, list) and self._name(name) in public]
        self.error, self.limited = error and str(error), bool(header.get("limited"))
        self._base = resident(self._process.pid)

    def ensure_started(self):
        """Start the worker again if it has ended. Raises Fatal if TARGET no longer loads."""
        if self._process is None:
            before = self.public
            self.start()
            if self.public != before:
                self.public = before
                self.stop()
                raise Fatal("exited", f"TARGET could not be loaded again: {self.error}")

    def call(self, function, arguments, positional, seconds=None, repeat=1):
        """Call a function of TARGET, the first `positional` arguments by position. Returns a Reply or raises Fatal."""
        self.ensure_started()
        os.makedirs(self._folder.name, exist_ok=True)  # TARGET may have removed it
        path = Path(self._folder.name) / secrets.token_hex(8)
        forms, raw = packed(arguments, positional)
        asked = self.naming.placed(function, forms) if self.naming else forms
        token = secrets.token_hex(8)
        with open(path, "w+b") as file:
            file.write(b"".join(raw) or bytes(64))
            file.flush()
            before = time.perf_counter()
            called = self._name(function)
            request = {"id": token, "function": called, "arguments": asked, "inputs": str(path), "repeat": repeat}
            self._send(request | {"in_part": self.in_part})
            nbytes = sum(map(len, raw))
            header, arrays = self._receive(token, seconds or self.limits.seconds, self.limits.answer + 4 * nbytes)
            spent = time.perf_counter() - before
            changed = changed_argument(file, raw, forms)
        with suppress(OSError):  # gone already, or on Windows still mapped by the worker
            path.unlink()
        replaced = [name for name in arguments if header.get("replaced") == [name]]
        reply = self._reply(header, arrays, changed or next(iter(replaced), None), spent)
        return self._understood(function, reply) if reply.raised else reply

    def stop(self):
        """End the worker and all processes that it started."""
        process, self._process = self._process, None
        if process is None:
            return
        end(process)
        with suppress(OSError):
            self._requests.close()
        self._inbox.close()
        self._errors.close()

    def _understood(self, function, reply):
        """Returns the Reply with what its error says: that TARGET skips the instance, or what an argument is called."""
        if self.in_part and "NotImplementedError" in reply.raised["kinds"]:
            return reply._replace(skipped=reply.raised["message"] or "not implemented")
        called = self.naming.arguments(function) if self.naming else {}
        return reply._replace(raised=reply.raised | {"called": called})

    def _name(self, ours):
        """Returns TARGET's name of a function."""
        return self.naming.function(ours) if self.naming else ours

    # --- messages --------------------------------------------------------------------------------------------------

    def _send(self, message):
        text = json.dumps(message).encode()
        try:
            self._requests.write(worker.LENGTH.pack(len(text)) + text)
            self._requests.flush()
        except OSError:
            raise self._gone() from None

    def _receive(self, token, seconds, most):
        """Returns a message with this token and at most `most` bytes of arrays, or ends the worker and raises Fatal."""
        self._begin(seconds)
        try:
            length = worker.LENGTH.unpack(self._take(worker.LENGTH.size))[0]
            if length > LONGEST_HEADER:
                raise ValueError(f"a header of {length} bytes")
            header = json.loads(self._take(length))
            if not isinstance(header, dict) or header.get("id") != token:
                raise ValueError("not an answer to what was asked")
            forms = [announced(form) for form in header.get("arrays", ())]
            if (total := sum(nbytes for *_, nbytes in forms)) > most:
                raise ValueError(f"{total} bytes of arrays")
            arrays = [np.frombuffer(self._take(n), dtype).reshape(shape) for dtype, shape, n in forms]
        except Fatal:
            self.stop()
            raise
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as trouble:
            self.stop()
            raise Fatal("malformed answer", f"what came back is no message ({str(trouble)[:100]})") from None
        return header, arrays

    def _begin(self, seconds):
        self._clock = Clock(self._process.pid, seconds)

    def _take(self, n):
        """Returns the next n bytes, and checks the time, the memory and the process while it waits for them."""
        while len(self._inbox.buffer) < n:
            if not self._inbox.more(timeout=0.02) and self._inbox.ended:
                raise self._gone()
            if len(self._inbox.buffer) < n and self._clock.is_over():
                raise Fatal("hung", f"no answer within {self._clock.seconds:g} s")
            held = resident(self._process.pid)
            if held and held - getattr(self, "_base", held) > self.limits.memory:
                raise Fatal("out of memory", f"took more than {self.limits.memory / 2**20:.0f} MiB")
        taken = bytes(self._inbox.buffer[:n])
        del self._inbox.buffer[:n]
        return taken

    def _gone(self):
        """Returns a Fatal that says why the worker has ended."""
        code = wait_for(self._process, 5.0)
        lines = last_lines(self._errors)
        self.stop()
        if code is None:
            return Fatal("exited", "the process closed its channel")
        how = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit status {code}"
        memory = any("MemoryError" in line or "bad_alloc" in line for line in lines)
        last = next((line for line in lines if line.startswith("Fatal Python error")), lines[-1] if lines else "")
        message = f"the process ended ({how})" + (f": {last[:200]}" if last else "")
        return Fatal("out of memory" if memory else "exited", message)

    def _reply(self, header, arrays, changed, seconds):
        if "exited" in header:
            raise Fatal("exited", f"called sys.exit ({header['exited']!s:.100})")
        try:
            answer, raised = None, header.get("raised")
            if raised is None:
                answer = unpacked(header["answer"], arrays)
            else:
                kinds = [str(kind) for kind in raised["kinds"]]
                raised = {"kinds": kinds, "message": str(raised["message"])[:500], "line": str(raised["line"])[:100]}
            warned = tuple(str(name) for name in header.get("warnings", ()))
        except (KeyError, TypeError, ValueError, IndexError, AttributeError, RecursionError) as trouble:
            self.stop()
            raise Fatal("malformed answer", f"what came back is no answer ({str(trouble)[:100]})") from None
        if header.get("rewrote"):
            self.stop()
            raise Fatal("rewrote other people's code", f"{header['rewrote']!s:.200} was replaced")
        return Reply(answer, raised, changed, str(header.get("printed", ""))[:200], warned, seconds)
