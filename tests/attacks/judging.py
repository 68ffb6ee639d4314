"""The verdict on `certify`: what it passes must be true, and what is right must pass."""

from typing import NamedTuple

import numpy as np
from scipy import sparse

from reference.check import certify

ANY = 1e6  # a tolerance with which only the form of an answer can be refused: the value is then that of the gap
ROUNDINGS = 4  # of r, by which the duals of a right answer may be outside their domain


class Verdict(NamedTuple):
    kind: str  # "", "false proof", "false alarm" or "undecided"
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
    """Returns the Verdict on an answer of a solver, or None if it is not right for this tolerance."""
    least, most = oracle.suboptimality(answer)
    if least > tol / 2:
        return None
    units, gap = oracle.gap(answer)
    if units > ROUNDINGS * float(np.finfo(dtype_of(answer)).eps) or gap > tol / 2:
        return None
    if most > tol / 2:
        return Verdict("undecided")
    found = called(family, problem, answer, tol)
    return Verdict("") if found.ok else Verdict("false alarm", tol, found.what)


def dtype_of(answer):
    return np.float32 if any(getattr(part, "dtype", None) == np.float32 for part in answer.values()) else np.float64
