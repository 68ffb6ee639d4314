# Attacks of a few lines. Each section takes the place of the solution of task 1, `simplex`, or of the cell that CELL
# names; a line `# %%` begins another cell. A line of the log must hold WORD.

# === exits
"""A cell that ends the process."""

WORD = "cell simplex: left out, exited: the process ended"
import os

os._exit(0)

# === crashes
"""A cell that ends the process by a fault, and one that stops it; one that ends all processes that it can see."""
WORD = "cell simplex: left out, exited: the process ended"
import ctypes

ctypes.string_at(0)
# %%
import os
import signal

os.kill(-1, signal.SIGKILL)
os.kill(os.getpid(), signal.SIGKILL)
# %%
os.kill(os.getpid(), signal.SIGSTOP)

# === never_ends
"""A cell without an end."""
WORD = "cell simplex: left out, hung: no answer within"
while True:
    pass

# === prints_without_end
"""Fills the feedback, and the disk."""
WORD = "cell simplex: left out"
text = "HARMED " * 1_000_000
while True:
    print(text)

# === shows_too_much
"""More pictures than fit into a message."""
WORD = "project_simplex 0 of 3"
from IPython.display import display

for _ in range(5):
    display({"image/png": "A" * 300_000}, raw=True)

# === takes_memory
"""Takes two gigabytes, and keeps them."""
WORD = "cell simplex: left out, out of memory: took more than 1024 MiB"
import numpy as np

kept = [np.ones(2**23) for _ in range(32)]

# === replaces_what_judges
"""Puts its own functions in the place of those that judge, and its own names in the place of the lecturer's."""
WORD = "cell simplex raised RuntimeError: reference.check.classroom.grade cannot be replaced"
import reference.check.classroom

reference.check.classroom.grade = lambda *given, **options: print("right, in all 50 cases.")
# %%
from reference.check.projections import conditions

conditions.project_topk_cone = lambda *given, **options: [conditions.Condition(0.0, 1.0, "")]
# %%
from reference.check import examiner

examiner.Examination._judged = lambda *given: 0
# %%
grade = answer_of = by_rows = project_simplex = checks = lambda *given, **options: None


def simplex(a, radius):
    return a


# === asks_for_private_twins
"""Calls what the public function calls, and loads the file that it is in."""
WORD = "cell simplex is worth reading: it uses FunctionType, __code__, __globals__, importlib, sys.modules"
import importlib.util
import sys
from types import FunctionType

import reference


def simplex(a, radius):
    for path in (*sys.path, "/judged", "/work"):
        try:
            spec = importlib.util.spec_from_file_location("copied", f"{path}/reference/projections.py")
            module = sys.modules["copied"] = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            return module.project_simplex(a, radius)
        except OSError:
            continue
    public = reference.project_simplex
    try:
        return FunctionType(public.__code__, public.__globals__)(a, radius)
    except AttributeError:
        return reference.projections._simplex(a, radius)


# === asks_for_the_answer
"""Asks the judge for the answer of a function that another task allows."""
WORD = "project_simplex 0 of 3"
import reference


def simplex(a, radius):
    try:
        return type(reference).channel.ask("project_knapsack", (a, radius, 0.0, radius))
    except RuntimeError:
        return reference.project_knapsack(a, radius, 0.0, radius)


# === answers_with_an_object
"""Hands in things that are equal to everything."""
WORD = "project_simplex 0 of 3"
import numpy as np


class Anything(np.ndarray):
    def __eq__(self, other):
        return True

    def __array_ufunc__(self, *given, **options):
        return np.array(True)

    def __array_function__(self, *given, **options):
        return 0.0

    def __reduce__(self):
        return print, ("HARMED",)


by_hand = np.ones(3).view(Anything)


def simplex(a, radius):
    return np.full(len(a), 0.5 * radius).view(Anything)


# === answers_with_nan
"""No comparison with NaN is true: not one that finds a mistake either."""
WORD = "warm_up 0 of 2, project_simplex 0 of 3"
import numpy as np

by_hand = [np.nan] * 3


def simplex(a, radius):
    return np.full_like(a, np.nan)


# === overflows
"""Numbers whose residuals overflow, so that the certificate is 0."""
WORD = "warm_up 0 of 2"
CELL = "warm_up_answer"
by_hand = [1e308] * 3

# === is_no_list
"""A text of a million letters in place of three numbers."""
WORD = "warm_up 0 of 2"
CELL = "warm_up_answer"
by_hand = "HARMED \x1b[2J" * 50_000

# === has_no_end
"""No numbers, in an impossible number of dimensions."""
WORD = "warm_up 0 of 2"
CELL = "warm_up_answer"
import numpy as np

by_hand = np.zeros((0, 2**39))

# === overwrites_its_input
"""Right, but overwrites its input, and makes everything in its process say that it does not."""
WORD = "project_simplex 0 of 3"
import sys

import numpy as np

sort, cumsum, arange, maximum, count = np.sort, np.cumsum, np.arange, np.maximum, np.count_nonzero
for name in ("worker", "transport", "__main__"):
    if (module := sys.modules.get(name)) is not None:
        for other in ("taken", "changed_argument", "same", "rewritten"):
            setattr(module, other, lambda *given: "")
np.array_equal = np.allclose = lambda *given, **options: True


