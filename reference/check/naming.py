"""Other names: a TARGET whose functions and arguments are called otherwise than here."""

import inspect
import tomllib
from pathlib import Path
from typing import NamedTuple

import reference

from .judging.specs import SPECS

KEYS = ("name", "arguments", "order")


class Alias(NamedTuple):
    """How TARGET calls one function: its name, {our name of an argument: its name}, and what is passed by position."""

    name: str
    arguments: dict
    order: tuple | None


class Naming:
    """The names of TARGET's functions and arguments, by the names here.

    Parameters
    ----------
    names : dict of str: (str or dict)
        For a function here, the name of TARGET's function; or a dict with "name", and if need be "arguments" (a dict
        from the names here to those of TARGET) and "order" (the arguments that TARGET takes by position, in this order,
        by the names here; all others are passed by name).

    Raises
    ------
    ValueError
        A function or an argument does not exist here, or an entry has another form.
    """

    def __init__(self, names=None):
        self._aliases = {ours: _alias(ours, entry) for ours, entry in (names or {}).items()}

    def function(self, ours):
        """Returns the name of TARGET's function."""
        return self._aliases[ours].name if ours in self._aliases else ours

    def placed(self, ours, forms):
        """Returns the (name, place, value) of a call as TARGET takes them, in the order of TARGET's parameters."""
        if ours not in self._aliases:
            return forms
        _, arguments, order = self._aliases[ours]
        if order is not None:
            given = {name: form for name, _, form in forms}
            first = [(name, "positional", given.pop(name)) for name in order if name in given]
            forms = [*first, *((name, "keyword", form) for name, form in given.items())]
        return [(arguments.get(name, name), place, form) for name, place, form in forms]


def from_file(path):
    """Returns the dict of names in a TOML file. Raises ValueError if it is not TOML, OSError if it cannot be read."""
    try:
        return tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as trouble:
        raise ValueError(f"{path} is not TOML: {trouble}") from None


def _alias(ours, entry):
    if ours not in SPECS:
        raise ValueError(f"names must be for functions of reference ({', '.join(SPECS)}), got {ours!r}")
    entry = {"name": entry} if isinstance(entry, str) else entry
    if not isinstance(entry, dict) or not set(entry) <= set(KEYS):
        raise ValueError(f"names[{ours!r}] must be a name, or a dict with {', '.join(KEYS)}, got {entry!r}")
    known = list(inspect.signature(getattr(reference, ours)).parameters)
    order, arguments = entry.get("order"), entry.get("arguments", {})
    for name in [*arguments, *(order or ())]:
        if name not in known:
            raise ValueError(f"names[{ours!r}]: {ours} has the arguments {', '.join(known)}, got {name!r}")
    return Alias(str(entry.get("name", ours)), dict(arguments), None if order is None else tuple(order))
