"""The projections as quadratic programmes in CVXPY, with each set written as a polyhedron {G x <= h, E x = f}.

Slow and obviously right. Signatures and results are those of `reference.projections`, which explains the arguments.
"""

import functools

import numpy as np

from ..problems import checks
from ._solver import cp, solve

CLOSE = 1e-4  # to the solver's answer, in units of the largest number; a polished answer further away has wrong faces
ROUNDINGS = 1e-13  # for each coordinate and each unit of G: by so much a polished answer may leave the set

# CVXPY takes longer to translate a small programme than the solver takes to solve it. So it is translated once for each
# size, with parameters in place of numbers. With more coordinates, a translation without parameters is faster.
LARGEST_PARAMETRISED = 30


def project_simplex(a, radius=1.0):
    """``argmin_x 1/2 |a - x|^2  subject to  x >= 0, sum x = radius``."""
    radius = checks.nonnegative(radius, "radius")
    a, identity, ones = _points(a)
    return _project(a, 0.0, G=-identity, h=0 * ones, E=ones[None], f=[radius])


def project_knapsack(a, total, lower=0.0, upper=1.0, weights=None):
    """``argmin_x 1/2 |a - x|^2  subject to  <weights, x> = total, lower <= x <= upper``."""
    a, identity, _ = _points(a)
    total, lower, upper, weights = checks.knapsack(total, lower, upper, weights, a.shape[-1], a.dtype)
    G, h = np.vstack([-identity, identity]), np.concatenate([-lower, upper])
    bounded = np.isfinite(h)
    return _project(a, 0.0, G=G[bounded], h=h[bounded], E=weights[None], f=[total])


def project_capped_simplex(a, cap, radius=1.0, bias=0.0):
    """``argmin_x 1/2 |a - x|^2 + bias/2 (sum x)^2  subject to  0 <= x <= cap, sum x <= radius``."""
    cap, radius = checks.nonnegative(cap, "cap"), checks.nonnegative(radius, "radius")
    a, identity, ones = _points(a)
    return _project(a, bias, G=np.vstack([-identity, identity, ones]), h=[*(0 * ones), *(cap * ones), radius])


def project_topk_cone(a, k, bias=0.0):
    """``argmin_x 1/2 |a - x|^2 + bias/2 (sum x)^2  subject to  0 <= x <= (sum x)/k``."""
    a, identity, ones = _points(a)
    k = checks.count(k, "k", a.shape[-1])
    return _project(a, bias, G=np.vstack([-identity, identity - ones / k]), h=[*(0 * ones), *(0 * ones)])


def project_topk_simplex(a, k, radius=1.0, bias=0.0):
    """``argmin_x 1/2 |a - x|^2 + bias/2 (sum x)^2  subject to  0 <= x <= (sum x)/k, sum x <= radius``."""
    a, identity, ones = _points(a)
    k, radius = checks.count(k, "k", a.shape[-1]), checks.nonnegative(radius, "radius")
    G = np.vstack([-identity, identity - ones / k, ones])
    return _project(a, bias, G=G, h=[*(0 * ones), *(0 * ones), radius])


def project_bipartite_simplex(b, c, radius=1.0):
    """``argmin 1/2 |u - b|^2 + 1/2 |v - c|^2  subject to  u, v >= 0, sum u = sum v <= radius``."""
    (b, c), radius = checks.two_points(b, c), checks.nonnegative(radius, "radius")
    a, identity, ones = _points(np.concatenate([checks.finite_array(b, "b"), checks.finite_array(c, "c")], axis=-1))
    d = b.shape[-1]
    in_u = np.arange(len(ones)) < d
    G, E = np.vstack([-identity, in_u]), (2.0 * in_u - 1)[None]
    x = _project(a, 0.0, G=G, h=[*(0 * ones), radius], E=E, f=[0.0])
    return x[..., :d], x[..., d:]


def _points(a):
    """Returns the checked points, the identity matrix and a vector of ones, of their length."""
    a = checks.points(a)
    return a, np.eye(a.shape[-1]), np.ones(a.shape[-1])


def _project(a, bias, G, h, E=None, f=()):
    """``argmin_x 1/2 |a - x|^2 + bias/2 (sum x)^2  subject to  G x <= h, E x = f,  for each row of a``."""
    bias = checks.nonnegative(bias, "bias")
    d = a.shape[-1]
    E, f, h = np.zeros((0, d)) if E is None else E, np.asarray(f, float), np.asarray(h, float)
    rows = [_project_row(row, bias, G, h, E, f) for row in a.reshape(-1, d).astype(np.float64)]
    return np.array(rows).reshape(a.shape).astype(a.dtype)


def _project_row(a, bias, G, h, E, f):
    """Project one row. Returns the polished answer if it is feasible and close to the solver's, else the solver's."""
    # The solver's tolerances are absolute, so the problem is scaled by its largest number.
    unit = max(np.abs(a).max(), np.abs(h).max(initial=0.0), np.abs(f).max(initial=0.0)) or 1.0
    a, h, f = a / unit, h / unit, f / unit
    x, multipliers = _solved(a, bias, G, h, E, f)
    active = multipliers > h - G @ x
    polished = _on_faces(a, bias, np.vstack([G[active], E]), np.concatenate([h[active], f]))
    outside = max((G @ polished - h).max(initial=0.0), np.abs(E @ polished - f).max(initial=0.0))
    feasible = outside <= ROUNDINGS * len(a) * (1 + np.abs(G).max(initial=0.0))
    return unit * (polished if feasible and np.abs(polished - x).max() <= CLOSE else x)


def _solved(*numbers):
    """Returns the solver's x, and its multipliers of G x <= h. The numbers are a, bias, G, h, E and f."""
    a, _, G, _, E, _ = numbers
    if len(a) <= LARGEST_PARAMETRISED:
        problem, x, parameters = _parametrised(len(a), len(G), len(E))
        for parameter, value in zip(parameters, numbers, strict=True):
            parameter.value = value
    else:
        problem, x = _programme(*numbers)
    solve(problem)
    return x.value, problem.constraints[0].dual_value if len(G) else np.zeros(0)


@functools.cache
def _parametrised(d, inequalities, equalities):
    """Returns the programme of these sizes, its x, and its parameters, in the order of the numbers."""
    a, bias = cp.Parameter(d), cp.Parameter(nonneg=True)
    G, h = cp.Parameter((inequalities, d)), cp.Parameter(inequalities)
    E, f = cp.Parameter((equalities, d)), cp.Parameter(equalities)
    return *_programme(a, bias, G, h, E, f), (a, bias, G, h, E, f)


def _programme(a, bias, G, h, E, f):
    """Returns the programme and its x; the numbers are arrays or parameters."""
    x = cp.Variable(a.size)
    constraints = [G @ x <= h] if h.size else []
    constraints += [E @ x == f] if f.size else []
    return cp.Problem(cp.Minimize(cp.sum_squares(a - x) / 2 + bias / 2 * cp.square(cp.sum(x))), constraints), x


def _on_faces(a, bias, rows, values):
    """``argmin_x 1/2 |a - x|^2 + bias/2 (sum x)^2  subject to  rows x = values: one linear system``.

    It polishes the answer of the interior-point method on the faces that this method found. Where a constraint is
    active with multiplier 0, the error of the method is the square root of its tolerance; the linear system is exact.
    """
    system = np.block([[np.eye(len(a)) + bias, rows.T], [rows, np.zeros((len(rows), len(rows)))]])
    return np.linalg.lstsq(system, np.concatenate([a, values]), rcond=None)[0][: len(a)]
