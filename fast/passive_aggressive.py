"""The passive-aggressive updates of `reference.passive_aggressive`: one look at each weight, few touched."""

import numpy as np

from reference import contract

from ._passive_aggressive import Rule, one_pass, update
from ._projections.squish import squish_rows
from ._shared.bits import bits_of
from ._shared.examples import linear_examples, read_only

__all__ = ["squish_column", "multiclass_update", "fit_passive_aggressive"]


def squish_column(z, lower=-np.inf, upper=np.inf):
    """argmin_x |z - x|^2  subject to  x_i <= x_0, lower <= x_i <= upper.

    Parameters
    ----------
    z : array, shape (d,) or (n, d), float32 or float64
        Column to squish, or one a row. Its first coordinate is to end up the largest.
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
    The twin of `reference.squish_column`: the value that the largest share, by Newton's method instead of a sort. One
    pass finds what can be above it. Expected O(d).
    Source: Bittorf et al. 2012, Algorithm 5, where the bounds are 0 and 1; without bounds, 001.

    Examples
    --------
    >>> squish_column(np.array([0.0, 3.0, -1.0, 2.0]))
    array([ 1.66666667,  1.66666667, -1.        ,  1.66666667])
    >>> squish_column(np.array([0.0, 3.0, -1.0, 2.0]), lower=0.0, upper=1.0)
    array([1., 1., 0., 1.])
    """
    z = np.ascontiguousarray(contract.real_array(z, "z", (1, 2)))
    lower, upper = contract.interval(lower, upper, z.dtype)
    rows = read_only(z.reshape(-1, z.shape[-1]))
    x = np.empty(rows.shape, z.dtype)
    if not squish_rows(rows, bits_of(rows), lower, upper, x):
        contract.finite_array(z, "z")
    return x.reshape(z.shape)


def multiclass_update(A, x, y, *, margin=1.0, variant="pa", aggressiveness=1.0, k=1):
    """argmin_B 1/2 |B - A|^2 + penalty(loss of B)  for one example: the exact multiclass passive-aggressive update.

    The loss is the top-k hinge max(0, mean of the k largest h_j) of h_j = margin + (B x)_j - (B x)_y over the rivals
    j != y. For k = 1 it is 0 if label y wins by the margin.

    Parameters
    ----------
    A : array, shape (m, d), float32 or float64
        Weights, one row a class, m >= 2.
    x : array, shape (d,)
        The example.
    y : int in 0..m-1
        Its label.
    margin : float, >= 0
        By how much y should win.
    variant : {"pa", "pa1", "pa2"}
        The penalty: "pa" does not allow any loss, "pa1" charges aggressiveness * loss, "pa2" aggressiveness * loss^2.
    aggressiveness : float, > 0
        The C of Crammer et al.; "pa" makes no use of it.
    k : int in 1..m-1
        How many rivals the loss averages over.

    Returns
    -------
    B : array like `A`
        The new weights; `A` is not changed. Rows that need not move are equal to those of `A`.

    Raises
    ------
    ValueError
        `A` or `x` is empty, not finite or of a wrong shape; `y` or `k` is out of range; `variant` is none of the three;
        `margin` is negative or `aggressiveness` not positive; numbers are so large or small that |x|^2, A x,
        a violation over |x|^2, 1 / (2 aggressiveness |x|^2) or the answer is out of range.

    Warns
    -----
    UserWarning
        |x|^2 is 0 (or too small to be divided by) and margin > 0: no update can help, and A is returned as it is.

    Notes
    -----
    The twin of `reference.multiclass_update`, for all variants and k by the projections that it lists. A is read
    once, copied and multiplied by x on the way; then only the rows that move are touched. O(m d + m log k).
    A loss that is no more than a few roundings of the scores is none, so that a hard update, repeated, changes nothing
    as a rule (where scores do not cancel, in float64).
    Source: 001; Crammer et al. 2006 for the three penalties, Matsushima et al. 2010 for their exact solution with k = 1
    (the formulas of the former move the worst rival only); for k > 1, 004, section 4.

    Examples
    --------
    >>> A, x = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]), np.array([1.0, 0.0])
    >>> B = multiclass_update(A, x, y=2)
    >>> B @ x
    array([0., 0., 1.])
    """
    A, x, y, norm = contract.model_and_example(A, x, y)
    checked = contract.update_rule(len(A), norm, margin, variant, aggressiveness, k)
    contract.warn_of_zeros(norm == 0, 1, checked.margin)
    A = np.ascontiguousarray(A)
    B = np.empty_like(A)
    if not update(read_only(A), x, y, norm, _rule(checked), _below(len(A)), B):
        _explain(contract.finite_array(A, "A").astype(np.float64), x, y, norm, checked)
    return B


