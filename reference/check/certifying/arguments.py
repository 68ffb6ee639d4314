"""The arguments of a call that is certified: they are bound and refused as the public function does it.

Each function below makes the checks of the public function of its name, in the same order, and returns the arguments
that are converted. All checks are those of `reference.contract`.
"""

import difflib
import inspect
import warnings

import numpy as np

import reference

from ... import contract

RANKINGS = {"ap": "ap", "ndcg": "ndcg", "auc": "auc"}


def bound(name, arguments, options):
    """Returns all arguments of a public function by name, with its defaults, checked and converted.

    Raises ValueError if an argument is unknown, missing or wrong. Warnings about the arguments are not repeated.
    """
    signature = inspect.signature(getattr(reference, name))
    for option in options:
        if option not in signature.parameters:
            raise ValueError(f"{name} has no argument {option!r}{nearest(option, signature.parameters)}")
    try:
        call = signature.bind(*arguments, **options)
    except TypeError as trouble:
        raise ValueError(f"{name}{signature}: {trouble}") from None
    call.apply_defaults()
    given = dict(call.arguments)
    with warnings.catch_warnings(), np.errstate(over="ignore", invalid="ignore"):
        warnings.simplefilter("ignore")
        return given | (_CHECKS[name](**given) or {})


def nearest(name, names):
    """Returns text that lists the right names, or suggests the nearest one."""
    close = difflib.get_close_matches(str(name), list(names), n=1)
    return f": did you mean {close[0]!r}?" if close else f": it must be one of {', '.join(names)}"


# --- projections and losses ----------------------------------------------------------------------------------------


def project_simplex(a, radius, n_jobs):
    checked = {"a": contract.points(a), "radius": contract.nonnegative(radius, "radius")}
    contract.thread_count(n_jobs)
    return checked


def project_knapsack(a, total, lower, upper, weights, n_jobs):
    a = contract.points(a)
    total, lower, upper, weights = contract.knapsack(total, lower, upper, weights, a.shape[-1], a.dtype)
    contract.thread_count(n_jobs)
    return {"a": a, "total": total, "lower": lower, "upper": upper, "weights": weights}


def project_capped_simplex(a, cap, radius, bias, n_jobs):
    return {"cap": contract.nonnegative(cap, "cap"), **_regularised(a, radius, bias, n_jobs)}


def project_topk_cone(a, k, bias, n_jobs):
    checked = _regularised(a, 1.0, bias, n_jobs)
    del checked["radius"]
    return {**checked, "k": contract.count(k, "k", checked["a"].shape[-1])}


def project_topk_simplex(a, k, radius, bias, n_jobs):
    checked = _regularised(a, radius, bias, n_jobs)
    return {**checked, "k": contract.count(k, "k", checked["a"].shape[-1])}


def topk_error(scores, y, k):
    scores, y = contract.scores_and_labels(scores, y)
    return {"scores": scores, "y": y, "k": contract.count(k, "k", scores.shape[1])}


def topk_hinge(scores, y, k, kind):
    scores, y = contract.scores_and_labels(scores, y)
    contract.choice(kind, "kind", contract.KINDS)
    return {"scores": scores, "y": y, "k": contract.count(k, "k", scores.shape[1] - 1)}


def _regularised(a, radius, bias, n_jobs):
    checked = {"a": contract.points(a), "radius": contract.nonnegative(radius, "radius")}
    checked["bias"] = contract.nonnegative(bias, "bias")
    contract.thread_count(n_jobs)
    return checked


# --- top-k SVMs and their baselines --------------------------------------------------------------------------------


def fit_topk_svm(X, y, sparse_duals, progress, **options):
    X, y, m = contract.features_and_labels(X, y, sparse=True)
    _svm(y, m, sparse_duals, progress, **options)
    return {"X": X, "y": y}


def fit_topk_svm_kernel(K, y, sparse_duals, progress, **options):
    K, y, m = contract.gram_and_labels(K, y)
    _svm(y, m, sparse_duals, progress, **options)
    return {"K": K, "y": y}


