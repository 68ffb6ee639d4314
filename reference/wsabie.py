"""Highly multiclass classification by sampled pairs of classes: AUC, WARP, Wsabie and Wsabie++ (003).

Each class g has a prototype b_g, and its score for an example x is f_g = <b_g, z> or -|b_g - z|^2, where z is W x for
an embedding W, or x itself. One step of the training, in English:

    Draw an example, and one of its labels: the positive class.
    If a class that the positive one was confused with before (its last violator, or that one's, ...) still violates the
    margin now, the two are hard to tell apart: leave them alone, and be done with this example.
    Draw classes that are no labels of the example until one violates the margin, and remember it as last violator.
    The fewer had to be drawn, the worse the positive class ranks, and the more may the step weigh.
    Move the two prototypes and W down the gradient of the hinge loss of that pair.

The options of `fit_wsabie` are the differences between the methods of the paper, so that its Table 6 is a loop.
"""

import numpy as np

from . import contract
from .contract import AUC, NONE, WARP, WSABIE, WSABIE_PP
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
    """Descend on  mean over examples, labels and violators of  w [margin - f_positive + f_violator]_+,  pair by pair.

    Not convex in prototypes and W together: the fit is a walk, not an optimum.

    Parameters
    ----------
    X : array or scipy CSR matrix, shape (n, d), float32 or float64
        Features, one row an example.
    Y : int array, shape (n,), or 0/1 array or scipy CSR matrix, shape (n, m)
        The label of each example, 0..m-1, or which labels it has. An example with no label, or all, teaches nothing
        and is passed over when it is drawn.
    embedding_dim : int, >= 1, optional
        e, the number of rows of W; no embedding if not given, and then e = d.
    discriminant : {"linear", "euclidean"}
        The score of class g: <b_g, z>, or -|b_g - z|^2.
    sampling : {"auc", "warp"}
        How many classes may be drawn until one violates the margin: 1, or m.
    weighting : {"harmonic", "uniform"}
        The weight w of a step: 1 + 1/2 + ... + 1/r for the rank r = (m - 1) // (number drawn), at least 1; or 1.
    step : {"constant", "adagrad"}
        Move by step_size times the gradient, or by that over the root of the sum of the mean squares of the gradients
        so far: one sum for each class, and one for each row of W.
    last_violators : int, >= 0
        Q, how many links of the chain "last violator of the last violator of ..." are looked at. It ends at a class
        without one and before one that it has passed already; labels of the example do not count as violators.
        An example is skipped if a class of the chain violates the margin now: no class is drawn, nothing moves, and
        the chain stays. A class is frozen if all of its examples are skipped: it learns nothing until others move. At
        first every class violates the margin, so this may happen at once. 0 skips nothing.
    margin : float, >= 0
        By how much the positive class should score more, in units of scores. With 0, nothing violates it as long as all
        prototypes are 0.
    step_size : float, > 0
    n_updates : int, >= 1
        How many examples are drawn.
    seed : int or Generator
        Of all that is drawn. A Generator is used as it stands, and is left where the last draw was made.
    max_norm : float, > 0, optional
        Prototypes and rows of W longer than that are cut to it, at the start and after each step.
    n_classes : int, >= 2, optional
        m; the largest label plus one, or the width of the indicator, if not given.
    draws : array of numbers in [0, 1), optional
        Used, in turn, instead of what `seed` would draw. A number u stands for the integer floor(u c) out of 0..c-1:
        first the signs of W, row by row, -1 below 1/2 (unless there is a `start`); then for each step the example, the
        place of its positive class among its labels, and the places of the drawn classes among the other classes.
    start : WsabieFit, optional
        To go on from; with the Generator that drew for it, as if there had been no break, up to roundings (those of
        float32, if that is the dtype of X). Whatever it leaves out, beside prototypes and embedding, is 0 or none. If
        not given, prototypes are 0 and W is of signs.
    callback : function of a WsabieFit, optional
        Looks at the fit on the way, and may return a score (more is better, of a validation set, say) for the history.
    every : int, >= 1, optional
        After how many steps; a twentieth of them if not given (all, if neither `callback` nor `progress` is).
    patience : int, >= 1, optional
        Stop after so many looks without a better score, and return the fit that had the best.
    progress : bool
        Show a progress bar.

    Returns
    -------
    fit : WsabieFit
        prototypes (m, e) and embedding (e, d) or None, the sums of adagrad and the last violators to go on from, how
        many steps were made (with those of `start`) and on how many a violator was found, how many examples of each
        class in a row were skipped up to the end, and the history of looks.

    Raises
    ------
    ValueError
        An argument is none of the above: X is empty or not finite, no example has a label that lacks another, `draws`
        are too few, `start` is of other shapes; or the steps are so large that a prototype overflows.

    Warns
    -----
    ConvergenceWarning
        Classes are frozen: the last examples of each were skipped, at least 20 and as many as it has.

    Notes
    -----
    Three corrections of Table 3: the gradient in W is 2 (b_- - b_+) x' (printed: W x for x), mean squares are over the
    e coordinates of a prototype, and steps are divided by the root of the sum (eq. 16). A zero gradient moves nothing.
    O(e d) a step and O(e d) more for each class that is drawn, as the scores are written here; the twin takes O(e).
    A walk turns where scores are compared: if two are equal but for roundings, other sums take another turn. All
    methods start as Table 3 does; the paper starts AUC and Wsabie at random in the ball, and saw no difference.
    Source: 003, Table 3, sections 5 to 7; AUC: Grangier and Bengio 2008; WARP and Wsabie: Weston et al. 2011.

    Examples
    --------
    >>> X, y = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]), np.array([0, 1, 2])
    >>> fit = fit_wsabie(X, y, n_updates=200, margin=0.1, last_violators=0)
    >>> prototype_scores(X, fit).argmax(axis=1)
    array([0, 1, 2])
    """
    X = contract.features(X)
    (n, d), sets = X.shape, contract.label_sets(Y, X.shape[0], n_classes)
    rule = contract.wsabie_rule(discriminant, sampling, weighting, step, last_violators, margin, step_size, max_norm)
    draws, curve = contract.Draws(draws, seed), contract.Curve(callback, patience)
    stages = contract.stages(n_updates, every, contract.flag(progress, "progress") or callback is not None)
    with np.errstate(over="ignore", invalid="ignore"):  # what is too large is refused
        fit = _cut(contract.wsabie_start(start, sets.n_classes, d, embedding_dim, discriminant, draws), rule.max_norm)
    example = contract.row_of(X)
    with contract.progress_bar(progress, len(stages), "updates") as report:
        for size in stages:
            for _ in range(size):
                t = draws.below(n)
                with np.errstate(over="ignore", invalid="ignore"):  # what is too large is refused
                    fit = _step(fit, example(t), sets.of(t), rule, draws)
            report(fit.updates)
            if curve.ends(contract.rounded(fit, X.dtype)):
                break
    contract.warn_if_frozen(fit, sets, rule.margin)
    return curve.result()


