"""The twin of `reference.wsabie`: compiled steps that read only the entries of an example that are not 0."""

import numpy as np

from reference.problems import checks
from reference.problems.checks import AUC, WARP, WSABIE, WSABIE_PP

from ._wsabie.distances import prototype_scorer
from ._wsabie.embedding import as_embedding, as_matrix, has_many_entries, settle_embedding
from ._wsabie.label_sets import labelled_examples
from ._wsabie.parts import walk_in_parts
from ._wsabie.prototypes import Point, as_prototypes, as_rows, no_log, settle_prototypes
from ._wsabie.walk import WalkState, step_rule_of, walk_by_pairs
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
    The twin of `reference.fit_wsabie`: the same steps, up to rounding. Three corrections of Table 3: the gradient in W
    is :math:`2 (b_q - b_p) x^\top` (printed: W x in place of x), mean squares are over the e coordinates of a
    prototype, and steps are divided by the root of the sum, as in equation (16). A zero gradient moves nothing.

    W is stored transposed, so that zeros of an example cost nothing, and with a scale for each row, so that scaling a
    row down is one multiplication. For dense examples, 8 changes of W are made in one pass. A step takes O(e) times the
    number of entries of the example that are not 0, and O(e) more for each drawn class. Without an embedding, each
    class takes O(d), or the number of entries of a CSR row. Memory O(m e + e d + m).

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
    d, sets = X.shape[1], checks.label_sets(Y, X.shape[0], n_classes)
    rule = checks.wsabie_rule(discriminant, sampling, weighting, step, last_violators, margin, step_size, max_norm)
    draws, curve = checks.Draws(draws, seed), checks.Curve(callback, patience)
    stages = checks.stages(n_updates, every, checks.flag(progress, "progress") or callback is not None)
    with np.errstate(over="ignore", invalid="ignore"):  # an overflow is refused later
        fit = _cut(checks.wsabie_start(start, sets.n_classes, d, embedding_dim, discriminant, draws), rule.max_norm)
    data, step_rule = labelled_examples(X, sets), step_rule_of(rule, sets.n_classes)
    state = _state(fit, hasattr(X, "tocsr"), has_many_entries(X))
    with checks.progress_bar(progress, len(stages), "updates") as report:
        for size in stages:
            fit = _fit_after(state, fit, size, _walk(data, state, step_rule, draws, size))
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
    The twin of `reference.prototype_scores`, by products of matrices. A squared distance that is small beside the
    squared norms of the prototype and z is computed again from their difference. The cost is O(n e (d + m)).

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
    return prototype_scorer(X, fit)(0, X.shape[0])


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


# --- a walk --------------------------------------------------------------------------------------------------------


def _state(fit, sparse, collects):
    """The state of a walk from this fit, in memory of its own."""
    m, e = fit.prototypes.shape
    prototypes = as_prototypes(fit.prototypes, fit.prototype_sums, sparse and fit.embedding is None)
    embedding = as_embedding(fit.embedding, fit.embedding_sums, e, collects)
    most = 1 + (e if fit.embedding is None else fit.embedding.shape[1])  # entries of an example, and one place more
    point = Point(np.empty(e), np.empty(most, np.int64), np.empty(most))
    return WalkState(
        prototypes, embedding, fit.last_violators.copy(), fit.skipped.copy(), np.zeros(m + 1, np.int64),
        point, np.empty(m + 1, np.int64), np.empty(e), no_log(),
    )  # fmt: skip


def _walk(data, state, step_rule, draws, size):
    """Make `size` steps. Returns how many of them moved something."""
    settle_embedding(state.embedding)
    settle_prototypes(state.prototypes, np.arange(len(state.prototypes.scales)))
    most = len(state.last) + 2  # an example, its label, and as many classes as there are

    def walk(numbers, count):
        return walk_by_pairs(data, state, step_rule, numbers, count)

    return walk_in_parts(walk, draws, size, most)


def _fit_after(state, fit, size, updates):
    """The fit after `size` more steps, with copies of the state: the walk goes on in its memory."""
    return fit._replace(
        prototypes=as_rows(state.prototypes),
        embedding=None if fit.embedding is None else as_matrix(state.embedding),
        prototype_sums=state.prototypes.sums.copy(),
        embedding_sums=None if fit.embedding is None else state.embedding.sums.copy(),
        last_violators=state.last.copy(),
        skipped=state.skipped.copy(),
        steps=fit.steps + size,
        updates=fit.updates + updates,
    )


def _cut(fit, max_norm):
    """The fit whose prototypes and rows of W are scaled down to length max_norm where they are longer."""
    if max_norm == np.inf:
        return fit
    W = None if fit.embedding is None else _within(fit.embedding, max_norm)
    return fit._replace(prototypes=_within(fit.prototypes, max_norm), embedding=W)


def _within(rows, max_norm):
    lengths = checks.finite_array(np.linalg.norm(rows, axis=1), "the norms of prototypes and of rows of W")
    factors = np.divide(max_norm, lengths, out=np.ones_like(lengths), where=lengths > max_norm)
    return rows * factors[:, None]
