"""Certificates for answers that exist already: `certify(name, answer, ...)`.

`reference/CERTIFICATES.md` has the mathematics. Nothing here calls a solver, enumerates or imports CVXPY.
"""

from __future__ import annotations

import math
import warnings
from typing import Any, NamedTuple

import numpy as np

from ...problems import checks
from . import arguments as calls
from .answers import Malformed, leniently
from .condition import DIFFERS
from .specs import SPECS

__all__ = ["Certificate", "certify"]

PROOFS = ("certificate", DIFFERS)  # of the conditions that come first, before those on the form of an answer


class Certificate(NamedTuple):
    """What was measured about an answer. It is true if the answer is right: `if certify(...)` works as it reads.

    A tuple with entries is always true in Python. This one defines its own truth value, which is `ok`.

    Attributes
    ----------
    value : float
        Zero only if the answer is right. It is relative to the size of the problem or of the answer.
    bound : float
        The largest value that rounding, and `tol` of an iterative fit or `accept`, allow.
    ok : bool
        Whether value <= bound.
    what : str
        What was measured, and what is broken, in English.
    """

    value: float
    bound: float
    ok: bool
    what: str

    def __bool__(self) -> bool:
        return self.ok


def certify(
    name: str, answer: Any, *arguments_of_the_call: Any, accept: float | None = None, **options: Any
) -> Certificate:
    """Returns a Certificate of an answer: a number that is zero only if the answer is right, and its bound.

    No solver runs, and no answer is computed to compare with, except for algorithms without an optimum, which are
    replayed. The number is computed from the problem and the answer alone, at any size.

    Parameters
    ----------
    name : str
        The public function whose answer this is, such as "project_simplex".
    answer
        What that function returns. For a fit, a dict with some of its fields is enough, or the arrays that the
        certificate needs: see CERTIFICATES.md for each function. Objectives and gaps that an answer claims are ignored.
        A float32 answer is judged as float32.
    *arguments_of_the_call, **options
        The arguments of that function, as in a call of it. The tolerance of an iterative fit is its `tol`.
    accept : float, >= 0, optional
        A larger bound than that of rounding, for an answer that a program has computed less precisely. The value does
        not change, and the sentence says "within accept" where rounding alone would not explain it. Conditions that
        are no measured error, such as the counts of a walk, are not loosened. For a function with `tol`, use `tol`.

    Returns
    -------
    certificate : Certificate
        (value, bound, ok, what), and true if ok. An answer of the wrong shape, or with NaN or infinities, has the
        value inf. Where an answer must meet several conditions, the certificate is that of the first broken one, or of
        the main one if none is broken.

    Raises
    ------
    ValueError
        `name` or an option is unknown, or the function itself would refuse these arguments. `accept` is no number >= 0,
        or the function has `tol`. Some arguments are refused only while the function computes: too few draws, or a
        result that is out of range. No answer to them is right. A wrong answer raises nothing.

    Notes
    -----
    Projections and updates cost O(size), losses and inference O(size log size), fits one or a few products with X.
    Replays cost as much as the algorithm in NumPy.

    Examples
    --------
    >>> a = np.array([0.5, 1.0, -1.0])
    >>> certify("project_simplex", np.array([0.25, 0.75, 0.0]), a).ok
    True
    >>> certify("project_simplex", np.array([0.3, 0.7, 0.0]), a).what
    'broken: KKT residual, relative to the largest entry of the point or of the answer: 0.1, at most 1.9e-14 allowed.'
    """
    if name not in SPECS:
        raise ValueError(f"name must be that of a public function, got {name!r}{calls.nearest(name, SPECS)}")
    problem = calls.problem_of(name, options, arguments_of_the_call)
    accept = _accepted(name, problem, accept)
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            conditions = _conditions(name, problem, answer)
    except Malformed as trouble:
        return Certificate(math.inf, 0.0, False, f"broken: the answer cannot be judged: {trouble}.")
    conditions.sort(key=lambda one: one.reason not in PROOFS)
    inexact = [one for one in conditions if not one.value <= one.bound]
    broken = [one for one in inexact if one.reason not in PROOFS or not one.value <= accept]
    return _certificate((broken or inexact or conditions)[0], bool(broken), accept)


def _accepted(name, problem, accept):
    """Returns the bound that is asked for in place of that of rounding, 0 if there is none."""
    if accept is None:
        return 0.0
    if hasattr(problem, "tol"):
        raise ValueError(f"accept is for functions without tol: give {name} the larger tol instead")
    return checks.nonnegative(accept, "accept")


def _conditions(name, problem, answer):
    spec = SPECS[name]
    parts = leniently(spec, vars(problem), spec.parts(problem), answer)
    return list(spec.part("conditions")(problem, **parts))


def _certificate(condition, is_broken, accept):
    value, exact = float(condition.value), float(condition.bound)
    value = value if value == value else math.inf  # NaN comes from an answer whose scores are out of range
    bound = max(exact, accept) if condition.reason in PROOFS else exact
    allowed = f"at most {bound:.2g} allowed"
    if not is_broken and value > exact:
        allowed = f"within accept, which is {accept:.2g}; rounding explains {exact:.2g}"
    text = f"{'broken: ' if is_broken else ''}{condition.what}: {value:.2g}, {allowed}."
    return Certificate(value, bound, not is_broken, f"{text} {condition.note}".strip())
