"""Passive-aggressive updates: change the weights as little as possible so that the right label wins.

The weights are A, one row a class, and the scores of an example x are A x. The update for label y in English::

    Let c_j be the amount by which rival j violates the margin, divided by |x|^2. If none is positive, change nothing.
    Otherwise row y moves along x, and the rows of rivals move in the opposite direction.
    Squish the column (0, c): lower the largest violations and raise the 0 until they meet.
    The row of rival j moves by the amount by which c_j was lowered. Row y moves by the sum of these amounts.

Squishing solves the case without slack for k = 1. With slack, it is replaced by the projection onto the top-k simplex
for k = 1. With k > 1, the same projections give an update that bounds only the mean of the k worst rivals.

Source: Paper 001 (Daumé: Column Squishing for Multiclass Updates, 2017).
"""

import numpy as np

from .problems import checks
from .projections import NO_RADIUS, _topk_simplex

__all__ = ["squish_column", "multiclass_update", "fit_passive_aggressive"]

ROUNDING = 32 * float(np.finfo(np.float64).eps)  # relative; scores that differ by no more count as equal


def squish_column(z, lower=-np.inf, upper=np.inf):
    r"""Returns the nearest column in which no coordinate is above the first one.

    .. math::

        \arg\min_x \;\; & \|x - z\|^2 \\
        \text{subject to} \;\; & x_i \le x_0, \;\; \text{lower} \le x_i \le \text{upper}

    Parameters
    ----------
    z : array, shape (d,) or (n, d), float32 or float64
        Column to squish, or one column a row. No coordinate of the answer is above its first one.
    lower, upper : float
        Bounds of all coordinates, lower <= upper; -inf and inf are allowed.

    Returns
    -------
    x : array like `z`

    Raises
    ------
    ValueError
        `z` is empty, not finite or not 1-D or 2-D; lower > upper; a bound is NaN, or an infinity of the wrong sign.

    Notes
    -----
    The coordinates of z above :math:`x_0` are replaced by one value, the mean of them and :math:`z_0`. The others are
    visited in descending order with a running mean, until a coordinate is not above the mean. The cost is O(d log d).

    References
    ----------
    * Paper (Bittorf, Recht, Ré, Tropp: Factoring Nonnegative Matrices with Linear Programs, 2012), algorithm 5, where
      the bounds are 0 and 1.
    * Paper 001 (Daumé: Column Squishing for Multiclass Updates, 2017), without bounds.

    Examples
    --------
    >>> squish_column(np.array([0.0, 3.0, -1.0, 2.0]))
    array([ 1.66666667,  1.66666667, -1.        ,  1.66666667])
    >>> squish_column(np.array([0.0, 3.0, -1.0, 2.0]), lower=0.0, upper=1.0)
    array([1., 1., 0., 1.])
    """
    z = checks.points(z, "z")
    lower, upper = checks.interval(lower, upper, z.dtype)
    if z.ndim == 1:
        return _squish(z.astype(np.float64), lower, upper).astype(z.dtype)
    return np.array([_squish(row, lower, upper) for row in z.astype(np.float64)]).astype(z.dtype)


