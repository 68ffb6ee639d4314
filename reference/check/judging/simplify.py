"""Simpler and tiny instances of any problem, from the axes of its arguments."""

import inspect
import warnings

import numpy as np

from .arguments import plain_signature
from .spec import is_array, is_data, letters, sizes

MAIN_SIZES = np.repeat((1, 2, 3, 4), (4, 12, 12, 12))  # of tiny instances, the smallest first
LONGEST_ROUNDED = 100  # numbers; longer arrays are not shown, so their digits do not matter
LONGEST_LEFT_OUT = 30  # things; of more, halves are left out but not single ones
STOPPING = ("tol", "max_epochs", "max_iterations", "max_rounds")  # never left out: a right fit may end before its tol
PLAIN_SCALES = 1e-3, 1e3  # numbers between these count as being of scale 1


def simpler(spec, arguments):
    """Yields right instances with fewer things along an axis, without an option, or with rounder numbers."""
    return _like(spec, arguments, _simpler(spec, arguments))


def tiny(spec, rng, arguments):
    """Yields right tiny instances, the smallest first, of the same types, dimensions and scale."""
    return _like(spec, arguments, _tiny(spec, rng, arguments))


def fewer(n):
    """Yields index sets of fewer than n things: the two halves, then all things but one."""
    every = np.arange(n)
    if n > 3:
        yield from (every[: n // 2], every[n // 2 :])
    if 1 < n <= LONGEST_LEFT_OUT:
        yield from (np.delete(every, i) for i in range(n - 1, -1, -1))


def ranks(order, rows):
    """Returns the order in which these rows are visited after all other rows are removed."""
    return np.argsort(np.argsort(order[np.isin(order, rows)]))


def rounder(arguments, names):
    """Yields instances with one argument rounded to one digit or, if that changes nothing, to two."""
    for name in names:
        value = arguments.get(name)
        if value is None or np.size(value) > LONGEST_ROUNDED or not np.isfinite(value).all() or not np.any(value):
            continue
        first = -int(np.floor(np.log10(np.abs(value).max())))  # the decimal place of the first digit
        for place in (first, first + 1):
            rounded = np.round(np.asarray(value, dtype=np.float64), place)
            rounded = rounded.astype(value.dtype) if np.ndim(value) else float(rounded)
            if np.any(rounded != value) and np.any(rounded):
                yield {**arguments, name: rounded}
                break


def unit_of(like):
    """Returns 1 for numbers around 1, and otherwise the power of ten that is nearest to the largest of them."""
    size, (least, most) = float(np.abs(like).max()), PLAIN_SCALES
    return 1.0 if least < size < most or size == 0 else 10.0 ** np.round(np.log10(size))


def _like(spec, arguments, candidates):
    """Yields the candidates that are right, and warned about just if these arguments are. Wrong ones have none."""
    if (warned := _is_warned(spec, arguments)) is None:
        return
    for one in candidates:
        if _is_warned(spec, one) == warned and (spec.is_sound is None or spec.is_sound(one)):
            yield one


def _is_warned(spec, arguments):
    """Returns whether the statement warns about these arguments, or None if it refuses them."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            spec.statement(**arguments)
        except (ValueError, TypeError):
            return None
    return bool(caught)


def _simpler(spec, arguments):
    axes, plain = spec.axes(arguments), dict(spec.plain)
    found = sizes(axes, arguments)
    for letter in found:
        for kept in fewer(found[letter]):
            if smaller := _on(axes, arguments, letter, kept):
                yield smaller
        if any(f"({letter})" in text for text in axes.values()):
            yield {**arguments, **_without(axes, arguments, letter)}
    for name, parameter in plain_signature(spec.statement).parameters.items():
        if name in arguments and name in plain:
            yield {**arguments, name: plain[name]}
        elif name in arguments and parameter.default is not inspect.Parameter.empty and name not in STOPPING:
            yield {other: value for other, value in arguments.items() if other != name}
    for name, text in axes.items():
        if ".." in text and arguments.get(name, 1) > 1:
            yield {**arguments, name: arguments[name] - 1}
    yield from spec.simpler(arguments) if spec.simpler else ()
    yield from rounder(arguments, [name for name, text in axes.items() if is_data(text) or text in ("unit", "number")])


def _tiny(spec, rng, arguments):
    axes = spec.axes(arguments)
    known = sizes(axes, arguments)
    main = letters(axes[next(iter(axes))])[-1]
    unit = unit_of(np.concatenate([np.ravel(arguments[name]) for name in spec.points])) if spec.points else 1.0
    least = int(any("-1" in text for text in axes.values()))
    for size in MAIN_SIZES + least:
        drawn = {letter: 1 if f"({letter})" in str(axes) else int(rng.integers(1, size + 1)) for letter in known}
        drawn[main] = int(size)
        drawn |= {letter: max(2, drawn[letter]) for letter in drawn if f"1..{letter}-1" in axes.values()}
        options = {name: _drawn(rng, axes.get(name, "option"), value, drawn, unit) for name, value in arguments.items()}
        drawn_well = spec.tiny(rng, drawn | {"unit": unit, "main": int(size)}, arguments) if spec.tiny else {}
        options |= {name: value for name, value in drawn_well.items() if name in options}
        yield {name: value for name, value in options.items() if name not in drawn_well or value is not None}


def _with(axes, arguments, letter):
    """Returns the names of the arrays that have this axis."""
    names = [name for name, text in axes.items() if is_array(text) and np.ndim(arguments.get(name))]
    return [name for name in names if letter in letters(axes[name], np.ndim(arguments[name]))]


def _without(axes, arguments, letter):
    """Returns the arrays that have this axis, at its first place."""
    places = {name: letters(axes[name]).index(letter) for name in _with(axes, arguments, letter)}
    return {name: np.take(arguments[name], 0, axis=axis) for name, axis in places.items()}


def _on(axes, arguments, letter, kept):
    """Returns the same problem on some of the places of one axis, or None if a label is not among them."""
    smaller = dict(arguments)
    for name, value in arguments.items():
        text = axes.get(name, "option")
        of = text.partition(" of ")[2]
        if name in _with(axes, arguments, letter):
            for axis, own in enumerate(letters(text, np.ndim(value))[::-1], start=1):
                smaller[name] = np.take(smaller[name], kept, axis=-axis) if own == letter else smaller[name]
            if of == letter:
                smaller[name] = np.apply_along_axis(ranks, -1, value, kept)
        elif text == f"parts of {letter}":
            smaller[name] = _fewer_parts(value, kept)
        elif of == letter and value is not None:
            if not np.isin(value, kept).all():
                return None
            smaller[name] = np.searchsorted(kept, value).astype(value.dtype)
        elif text[1:] in (f"..{letter}", f"..{letter}-1"):
            smaller[name] = min(value, len(kept) - text.endswith("-1"))
    return smaller


def _fewer_parts(parts, kept):
    """Returns the parts of the places that are kept, numbered anew."""
    if not isinstance(parts, list):
        return min(parts, len(kept))
    places = [np.flatnonzero(np.isin(kept, part)) for part in parts]
    return [part for part in places if part.size]


def _drawn(rng, axes, value, drawn, unit):
    """Returns a tiny value in place of this one."""
    if is_array(axes) and np.ndim(value):
        shape = tuple(drawn[letter] for letter in letters(axes, np.ndim(value)))
        if of := axes.partition(" of ")[2]:
            return rng.integers(0, drawn.get(of) or int(of), size=shape).astype(value.dtype)
        low, high = (1, 3) if "?" in axes else (-1, 4)
        return ((1 if "?" in axes else unit) * rng.integers(low, high, size=shape)).astype(value.dtype)
    if ".." in axes:
        return int(rng.integers(int(axes[0]), drawn[axes[3]] + 1 - axes.endswith("-1")))
    if axes == "unit":
        return unit * float(rng.integers(1, 4))
    return float(rng.integers(0, 2)) if axes == "number" else value
