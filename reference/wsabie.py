r"""Classification with many classes by sampled pairs of classes: AUC, WARP, Wsabie and Wsabie++.

Class g has a prototype :math:`b_g`. Its score for an example x is :math:`f_g = \langle b_g, z \rangle` or
:math:`f_g = -\|b_g - z\|^2`, where z = W x with an embedding W, and z = x without. Class g violates the margin for a
label p of x if margin :math:`- f_p + f_g > 0`. One step in English:

1. Draw an example, and one of its labels: the positive class p.
2. Follow the chain "last violator of p, last violator of that class, ...". If one of its classes violates the margin
   now, skip the example: these classes are hard to tell apart, and the step ends here.
3. Draw classes that are no labels of the example until one violates the margin. It becomes the last violator of p.
4. Estimate the rank of p by the number of classes drawn (few of them: a bad rank), and weight the step by the rank.
5. Move the two prototypes and W against the gradient of the hinge of this pair.

The options of `fit_wsabie` are the differences between the methods of the paper: its Table 6 is a loop over them.

Source: Paper 003 (Gupta, Bengio, Weston: Training Highly Multiclass Classifiers, 2014).
"""

import numpy as np

from ._wsabie.gradients import cut, descended, gradients
from .problems import checks
from .problems.checks import AUC, NONE, WARP, WSABIE, WSABIE_PP
from .wsabie_baselines import fit_nearest_means, fit_one_vs_all

__all__ = [
    "fit_wsabie", "prototype_scores", "concatenate_fits", "fit_nearest_means", "fit_one_vs_all",
    "AUC", "WARP", "WSABIE", "WSABIE_PP",
]  # fmt: skip


