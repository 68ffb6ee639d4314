"""The arguments of the Wsabie family: prototypes, their baselines, walks and losses."""

from ....problems import checks


def prototype_scores(X, fit):
    """Check the features and the fit, which must have as many columns. Returns both."""
    X, fit = checks.features_and_fit(X, fit)
    return {"X": X, "fit": fit}


def concatenate_fits(fits):
    """Check that the fits belong to the same classes and features. Returns them as a list."""
    return {"fits": checks.fits_to_concatenate(fits)}


def fit_nearest_means(X, Y, n_classes, sample_weight):
    """Check the features, the label sets and the weights of the samples. Returns the features."""
    X = checks.features(X)
    checks.weights_of_means(sample_weight, checks.sets_of_all_classes(Y, X.shape[0], n_classes))
    return {"X": X}


def fit_one_vs_all(
    X, Y, negatives, step, margin, step_size, n_updates, seed, max_norm, n_classes, draws, validation, progress
):  # fmt: skip
    """Check the features, the label sets, the rule, the validation set and the draws. Returns the features."""
    X = checks.features(X)
    sets = checks.label_sets(Y, X.shape[0], n_classes)
    checks.one_vs_all_rule(step, margin, step_size, max_norm)
    checks.negatives_to_try(negatives, validation, X.shape[1], sets.n_classes)
    checks.count(n_updates, "n_updates", checks.MOST_UPDATES)
    checks.Draws(draws, seed)
    checks.flag(progress, "progress")
    return {"X": X}


def fit_wsabie(
    X, Y, embedding_dim, n_updates, seed, n_classes, draws, start, callback, every, patience, progress, **rule
):  # fmt: skip
    """Check the features, the label sets, the rule, the draws, the callback and the start. Returns the features."""
    X = checks.features(X)
    sets, rule = checks.label_sets(Y, X.shape[0], n_classes), checks.wsabie_rule(**rule)
    stream, _ = checks.Draws(draws, seed), checks.Curve(callback, patience)
    checks.stages(n_updates, every, checks.flag(progress, "progress") or callback is not None)
    checks.wsabie_start(start, sets.n_classes, X.shape[1], embedding_dim, rule.discriminant, stream)
    return {"X": X}


def class_confusion_loss(predicted, y):
    """Check the predicted classes and the labels. Returns both."""
    y, predicted = checks.labels_and_predictions(y, predicted)
    return {"predicted": predicted, "y": y}


def pairwise_loss(scores, Y, margin):
    """Check the scores, the label sets and the margin. Returns scores and margin."""
    scores, _, margin = checks.scores_and_sets(scores, Y, margin)
    return {"scores": scores, "margin": margin}


def warp_loss(scores, Y, margin, weighting, last_violators):
    """Check the weighting, the number of last violators and what `pairwise_loss` checks. Returns scores and margin."""
    checks.choice(weighting, "weighting", checks.WEIGHTINGS)
    checks.count(last_violators, "last_violators", smallest=0)
    return pairwise_loss(scores, Y, margin)
