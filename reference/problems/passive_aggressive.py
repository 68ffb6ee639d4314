"""The statements of `reference.passive_aggressive`.

Columns to squish, and the weights of one update, need not be in range here: `fast` sees that as it reads them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from . import checks
from .checks.types import Array, Floats, Integers, Matrix

__all__ = [
    "squish_column",
    "multiclass_update",
    "fit_passive_aggressive",
]


class UpdateProblem(NamedTuple):
    """The checked arguments of `multiclass_update`."""

    A: Floats  # (m, d)
    x: Floats  # (d,) float64
    y: int
    norm: float  # |x|^2, or 0 if it is too small to divide by
    rule: checks.UpdateRule

    def settle(self):
        """Check that the weights are in range."""
        checks.finite_array(self.A, "A")


class PassiveAggressiveProblem(NamedTuple):
    """The checked arguments of `fit_passive_aggressive`. The rule is checked where the norms of examples are known."""

    X: Matrix  # (n, d), dense or CSR
    y: Integers
    weights: Floats  # (m, d), a float64 copy, or zeros
    averaged: bool
    orders: Iterator  # of the orders (n,) in which epochs visit the examples
    given: tuple  # margin, variant, aggressiveness, k and sample_weight, not yet checked

    def rule(self, norms):
        """Returns the `UpdateRule`, and s (n,), for examples of these squared norms. Warns if some of them are 0."""
        rule, s = checks.stream_rule(len(self.weights), norms, *self.given)
        checks.warn_of_zeros(np.count_nonzero(norms[s > 0] == 0), len(self.y), rule.margin)
        return rule, s

    def settle(self):
        """Check the rule."""
        X = self.X
        squares = X.multiply(X).sum(axis=1) if hasattr(X, "toarray") else np.einsum("ij,ij->i", X, X, dtype=np.float64)
        self.rule(checks.squared_norms(np.ravel(squares).astype(np.float64), "X"))


def squish_column(z: Array, lower: float = -np.inf, upper: float = np.inf) -> tuple:
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
    z = checks.real_array(z, "z", (1, 2))
    return z, *checks.interval(lower, upper, z.dtype)


def multiclass_update(
    A: Array, x: Array, y: int, *, margin: float = 1.0, variant: str = "pa", aggressiveness: float = 1.0, k: int = 1,
) -> UpdateProblem:  # fmt: skip
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
    rule = checks.update_rule(len(A), norm, margin, variant, aggressiveness, k)
    checks.warn_of_zeros(norm == 0, 1, rule.margin)
    return UpdateProblem(A, x, y, norm, rule)


def fit_passive_aggressive(
    X: Matrix, y: Array, *, n_classes: int | None = None, epochs: int = 1, averaged: bool = False,
    order: Array | None = None, seed: int = 0, margin: float = 1.0, variant: str = "pa", aggressiveness: float = 1.0,
    k: int = 1, sample_weight: Array | None = None, weights: Array | None = None, progress: bool = False,
) -> PassiveAggressiveProblem:  # fmt: skip
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
    X, y, weights = checks.stream(X, y, n_classes, weights)
    averaged, orders = checks.flag(averaged, "averaged"), checks.passes(order, len(y), epochs, seed)
    checks.flag(progress, "progress")
    given = margin, variant, aggressiveness, k, sample_weight
    return PassiveAggressiveProblem(X, y, weights, averaged, orders, given)