def fit_wsabie(
    X, Y, *, embedding_dim=None, discriminant="euclidean", sampling="warp", weighting="uniform", step="adagrad",
    last_violators=8, margin=1.0, step_size=0.1, n_updates, seed=0, max_norm=None, n_classes=None, draws=None,
    start=None, callback=None, every=None, patience=None, progress=False,
):  # fmt: skip
    r"""Train prototypes of classes, and an embedding, by stochastic gradient steps on sampled pairs of classes.

    .. math::

        \text{mean over examples, labels } p \text{ and violators } q \text{ of } \;
        w \, \max(0, \; \text{margin} - f_p + f_q)

    Here :math:`f_g` is the score of class g, w is the weight of the step, and a violator is a class q, not a label, for
    which the maximum is positive. A step draws an example, one of its labels (the positive class) and other classes,
    until one of these violates the margin. It moves the prototypes of both classes, and the embedding W. The problem is
    not convex in prototypes and W together: the result depends on the steps and need not be a minimum.

    Parameters
    ----------
    X : array or scipy CSR or CSC matrix, shape (n, d), float32 or float64
        Features, one row an example.
    Y : int array, shape (n,), or 0/1 array or scipy CSR or CSC matrix, shape (n, m)
        The label of each example, 0..m-1; or 1 where an example (row) has a class (column) as a label. A step that
        draws an example with no label, or with all labels, changes nothing.
    embedding_dim : int, >= 1, optional
        e, the number of rows of W. By default there is no embedding, and e = d.
    discriminant : {"linear", "euclidean"}
        The score of class g: :math:`\langle b_g, z \rangle`, or :math:`-\|b_g - z\|^2`, where :math:`b_g` is its
        prototype, and z is W x, or x without an embedding.
    sampling : {"auc", "warp"}
        How many classes are drawn at most, until one violates the margin: 1, or m.
    weighting : {"harmonic", "uniform"}
        The weight w of a step: 1 + 1/2 + ... + 1/r for the rank r = (m - 1) // (number drawn), at least 1; or 1.
    step : {"constant", "adagrad"}
        Move by step_size times the gradient, or by that divided by the root of the sum of the mean squares of the
        gradients so far. Each class and each row of W has a sum of its own.
    last_violators : int, >= 0
        Q, the greatest length of the chain "last violator of the positive class, last violator of that class, ...". The
        chain ends at a class without a last violator, and before a class that it has passed. If a class of the chain
        that is no label of the example violates the margin, the example is skipped: no class is drawn, nothing moves,
        and no last violator changes. A class is frozen if all of its examples are skipped: it learns nothing until
        other classes move. This can happen from the start, when every class violates the margin. 0 skips nothing.
    margin : float, >= 0
        How far the score of the positive class should exceed the others. With margin 0 no class violates it, and
        nothing moves, as long as all prototypes are 0.
    step_size : float, > 0
    n_updates : int, >= 1
        The number of steps. A step draws one example.
    seed : int or Generator
        Source of all random numbers. A Generator is advanced by the numbers that the steps use, and no further.
    max_norm : float, > 0, optional
        Prototypes and rows of W that are longer are scaled down to this length, at the start and after each step.
    n_classes : int, >= 2, optional
        The number m of classes. By default the largest label plus one, or the width of the indicator.
    draws : array of numbers in [0, 1), optional
        Used in turn in place of random numbers. A number u stands for the integer :math:`\lfloor u c \rfloor` out of
        0..c-1. First come the signs of W, row by row, -1 below 1/2 (unless there is a `start`). Then come, for each
        step, the example, the place of the positive class among its labels, and the places of the drawn classes among
        the other classes.
    start : WsabieFit, optional
        The fit to continue. With the Generator that drew for it, the result is that of one longer run, up to rounding
        (to float32, if that is the dtype of X). Fields of it that are None count as 0, or as no last violator. By
        default prototypes are 0, and the entries of W are random signs.
    callback : function of a WsabieFit, optional
        Called with the fit after every `every` steps. It may return a score for the history, larger is better: the
        accuracy on a validation set, for example.
    every : int, >= 1, optional
        The number of steps between two records of the history. By default a twentieth of all steps if there is a
        `callback` or a progress bar, else all of them.
    patience : int, >= 1, optional
        Stop after this many scores in a row that are not better than the best, and return the fit with the best score.
    progress : bool
        Show a progress bar.

    Returns
    -------
    fit : WsabieFit
        prototypes (m, e) and embedding (e, d) or None. To continue: adagrad's sums, the last violators, the numbers of
        steps and of updates (steps that moved something), both including those of `start`, and the number of examples
        of each class that were skipped in a row. The history has one record for every `every` steps.

    Raises
    ------
    ValueError
        An argument is not as above: X is empty or not finite, no example has a label and lacks another, `draws` holds
        too few numbers, `start` has other shapes. Or the steps are so large that a prototype overflows.

    Warns
    -----
    ConvergenceWarning
        Some classes are frozen: their last examples were skipped, as many in a row as the class has, and at least 20.

    Notes
    -----
    Three corrections of Table 3: the gradient in W is :math:`2 (b_q - b_p) x^\top` (printed: W x in place of x), mean
    squares are over the e coordinates of a prototype, and steps are divided by the root of the sum, as in equation
    (16). A zero gradient moves nothing. The cost is O(e d) a step, and O(e d) more for each drawn class, as the scores
    are written here; the twin takes O(e).

    Scores are compared, so two runs that round differently may part where two scores are equal but for rounding. All
    methods start as in Table 3. The paper starts AUC and Wsabie at random points of the ball, and saw no difference.

    References
    ----------
    * Paper 003 (Gupta, Bengio, Weston: Training Highly Multiclass Classifiers, 2014), sections 5 to 7 with Table 3.
    * Paper (Grangier, Bengio: A Discriminative Kernel-Based Approach to Rank Images from Text Queries, 2008), for AUC.
    * Paper (Weston, Bengio, Usunier: Wsabie: Scaling Up to Large Vocabulary Image Annotation, 2011), for WARP and
      Wsabie.

    Examples
    --------
    >>> X, y = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]), np.array([0, 1, 2])
    >>> fit = fit_wsabie(X, y, n_updates=200, margin=0.1, last_violators=0)
    >>> prototype_scores(X, fit).argmax(axis=1)
    array([0, 1, 2])
    """
    X = checks.features(X)
    (n, d), sets = X.shape, checks.label_sets(Y, X.shape[0], n_classes)
    rule = checks.wsabie_rule(discriminant, sampling, weighting, step, last_violators, margin, step_size, max_norm)
    draws, curve = checks.Draws(draws, seed), checks.Curve(callback, patience)
    stages = checks.stages(n_updates, every, checks.flag(progress, "progress") or callback is not None)
    with np.errstate(over="ignore", invalid="ignore"):  # an overflow is refused later
        fit = cut(checks.wsabie_start(start, sets.n_classes, d, embedding_dim, discriminant, draws), rule.max_norm)
    example = checks.row_of(X)
    with checks.progress_bar(progress, len(stages), "updates") as report:
        for size in stages:
            for _ in range(size):
                t = draws.below(n)
                with np.errstate(over="ignore", invalid="ignore"):  # an overflow is refused later
                    fit = _step(fit, example(t), sets.of(t), rule, draws)
            report(fit.updates)
            if curve.ends(checks.rounded(fit, X.dtype)):
                break
    checks.warn_if_frozen(fit, sets, rule.margin)
    return curve.result()


