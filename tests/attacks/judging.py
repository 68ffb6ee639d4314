"""The verdict on `certify`: what it passes must be true, and what is right must pass."""

from fractions import Fraction
from typing import NamedTuple

import numpy as np
from scipy import sparse

from reference.check import certify

from .exact import exact

ANY = 1e6  # a tolerance with which only the form of an answer can be refused: the value is then that of the gap
ROUNDINGS = 4  # of r, by which the duals of a right answer may be outside their domain
SHAKEN = 64  # roundings of float64 by which features move, to see whether float64 can prove an answer right


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
    if reported.ok and reported.value < least:
        return Verdict("false proof", ANY, f"the value is {reported.value:.3g}, {text}", reported.value < gross)
    for tol in (gross, float(least) * (1 - 1e-9)):
        if tol > 0 and called(family, problem, answer, tol).ok:
            return Verdict("false proof", tol, f"it is ok, {text}", tol == gross)
    return Verdict("undecided" if reported.ok and reported.value < most else "")


def judge_right(family, problem, answer, oracle, tol):
    """Returns the Verdict on an answer of a solver, or None if it is not right for this tolerance.

    An answer that is refused is judged again where the features are moved by a few roundings of float64. If that alone
    moves the gap by an eighth of the tolerance, no sum in float64 can prove that the gap is small, and the verdict is
    "beyond float64".
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
    kind = "beyond float64" if moved_gap(family, problem, answer) - gap > tol / 8 else "false alarm"
    return Verdict(kind, tol, found.what)


def moved_gap(family, problem, answer):
    """Returns the largest gap of an answer where each feature is moved by SHAKEN roundings, up or down at random."""
    rng, name, most = np.random.default_rng(0), "K" if "K" in problem else "X", 0
    for _ in range(3):
        moved = np.array(exact(problem[name]), dtype=object)
        signs = rng.integers(0, 2, moved.shape) * 2 - 1
        moved = moved * (1 + Fraction(SHAKEN, 2**53) * (np.maximum(signs, signs.T) if name == "K" else signs))
        most = max(most, family.oracle(problem | {name: moved}).gap(answer)[1])
    return most


def dtype_of(answer):
    return np.float32 if any(getattr(part, "dtype", None) == np.float32 for part in answer.values()) else np.float64
