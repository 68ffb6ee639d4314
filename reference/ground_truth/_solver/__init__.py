"""The solver of every quadratic programme of the ground truth: CLARABEL, at the tightest tolerance that it reaches."""

import warnings

from ...problems.checks import require_later

# To import CVXPY takes a second, and many verdicts need no solver.
cp = require_later("the ground truth", "examiner", "cvxpy", "clarabel")

# At 1e-14 the answers agree with closed forms to 1e-12; at 1e-16 the solver fails. Where several solutions of the
# complementarity conditions meet, it can fail at 1e-14 already. Then the next looser tolerance is tried.
TOLERANCES = (1e-14, 1e-12, 1e-10, 1e-8)


def solve(problem):
    """Solve a CVXPY problem as accurately as CLARABEL can. Returns its value, or raises RuntimeError."""
    for tolerance in TOLERANCES:
        if _status(problem, tolerance) == cp.OPTIMAL:
            return problem.value
    if problem.status == cp.OPTIMAL_INACCURATE:  # for numbers of very different size; a certificate measures the error
        return problem.value
    raise RuntimeError(f"CLARABEL must end with an optimal status, got {problem.status!r}")


def _status(problem, tolerance):
    """Solve at one tolerance. Returns the status."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Solution may be inaccurate")
        try:
            problem.solve(
                solver=cp.CLARABEL,
                tol_gap_abs=tolerance,
                tol_gap_rel=tolerance,
                tol_feas=tolerance,
                tol_ktratio=tolerance,
            )
        except cp.error.SolverError:
            return cp.SOLVER_ERROR
    return problem.status
