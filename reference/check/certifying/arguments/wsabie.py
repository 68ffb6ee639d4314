"""The arguments of the Wsabie family: prototypes, their baselines, walks and losses."""

from .... import contract


def prototype_scores(X, fit):
    """Check the features and the fit, which must have as many columns. Returns both."""
    X, fit = contract.features_and_fit(X, fit)
    return {"X": X, "fit": fit}


def concatenate_fits(fits):
    """Check that the fits belong to the same classes and features. Returns them as a list."""
    return {"fits": contract.fits_to_concatenate(fits)}


def fit_nearest_means(X, Y, n_classes, sample_weight):
    """Check the features, the label sets and the weights of the samples. Returns the features."""
    X = contract.features(X)
    contract.weights_of_means(sample_weight, contract.sets_of_all_classes(Y, X.shape[0], n_classes))
    return {"X": X}


def fit_one_vs_all(
    X, Y, negatives, step, margin, step_size, n_updates, seed, max_norm, n_classes, draws, validation, progress
):  # fmt: skip
    """Check the features, the label sets, the rule, the validation set and the draws. Returns the features."""
    X = contract.features(X)
    sets = contract.label_sets(Y, X.shape[0], n_classes)
    contract.one_vs_all_rule(step, margin, step_size, max_norm)
    contract.negatives_to_try(negatives, validation, X.shape[1], sets.n_classes)
    contract.count(n_updates, "n_updates", contract.MOST_UPDATES)
    contract.Draws(draws, seed)
    contract.flag(progress, "progress")
    return {"X": X}


def fit_wsabie(
    X, Y, embedding_dim, n_updates, seed, n_classes, draws, start, callback, every, patience, progress, **rule
):  # fmt: skip
    """Check the features, the label sets, the rule, the draws, the callback and the start. Returns the features."""
    X = contract.features(X)
    sets, rule = contract.label_sets(Y, X.shape[0], n_classes), contract.wsabie_rule(**rule)
    stream, _ = contract.Draws(draws, seed), contract.Curve(callback, patience)
    contract.stages(n_updates, every, contract.flag(progress, "progress") or callback is not None)
    contract.wsabie_start(start, sets.n_classes, X.shape[1], embedding_dim, rule.discriminant, stream)
    return {"X": X}


def class_confusion_loss(predicted, y):
    """Check the predicted classes and the labels. Returns both."""
    y, predicted = contract.labels_and_predictions(y, predicted)
    return {"predicted": predicted, "y": y}


def pairwise_loss(scores, Y, margin):
    """Check the scores, the label sets and the margin. Returns scores and margin."""
    scores, _, margin = contract.scores_and_sets(scores, Y, margin)
    return {"scores": scores, "margin": margin}


def warp_loss(scores, Y, margin, weighting, last_violators):
    """Check the weighting, the number of last violators and what `pairwise_loss` checks. Returns scores and margin."""
    contract.choice(weighting, "weighting", contract.WEIGHTINGS)
    contract.count(last_violators, "last_violators", smallest=0)
    return pairwise_loss(scores, Y, margin)