def multiclass_update(A, x, y, *, margin=1.0, variant="pa", aggressiveness=1.0, k=1):
    r"""Returns the weights after the exact multiclass passive-aggressive update for one example.

    .. math::

        \arg\min_B \;\; & \tfrac12 \|B - A\|^2 + \text{penalty}(L(B)) \\
        \text{where} \;\; & L(B) = \max \left( 0, \; \tfrac1k \sum_{j=1}^k h_{[j]} \right)

    L is the top-k hinge loss of :math:`h_j = \text{margin} + (B x)_j - (B x)_y` over the rivals j of y, where
    :math:`h_{[j]}` is the j-th largest. For k = 1 it is 0 if label y wins by the margin.

    Parameters
    ----------
    A : array, shape (m, d), float32 or float64
        Weights, one row a class, m >= 2.
    x : array, shape (d,)
        The example.
    y : int in 0..m-1
        Its label.
    margin : float, >= 0
        By how much the score of y should exceed those of the rivals.
    variant : {"pa", "pa1", "pa2"}
        The penalty: "pa" allows no loss, "pa1" adds ``aggressiveness * loss``, "pa2" ``aggressiveness * loss**2``.
    aggressiveness : float, > 0
        The C of Crammer et al. "pa" does not use it.
    k : int in 1..m-1
        Number of rivals over which the loss averages.

    Returns
    -------
    B : array like `A`
        The new weights. `A` is not changed. Rows that do not move are equal to those of `A`.

    Raises
    ------
    ValueError
        `A` or `x` is empty, not finite or of a wrong shape; `y` or `k` is out of range; `variant` is none of the three;
        `margin` is negative or `aggressiveness` not positive; numbers are so large or small that :math:`\|x\|^2`, A x,
        a violation divided by :math:`\|x\|^2`, the additional bias of "pa2" or the answer is out of range.

    Warns
    -----
    UserWarning
        :math:`\|x\|^2` is 0, or too small to divide by, and margin > 0: no update can help, and the answer is a copy of
        A.

    Notes
    -----
    The answer is :math:`B_j = A_j - l_j x` for the rivals and :math:`B_y = A_y + (\sum_j l_j) x`. The steps
    :math:`l \ge 0` follow from the violations :math:`c_j = ((A x)_j - (A x)_y + \text{margin}) / \|x\|^2`:

    * "pa": ``l = project_topk_cone(c, k, bias=1)``. For k = 1 this is column squishing, and computed as such.
    * "pa1": ``l = project_topk_simplex(c, k, radius=aggressiveness, bias=1)``, one step of SDCA from zero duals.
    * "pa2": ``l = project_topk_cone(c, k, bias=1 + 1 / (2 * aggressiveness * norm**2))``, where norm is that of x.

    A loss of no more than a few roundings of the scores counts as 0. So a "pa" update that is repeated usually changes
    nothing (in float64, where scores do not cancel). The cost is O(m d + m log m + k m).

    References
    ----------
    * Paper 001 (Daumé: Column Squishing for Multiclass Updates, 2017).
    * Paper (Crammer et al.: Online Passive-Aggressive Algorithms, 2006), for the three
      penalties. Its formulas move the worst rival only.
    * Paper (Matsushima et al.: Exact Passive-Aggressive Algorithm for Multiclass Classification, 2010), for k = 1.
    * Paper 004 (Lapin, Hein, Schiele: Top-k Multiclass SVM, 2015), section 4, for k > 1.

    Examples
    --------
    >>> A, x = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]), np.array([1.0, 0.0])
    >>> B = multiclass_update(A, x, y=2)
    >>> B @ x
    array([0., 0., 1.])
    """
    A, x, y, norm = checks.model_and_example(A, x, y)
    A, rule = checks.finite_array(A, "A"), checks.update_rule(len(A), norm, margin, variant, aggressiveness, k)
    checks.warn_of_zeros(norm == 0, 1, rule.margin)
    steps = _steps(_scores(A.astype(np.float64), x, "A @ x"), y, norm, rule)
    return checks.in_range(A + np.outer(steps, x), A.dtype, "the new weights")


