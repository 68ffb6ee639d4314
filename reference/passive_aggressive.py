"""Passive-aggressive updates: change the weights as little as possible so that the right label wins (001).

The weights are A, one row a class, and the scores of an example x are A x. The update in English:

    c_j is by how much the rival j violates the margin, in units of |x|^2. If none does, change nothing.
    Otherwise only the direction of x helps: row y moves along x, and the rivals move away from it.
    Squish the column (0, c): lower the largest violations and raise the 0 until they meet.
    What each violation was lowered by is how far its row moves, and row y moves by all of that together.

Squishing is one projection of many. With slack it is the projection onto the top-k simplex for k = 1, and for k > 1
the same projections give an update for which only the mean of the k worst rivals has to stay behind.
"""

import numpy as np

from . import contract
from .projections import _topk_simplex

__all__ = ["squish_column", "multiclass_update", "fit_passive_aggressive"]

ROUNDING = 32 * float(np.finfo(np.float64).eps)  # what two scores may differ by and be equal, relative


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
    The coordinates that are above x_0 are squished to one value, the mean of theirs and z_0. Going through the
    others in descending order, that is a running mean, which ends at the first coordinate below it. O(d log d).
    Source: Bittorf et al. 2012, Algorithm 5, where the bounds are 0 and 1; without bounds, 001.

    Examples
    --------
    >>> squish_column(np.array([0.0, 3.0, -1.0, 2.0]))
    array([ 1.66666667,  1.66666667, -1.        ,  1.66666667])
    >>> squish_column(np.array([0.0, 3.0, -1.0, 2.0]), lower=0.0, upper=1.0)
    array([1., 1., 0., 1.])
    """
    z = contract.points(z, "z")
    lower, upper = contract.interval(lower, upper, z.dtype)
    if z.ndim == 1:
        return _squish(z.astype(np.float64), lower, upper).astype(z.dtype)
    return np.array([_squish(row, lower, upper) for row in z.astype(np.float64)]).astype(z.dtype)


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
    B_j = A_j - l_j x and B_y = A_y + (sum l) x with l >= 0 and, from c_j = (scores_j - scores_y + margin) / |x|^2,

    * "pa": l = project_topk_cone(c, k, bias=1); for k = 1, column squishing, and written so here;
    * "pa1": l = project_topk_simplex(c, k, radius=aggressiveness, bias=1), one step of SDCA from zero duals;
    * "pa2": l = project_topk_cone(c, k, bias=1 + 1 / (2 aggressiveness |x|^2)).

    A loss that is no more than a few roundings of the scores is none, so that a hard update, repeated, changes nothing
    as a rule (where scores do not cancel, in float64).
    O(m d + m log m + k m).
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
    A, rule = contract.finite_array(A, "A"), contract.update_rule(len(A), norm, margin, variant, aggressiveness, k)
    contract.warn_of_zeros(norm == 0, 1, rule.margin)
    steps = _steps(_scores(A.astype(np.float64), x, "A @ x"), y, norm, rule)
    return contract.in_range(A + np.outer(steps, x), A.dtype, "the new weights")


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
    the mean of all weights is (T averaged + T' averaged') / (T + T'). Arithmetic is in float64.
    O(m d + m log m + k m) a step.
    Source: 001; Crammer et al. 2006, Figure 1; averaging after Freund and Schapire 1999.

    Examples
    --------
    >>> X, y = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]), np.array([0, 1, 2])
    >>> fit = fit_passive_aggressive(X, y, epochs=2, order=np.arange(3))
    >>> fit.mistakes
    array([1, 2, 2, 2, 2, 2])
    """
    X, y, A = contract.stream(X, y, n_classes, weights)
    averaged = contract.flag(averaged, "averaged")
    with np.errstate(over="ignore"):  # an infinite norm is refused
        norms = contract.squared_norms(np.array([row @ row for row in map(contract.row_of(X), range(len(y)))]), "X")
    rule, s = contract.stream_rule(len(A), norms, margin, variant, aggressiveness, k, sample_weight)
    orders = contract.passes(order, len(y), epochs, seed)
    contract.warn_of_zeros(np.count_nonzero(norms[s > 0] == 0), len(y), rule.margin)
    example, total, wrong, updates = contract.row_of(X), np.zeros_like(A), [], 0
    with contract.progress_bar(progress, epochs, "mistakes") as report:
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
    mean = contract.in_range(total / len(wrong), X.dtype, "averaged") if averaged else None
    weights = contract.in_range(A, X.dtype, "weights")
    return contract.PassiveAggressiveFit(weights, mean, np.cumsum(wrong), updates)