def fit_passive_aggressive(
    X, y, *, n_classes=None, epochs=1, averaged=False, order=None, seed=0, margin=1.0, variant="pa",
    aggressiveness=1.0, k=1, sample_weight=None, weights=None, progress=False,
):  # fmt: skip
    """A <- argmin_B 1/2 |B - A|^2 + s_i penalty(loss of B on example i), for one example i after the other.

    Parameters
    ----------
    X : array or scipy CSR matrix, shape (n, d), float32 or float64
        Features, one row an example. There is no intercept: append a column of ones for one.
    y : int array, shape (n,)
        Classes, 0..m-1.
    n_classes : int, >= 2, optional
        m; the largest label plus one, or the number of rows of `weights`, if not given.
    epochs : int, >= 1
        How many passes over the data.
    averaged : bool
        Also return the mean of the weights after each step, which is steadier than the last ones.
    order : int array, shape (n,) or (epochs, n), optional
        The order in which an epoch visits the examples; drawn from `seed` if not given.
    seed : int
        Seed of the visiting order.
    margin, variant, aggressiveness, k
        As for `multiclass_update`.
    sample_weight : array, shape (n,), >= 0, optional
        s_i, by which the penalty of example i is multiplied: its aggressiveness is s_i * aggressiveness; 1 if not
        given. "pa" has no penalty, and is the same for all s_i > 0. Where s_i is 0, the example is passed over.
    weights : array, shape (m, d), optional
        To start from, as an earlier call returned them; zeros if not given. They are not changed.
    progress : bool
        Show a progress bar.

    Returns
    -------
    fit : PassiveAggressiveFit
        weights (m, d), averaged (m, d) or None, mistakes and updates. mistakes[t] counts the steps up to t at which at
        least k rivals scored as much as the label or more (a tie within roundings counts) before the update:
        progressive validation, by the top-k error. updates is the number of steps that changed the weights.

    Raises
    ------
    ValueError
        An argument is none of the above: X is empty or not finite, a label is not below m, all weights of examples
        are 0, a product of an s_i > 0 with aggressiveness, or for "pa2" with that and |x|^2, is out of range, ...

    Warns
    -----
    UserWarning
        Some examples are 0, their weights are not, and margin > 0: no update can help there, and they are passed over.

    Notes
    -----
    An example that is passed over is a step as others are, and may be a mistake. A weight is no count: an example that
    comes again meets other weights, and in "pa2" even two updates at once are not one of twice the weight.
    To go on with more data, pass the weights in (float32 ones have been rounded). With T and T' steps before and after,
    the mean of all weights is (T averaged + T' averaged') / (T + T'). Arithmetic is in float64; the mean is taken from
    the last weights and the steps made, and is as accurate as these are large. O(m d + m log k) a step, or O(m) times
    the entries of a CSR row.
    Source: 001; Crammer et al. 2006, Figure 1; averaging after Freund and Schapire 1999.

    Examples
    --------
    >>> X, y = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]), np.array([0, 1, 2])
    >>> fit = fit_passive_aggressive(X, y, epochs=2, order=np.arange(3))
    >>> fit.mistakes
    array([1, 2, 2, 2, 2, 2])
    """
    X, y, A = contract.stream(X, y, n_classes, weights)
    examples, X = linear_examples(X, y)
    norms, averaged = examples.squared_norms, contract.flag(averaged, "averaged")
    checked, s = contract.stream_rule(len(A), norms, margin, variant, aggressiveness, k, sample_weight)
    orders = contract.passes(order, len(y), epochs, seed)
    contract.warn_of_zeros(np.count_nonzero(norms[s > 0] == 0), len(y), checked.margin)
    rule, below, weighted = _rule(checked), _below(len(A)), np.zeros_like(A) if averaged else np.zeros((0, 0))
    mistakes, updates = np.zeros((epochs, len(y)), np.int64), 0
    with contract.progress_bar(progress, epochs, "mistakes") as report:
        for epoch, visiting in enumerate(orders):
            moved = one_pass(examples, s, visiting, epoch * len(y), A, weighted, rule, below, mistakes[epoch])
            if moved < 0:
                contract.in_range(A, np.float64, "weights")
                raise ValueError(f"weights @ x must be finite, and is not: weights as large as {np.abs(A).max()}")
            updates += moved
            report(mistakes.sum() if progress else 0)
    mean = contract.in_range(A - weighted / mistakes.size, X.dtype, "averaged") if averaged else None
    weights = contract.in_range(A, X.dtype, "weights")
    return contract.PassiveAggressiveFit(weights, mean, mistakes.cumsum(), updates)


def _explain(A, x, y, norm, rule):
    """Raise for what made an update impossible."""
    with np.errstate(over="ignore", invalid="ignore"):
        scores = contract.finite_array(A @ x, "A @ x")
        contract.finite_array((scores - scores[y] + rule.margin) / norm, "(A x + margin) / |x|^2")
    raise ValueError(f"A must leave the new weights within its range, got values up to {np.abs(A).max()}")


def _rule(checked):
    hardness = 2 * checked.aggressiveness if checked.variant == "pa2" else np.inf
    radius = checked.aggressiveness if checked.variant == "pa1" else np.inf
    return Rule(checked.margin, checked.k, radius, hardness)


def _below(m):
    """Memory for the rivals, and the same memory as a point to project, which nobody writes to, and as its bits."""
    below = np.empty(m - 1)
    fixed = read_only(below)
    return below, fixed, bits_of(fixed)
