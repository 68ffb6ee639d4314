"""The arguments of multilabel losses and fits."""

from ....problems import checks


def multilabel_error(scores, Y):
    """Check the scores and the indicator of the positives. Returns both."""
    scores, Y = checks.scores_and_indicator(scores, Y)
    return {"scores": scores, "Y": Y}


def multilabel_hinge(scores, Y, smoothing):
    """Check the scores, the indicator and the smoothing. Returns all three."""
    return {**multilabel_error(scores, Y), "smoothing": checks.loss_smoothing(smoothing)}


def multilabel_hinge_gradient(scores, Y, smoothing):
    """Check and return what `multilabel_hinge` does."""
    return multilabel_hinge(scores, Y, smoothing)


def multilabel_entropy(scores, Y):
    """Check and return what `multilabel_error` does."""
    return multilabel_error(scores, Y)


def multilabel_entropy_gradient(scores, Y):
    """Check and return what `multilabel_error` does."""
    return multilabel_error(scores, Y)


def fit_multilabel(X, Y, order, seed, duals, n_jobs, progress, **problem):
    """Check the features, the indicator, the problem, the order, the duals to start from. Returns X and Y."""
    X, Y = checks.features_and_indicator(X, Y)
    options = checks.multilabel_options(len(Y), **problem)
    checks.visiting_orders(order, len(Y), options.max_epochs, seed)
    checks.multilabel_duals(duals, Y, options)
    checks.thread_count(n_jobs)
    checks.flag(progress, "progress")
    return {"X": X, "Y": Y}
