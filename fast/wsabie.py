"""The walks and scores of `reference.wsabie`: a step reads the entries of an example that are not 0, once."""

import numpy as np

from reference import contract
from reference.contract import AUC, WARP, WSABIE, WSABIE_PP

from ._shared.examples import matrix_rows
from ._wsabie.distances import negative_squared_distances
from ._wsabie.embedding import as_embedding, as_matrix, settle_embedding
from ._wsabie.label_sets import labelled_examples
from ._wsabie.parts import walk_in_parts
from ._wsabie.prototypes import as_prototypes, as_rows, settle_prototypes
from ._wsabie.walk import StepRule, WalkState, walk_by_pairs
from .wsabie_baselines import fit_nearest_means, fit_one_vs_all

__all__ = [
    "fit_wsabie", "prototype_scores", "concatenate_fits", "fit_nearest_means", "fit_one_vs_all",
    "AUC", "WARP", "WSABIE", "WSABIE_PP",
]  # fmt: skip

# Changes of W are made several at a time if more than this share of the entries of X are not 0. With fewer entries, a
# change touches few columns of W, and one pass over all of W for several changes takes longer.
MANY_ENTRIES = 1 / 4
SAMPLE = 64  # at most so many rows of a dense X tell the share of its entries


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
    The twin of `reference.fit_wsabie`: the same walk, up to rounding. W is held transposed, so that the zeros of an
    example cost nothing, with a scale for each row, which makes a cut of it one multiplication; for dense examples, 8
    changes of W are made at a time. O(e) times the entries of an example that are not 0 for a step, and O(e) more for
    each class that is drawn; without an embedding, e = d, or the entries of a CSR row. Memory O(m e + e d + m).
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
    d, sets = X.shape[1], contract.label_sets(Y, X.shape[0], n_classes)
    rule = contract.wsabie_rule(discriminant, sampling, weighting, step, last_violators, margin, step_size, max_norm)
    draws, curve = contract.Draws(draws, seed), contract.Curve(callback, patience)
    stages = contract.stages(n_updates, every, contract.flag(progress, "progress") or callback is not None)
    with np.errstate(over="ignore", invalid="ignore"):  # what is too large is refused
        fit = _cut(contract.wsabie_start(start, sets.n_classes, d, embedding_dim, discriminant, draws), rule.max_norm)
    data, step_rule = labelled_examples(X, sets), _step_rule(rule, sets.n_classes)
    state = _state(fit, hasattr(X, "tocsr"), _has_many_entries(X))
    with contract.progress_bar(progress, len(stages), "updates") as report:
        for size in stages:
            fit = _fit_after(state, fit, size, _walk(data, state, step_rule, draws, size))
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
    The twin of `reference.prototype_scores`, by products of matrices; a distance that is small beside what it is the
    difference of is computed again from b - z. O(n e (d + m)). Source: 003, eq. (1) and section 2.

    Examples
    --------
    >>> fit = fit_nearest_means(np.array([[0.0, 0.0], [0.0, 2.0], [3.0, 0.0]]), np.array([0, 0, 1]))
    >>> prototype_scores(np.array([[1.0, 1.0]]), fit)
    array([[-1., -5.]])
    """
    X, fit = contract.features_and_fit(X, fit)
    with np.errstate(over="ignore", invalid="ignore"):  # what is too large is refused
        Z = _embedded(X, fit.embedding)
        scores = np.asarray(Z @ fit.prototypes.T)
        if fit.discriminant == "euclidean":
            _turn_into_distances(Z, fit.prototypes, scores)
    return contract.in_range(scores, X.dtype, "scores")


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


# --- a walk --------------------------------------------------------------------------------------------------------


def _step_rule(rule, m):
    """The checked options, as the kernels read them."""
    uniform = rule.weighting == "uniform"
    weights = np.ones(m) if uniform else np.cumsum(1 / np.arange(1, m + 1))
    return StepRule(
        rule.discriminant == "euclidean", m if rule.sampling == "warp" else 1, weights, rule.step == "adagrad",
        min(rule.last_violators, m), rule.margin, rule.step_size, rule.max_norm,
    )  # fmt: skip


def _state(fit, sparse, collects):
    """The state of a walk from this fit, in memory of its own."""
    m, e = fit.prototypes.shape
    prototypes = as_prototypes(fit.prototypes, fit.prototype_sums, sparse and fit.embedding is None)
    embedding = as_embedding(fit.embedding, fit.embedding_sums, e, collects)
    return WalkState(prototypes, embedding, fit.last_violators.copy(), fit.skipped.copy(), np.zeros(m + 1, np.int64))


def _has_many_entries(X):
    """Whether so many entries are not 0 that changes of W are better made several at a time."""
    if hasattr(X, "tocsr"):
        return X.nnz > MANY_ENTRIES * X.shape[0] * X.shape[1]
    sample = X[:: len(X) // SAMPLE + 1]
    return np.count_nonzero(sample) > MANY_ENTRIES * sample.size


def _walk(data, state, step_rule, draws, size):
    """Make `size` steps. Returns how many of them moved something."""
    settle_embedding(state.embedding)
    settle_prototypes(state.prototypes)
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
    """No prototype and no row of W is longer than max_norm."""
    if max_norm == np.inf:
        return fit
    W = None if fit.embedding is None else _within(fit.embedding, max_norm)
    return fit._replace(prototypes=_within(fit.prototypes, max_norm), embedding=W)


def _within(rows, max_norm):
    lengths = contract.finite_array(np.linalg.norm(rows, axis=1), "the norms of prototypes and of rows of W")
    shares = np.divide(max_norm, lengths, out=np.ones_like(lengths), where=lengths > max_norm)
    return rows * shares[:, None]


# --- scores --------------------------------------------------------------------------------------------------------


def _embedded(X, W):
    """W x for each example, float64, C order; X itself without an embedding."""
    if W is not None:
        return np.ascontiguousarray(X @ W.T)
    return X.astype(np.float64) if hasattr(X, "tocsr") else np.ascontiguousarray(X, dtype=np.float64)


def _turn_into_distances(Z, prototypes, scores):
    """Replace scores[i, g] = <b_g, z_i> by -|b_g - z_i|^2."""
    squares = np.einsum("ij,ij->i", prototypes, prototypes)
    if hasattr(Z, "tocsr"):
        squared_norms = np.asarray(Z.multiply(Z).sum(axis=1)).ravel()
    else:
        squared_norms = np.einsum("ij,ij->i", Z, Z)
    negative_squared_distances(matrix_rows(Z), squared_norms, prototypes, squares, scores)
