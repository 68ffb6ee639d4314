"""The passive-aggressive updates of `reference.passive_aggressive`: each weight is read once, few are changed."""

import numpy as np

from reference.problems import checks

from ._passive_aggressive.updates import OVERFLOW, Model, rule_of, update_on_each, update_weights
from ._projections.squish import squish_rows
from ._shared.examples import linear_examples, read_only

__all__ = ["squish_column", "multiclass_update", "fit_passive_aggressive"]


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
    The twin of `reference.squish_column`. Newton's method instead of a sort finds the value that the largest
    coordinates share. One pass finds the coordinates that can be above it. Expected O(d).

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
    z = np.ascontiguousarray(checks.real_array(z, "z", (1, 2)))
    lower, upper = checks.interval(lower, upper, z.dtype)
    rows = read_only(z.reshape(-1, z.shape[-1]))
    x = np.empty(rows.shape, z.dtype)
    if not squish_rows(rows, lower, upper, x):
        checks.finite_array(z, "z")
    return x.reshape(z.shape)


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
    The twin of `reference.multiclass_update`: the projections that it lists, for all variants and k. One pass over A
    copies it and computes A x; then only the rows that move are touched. The cost is O(m d + m log k).

    A loss of no more than a few roundings of the scores counts as 0. So a "pa" update that is repeated usually changes
    nothing (in float64, where scores do not cancel).

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
    checked = checks.update_rule(len(A), norm, margin, variant, aggressiveness, k)
    checks.warn_of_zeros(norm == 0, 1, checked.margin)
    A = np.ascontiguousarray(A)
    B = np.empty_like(A)
    if not update_weights(read_only(A), x, y, norm, rule_of(checked), B):
        return _explain(checks.finite_array(A, "A"), x, y, norm, checked)
    return B


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
    the mean of all weights is ``(T * averaged + T' * averaged') / (T + T')``. Arithmetic is in float64. The mean is the
    last weights minus a weighted sum of the steps, so its error is relative to the largest of these. The cost is O(m d
    + m log k) a step, or O(m) times the entries of a CSR row.

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
    examples, X = linear_examples(X, y)
    norms, averaged = examples.squared_norms, checks.flag(averaged, "averaged")
    checked, s = checks.stream_rule(len(A), norms, margin, variant, aggressiveness, k, sample_weight)
    orders = checks.passes(order, len(y), epochs, seed)
    checks.warn_of_zeros(np.count_nonzero(norms[s > 0] == 0), len(y), checked.margin)
    rule = rule_of(checked)
    model = Model(A, np.zeros(A.shape if averaged else (0, 0)), averaged)
    mistakes, updates = np.zeros((epochs, len(y)), np.int64), 0
    with checks.progress_bar(progress, epochs, "mistakes") as report:
        for epoch, visiting in enumerate(orders):
            moved = update_on_each(examples, s, visiting, epoch * len(y), model, rule, mistakes[epoch])
            if moved == OVERFLOW:
                checks.in_range(A, np.float64, "weights")
                raise ValueError(f"weights @ x must be finite, got inf or NaN from weights up to {np.abs(A).max()}")
            updates += moved
            report(mistakes.sum() if progress else 0)
    last_less_mean = model.weighted_changes / mistakes.size
    mean = checks.in_range(A - last_less_mean, X.dtype, "averaged") if averaged else None
    weights = checks.in_range(A, X.dtype, "weights")
    return checks.PassiveAggressiveFit(weights, mean, mistakes.cumsum(), updates)


def _explain(A, x, y, norm, rule):
    """Raise the error for an update that was out of range."""
    exact = np.ascontiguousarray(A, np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        scores = checks.in_range(exact @ x, np.float64, "A @ x")
        violations = (scores - scores[y] + rule.margin) / norm
        checks.finite_array(violations, "(A x + margin) / |x|^2", checks.LARGEST_STEP)
    B = np.empty_like(exact)
    update_weights(read_only(exact), x, y, norm, rule_of(rule), B)
    return checks.in_range(B, A.dtype, "the new weights")
