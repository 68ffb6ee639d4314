"""The verdict on `certify`: what it passes must be true, and what is right must pass."""

from fractions import Fraction
from typing import NamedTuple

import numpy as np
from scipy import sparse

from reference.check import certify

from .exact import exact

ANY = 1e6  # a tolerance with which only the form of an answer can be refused: the value is then that of the gap
ROUNDINGS = 4  # of r, by which the duals of a right answer may be outside their domain
SHAKEN, DRAWS = 64, 64  # roundings by which numbers move, and how often, to see what float64 can prove


class Verdict(NamedTuple):
    kind: str  # "", "false proof", "false alarm", "undecided" or "beyond float64"
    tol: float = 0.0
    what: str = ""
    gross: bool = False  # a false proof by more than a hundredth and 1e-9


def called(family, problem, answer, tol):
    """Returns the certificate. A problem with the flag "csr" has a sparse X."""
    given = {key: value for key, value in problem.items() if key != "csr"}
    if problem.get("csr"):
        given["X"] = sparse.csr_array(given["X"])
    return certify(family.name, family.given_as(answer), tol=tol, **given)


def judge_wrong(family, problem, answer, oracle):
    """Returns the Verdict on any answer: a value or a tolerance below the truth is a false proof."""
    least, most = oracle.suboptimality(answer)
    reported = called(family, problem, answer, ANY)
    text = f"but the objective exceeds the minimum by {float(least):.3g} of itself"
    gross = float(least) * 0.99 - 1e-9
    if oracle.is_unclear:
        return Verdict("undecided")
    if reported.ok and reported.value < least:
        return Verdict("false proof", ANY, f"the value is {reported.value:.3g}, {text}", reported.value < gross)
    for tol in (gross, float(least) * (1 - 1e-9)):
        if tol > 0 and called(family, problem, answer, tol).ok:
            return Verdict("false proof", tol, f"it is ok, {text}", tol == gross)
    return Verdict("undecided" if reported.ok and reported.value < most else "")


def judge_right(family, problem, answer, oracle, tol):
    """Returns the Verdict on an answer of a solver, or None if it is not right for this tolerance.

    If an answer is refused, features and scores are moved by a few roundings of float64. If that alone moves the
    objective or its lower bound by an eighth of the tolerance, no sums in float64 can prove their difference, and the
    verdict is "beyond float64".
    """
    least, most = oracle.suboptimality(answer)
    if least > tol / 2:
        return None
    units, gap = oracle.gap(answer)
    if units > ROUNDINGS * float(np.finfo(dtype_of(answer)).eps) or gap > tol / 2:
        return None
    if most > tol / 2:
        return Verdict("undecided")
    found = called(family, problem, answer, tol)
    if found.ok:
        return Verdict("")
    if oracle.is_unclear:
        return Verdict("undecided")
    is_beyond = any(apart > tol / 8 for apart in changes(family, problem, answer, oracle.numbers(answer)))
    return Verdict("beyond float64" if is_beyond else "false alarm", tol, found.what)


def changes(family, problem, answer, numbers):
    """Yields by how much of an objective it and its bound change where features and scores are moved, at random."""
    rng, name = np.random.default_rng(0), "K" if "K" in problem else "X"
    X = np.array(exact(problem[name]), dtype=object)

    def signs(shape):
        return Fraction(SHAKEN, 2**53) * (rng.integers(0, 2, shape) * 2 - 1)

    def shake(scores, X, B):
        """Returns scores X B, each moved by its share of |X| |B|."""
        sizes = np.abs(np.array(exact(X), dtype=object)) @ np.abs(np.array(exact(B), dtype=object))
        return (np.array(scores, dtype=object) + signs(sizes.shape) * sizes).tolist()

    for _ in range(DRAWS):
        up = signs(X.shape)
        moved = problem | {name: X * (1 + (np.maximum(up, up.T) if name == "K" else up))}
        for pair, other in zip(numbers, family.oracle(moved).numbers(answer, shake), strict=True):
            yield sum(abs(x - y) for x, y in zip(pair, other, strict=True)) / (pair[0] or 1)


def dtype_of(answer):
    return np.float32 if any(getattr(part, "dtype", None) == np.float32 for part in answer.values()) else np.float64
