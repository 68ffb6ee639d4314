"""Makes a failure smaller while it stays one: fewer examples, classes, features and options, rounder numbers."""

import time

import numpy as np

from .judging import judge_right, judge_wrong

# The axes of the arguments and answers: examples n, features d, classes m, points c.
AXES = {"X": "nd", "K": "nn", "y": "n", "Y": "nm", "relevant": "nm", "groups": "n", "bags": "n", "sample_weight": "n"}
AXES |= {"group_weight": "n", "duals": "nm", "points": "cd", "shares": "c"}
DROPPED = ("csr", "sample_weight", "group_weight", "groups", "smoothing")
DIGITS = (1, 2, 4, 8)


def shrunk(failure, family, seconds=20.0):
    """Returns the smallest failure of the same kind that single steps lead to in this time."""
    end = time.monotonic() + seconds if hasattr(family, "oracle") else 0.0
    while time.monotonic() < end:
        for candidate in _smaller(failure):
            verdict = _judged(candidate, family)
            if verdict is not None and _is_same(verdict, failure.verdict):
                failure = candidate._replace(verdict=verdict)
                break
        else:
            break
    return failure


def _is_same(verdict, other):
    """True if two verdicts have the same kind and reason, and a false proof that is gross stays so."""
    if verdict.kind != other.kind or (other.gross and not verdict.gross):
        return False
    return other.kind == "false proof" or _reason(verdict) == _reason(other)


def _reason(verdict):
    """Returns what a certificate calls broken, without its numbers: "broken: proved bound of ..."."""
    return verdict.what.split(":")[:2]


def _judged(failure, family):
    """Returns the verdict, or None if the smaller problem is no problem."""
    try:
        oracle = family.oracle(failure.problem)
        if failure.verdict.kind == "false proof":
            return judge_wrong(family, failure.problem, failure.answer, oracle)
        return judge_right(family, failure.problem, failure.answer, oracle, failure.verdict.tol)
    except (ValueError, ArithmeticError, LookupError, AssertionError):
        return None


def _smaller(failure):
    """Yields simpler failures: one thing is left out, or one array has fewer digits."""
    whole = {**failure.problem, **failure.answer}
    for axis in "nmdc":
        for place in range(max((len(array) for array in _along(whole, axis)), default=0)):
            yield _split(failure, _without(whole, axis, place))
    for name in DROPPED:
        if name in failure.problem and failure.problem[name] is not False:
            yield _split(failure, {key: value for key, value in whole.items() if key != name})
    for name, value in whole.items():
        for digits in () if isinstance(value, (list, tuple)) or np.asarray(value).dtype.kind != "f" else DIGITS:
            rounder = _rounded(value, digits)
            if _length(rounder) < _length(value):
                yield _split(failure, whole | {name: rounder})


def _axes(name, value):
    if isinstance(value, (list, tuple)):  # of arrays of several layers
        return ""
    if name == "weights":
        return "dm"[: np.ndim(value)]
    return AXES.get(name, "")[: np.ndim(value)]


def _along(whole, axis):
    """Yields each array, with its first axis of this kind in front."""
    for name, value in whole.items():
        if axis in _axes(name, value):
            yield np.moveaxis(value, _axes(name, value).index(axis), 0)


def _without(whole, axis, place):
    smaller = dict(whole)
    for name, value in whole.items():
        for number, kind in enumerate(_axes(name, value)):
            if kind == axis:
                smaller[name] = np.delete(smaller[name], place, axis=number)
    if axis == "m" and "y" in whole:
        if (whole["y"] == place).any():
            raise_ = np.flatnonzero(whole["y"] == place)
            smaller["y"] = np.delete(whole["y"], raise_)
            for name, value in list(smaller.items()):
                for number, kind in enumerate(_axes(name, value)):
                    if kind == "n" and name != "y":
                        smaller[name] = np.delete(smaller[name], raise_, axis=number)
        smaller["y"] = smaller["y"] - (smaller["y"] > place)
    return smaller


def _split(failure, whole):
    problem = {key: whole[key] for key in failure.problem if key in whole}
    return failure._replace(problem=problem, answer={key: whole[key] for key in failure.answer})


def _rounded(value, digits):
    rounder = np.vectorize(lambda x: float(f"{x:.{digits}g}"), otypes=[float])(value)
    return rounder.astype(value.dtype) if np.ndim(value) else float(rounder)


def _length(value):
    return len(repr(np.asarray(value).tolist()))


def snippet(failure):
    """Returns code that shows the failure."""

    def text(value):
        if isinstance(value, np.ndarray):
            return f"np.array({value.tolist()!r}, dtype=np.{value.dtype.name})".replace("np.bool", "bool")
        return repr(value)

    given = {key: value for key, value in failure.problem.items() if key != "csr"}
    lines = [f"# {failure.verdict.kind}: {failure.verdict.what}"]
    lines += [f"{name} = {text(value)}" for name, value in {**given, **failure.answer}.items()]
    answer = "{" + ", ".join(f'"{name}": {name}' for name in failure.answer) + "}"
    arguments = ", ".join(f"{name}={name}" for name in given)
    call = f'certify("{failure.function}", {answer}, {arguments}, tol={failure.verdict.tol})'
    return "\n".join([*lines, f"print({call})", ""])