def prototype_scores(X, fit):
    """The score of each class for each example: <b_g, z> or -|b_g - z|^2, where z is W x, or x without an embedding.

    Parameters
    ----------
    X : array or scipy CSR matrix, shape (n, d), float32 or float64
    fit : WsabieFit
        As `fit_wsabie`, `fit_nearest_means`, `fit_one_vs_all` or `concatenate_fits` return it.

    Returns
    -------
    scores : array, shape (n, m), of the dtype of X
        Their argmax is the predicted class.

    Raises
    ------
    ValueError
        X is empty, not finite or of another width than the fit, or a score is out of range.

    Notes
    -----
    O(n e (d + m)). Source: 003, eq. (1) and section 2.

    Examples
    --------
    >>> fit = fit_nearest_means(np.array([[0.0, 0.0], [0.0, 2.0], [3.0, 0.0]]), np.array([0, 0, 1]))
    >>> prototype_scores(np.array([[1.0, 1.0]]), fit)
    array([[-1., -5.]])
    """
    X, fit = contract.features_and_fit(X, fit)
    example = contract.row_of(X)
    with np.errstate(over="ignore", invalid="ignore"):  # what is too large is refused
        scores = [[_score(fit, example(i), g) for g in range(len(fit.prototypes))] for i in range(X.shape[0])]
    return contract.in_range(np.array(scores), X.dtype, "scores")