def fit_passive_aggressive(
    X, y, *, n_classes=None, epochs=1, averaged=False, order=None, seed=0, margin=1.0, variant="pa",
    aggressiveness=1.0, k=1, sample_weight=None, weights=None, progress=False,
):  # fmt: skip
    r"""Train a multiclass classifier by passive-aggressive updates, one for each example in turn.

    .. math::

        A \leftarrow \arg\min_B \; \tfrac12 \|B - A\|^2 + s_i \, \text{penalty}(L_i(B))

    Here :math:`L_i` is the loss of example i, as for `multiclass_update`, and :math:`s_i` is its `sample_weight`.

    Parameters
    ----------
    X : array or scipy CSR or CSC matrix, shape (n, d), float32 or float64
        Features, one row an example. For an intercept, append a column of ones.
    y : int array, shape (n,)
        Classes, 0..m-1, with m <= 2**24.
    n_classes : int, >= 2, optional
        The number m of classes. If not given, the number of rows of `weights`, or the largest label plus one.
    epochs : int, >= 1
        Number of passes over the data.
    averaged : bool
        Also return the mean of the weights after each step, which varies less than the last weights.
    order : int array, shape (n,) or (epochs, n), optional
        The order in which each epoch visits the examples. Drawn from `seed` if not given.
    seed : int
        Seed of the visiting order.
    margin, variant, aggressiveness, k
        As for `multiclass_update`.
    sample_weight : array, shape (n,), >= 0, optional
        :math:`s_i`, the factor of the penalty: the aggressiveness for example i is multiplied by it. 1 if not given.
        "pa" has no penalty and is the same for all :math:`s_i > 0`. An example with :math:`s_i = 0` causes no update.
    weights : array, shape (m, d), optional
        The weights to start from, such as those of an earlier call; zeros if not given. They are not changed.
    progress : bool
        Show a progress bar.

    Returns
    -------
    fit : PassiveAggressiveFit
        weights (m, d), averaged (m, d) or None, mistakes and updates. ``mistakes[t]`` is the number of steps up to t at
        which, before the update, at least k rivals scored as much as the label or more (a tie within roundings
        counts). This is progressive validation by the top-k error. updates is the number of steps that changed the
        weights.

    Raises
    ------
    ValueError
        An argument is not as described above: `X` is empty or not finite, a label is not below m, all :math:`s_i` are
        0, ...; the aggressiveness of an example with :math:`s_i > 0`, or for "pa2" its product with :math:`\|x_i\|^2`,
        is out of range; or the weights become so large that a score or a weight is out of range.

    Warns
    -----
    UserWarning
        For some examples :math:`\|x_i\|^2 = 0` and :math:`s_i > 0`, and margin > 0: no update can help there, and they
        cause none.

    Notes
    -----
    An example that causes no update is still a step, and can be a mistake. The weight :math:`s_i = 2` differs from
    visiting the example twice: the second visit meets other weights, and in "pa2" even two updates in a row are not one
    of twice the weight.

    To continue with more data, pass the weights (those in float32 are rounded). With T and T' steps before and after,
    the mean of all weights is ``(T * averaged + T' * averaged') / (T + T')``. Arithmetic is in float64. The cost is O(m
    d + m log m + k m) a step.

    References
    ----------
    * Paper 001 (Daumé: Column Squishing for Multiclass Updates, 2017).
    * Paper (Crammer et al.: Online Passive-Aggressive Algorithms, 2006), figure 1.
    * Paper (Freund, Schapire: Large Margin Classification Using the Perceptron Algorithm, 1999), for averaging.

    Examples
    --------
    >>> X, y = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]), np.array([0, 1, 2])
    >>> fit = fit_passive_aggressive(X, y, epochs=2, order=np.arange(3))
    >>> fit.mistakes
    array([1, 2, 2, 2, 2, 2])
    """
    X, y, A = checks.stream(X, y, n_classes, weights)
    averaged = checks.flag(averaged, "averaged")
    with np.errstate(over="ignore"):  # `squared_norms` refuses an infinite norm
        norms = checks.squared_norms(np.array([row @ row for row in map(checks.row_of(X), range(len(y)))]), "X")
    rule, s = checks.stream_rule(len(A), norms, margin, variant, aggressiveness, k, sample_weight)
    orders = checks.passes(order, len(y), epochs, seed)
    checks.warn_of_zeros(np.count_nonzero(norms[s > 0] == 0), len(y), rule.margin)
    example, total, wrong, updates = checks.row_of(X), np.zeros_like(A), [], 0
    with checks.progress_bar(progress, epochs, "mistakes") as report:
        for visiting in orders:
            for i in visiting:
                x = example(i)
                scores = _scores(A, x, "weights @ x")
                steps = _steps(scores, y[i], norms[i], rule.of(s[i]))
                wrong.append(_is_mistake(scores, y[i], rule.k))
                updates += int(steps.any())
                A = A + np.outer(steps, x)
                total = total + A
            report(np.count_nonzero(wrong) if progress else 0)
    mean = checks.in_range(total / len(wrong), X.dtype, "averaged") if averaged else None
    weights = checks.in_range(A, X.dtype, "weights")
    return checks.PassiveAggressiveFit(weights, mean, np.cumsum(wrong), updates)


