"""Other names: a TARGET whose functions and arguments are called otherwise than here, or that lacks some of them."""

import inspect
import tomllib
from pathlib import Path
from typing import NamedTuple

import numpy as np

import reference

from .judging.specs import SPECS

KEYS = ("name", "arguments", "order", "lacks")


class Alias(NamedTuple):
    """How TARGET calls one function: its name, {our name of an argument: its name}, and what is passed by position."""

    name: str
    arguments: dict
    order: tuple | None
    lacks: dict  # {our name of an argument: the values that TARGET does not take, or None for all}


class Naming:
    """The names of TARGET's functions and arguments, by the names here.

    Parameters
    ----------
    names : dict of str: (str or dict)
        For a function here, the name of TARGET's function; or a dict with some of these:

        * "name": if it is another one.
        * "arguments": a dict from the names here to those of TARGET.
        * "order": the arguments that TARGET takes by position, in this order, by the names here. All others are passed
          by name.
        * "lacks": a list of what TARGET does not support, by the names here. Instances that need it are skipped: they
          are counted apart. An argument's name stands for all instances that give this argument. A dict {argument:
          [values]} stands for the instances that give one of these values. For an array, "array", its dtype
          ("float32") or its number of dimensions ("2d") may stand in place of a value.

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

    def arguments(self, ours):
        """Returns the names of arguments that TARGET calls otherwise: {our name: its name}."""
        return self._aliases[ours].arguments if ours in self._aliases else {}

    def lack(self, ours, arguments):
        """Returns what TARGET lacks for a call with these arguments, in words, or "" if nothing."""
        lacks = self._aliases[ours].lacks if ours in self._aliases else {}
        for name, values in lacks.items():
            if name in arguments and values is None:
                return f"lacks {name}"
            for value in values or ():
                if name in arguments and _is(arguments[name], value):
                    return f"lacks {name} = {value}"
        return ""

    def placed(self, ours, forms):
        """Returns the (name, place, value) of a call as TARGET takes them, in the order of TARGET's parameters."""
        if ours not in self._aliases:
            return forms
        _, arguments, order, _ = self._aliases[ours]
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
    lacks = _lacks(ours, entry.get("lacks", []))
    for name in [*arguments, *(order or ()), *lacks]:
        if name not in known:
            raise ValueError(f"names[{ours!r}]: {ours} has the arguments {', '.join(known)}, got {name!r}")
    return Alias(str(entry.get("name", ours)), dict(arguments), None if order is None else tuple(order), lacks)


def _lacks(ours, entries):
    """Returns {argument: values or None} of a list of arguments and of dicts {argument: [values]}."""
    found = {}
    for one in entries if isinstance(entries, (list, tuple)) else [entries]:
        values = {one: None} if isinstance(one, str) else one
        if not isinstance(values, dict) or not all(isinstance(part, (list, type(None))) for part in values.values()):
            text = "must be a list of arguments and of {argument: [values]}"
            raise ValueError(f"names[{ours!r}]: lacks {text}, got {entries!r}")
        for name, part in values.items():
            is_all = part is None or found.get(name, ()) is None
            found[name] = None if is_all else [*found.get(name, ()), *part]
    return found


def _is(value, lacked):
    """Whether an argument has this value, or is an array of this kind."""
    if isinstance(value, np.ndarray):
        return lacked in ("array", str(value.dtype), f"{value.ndim}d")
    return lacked == "array" if isinstance(value, (list, tuple)) else bool(value == lacked)