def concatenate_fits(fits):
    """One model whose scores are the sums of those of the given ones, their prototypes and embeddings side by side.

    Parameters
    ----------
    fits : sequence of WsabieFit
        Of the same classes, features, dtype and discriminant, all with an embedding: runs with several seeds, say.

    Returns
    -------
    fit : WsabieFit
        prototypes (m, e_1 + e_2 + ...) and embedding (e_1 + e_2 + ..., d), to predict with.

    Raises
    ------
    ValueError
        There is no fit, or they do not belong together.

    Notes
    -----
    The "Ensemble" rows of Table 8. O(m e + e d). Source: 003, section 8.3.

    Examples
    --------
    >>> one = fit_wsabie(np.eye(3), np.arange(3), embedding_dim=2, n_updates=20, seed=1)
    >>> both = concatenate_fits([one, fit_wsabie(np.eye(3), np.arange(3), embedding_dim=4, n_updates=20, seed=2)])
    >>> both.prototypes.shape, both.embedding.shape
    ((3, 6), (6, 3))
    """
    fits = contract.fits_to_concatenate(fits)
    prototypes = np.concatenate([fit.prototypes for fit in fits], axis=1)
    return contract.WsabieFit(prototypes, np.concatenate([fit.embedding for fit in fits]), fits[0].discriminant)


# --- Table 3 -------------------------------------------------------------------------------------------------------


def _step(fit, x, labels, rule, draws):
    """One turn of the loop of Table 3, from "Sample y+" on; x and its labels are drawn already."""
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
    return max(contract.finite_number(difference, "a difference of scores"), 0.0)


def _chain(last, positive, Q):
    """The last violator of the positive class, the last violator of that one, ...: at most Q, none of them twice."""
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
    """w of the rank that the number of trials suggests, eq. (13); 1 if all steps weigh the same."""
    rank = max((m - 1) // trials, 1)
    return np.sum(1 / np.arange(1, rank + 1)) if rule.weighting == "harmonic" else 1.0


def _moved(fit, x, positive, negative, weight, rule):
    """A step down the gradients, all of them taken at the same point."""
    in_prototypes, in_W = _gradients(fit, x, positive, negative, weight)
    prototypes, sums = _descended(fit.prototypes, fit.prototype_sums, in_prototypes, rule)
    fit = fit._replace(prototypes=prototypes, prototype_sums=sums, updates=fit.updates + 1)
    if fit.embedding is not None:
        W, sums = _descended(fit.embedding, fit.embedding_sums, in_W, rule)
        fit = fit._replace(embedding=W, embedding_sums=sums)
    return _cut(fit, rule.max_norm)


def _gradients(fit, x, positive, negative, weight):
    """Of weight * (margin - f_positive + f_negative), in all prototypes (m, e) and in W (e, d)."""
    b, z = fit.prototypes, x if fit.embedding is None else fit.embedding @ x
    in_prototypes = np.zeros_like(b)
    if fit.discriminant == "linear":
        in_prototypes[positive], in_prototypes[negative] = -weight * z, weight * z
        return in_prototypes, weight * np.outer(b[negative] - b[positive], x)
    in_prototypes[positive] = 2 * weight * (b[positive] - z)
    in_prototypes[negative] = -2 * weight * (b[negative] - z)
    return in_prototypes, 2 * weight * np.outer(b[negative] - b[positive], x)


def _descended(rows, sums, gradient, rule):
    """Rows after a step against the gradient; adagrad, eq. (16): each row has a step size of its own."""
    if rule.step == "constant":
        return rows - rule.step_size * gradient, sums
    sums = sums + np.mean(gradient**2, axis=1)
    # 0 / 0 is 0: a row without a gradient so far stays where it is.
    sizes = np.divide(rule.step_size, np.sqrt(sums), out=np.zeros_like(sums), where=sums > 0)
    return rows - sizes[:, None] * gradient, sums


def _cut(fit, max_norm):
    """No prototype and no row of W is longer than max_norm."""
    if max_norm == np.inf:
        return fit
    W = None if fit.embedding is None else _within(fit.embedding, max_norm)
    return fit._replace(prototypes=_within(fit.prototypes, max_norm), embedding=W)


def _within(rows, max_norm):
    lengths = contract.finite_array(np.linalg.norm(rows, axis=1), "the norms of prototypes and of rows of W")
    shares = np.divide(max_norm, lengths, out=np.ones_like(lengths), where=lengths > max_norm)
    return rows * shares[:, None]
