"""Runs the reader's program in the browser's Python, as if the program were started anew."""

import linecache
import re
import sys
import traceback
import types
import warnings

NAME = "your code"
# What this Python adds to the error of an import, and why the page has no other packages.
HINT = re.compile(r"\. Site initialization is disabled, did you forget .*")
REASON = ". This page has Python's standard library, NumPy and reference only."


def run(source):
    """Runs the program. Its errors are printed as Python prints them, with the lines of the program only."""
    linecache.cache[NAME] = (len(source), None, source.splitlines(keepends=True), NAME)
    program = sys.modules["__main__"] = types.ModuleType("__main__")
    try:
        with warnings.catch_warnings():  # within it, all warnings count as not shown yet
            exec(compile(source, NAME, "exec", dont_inherit=True), program.__dict__)
    except SystemExit as end:
        if end.code is not None and end.code != 0:
            print(f"SystemExit: {end.code}", file=sys.stderr)
    except BaseException as error:
        print(told(error), end="", file=sys.stderr)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()


def told(error):
    """Returns the text of an error with its traceback, without the frames outside the program."""
    whole = traceback.TracebackException.from_exception(error)
    cut(whole)
    return HINT.sub(REASON, "".join(whole.format() if whole.stack else whole.format_exception_only()))


def cut(error):
    """Keep the frames of the program only, also in the errors that led to this one."""
    error.stack = traceback.StackSummary.from_list([frame for frame in error.stack if frame.filename == NAME])
    for other in (error.__cause__, error.__context__, *(error.exceptions or ())):
        if other is not None:
            cut(other)
