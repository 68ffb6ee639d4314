"""At home, a student's function runs in a fork of the notebook. There the library is closed, as it is in grading.

This helps an honest student to notice a shortcut. It is no protection: at home nothing is graded.
"""

import functools
import inspect
import re
import sys


def fenced(function, allowed):
    """The function; its first call closes the public functions of this project, except the `allowed` ones."""
    done = []

    @functools.wraps(function)
    def alone(*args, **kwargs):
        if not done:
            _close(set(allowed))
            done.append(True)
        return function(*args, **kwargs)

    return alone


def _close(allowed):
    """Replace the code of the public functions, by whatever name they were imported."""
    import reference

    names = {name for name in reference.__all__ if inspect.isfunction(getattr(reference, name))} - allowed
    modules = [module for path, module in list(sys.modules.items()) if re.match(r"(reference|fast)\b(?!\.check)", path)]
    functions = {vars(module)[name] for module in modules for name in names & vars(module).keys()}
    for function in filter(inspect.isfunction, functions):
        function.__code__ = _is_closed.__code__


def _is_closed(*args, **kwargs):
    raise RuntimeError("the functions of reference and fast are closed here: this one is yours to write")