def prototype_scores(X, fit):
    r"""Returns the scores of all classes for each example.

    .. math::

        f_g(x) = \langle b_g, z \rangle \quad \text{or} \quad f_g(x) = -\|b_g - z\|^2

    Here :math:`b_g` is the prototype of class g, and z is W x, or x without an embedding.

    Parameters
    ----------
    X : array or scipy CSR or CSC matrix, shape (n, d), float32 or float64
    fit : WsabieFit
        From `fit_wsabie`, `fit_nearest_means`, `fit_one_vs_all` or `concatenate_fits`.

    Returns
    -------
    scores : array, shape (n, m), of the dtype of X
        The argmax of a row is the predicted class.

    Raises
    ------
    ValueError
        X is empty, not finite or of another width than the fit, or a score is out of the range of the dtype.

    Notes
    -----
    The cost is O(n m e d), since each score computes z again; O(n m d) without an embedding.

    References
    ----------
    * Paper 003 (Gupta, Bengio, Weston: Training Highly Multiclass Classifiers, 2014), section 2 with equation (1).

    Examples
    --------
    >>> fit = fit_nearest_means(np.array([[0.0, 0.0], [0.0, 2.0], [3.0, 0.0]]), np.array([0, 0, 1]))
    >>> prototype_scores(np.array([[1.0, 1.0]]), fit)
    array([[-1., -5.]])
    """
    X, fit = checks.features_and_fit(X, fit)
    example = checks.row_of(X)
    with np.errstate(over="ignore", invalid="ignore"):  # an overflow is refused later
        scores = [[_score(fit, example(i), g) for g in range(len(fit.prototypes))] for i in range(X.shape[0])]
    return checks.in_range(np.array(scores), X.dtype, "scores")


def concatenate_fits(fits):
    """Returns one fit whose scores are the sums of those of the given fits: prototypes and embeddings side by side.

    Parameters
    ----------
    fits : sequence of WsabieFit
        Of the same classes, features, dtype and discriminant, all with an embedding. For example, runs with different
        seeds.

    Returns
    -------
    fit : WsabieFit
        prototypes (m, e) and embedding (e, d), for predictions only, where e is the sum of the embedding dimensions.

    Raises
    ------
    ValueError
        There is no fit, or the fits differ in one of these points.

    Notes
    -----
    These are the rows "Ensemble" of the paper's Table 8. The cost is O(m e + e d).

    References
    ----------
    * Paper 003 (Gupta, Bengio, Weston: Training Highly Multiclass Classifiers, 2014), section 8.3.

    Examples
    --------
    >>> one = fit_wsabie(np.eye(3), np.arange(3), embedding_dim=2, n_updates=20, seed=1)
    >>> both = concatenate_fits([one, fit_wsabie(np.eye(3), np.arange(3), embedding_dim=4, n_updates=20, seed=2)])
    >>> both.prototypes.shape, both.embedding.shape
    ((3, 6), (6, 3))
    """
    fits = checks.fits_to_concatenate(fits)
    prototypes = np.concatenate([fit.prototypes for fit in fits], axis=1)
    return checks.WsabieFit(prototypes, np.concatenate([fit.embedding for fit in fits]), fits[0].discriminant)