def fit_topk_svm_parts(
    X, y, parts, max_rounds, local_epochs, sigma, combine, gather, seed, sparse_duals, progress, **options
):  # fmt: skip
    X, y, m = contract.features_and_labels(X, y, sparse=True)
    rule = contract.parts_rule(max_rounds, local_epochs, sigma, combine, gather, seed)
    parts = contract.parts_of(parts, len(y), seed)
    _svm(y, m, sparse_duals, progress, order=None, seed=seed, max_epochs=rule.max_rounds, **options)
    return {"X": X, "y": y, "parts": parts}


def _svm(y, m, sparse_duals, progress, order, seed, duals, n_jobs, **problem):
    options = contract.svm_options(len(y), m, **problem)
    contract.visiting_orders(order, len(y), options.max_epochs, seed)
    for _ in contract.dual_chunks(duals, y, m, options):
        pass
    contract.flag(sparse_duals, "sparse_duals")
    contract.thread_count(n_jobs)
    contract.flag(progress, "progress")


def fit_top_push(X, relevant, regularization, tol, max_iterations, seed, sample_weight, duals, progress):
    X, relevant = contract.reduced_samples(X, relevant)
    contract.ranking_options(regularization, tol, max_iterations)
    contract.visiting_orders(None, X.shape[0], max_iterations, seed)
    weights = contract.pushing_weights(sample_weight, relevant, X.dtype)
    contract.pushing_duals(duals, relevant, weights)
    contract.flag(progress, "progress")
    return {"X": X, "relevant": relevant}


def fit_svm_perf(X, relevant, k, loss, regularization, tol, max_iterations, seed, sample_weight, duals, progress):
    X, relevant = contract.reduced_samples(X, relevant)
    contract.ranking_options(regularization, tol, max_iterations)
    weights, k = contract.selecting_weights(sample_weight, k, relevant, X.dtype)
    contract.choice(loss, "loss", ("recall", "precision"))
    contract.visiting_orders(None, X.shape[0], max_iterations, seed)
    contract.selecting_duals(duals, relevant, weights, k)
    contract.flag(progress, "progress")
    return {"X": X, "relevant": relevant, "k": k}


# --- passive-aggressive updates ------------------------------------------------------------------------------------


def squish_column(z, lower, upper):
    z = contract.points(z, "z")
    lower, upper = contract.interval(lower, upper, z.dtype)
    return {"z": z, "lower": lower, "upper": upper}


def multiclass_update(A, x, y, **rule):
    A, x, y, norm = contract.model_and_example(A, x, y)
    contract.update_rule(len(contract.finite_array(A, "A")), norm, **rule)
    return {"A": A, "x": x, "y": y}


def fit_passive_aggressive(X, y, n_classes, epochs, averaged, order, seed, sample_weight, weights, progress, **rule):
    X, y, A = contract.stream(X, y, n_classes, weights)
    contract.flag(averaged, "averaged")
    squares = X.multiply(X).sum(axis=1) if hasattr(X, "toarray") else np.einsum("ij,ij->i", X, X, dtype=np.float64)
    norms = contract.squared_norms(np.ravel(squares).astype(np.float64), "X")
    contract.stream_rule(len(A), norms, sample_weight=sample_weight, **rule)
    contract.passes(order, len(y), epochs, seed)
    contract.flag(progress, "progress")
    return {"X": X, "y": y}


# --- rankings ------------------------------------------------------------------------------------------------------


def ap_loss(interleaving, n_positive):
    ranks, P = contract.interleaving(interleaving, n_positive)
    return {"interleaving": ranks, "n_positive": P}


def rank_loss(interleaving, n_positive, loss):
    checked = ap_loss(interleaving, n_positive)
    contract.qs_loss(loss, RANKINGS)
    return checked


def interleaving_ranks(positive_scores, negative_scores):
    p, n = contract.two_classes(positive_scores, negative_scores)
    return {"positive_scores": p, "negative_scores": n}


def loss_augmented_inference(positive_scores, negative_scores, loss, method, n_jobs):
    checked = interleaving_ranks(positive_scores, negative_scores)
    contract.qs_loss(loss, RANKINGS)
    contract.choice(method, "method", ("quicksort", "greedy"))
    contract.thread_count(n_jobs)
    return checked


def semigradient(positive_scores, negative_scores, interleaving):
    p, n = contract.two_classes(positive_scores, negative_scores)
    ranks, _ = contract.interleaving(interleaving, len(p), len(n))
    return {"positive_scores": p, "negative_scores": n, "interleaving": ranks}


