"""Passive-aggressive updates as quadratic programmes in all weights, in CVXPY.

The direction of the update is not assumed. Slow and obviously right, for some hundreds of weights.
`reference.passive_aggressive` explains the arguments.
"""

import numpy as np

from ..problems import checks
from ._solver import cp, solve
from .projections import _points, _project

SOLVED = 1e-6  # relative error of a solution: scores that differ by less are equal, and a smaller change is no update
LEAST_VIOLATION = 1e-3  # in units of the weights; keeps the price of slack positive where nothing is violated


def squish_column(z, lower=-np.inf, upper=np.inf):
    """``argmin_x |z - x|^2  subject to  x_i <= x_0, lower <= x_i <= upper``."""
    z = checks.points(z, "z")
    lower, upper = checks.interval(lower, upper)
    z, identity, ones = _points(z)
    G = np.vstack([(identity - identity[0])[1:], -identity, identity])
    h = np.concatenate([0 * ones[1:], -lower * ones, upper * ones])
    return _project(z, 0.0, G=G[h < np.inf], h=h[h < np.inf])


def multiclass_update(A, x, y, *, margin=1.0, variant="pa", aggressiveness=1.0, k=1):
    """``argmin_B 1/2 |B - A|^2 + penalty(loss of B)``."""
    A, x, y, norm = checks.model_and_example(A, x, y)
    A, rule = checks.finite_array(A, "A"), checks.update_rule(len(A), norm, margin, variant, aggressiveness, k)
    if norm == 0:  # the loss does not depend on B
        return A.copy()
    return _update(A.astype(np.float64), x, np.sqrt(norm), y, rule).astype(A.dtype)


def fit_passive_aggressive(
    X, y, *, n_classes=None, epochs=1, averaged=False, order=None, seed=0, margin=1.0, variant="pa",
    aggressiveness=1.0, k=1, sample_weight=None, weights=None,
):  # fmt: skip
    """One quadratic programme for each visited example, with sample_weight[i] times the penalty; none if it is 0."""
    X, y, A = checks.stream(X, y, n_classes, weights)
    s = checks.example_weights(sample_weight, len(y)).tolist()
    X = (X.toarray() if hasattr(X, "toarray") else X).astype(np.float64)
    options = {"margin": margin, "variant": variant, "k": k}
    steps, wrong, updates = [], [], 0
    for i in np.concatenate(list(checks.passes(order, len(y), epochs, seed))):
        scores = A @ X[i]
        least = scores[y[i]] - SOLVED * np.abs(scores).max()  # a tie counts as a mistake
        wrong.append(sum(scores[j] >= least for j in range(len(A)) if j != y[i]) >= k)
        B = multiclass_update(A, X[i], y[i], aggressiveness=s[i] * aggressiveness, **options) if s[i] > 0 else A
        updates += int(np.abs(B - A).max() > SOLVED * max(np.abs(A).max(), np.abs(B).max()))
        steps.append(B)
        A = B
    mean = np.mean(steps, axis=0) if averaged else None
    return checks.PassiveAggressiveFit(A, mean, np.cumsum(wrong), updates)


def _update(A, x, length, y, rule):
    """``argmin_B 1/2 |B - A|^2 + penalty(loss of B)  for an example of this length``."""
    # The solver's tolerances are absolute, so x is scaled to length 1, and the weights to about 1.
    rivals = np.arange(len(A)) != y
    unit = max(np.linalg.norm(A, axis=1).max(), rule.margin / length) or 1.0
    A, x, margin = A / unit, x / length, rule.margin / length / unit
    # An update never needs a price above the largest violation. A higher one only worsens the scaling of the problem.
    violation = np.max((A @ x)[rivals] - (A @ x)[y] + margin)
    price = min(rule.aggressiveness * length / unit, 2 * max(violation, LEAST_VIOLATION))
    B = cp.Variable(A.shape)
    scores = B @ x
    loss = cp.sum_largest(scores[rivals] - scores[y] + margin, rule.k) / rule.k
    moved = cp.sum_squares(B - A) / 2
    if rule.variant == "pa":
        problem = cp.Problem(cp.Minimize(moved), [loss <= 0])
    elif rule.variant == "pa1":
        problem = cp.Problem(cp.Minimize(moved + price * cp.pos(loss)))
    else:
        problem = cp.Problem(cp.Minimize(moved + rule.aggressiveness * length**2 * cp.square(cp.pos(loss))))
    solve(problem)
    return unit * B.value