def _squish(z, lower, upper):
    """Algorithm 5 of Bittorf et al., with bounds for their [0, 1]; `mean` is their mu."""
    descending = 1 + np.argsort(-z[1:], kind="stable")
    mean, squished = z[0], [0]
    for i in descending:
        if z[i] <= np.clip(mean, lower, upper):
            break
        squished.append(i)
        mean = mean + (z[i] / len(squished) - mean / len(squished))
    x = np.maximum(z, lower)
    x[squished] = np.clip(np.sum(z[squished] / len(squished)), lower, upper)  # the mean, its roundings forgotten
    return x


def _scores(A, x, name):
    with np.errstate(over="ignore", invalid="ignore"):  # what is too large becomes inf or NaN, and is refused as such
        return contract.finite_array(A @ x, name)


def _steps(scores, y, norm, rule):
    """How far each row of A has to move along x: (m,) numbers that sum to 0."""
    steps, rivals = np.zeros(len(scores)), np.arange(len(scores)) != y
    with np.errstate(over="ignore"):  # what is too large becomes infinite, and is refused as such
        violations, worst = scores[rivals] - scores[y] + rule.margin, np.sort(scores[rivals])[-rule.k :]
        rounding = ROUNDING * np.abs(worst).max() + ROUNDING * abs(scores[y]) + ROUNDING * rule.margin
        passed_over = norm == 0 or rule.aggressiveness == 0
        if passed_over or np.mean(np.sort(violations)[-rule.k :]) <= rounding:
            return steps
        c = contract.finite_array(violations / norm, "(A x + margin) / |x|^2")
    if rule.variant == "pa" and rule.k == 1:
        lowered, raised = _by_squishing(c)
    else:
        lowered, raised = _by_projection(scores[rivals], scores[y], norm, rule)
    steps[rivals], steps[y] = -lowered, raised
    return steps


def _by_squishing(c):
    """The blog's way: z = (0, c) is d + D for d = 0; squished, it is that for the d of the answer.

    The d of a hard update is as large as c, so that nothing is lost in c here.
    """
    z = np.append(0.0, c)
    d = squish_column(z) - z
    return -d[1:], d[0]


def _by_projection(scores, own, norm, rule):
    """The l of `multiclass_update` and its sum. c is passed on as its largest and what the others are below that.

    Where the margin is large beside the scores, or x short, the differences between rivals would be lost in c.
    """
    k, largest = rule.k, (scores.max() - own + rule.margin) / norm
    below = (scores - scores.max()) / norm
    radius = rule.aggressiveness if rule.variant == "pa1" else np.inf
    bias = 1 + 1 / (2 * rule.aggressiveness * norm) if rule.variant == "pa2" else 1.0
    lowered = _topk_simplex(below, k, radius, bias, offset=largest)
    # The sum of l without the roundings of all its terms: it makes up for what the k worst rivals have left.
    left = largest + np.mean(np.sort(below)[-k:] - np.sort(lowered)[-k:])
    return lowered, min(left / bias, radius)


def _is_mistake(scores, y, k):
    """At least k rivals score as much as y or more: the top-k error of `losses.topk_error`, up to roundings."""
    rivals = np.delete(scores, y)
    ahead = rivals >= scores[y] - ROUNDING * np.maximum(np.abs(rivals), abs(scores[y]))
    return np.count_nonzero(ahead) >= k