# --- Table 3 -------------------------------------------------------------------------------------------------------


def _step(fit, x, labels, rule, draws):
    """The fit after one pass of the loop of Table 3, from "Sample y+" on, for a drawn x and its labels."""
    fit, m = fit._replace(steps=fit.steps + 1), len(fit.prototypes)
    if not 0 < len(labels) < m:
        return fit
    positive = labels[draws.below(len(labels))]
    chain = _chain(fit.last_violators, positive, rule.last_violators)
    if any(_hinge(fit, x, positive, v, rule.margin) > 0 for v in chain if v not in labels):
        return _skipped(fit, positive)
    others = np.setdiff1d(np.arange(m), labels)
    for trial in range(1, 1 + (m if rule.sampling == "warp" else 1)):
        negative = others[draws.below(len(others))]
        if _hinge(fit, x, positive, negative, rule.margin) > 0:
            return _moved(_remembered(fit, positive, negative), x, positive, negative, _weight(m, trial, rule), rule)
    return _remembered(fit, positive, NONE)


def _score(fit, x, g):
    """f_g(x)."""
    z = x if fit.embedding is None else fit.embedding @ x
    if fit.discriminant == "linear":
        return fit.prototypes[g] @ z
    return -((fit.prototypes[g] - z) @ (fit.prototypes[g] - z))


def _hinge(fit, x, positive, negative, margin):
    """[margin - f_positive + f_negative]_+."""
    difference = margin - _score(fit, x, positive) + _score(fit, x, negative)
    return max(checks.finite_number(difference, "a difference of scores", checks.LARGEST_FLOAT), 0.0)


def _chain(last, positive, Q):
    """Yields the last violator of the positive class, the last violator of that class, ...: at most Q, none twice."""
    passed, v = [positive], last[positive]
    while v != NONE and v not in passed and len(passed) <= Q:
        yield v
        passed, v = [*passed, v], last[v]


def _skipped(fit, positive):
    skipped = fit.skipped.copy()
    skipped[positive] += 1
    return fit._replace(skipped=skipped)


def _remembered(fit, positive, violator):
    last, skipped = fit.last_violators.copy(), fit.skipped.copy()
    last[positive], skipped[positive] = violator, 0
    return fit._replace(last_violators=last, skipped=skipped)


def _weight(m, trials, rule):
    """w: the harmonic sum up to the rank that is estimated from the number of trials, eq. (13), or 1."""
    rank = max((m - 1) // trials, 1)
    return np.sum(1 / np.arange(1, rank + 1)) if rule.weighting == "harmonic" else 1.0


def _moved(fit, x, positive, negative, weight, rule):
    """The fit after a step against the gradients, all of them taken before the step."""
    in_prototypes, in_W = gradients(fit, x, positive, negative, weight)
    prototypes, sums = descended(fit.prototypes, fit.prototype_sums, in_prototypes, rule)
    fit = fit._replace(prototypes=prototypes, prototype_sums=sums, updates=fit.updates + 1)
    if fit.embedding is not None:
        W, sums = descended(fit.embedding, fit.embedding_sums, in_W, rule)
        fit = fit._replace(embedding=W, embedding_sums=sums)
    return cut(fit, rule.max_norm)
