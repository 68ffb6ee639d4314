"""How a twin takes over what a statement promises: the docstring is written once, and completed here."""

import inspect
import re
from collections.abc import Callable
from typing import TypeVar

Twin = TypeVar("Twin", bound=Callable)

SECTIONS = ("Parameters", "Returns", "Raises", "Warns", "Notes", "References", "Examples")  # in numpydoc's order
HEADING = re.compile(r"^([A-Z][a-z]+)\n-{3,}\n", re.MULTILINE)


def documented_by(statement: Callable) -> Callable[[Twin], Twin]:
    """Returns a decorator that gives a twin the docstring of a statement, and does nothing else.

    The twin's own docstring has a beginning for who reads the file, and sections that are its own: usually the Notes.
    """

    def complete(twin: Twin) -> Twin:
        beginning, promised = sections(inspect.getdoc(statement) or "")
        own = sections(inspect.getdoc(twin) or "")[1]
        found = promised | own
        parts = [f"{heading}\n{'-' * len(heading)}\n{found[heading]}" for heading in SECTIONS if heading in found]
        twin.__doc__ = "\n\n".join([beginning, *parts])
        return twin

    return complete


def sections(docstring: str) -> tuple[str, dict[str, str]]:
    """Returns (the text before the first heading, the text of each section by its heading)."""
    beginning, *rest = HEADING.split(docstring)
    return beginning.strip(), {name: text.strip() for name, text in zip(rest[::2], rest[1::2], strict=True)}
