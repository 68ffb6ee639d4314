"""Baselines of the Wsabie family: nearest means, and one linear SVM for each class by stochastic gradients.

Both return a fit as `fit_wsabie` does: a prototype for each class, without an embedding.

Source: Paper 003 (Gupta, Bengio, Weston: Training Highly Multiclass Classifiers, 2014), sections 2 and 8.3.
"""

import numpy as np

from .problems import checks

__all__ = ["fit_nearest_means", "fit_one_vs_all"]


def fit_nearest_means(X, Y, *, n_classes=None, sample_weight=None):
    r"""Returns the mean of each class as its prototype.

    .. math::

        \arg\min_b \; \sum_i s_i \sum_{g \text{ a label of } i} \|b_g - x_i\|^2

    Here :math:`s_i` is `sample_weight`.

    Parameters
    ----------
    X : array or scipy CSR or CSC matrix, shape (n, d), float32 or float64
    Y : int array, shape (n,), or 0/1 array or scipy CSR or CSC matrix, shape (n, m)
        The label of each example, 0..m-1; or 1 where an example (row) has a class (column) as a label.
    n_classes : int, >= 2, optional
        The number m of classes. By default the largest label plus one, or the width of the indicator.
    sample_weight : array, shape (n,), >= 0, optional
        :math:`s_i`, one weight an example: the means are weighted. An integer weight is the same as so many copies of
        the example. Each class needs an example of weight above 0. The default is 1.

    Returns
    -------
    fit : WsabieFit
        prototypes (m, d), to be compared with x by Euclidean distance.

    Raises
    ------
    ValueError
        An argument is empty, not finite or of the wrong shape, or a class has no example of weight above 0.

    Notes
    -----
    The cost is O(n d).

    References
    ----------
    * Paper 003 (Gupta, Bengio, Weston: Training Highly Multiclass Classifiers, 2014), section 2.

    Examples
    --------
    >>> fit_nearest_means(np.array([[0.0, 0.0], [0.0, 2.0], [3.0, 0.0]]), np.array([0, 0, 1])).prototypes
    array([[0., 1.],
           [3., 0.]])
    """
    X = checks.features(X)
    sets, example = checks.sets_of_all_classes(Y, X.shape[0], n_classes), checks.row_of(X)
    weights = checks.weights_of_means(sample_weight, sets)
    members = [[t for t in range(X.shape[0]) if g in sets.of(t)] for g in range(sets.n_classes)]
    with np.errstate(over="ignore"):  # an overflow is refused later
        means = [np.average([example(t) for t in of], 0, weights[of] / weights[of].max()) for of in members]
    return checks.WsabieFit(checks.in_range(np.array(means), X.dtype, "prototypes"))


