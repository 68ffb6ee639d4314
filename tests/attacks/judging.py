"""The verdict on `certify`: what it passes must be true, and what is right must pass."""

import warnings
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


def called(name, problem, answer, tol):
    """Returns the certificate. Sparse arguments are stored dense, beside the flag "csr"."""
    given = {key: value for key, value in problem.items() if key != "csr"}
    if problem.get("csr"):
        given["X"] = sparse.csr_array(given["X"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return certify(name, answer if len(answer) > 1 else next(iter(answer.values())), tol=tol, **given)


def suboptimality(oracle, answer):
    """Returns the least and the most that (objective - minimum) / objective can be."""
    value, (low, high, _) = oracle.objective(answer), oracle.minimum()
    return ((value - high) / value, (value - low) / value) if value > 0 else (0, 0)


def judge_wrong(name, problem, answer, oracle):
    """Returns the Verdict on an answer that may be anything: a value below the truth is a false proof."""
    least, most = suboptimality(oracle, answer)
    reported = called(name, problem, answer, ANY)
    if reported.ok and reported.value < least:
        text = f"value {reported.value:.3g}, but the objective exceeds the minimum by {float(least):.3g} of itself"
        return Verdict("false proof", ANY, text)
    tol = float(least) * (1 - 1e-9)
    if least > 0 and called(name, problem, answer, tol).ok:
        return Verdict("false proof", tol, f"ok, but the objective exceeds the minimum by {float(least):.3g} of itself")
    return Verdict("undecided") if reported.ok and reported.value < most else Verdict("")


def judge_right(name, problem, answer, oracle, tol):
    """Returns the Verdict on an answer of a solver, or None if it is not right for this tolerance."""
    least, most = suboptimality(oracle, answer)
    if least > tol / 2:
        return None
    units, dual = oracle.proof(answer)
    value, eps = oracle.objective(answer), float(np.finfo(dtype_of(answer)).eps)
    if units > ROUNDINGS * eps or value - dual > value * tol / 2:
        return None
    if most > tol / 2:
        return Verdict("undecided")
    found = called(name, problem, answer, tol)
    return Verdict("") if found.ok else Verdict("false alarm", tol, found.what)


def dtype_of(answer):
    return np.float32 if any(getattr(part, "dtype", None) == np.float32 for part in answer.values()) else np.float64
