"""A program in any language as TARGET: it reads instances from standard input and writes answers to standard output.

The program first writes one line, {"functions": [names]}, with "csr": true if it takes sparse matrices, too, and with
"lacks": {name: [...]} if it lacks something, as in `naming.Naming`. Then it reads a line at a time, {"id", "function",
"arguments", "positional"}, with values as in `encoding`, and writes {"id", "answer"}, {"id", "error"} or {"id", "skip"}
for each before it reads the next. It flushes its output after each line, and ends at the end of its input.
"""

import json
import os
import secrets
import subprocess
import tempfile
import threading
import time
from contextlib import suppress

from ..judging.specs import SPECS
from ..naming import Naming
from ..sandbox.process import Clock, Inbox, end, last_lines, resident, wait_for
from ..sandbox.sandbox import Fatal, Limits, Reply
from . import encoding
from .export import reference_answer
from .verify import parsed, skipped

LONGEST_GREETING = 100_000  # bytes of the first line
WARNINGS = ("ConvergenceWarning",)  # counted as given: a program has no way to warn


class Program:
    """A running program, with the methods of a Sandbox. It is started again after it has ended."""

    limited = True  # its memory is watched, not limited by the system
    LARGEST = 20_000  # numbers in an instance: lines of text are slow

    def __init__(self, command, names, limits=None):
        self.command, self.names, self.limits = list(command), list(names), limits or Limits()
        self.public, self.error, self.takes_csr, self.naming = [], None, False, None
        self._process, self.generation = None, 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self):
        """Start the program. Sets `public` to the functions that it names, or `error` to why it did not start."""
        self.generation += 1
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed in stop()
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": self._errors}
        try:
            self._process = subprocess.Popen(self.command, **pipes, start_new_session=os.name == "posix")
        except OSError as trouble:
            self._errors.close()
            self.public, self.error = [], f"cannot be started: {trouble}"
            return
        self._inbox = Inbox(os.dup(self._process.stdout.fileno()))
        self._process.stdout.close()
        self._base = resident(self._process.pid)
        line = b""
        try:
            line = self._line(self.limits.first_seconds, LONGEST_GREETING)
            greeting = json.loads(line)
            functions = greeting["functions"]
            self.public = [name for name in self.names if name in functions]
            self.takes_csr = greeting.get("csr") is True
            lacks = dict(greeting.get("lacks", {}))
        except Fatal as end:
            self.public, self.error = [], str(end)
        except (ValueError, TypeError, KeyError, RecursionError):
            self.stop()
            expected = 'must begin with one line of JSON, {"functions": [names]}'
            self.public, self.error = [], f"{expected}, got {line[:60]!r}"
        else:
            self._note(lacks)

    def _note(self, lacks):
        """Note what the program lacks, or set `error` if it says so in another form."""
        try:
            self.naming = Naming({name: {"lacks": entries} for name, entries in lacks.items()})
        except ValueError as trouble:
            self.stop()
            self.public, self.error = [], f'"lacks" in its first line: {trouble}'

    def ensure_started(self):
        """Start the program again if it has ended. Raises Fatal if this fails."""
        if self._process is None:
            before = self.public
            self.start()
            if self.public != before:
                trouble, self.public, self.error = self.error, before, None
                self.stop()
                raise Fatal("exited", f"the program could not be started again: {trouble}")

    def call(self, function, arguments, positional, seconds=None, repeat=1):
        """Ask for one answer. Returns a Reply or raises Fatal. `repeat` must be 1: a program is not timed."""
        self.ensure_started()
        token = secrets.token_hex(8)
        forms = {name: encoding.encoded(value) for name, value in arguments.items()}
        request = {"id": token, "function": function, "arguments": forms, "positional": positional}
        text = json.dumps(request, allow_nan=False).encode() + b"\n"
        before = time.perf_counter()
        # In a thread of its own, because a program that does not read would block this one, past every time limit.
        threading.Thread(target=_send, args=(self._process.stdin, text), daemon=True).start()
        answer = self._line(seconds or self.limits.seconds, self.limits.answer + 4 * len(text))
        spent = time.perf_counter() - before
        line, trouble = parsed(answer)
        if trouble or line["id"] != token:
            self.stop()
            raise Fatal("malformed answer", f"its line {trouble or 'has another id than the request'}: {answer[:60]!r}")
        if "skip" in line:
            return Reply(skipped=skipped(line), seconds=spent)
        if "error" in line:
            return Reply(raised=refused(line["error"], arguments), seconds=spent)
        like = reference_answer(function, arguments, positional)
        answered = encoding.answer(line["answer"], like, SPECS[function].enough)
        return Reply(answered, warnings=WARNINGS, seconds=spent)

    def stop(self):
        """End the program and all processes that it started."""
        process, self._process = self._process, None
        if process is None:
            return
        end(process)
        with suppress(OSError):
            process.stdin.close()
        self._inbox.close()
        self._errors.close()

    def _line(self, seconds, most):
        """Returns the next line, or ends the program and raises Fatal."""
        clock, buffer = Clock(self._process.pid, seconds), self._inbox.buffer
        searched = 0
        while (length := buffer.find(b"\n", searched)) < 0:
            searched, came, trouble = len(buffer), self._inbox.more(timeout=0.02), None
            held = resident(self._process.pid)
            if not came and self._inbox.ended:
                trouble = self._gone()
            elif buffer.find(b"\n", searched) < 0 and clock.is_over():
                trouble = Fatal("hung", f"no answer within {seconds:g} s; does it flush its output after each line?")
            elif len(buffer) > most:
                trouble = Fatal("malformed answer", f"a line of more than {most} bytes: {bytes(buffer[:60])!r}")
            elif held and held - (self._base or held) > self.limits.memory:
                trouble = Fatal("out of memory", f"took more than {self.limits.memory / 2**20:.0f} MiB")
            if trouble:
                self.stop()
                raise trouble
        line = bytes(buffer[:length])
        del buffer[: length + 1]
        return line

    def _gone(self):
        """Returns a Fatal that says why the program has ended."""
        code = wait_for(self._process, 5.0)
        lines = last_lines(self._errors)
        self.stop()
        how = "closed its output" if code is None else f"signal {-code}" if code < 0 else f"exit status {code}"
        return Fatal("exited", f"the program ended ({how})" + (f": {lines[-1][:200]}" if lines else ""))


def refused(error, arguments):
    """Returns the error of a program as `Reply.raised`: a ValueError that counts as naming the wrong argument."""
    message = str(error)[:500]
    return {"kinds": ["error", "ValueError"], "message": message, "line": "the program", "named": list(arguments)}


def _send(pipe, text):
    """Write a line. Where the program has ended, `_line` finds out."""
    with suppress(OSError, ValueError):
        pipe.write(text)
        pipe.flush()