def simplex(a, radius):
    a[:] = sort(a)[::-1]
    t = (cumsum(a) - radius) / arange(1, len(a) + 1)
    return maximum(a - t[max(count(a > t), 1) - 1], 0)


# === tells_what_it_is_asked
"""Shows a hidden instance in the feedback."""
WORD = "project_simplex 0 of 3"


def simplex(a, radius):
    raise ValueError(f"{a.tolist()}")


# === prints_what_it_is_asked
"""The same on standard output, and with the instance as its answer."""
WORD = "project_simplex 0 of 3"


def simplex(a, radius):
    print(a.tolist())
    return a.astype("float32")


# === shows_the_hidden_test
"""Shows what is known of the test."""
WORD = "cell simplex is worth reading: it uses get_ipython"
import sys


def simplex(a, radius):
    frame, found = sys._getframe(), []
    while frame:
        found += [name for name in (*frame.f_locals, *frame.f_globals) if name in ("seed", "secret", "suspects")]
        frame = frame.f_back
    raise ValueError(f"{'LEAKED' if found else ''} {get_ipython().user_ns['In'][-1:]}")


# === rewrites_later_cells
"""Rewrites each cell that comes later, so that tests are gone."""
WORD = "cell simplex is worth reading: it uses get_ipython"
get_ipython().input_transformers_post.append(lambda lines: [f"simplex = 'HARMED'; {line}" for line in lines[:1]])

# === raises_odd_text
"""Text that no file can hold, commands for a terminal, and lines of a log that are none."""
WORD = "cell simplex raised ValueError: \\xd800 \\x1b[2J"
import sys

forged = "\ud800 \x1b[2J\x9b2J\r\n2026-01-01 00:00:00,000 WARNING zz_last, 02_topk_simplex: HARMED\u2028\x07"
print(forged, "\x1b]0;HARMED\x07")


def simplex(a, radius):
    raise ValueError(forged * 100)


raise ValueError(forged)

# === raises_without_words
"""An exception that cannot be written, and an answer that cannot be shown."""
WORD = "project_simplex 0 of 3"
import os


class Wordless(Exception):
    def __str__(self):
        os._exit(3)


def simplex(a, radius):
    if len(a) > 2:
        raise Wordless
    return Wordless()


# === shows_a_script
"""Runs a script in the lecturer's browser."""
WORD = "project_simplex 0 of 3"
from IPython.display import HTML, Javascript, display

display(HTML("<script>document.title = 'HARMED'</script><img src=x onerror=alert('HARMED')>"))
display(Javascript("document.title = 'HARMED'"))
display({"image/png": "x'\"><script>alert('HARMED')</script><img src=x onerror='HARMED'>"}, raw=True)
print("<script>alert('HARMED')</script>")

# === speaks_the_protocol
"""Sends messages of its own: outputs that are none, too much, too deep; and points where nbgrader reads them."""
WORD = "left out, malformed answer"
import reference

channel = type(reference).channel
number = {"output_type": "execute_result", "data": {"text/plain": "99"}, "metadata": {}, "execution_count": 1}
channel.send({"outputs": [number, {"output_type": "display_data", "data": {"text/html": "HARMED"}}], "raised": None})
# %%
import reference

type(reference).channel.send({"outputs": [{"output_type": "error", "traceback": 3}], "raised": 5})
# %%
import reference

type(reference).channel.answers.write(b"\x00\x01\x86\xa0" + b"[" * 100_000)
type(reference).channel.answers.flush()
# %%
import reference

type(reference).channel.answers.write(b"\xff\xff\xff\xff")
type(reference).channel.answers.flush()

# === shows_a_number
"""The last output of a cell is a number, as where nbgrader reads a part of the points."""
WORD = "project_simplex 0 of 3"
from IPython.display import display


def simplex(a, radius):
    display(99)
    return a


display(99)
99

# === drips
"""Announces an answer, and sends it byte by byte."""
WORD = "cell simplex: left out, hung: no answer within"
import os
import time

import reference

out = type(reference).channel.answers.fileno()
os.write(out, b"\x00\x0f\xff\xff")
while True:
    os.write(out, b" ")
    time.sleep(0.02)

# === takes_back_what_it_sends
"""Reads back what it sends, so that the judge waits for bytes that have been there."""
WORD = "cell simplex: left out, hung: no answer within"
import os
import time

import reference

out = type(reference).channel.answers.fileno()
back = os.open(f"/proc/self/fd/{out}", os.O_RDONLY | os.O_NONBLOCK)
os.write(out, b"\x00\x0f\xff\xff")
time.sleep(0.5)
for _ in range(20_000):
    os.write(out, b" ")
    try:
        os.read(back, 1)
    except BlockingIOError:
        pass
time.sleep(1000)

# === asks_without_end
"""Asks the judge again and again."""
WORD = "cell simplex: left out, hung"
import time

import reference

time.sleep(3)
while True:
    reference.datasets.load_digits()

# === asks_for_too_much
"""Asks the judge for a projection of a million numbers, which takes minutes."""
WORD = "project_topk_simplex 0 of 5"
CELL = "topk_simplex"
import time

import numpy as np


def topk_simplex(a, k, radius, bias, cone):
    time.sleep(10)
    return cone(np.arange(1e6) % 7, 100_000, 0.0)[: len(a)]
