"""What the Wsabie family is compared with, as in `reference.wsabie_baselines`: one pass, or compiled steps."""

import numpy as np

from reference import contract

from ._wsabie.class_learners import add_to_class_sums, walk_by_classes
from ._wsabie.label_sets import labelled_examples
from ._wsabie.parts import walk_in_parts
from ._wsabie.prototypes import as_prototypes, as_rows, settle_prototypes

__all__ = ["fit_nearest_means", "fit_one_vs_all"]


def fit_nearest_means(X, Y, *, n_classes=None):
    """argmin_b  sum over examples and their labels of |b_label - x|^2: each prototype is the mean of its class.

    Parameters
    ----------
    X : array or scipy CSR matrix, shape (n, d), float32 or float64
    Y : int array, shape (n,), or 0/1 array or scipy CSR matrix, shape (n, m)
        The label of each example, 0..m-1, or which labels it has.
    n_classes : int, >= 2, optional
        m; the largest label plus one, or the width of the indicator, if not given.

    Returns
    -------
    fit : WsabieFit
        prototypes (m, d), to be compared by Euclidean distance.

    Raises
    ------
    ValueError
        An argument is empty, not finite or of the wrong shape, or a class has no example.

    Notes
    -----
    The twin of `reference.fit_nearest_means`: one pass over the entries of X. O(n d), or O(entries + m d) for CSR.
    Source: 003, section 2.

    Examples
    --------
    >>> fit_nearest_means(np.array([[0.0, 0.0], [0.0, 2.0], [3.0, 0.0]]), np.array([0, 0, 1])).prototypes
    array([[0., 1.],
           [3., 0.]])
    """
    X = contract.features(X)
    sets = contract.sets_of_all_classes(Y, X.shape[0], n_classes)
    means = np.zeros((sets.n_classes, X.shape[1]))
    add_to_class_sums(labelled_examples(X, sets), means)
    means /= np.bincount(sets.classes)[:, None]
    return contract.WsabieFit(contract.in_range(means, X.dtype, "prototypes"))


def fit_one_vs_all(
    X, Y, *, negatives=1, step="adagrad", margin=1.0, step_size=0.1, n_updates, seed=0, max_norm=None, n_classes=None,
    draws=None, validation=None, progress=False,
):  # fmt: skip
    """For each class, descend on  mean of [margin -+ <b, x>]_+  over its examples (-) and drawn examples of others (+).

    Parameters
    ----------
    X : array or scipy CSR matrix, shape (n, d), float32 or float64
        Features, one row an example. There is no intercept: append a column of ones for one.
    Y : int array, shape (n,), or 0/1 array or scipy CSR matrix, shape (n, m)
        The label of each example, 0..m-1, or which labels it has.
    negatives : int, >= 1, or a sequence of them
        For how many drawn classes an example is a negative one, each time that it is a positive one for a class of its
        own. Of several, that with the best accuracy on `validation` is taken, the first of equals.
    step : {"constant", "adagrad"}
        As for `fit_wsabie`.
    margin : float, >= 0
        How far a score should be on its side of 0.
    step_size : float, > 0
    n_updates : int, >= 1
        How many examples are drawn.
    seed : int or Generator
        Of all that is drawn; where several `negatives` are tried, a Generator goes on from one to the next.
    max_norm : float, > 0, optional
        Prototypes longer than that are cut to it after each step.
    n_classes : int, >= 2, optional
        m; the largest label plus one, or the width of the indicator, if not given.
    draws : array of numbers in [0, 1), optional
        Used instead of what `seed` would draw, as in `fit_wsabie`: for each step the example, the place of its positive
        class among its labels, and the places of the negative classes among the others.
    validation : (X, Y), optional
        Examples and labels to choose `negatives` by. The prediction is right if it is any of the labels.
    progress : bool
        Show a progress bar, one step for each number of negatives.

    Returns
    -------
    fit : WsabieFit
        prototypes (m, d), to be compared by inner products; history has a record for each number of negatives, whose
        score is the accuracy on `validation`, NaN without.

    Raises
    ------
    ValueError
        An argument is none of the above; several `negatives` come without `validation`.

    Notes
    -----
    The twin of `reference.fit_one_vs_all`: the same steps. O(negatives d) a step, or O(negatives) times the entries of
    a CSR row. One negative for each positive is much worse than a number chosen by validation (Table 8).
    Source: 003, section 8.3 and Table 5; Perronnin et al. 2012.

    Examples
    --------
    >>> X, y = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]), np.array([0, 1, 2])
    >>> (X @ fit_one_vs_all(X, y, negatives=2, n_updates=100).prototypes.T).argmax(axis=1)
    array([0, 1, 2])
    """
    X = contract.features(X)
    sets = contract.label_sets(Y, X.shape[0], n_classes)
    rule = contract.one_vs_all_rule(step, margin, step_size, max_norm)
    counts, accuracy = contract.negatives_to_try(negatives, validation, X.shape[1], sets.n_classes)
    n_updates, draws = contract.count(n_updates, "n_updates"), contract.Draws(draws, seed)
    curve, data = contract.Curve(accuracy, accuracy and len(counts)), labelled_examples(X, sets)
    progress = contract.flag(progress, "progress")
    with contract.progress_bar(progress, len(counts), "updates") as report:
        for count in counts:
            draws.used, fit = 0, contract.zero_fit(sets.n_classes, X.shape[1])
            fit = _walk(fit, data, hasattr(X, "tocsr"), count, rule, draws, n_updates)
            report(fit.updates)
            curve.ends(contract.rounded(fit, X.dtype))
    return curve.result()


def _walk(fit, data, sparse, negatives, rule, draws, size):
    """The fit after `size` more steps."""
    prototypes = as_prototypes(fit.prototypes, fit.prototype_sums, sparse)
    settle_prototypes(prototypes)
    options = rule.margin, rule.step_size, rule.max_norm, rule.step == "adagrad"

    def walk(numbers, count):
        return walk_by_classes(data, prototypes, negatives, *options, numbers, count)

    updates = walk_in_parts(walk, draws, size, negatives + 2)  # an example, its label and the negative classes
    return fit._replace(
        prototypes=as_rows(prototypes), prototype_sums=prototypes.sums, steps=fit.steps + size, updates=updates
    )