def fit_one_vs_all(
    X, Y, *, negatives=1, step="adagrad", margin=1.0, step_size=0.1, n_updates, seed=0, max_norm=None, n_classes=None,
    draws=None, validation=None, progress=False,
):  # fmt: skip
    r"""Train a linear SVM for each class against drawn examples of other classes, by stochastic gradient steps.

    .. math::

        \text{mean over examples of } \; \max(0, \; \text{margin} - s \langle b_g, x \rangle)
        \quad \text{for each class } g

    Here s = 1 for the examples that have class g as a label, and s = -1 for drawn examples of other classes.

    Parameters
    ----------
    X : array or scipy CSR or CSC matrix, shape (n, d), float32 or float64
        Features, one row an example. The scores have no intercept. To fit one, append a column of ones to X.
    Y : int array, shape (n,), or 0/1 array or scipy CSR or CSC matrix, shape (n, m)
        The label of each example, 0..m-1; or 1 where an example (row) has a class (column) as a label.
    negatives : int, >= 1, or a sequence of them
        How many classes, none of them a label, a drawn example is a negative example for. If several numbers are given,
        all are tried, and the fit with the best accuracy on `validation` is returned, the first of equals.
    step : {"constant", "adagrad"}
        As for `fit_wsabie`.
    margin : float, >= 0
        How far a score should be on the right side of 0.
    step_size : float, > 0
    n_updates : int, >= 1
        The number of steps. A step draws one example.
    seed : int or Generator
        Source of all random numbers. If several `negatives` are tried, each continues with the same Generator.
    max_norm : float, > 0, optional
        Prototypes that are longer are scaled down to this length after each step.
    n_classes : int, >= 2, optional
        The number m of classes. By default the largest label plus one, or the width of the indicator.
    draws : array of numbers in [0, 1), optional
        Used in turn in place of random numbers, as in `fit_wsabie`. For each step: the example, the place of its
        positive class among its labels, and the places of the negative classes among the others.
    validation : (X, Y), optional
        Examples and labels on which `negatives` is chosen. A prediction is right if it is one of the labels.
    progress : bool
        Show a progress bar that moves once for each number of negatives.

    Returns
    -------
    fit : WsabieFit
        prototypes (m, d), to be compared with x by inner products. The history has one record for each number of
        negatives. Its score is the accuracy on `validation`, or NaN without.

    Raises
    ------
    ValueError
        An argument is not as above, or several `negatives` are given without `validation`.

    Notes
    -----
    One negative for each positive is much worse than a number that is chosen on validation data (Table 8 of the paper).
    The cost is O(negatives d) a step.

    References
    ----------
    * Paper 003 (Gupta, Bengio, Weston: Training Highly Multiclass Classifiers, 2014), section 8.3 and Table 5.
    * Paper (Perronnin et al.: Towards Good Practice in Large-Scale Learning for Image Classification, 2012).

    Examples
    --------
    >>> X, y = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]), np.array([0, 1, 2])
    >>> (X @ fit_one_vs_all(X, y, negatives=2, n_updates=100).prototypes.T).argmax(axis=1)
    array([0, 1, 2])
    """
    X = checks.features(X)
    sets = checks.label_sets(Y, X.shape[0], n_classes)
    rule = checks.one_vs_all_rule(step, margin, step_size, max_norm)
    counts, accuracy = checks.negatives_to_try(negatives, validation, X.shape[1], sets.n_classes)
    n_updates, draws = checks.count(n_updates, "n_updates", checks.MOST_UPDATES), checks.Draws(draws, seed)
    curve, example = checks.Curve(accuracy, accuracy and len(counts)), checks.row_of(X)
    progress = checks.flag(progress, "progress")
    with checks.progress_bar(progress, len(counts), "updates") as report:
        for count in counts:
            draws.used, fit = 0, checks.zero_fit(sets.n_classes, X.shape[1])
            for _ in range(n_updates):
                t = draws.below(X.shape[0])
                with np.errstate(over="ignore", invalid="ignore"):  # an overflow is refused later
                    fit = _step(fit, example(t), sets.of(t), count, rule, draws)
            report(fit.updates)
            curve.ends(checks.rounded(fit, X.dtype))
    return curve.result()


def _step(fit, x, labels, count, rule, draws):
    """The fit after one step: x is shown to the positive class, then to the negative ones."""
    fit, m = fit._replace(steps=fit.steps + 1), len(fit.prototypes)
    if not 0 < len(labels) < m:
        return fit
    others = np.setdiff1d(np.arange(m), labels)
    classes_of = {1: [labels[draws.below(len(labels))]], -1: [others[draws.below(len(others))] for _ in range(count)]}
    before, most = fit, checks.LARGEST_FLOAT
    for sign, classes in classes_of.items():
        for g in classes:
            if checks.finite_number(rule.margin - sign * (fit.prototypes[g] @ x), "a difference of scores", most) > 0:
                fit = _moved(fit, g, -sign * x, rule)
    return fit._replace(updates=fit.updates + (fit is not before))


def _moved(fit, g, gradient, rule):
    """The fit after a step of prototype g against the gradient, as in `wsabie`, scaled down to length max_norm."""
    prototypes, sums, size = fit.prototypes.copy(), fit.prototype_sums.copy(), rule.step_size
    if rule.step == "adagrad":
        sums[g] += np.mean(gradient**2)
        size = size / np.sqrt(sums[g]) if sums[g] > 0 else 0.0
    prototypes[g] -= size * gradient
    length = np.linalg.norm(prototypes[g])
    if length > rule.max_norm:
        checks.finite_number(length, "the norm of a prototype", checks.LARGEST_FLOAT)
        prototypes[g] *= rule.max_norm / length
    return fit._replace(prototypes=prototypes, prototype_sums=sums)