def grouped_inference(scores, relevant, groups, loss, n_jobs):
    scores, relevant, *_ = contract.grouped_scores(scores, relevant, groups)
    contract.qs_loss(loss, RANKINGS)
    contract.thread_count(n_jobs)
    return {"scores": scores, "relevant": relevant}


def fit_ranking_svm(
    X, relevant, groups, loss, regularization, tol, max_iterations, group_weight, n_jobs, progress
):  # fmt: skip
    X, relevant, rows, starts = contract.sorted_groups(X, relevant, groups)
    contract.ranking_options(regularization, tol, max_iterations)
    contract.qs_loss(loss, {**RANKINGS, "zero_one": None})
    contract.group_shares(group_weight, len(relevant), rows, starts)
    contract.thread_count(n_jobs)
    contract.flag(progress, "progress")
    return {"X": X, "relevant": relevant}


def fit_direct_loss(X, relevant, groups, loss, epsilon, step_size, max_iterations, weights, n_jobs):
    X, relevant, *_ = contract.sorted_groups(X, relevant, groups)
    contract.qs_loss(loss, RANKINGS)
    contract.direct_options(epsilon, step_size, max_iterations)
    contract.thread_count(n_jobs)
    contract.start(weights, X.shape[1])
    return {"X": X, "relevant": relevant}


def fit_latent_ranking_svm(
    X, bags, relevant, loss, regularization, tol, max_iterations, max_rounds, weights, n_jobs
):  # fmt: skip
    X, *_ = contract.sorted_bags(X, relevant, bags)
    contract.count(max_rounds, "max_rounds")
    contract.ranking_options(regularization, tol, max_iterations)
    contract.thread_count(n_jobs)
    contract.start(weights, X.shape[1])
    contract.qs_loss(loss, {**RANKINGS, "zero_one": None})
    return {"X": X}


# --- the Wsabie family ---------------------------------------------------------------------------------------------


def prototype_scores(X, fit):
    X, fit = contract.features_and_fit(X, fit)
    return {"X": X, "fit": fit}


def concatenate_fits(fits):
    return {"fits": contract.fits_to_concatenate(fits)}


def fit_nearest_means(X, Y, n_classes, sample_weight):
    X = contract.features(X)
    contract.weights_of_means(sample_weight, contract.sets_of_all_classes(Y, X.shape[0], n_classes))
    return {"X": X}


def fit_one_vs_all(
    X, Y, negatives, step, margin, step_size, n_updates, seed, max_norm, n_classes, draws, validation, progress
):  # fmt: skip
    X = contract.features(X)
    sets = contract.label_sets(Y, X.shape[0], n_classes)
    contract.one_vs_all_rule(step, margin, step_size, max_norm)
    contract.negatives_to_try(negatives, validation, X.shape[1], sets.n_classes)
    contract.count(n_updates, "n_updates")
    contract.Draws(draws, seed)
    contract.flag(progress, "progress")
    return {"X": X}


def fit_wsabie(
    X, Y, embedding_dim, n_updates, seed, n_classes, draws, start, callback, every, patience, progress, **rule
):  # fmt: skip
    X = contract.features(X)
    sets, rule = contract.label_sets(Y, X.shape[0], n_classes), contract.wsabie_rule(**rule)
    stream, _ = contract.Draws(draws, seed), contract.Curve(callback, patience)
    contract.stages(n_updates, every, contract.flag(progress, "progress") or callback is not None)
    contract.wsabie_start(start, sets.n_classes, X.shape[1], embedding_dim, rule.discriminant, stream)
    return {"X": X}


def class_confusion_loss(predicted, y):
    y, predicted = contract.labels_and_predictions(y, predicted)
    return {"predicted": predicted, "y": y}


def pairwise_loss(scores, Y, margin):
    scores, _, margin = contract.scores_and_sets(scores, Y, margin)
    return {"scores": scores, "margin": margin}


def warp_loss(scores, Y, margin, weighting, last_violators):
    contract.choice(weighting, "weighting", contract.WEIGHTINGS)
    contract.count(last_violators, "last_violators", smallest=0)
    return pairwise_loss(scores, Y, margin)


ndcg_loss = ap_loss
_CHECKS = {name: value for name, value in globals().items() if hasattr(reference, name) and inspect.isfunction(value)}
