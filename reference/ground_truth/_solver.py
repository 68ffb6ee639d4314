"""How every quadratic programme of the ground truth is solved: CLARABEL, named and set to its last digit."""

import warnings

import cvxpy as cp

# At 1e-14 the interior point stops at 1e-12 of closed forms and at 1e-16 it breaks; where several solutions of the
# complementarity conditions meet, it can already break at 1e-14, and the next looser one is asked for.
TOLERANCES = (1e-14, 1e-12, 1e-10, 1e-8)


def solve(problem):
    """Solve a CVXPY problem to the last digit that CLARABEL can reach, or raise RuntimeError; returns its value."""
    for tolerance in TOLERANCES:
        if _status(problem, tolerance) == cp.OPTIMAL:
            return problem.value
    if problem.status == cp.OPTIMAL_INACCURATE:  # numbers of very different size: the certificate tells how good it is
        return problem.value
    raise RuntimeError(f"CLARABEL stopped with status {problem.status!r}")


def _status(problem, tolerance):
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