def _squish(z, lower, upper):
    """Algorithm 5 of Bittorf et al., with bounds in place of their [0, 1]; `mean` is their mu."""
    descending = 1 + np.argsort(-z[1:], kind="stable")
    mean, squished = z[0], [0]
    for i in descending:
        if z[i] <= np.clip(mean, lower, upper):
            break
        squished.append(i)
        mean = mean + (z[i] / len(squished) - mean / len(squished))
    x = np.maximum(z, lower)
    x[squished] = np.clip(np.sum(z[squished] / len(squished)), lower, upper)  # free of the roundings of `mean`
    return x


def _scores(A, x, name):
    """Returns A x, or raises an error that calls it `name`."""
    with np.errstate(over="ignore", invalid="ignore"):  # too large a number becomes inf or NaN, which is refused
        return checks.in_range(A @ x, np.float64, name)


def _steps(scores, y, norm, rule):
    """Returns the multiple of x that is added to each row of A: (m,) numbers that sum to 0."""
    steps, rivals = np.zeros(len(scores)), np.arange(len(scores)) != y
    with np.errstate(over="ignore"):  # too large a number becomes infinite, which is refused
        violations, worst = scores[rivals] - scores[y] + rule.margin, np.sort(scores[rivals])[-rule.k :]
        rounding = ROUNDING * np.abs(worst).max() + ROUNDING * abs(scores[y]) + ROUNDING * rule.margin
        skipped = norm == 0 or rule.aggressiveness == 0
        if skipped or np.mean(np.sort(violations)[-rule.k :]) <= rounding:
            return steps
        c = checks.finite_array(violations / norm, "(A x + margin) / |x|^2", checks.LARGEST_STEP)
    if rule.variant == "pa" and rule.k == 1:
        lowered, raised = _by_squishing(c)
    else:
        lowered, raised = _by_projection(scores[rivals], scores[y], norm, rule)
    steps[rivals], steps[y] = -lowered, raised
    return steps


def _by_squishing(c):
    """The update of 001: squish z = (0, c). Returns by how much each c_j was lowered and the 0 was raised.

    Without slack these amounts are as large as c, so c need not be split as in `_by_projection`.
    """
    z = np.append(0.0, c)
    d = _squish(z, -np.inf, np.inf) - z
    return -d[1:], d[0]


def _by_projection(scores, own, norm, rule):
    """Returns the l of `multiclass_update` and its sum.

    c is split into its largest entry and the differences to it. Where the margin is large beside the scores, or x is
    short, c alone would lose the digits in which the rivals differ.
    """
    k, largest = rule.k, (scores.max() - own + rule.margin) / norm
    below = (scores - scores.max()) / norm
    radius = rule.aggressiveness if rule.variant == "pa1" else NO_RADIUS
    bias = 1 + 1 / (2 * rule.aggressiveness * norm) if rule.variant == "pa2" else 1.0
    lowered = _topk_simplex(below, k, radius, bias, offset=largest)
    # The sum of l, without the roundings of its terms: bias * sum l is the mean of the k worst rivals after the update.
    mean = largest + np.mean(np.sort(below)[-k:] - np.sort(lowered)[-k:])
    return lowered, min(mean / bias, radius)


def _is_mistake(scores, y, k):
    """Returns whether at least k rivals score as much as y or more: `losses.topk_error`, up to roundings."""
    rivals = np.delete(scores, y)
    ahead = rivals >= scores[y] - ROUNDING * np.maximum(np.abs(rivals), abs(scores[y]))
    return np.count_nonzero(ahead) >= k
