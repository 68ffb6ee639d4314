"""Makes the mutants of the Wsabie family: copies of a module of the reference with one phrase altered."""

import importlib.util
import types
from pathlib import Path


def altered(name, right, wrong):
    """Returns a copy of the module reference.NAME in which `wrong` replaces `right`. `reference` does not change."""
    path = Path(importlib.util.find_spec(f"reference.{name}").origin)
    text = path.read_text(encoding="utf-8")
    if right not in text:
        raise LookupError(f"{path.name} no longer holds {right!r}")
    module = types.ModuleType(f"reference.{name}")
    module.__package__ = "reference"
    exec(compile(text.replace(right, wrong), str(path), "exec"), vars(module))
    return module
