"""A student's functions for the judge to call, and what the examiner calls a given function through."""

import warnings

from ..sandbox import worker
from ..sandbox.sandbox import Fatal, Reply
from ..sandbox.transport import unpacked
from . import own
from .remote import LIMITS


class Raised(Exception):
    """The student's function `name` raised. `what` has its kinds, its message and its line."""

    def __init__(self, name, what):
        super().__init__(what["message"])
        self.name, self.what = name, what


def remote(student, name, parameters=()):
    """The function `name` of the student's notebook, for the judge to call."""

    def function(*arguments):
        reply = student.call(name, arguments)
        own.note(reply)
        if reply.raised:
            raise Raised(name, reply.raised)
        return reply.answer

    function.__name__, function.parameters = name, parameters
    return function


class Direct:
    """What the examiner takes for its sandbox: a given function, which runs here and calls the student's process."""

    limited, error = True, None

    def __init__(self, name, function, student, limits=LIMITS):
        self.name, self.function, self.student, self.limits, self.public = name, function, student, limits, [name]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    @property
    def generation(self):
        return self.student.generation

    def start(self):
        pass

    ensure_started = start

    def call(self, name, arguments, positional, seconds=None, repeat=1):
        """One call of the given function, as a Reply."""
        values = list(arguments.items())
        args, options = [value for _, value in values[:positional]], dict(values[positional:])
        with own.listening() as heard, warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                arrays = []
                answer = unpacked(worker.plain(self.function(*args, **options), arrays), arrays)
                raised = None
            except Raised as trouble:
                answer, raised = None, trouble.what
            except Fatal:
                raise
            except Exception as trouble:
                kinds = [kind.__name__ for kind in type(trouble).__mro__]
                answer, raised = None, {"kinds": kinds, "message": str(trouble)[:500], "line": ""}
        names = {warning.category.__name__ for warning in caught}.union(*(reply.warnings for reply in heard.replies))
        printed = next((reply.printed for reply in heard.replies if reply.printed), "")
        return Reply(answer, raised, None, printed, tuple(sorted(names)))
