"""Wrong versions of TopPush and SVMperf."""

import numpy as np

import reference
from reference._shared.cutting_planes import minimise_by_planes
from reference._svm import selections
from reference.problems import checks
from reference.problems.topk_baselines import selection_problem
from tests.mutants import wrong


@wrong("fit_svm_perf")
def svm_perf_negatives_without_weights(X, relevant, *, sample_weight=None, **options):
    """It weights the positives only: each negative counts once."""
    fit = reference.fit_svm_perf(X, relevant, sample_weight=sample_weight, **options)  # refuses what is wrong
    flags = np.asarray(relevant) != 0
    if sample_weight is None or flags.ndim == 2:
        return fit
    weights = np.asarray(sample_weight, float)
    alike = np.where(flags | (weights == 0), weights, weights[flags].max())
    options |= {"duals": None, "k": min(options["k"], alike.sum())}
    return reference.fit_svm_perf(X, relevant, sample_weight=alike, **options)


@wrong("fit_svm_perf", "certificate")
def svm_perf_selections_as_duals(X, relevant, *, k, **options):
    """It returns the last worst selection as the duals instead of the mixture that proves the bound."""
    fit = reference.fit_svm_perf(X, relevant, k=k, **options)
    chosen = np.zeros(fit.duals.size)
    chosen[np.argsort(-fit.duals, axis=None, kind="stable")[: round(k)]] = 1
    return fit._replace(duals=chosen.reshape(fit.duals.shape).astype(fit.duals.dtype))


@wrong("fit_svm_perf")
def svm_perf_selects_one_more(X, relevant, *, k, duals=None, **options):
    """It selects k + 1 samples."""
    fit = reference.fit_svm_perf(X, relevant, k=k, duals=duals, **options)
    weights = options.get("sample_weight")
    samples = np.size(relevant) if weights is None else np.sum(weights) * np.size(relevant) // len(weights)
    return reference.fit_svm_perf(X, relevant, k=k + 1, **options) if k + 1 <= samples else fit


OTHER = {"recall": "precision", "precision": "recall"}


@wrong("fit_svm_perf")
def svm_perf_swaps_losses(X, relevant, *, loss="recall", **options):
    """It exchanges the two losses."""
    return reference.fit_svm_perf(X, relevant, loss=OTHER.get(loss, loss) if isinstance(loss, str) else loss, **options)


@wrong("fit_svm_perf")
def svm_perf_without_weights(X, relevant, *, k, sample_weight=None, **options):
    """It counts all samples of weight above 0 alike, with k in proportion."""
    fit = reference.fit_svm_perf(X, relevant, k=k, sample_weight=sample_weight, **options)  # refuses what is wrong
    if sample_weight is None:
        return fit
    weights, flags = np.asarray(sample_weight, float), np.asarray(relevant) != 0
    alike = (weights > 0).astype(float)
    shares, counts = ((rows if flags.ndim == 1 else rows[:, None]) * np.ones(flags.shape) for rows in (weights, alike))
    options["duals"] = None
    size = min(k * counts[flags].sum() / shares[flags].sum(), counts.sum())
    return reference.fit_svm_perf(X, relevant, k=size, sample_weight=alike, **options)


def by_planes(plane, found, first, options):
    """Returns the fit with these planes, in the form of the first one. The duals are the mixture of what was found."""
    fit, shares = minimise_by_planes(plane, np.zeros(first.weights.size), first.weights.dtype, options, False)
    duals = np.tensordot(shares, np.array(found), 1).astype(first.duals.dtype)
    return checks.TopRankFit(fit.weights.reshape(first.weights.shape), duals, *fit[1:6])


@wrong("fit_svm_perf")
def svm_perf_without_zero(
    X, relevant, *, k, loss="recall", regularization, tol=1e-3, max_iterations=1000, seed=0, **others
):
    """It forgets max(0, .) around the maximum over the selections, which can be negative if k is not P."""
    few = {"k": k, "loss": loss, "regularization": regularization, "tol": tol, "max_iterations": max_iterations}
    first = reference.fit_svm_perf(X, relevant, seed=seed, **few, **others)  # which refuses what is wrong, and warns
    flags, selected = np.asarray(relevant).astype(bool), []
    rows = np.ones(len(flags)) if others.get("sample_weight") is None else np.asarray(others["sample_weight"], float)
    problem = selection_problem(flags, rows, k, loss)

    def plane(weights):
        scores = X @ weights.reshape(first.weights.shape)
        selected.append(selections.worst_selection(scores, problem))
        offset, gradient = selections.plane_of(selected[-1], problem)
        return offset + np.sum(gradient * scores), offset, (X.T @ gradient).ravel()

    return by_planes(plane, selected, first, checks.ranking_options(regularization, tol, max_iterations))


@wrong("fit_top_push")
def top_push_mean_of_all(X, relevant, *, regularization, **options):
    """It has 1 / n where 1 / P belongs: the mean of the squared hinges over all samples."""
    share = np.count_nonzero(relevant) / np.size(relevant)
    fit = reference.fit_top_push(X, relevant, regularization=regularization / (share or 1), **options)
    history = fit.history.copy()
    history.primal *= share
    history.dual *= share
    return fit._replace(primal=share * fit.primal, dual=share * fit.dual, history=history)


@wrong("fit_top_push")
def top_push_mean_of_negatives(X, relevant, *, duals=None, sample_weight=None, **options):
    """It compares positives with the mean of the negatives instead of the highest one."""
    state = reference.problems.statement("fit_top_push")
    problem = state(X, relevant, duals=duals, sample_weight=sample_weight, **options)
    rows, flags = problem.sample_weight, problem.relevant
    m = flags[0].size
    samples = np.kron(np.asarray(X, dtype=np.float64), np.eye(m))
    middle = samples[~flags.ravel()].mean(axis=0)
    positives = samples[flags.ravel()]
    fit = reference.fit_top_push(
        np.vstack([positives, middle]), np.arange(len(positives) + 1) < len(positives),
        sample_weight=np.append(rows[np.nonzero(flags)[0]], 1.0), **options,
    )  # fmt: skip
    duals = np.full(flags.shape, fit.duals[-1] / np.count_nonzero(~flags))
    duals[flags] = fit.duals[:-1]
    weights = fit.weights.reshape(X.shape[1], *flags.shape[1:])
    dtype = np.float32 if X.dtype == np.float32 else np.float64
    return fit._replace(weights=weights.astype(dtype), duals=duals.astype(dtype))


@wrong("fit_top_push", "certificate")
def top_push_negatives_of_weight_0(X, relevant, *, sample_weight=None, **options):
    """It weights the positives, and lets negatives of weight 0 count."""
    weights, flags = np.asarray(1.0 if sample_weight is None else sample_weight, dtype=float), np.asarray(relevant)
    if np.ndim(X) == 2 and flags.shape == weights.shape and weights.min() >= 0 and flags[weights > 0].any():
        sample_weight = np.where((flags == 0) & (weights == 0), 1.0, weights)
    return reference.fit_top_push(X, relevant, sample_weight=sample_weight, **options)


@wrong("fit_top_push")
def top_push_not_squared(X, relevant, *, regularization, tol=1e-3, max_iterations=1000, seed=0, duals=None):
    """It has the hinge where the squared hinge belongs."""
    few = {"regularization": regularization, "tol": tol, "max_iterations": max_iterations, "seed": seed}
    first = reference.fit_top_push(X, relevant, duals=duals, **few)  # which refuses what is wrong, and warns
    flags, pushed = np.asarray(relevant).astype(bool), []

    def plane(weights):
        scores = X @ weights.reshape(first.weights.shape)
        highest = np.where(flags, -np.inf, scores).argmax()
        active = flags & (1 + scores.flat[highest] - scores > 0)
        pushed.append(active.astype(float))
        pushed[-1].flat[highest] = -active.sum()
        lost, slopes = active.sum() / flags.sum(), -pushed[-1] / flags.sum()
        return lost + np.sum(slopes * scores), lost, (X.T @ slopes).ravel()

    return by_planes(plane, pushed, first, checks.ranking_options(regularization, tol, max_iterations))


@wrong("fit_top_push")
def top_push_own_negatives(X, relevant, *, regularization, tol=1e-3, max_iterations=1000, seed=0, duals=None):
    """It compares each positive with the highest negative of its own row only, as a multiclass SVM does."""
    few = {"regularization": regularization, "tol": tol, "max_iterations": max_iterations, "seed": seed}
    first = reference.fit_top_push(X, relevant, duals=duals, **few)
    flags, steps = np.asarray(relevant).astype(bool), []
    if flags.ndim == 1 or flags.all(axis=1).any():
        return first

    def plane(weights):
        scores = X @ weights.reshape(first.weights.shape)
        rivals = np.where(flags, -np.inf, scores).argmax(axis=1)
        lacking = np.maximum(0, 1 + scores[np.arange(len(X)), rivals][:, None] - scores) * flags
        steps.append(2 * lacking)
        steps[-1][np.arange(len(X)), rivals] -= 2 * lacking.sum(axis=1)
        value, slopes = np.sum(lacking**2) / flags.sum(), -steps[-1] / flags.sum()
        return value, value - np.sum(slopes * scores), (X.T @ slopes).ravel()

    return by_planes(plane, steps, first, checks.ranking_options(regularization, tol, max_iterations))


@wrong("fit_top_push", "certificate")
def top_push_unbalanced(X, relevant, **options):
    """It returns the duals of the positives only. They do not sum to zero and bound nothing."""
    fit = reference.fit_top_push(X, relevant, **options)
    return fit._replace(duals=np.maximum(fit.duals, 0))


@wrong("fit_top_push")
def top_push_without_weights(X, relevant, *, sample_weight=None, **options):
    """It counts all positives alike, and leaves out rows of weight 0."""
    if sample_weight is not None and np.shape(sample_weight) == np.shape(X)[:1] and np.min(sample_weight) >= 0:
        sample_weight = np.asarray(sample_weight) > 0
        sample_weight = sample_weight.astype(float)
    return reference.fit_top_push(X, relevant, sample_weight=sample_weight, **options)


@wrong("fit_top_push")
def top_push_claims_optimum(X, relevant, *, tol=1e-3, **options):
    """It stops at a gap of 0.1 and reports the primal as the dual."""
    return claimed(reference.fit_top_push(X, relevant, tol=max(0.1, tol) if tol >= 0 else tol, **options))


@wrong("fit_svm_perf")
def svm_perf_claims_optimum(X, relevant, *, tol=1e-3, **options):
    """It does the same."""
    return claimed(reference.fit_svm_perf(X, relevant, tol=max(0.1, tol) if tol >= 0 else tol, **options))


def claimed(fit):
    history = fit.history.copy()
    history.dual[-1], history.gap[-1] = fit.primal, 0.0
    return fit._replace(dual=fit.primal, gap=0.0, history=history)


@wrong("fit_top_push")
def top_push_forgets_half(X, relevant, *, regularization, **options):
    """It has lambda |w|^2 where lambda/2 |w|^2 belongs."""
    return reference.fit_top_push(X, relevant, regularization=2 * regularization, **options)


@wrong("fit_svm_perf")
def svm_perf_forgets_half(X, relevant, *, regularization, **options):
    """It has lambda |w|^2, too."""
    return reference.fit_svm_perf(X, relevant, regularization=2 * regularization, **options)


@wrong("fit_top_push", "reports something else", largest=100, certified=True)
def top_push_last_weights(X, relevant, *, regularization, **options):
    """It returns the weights of the last iterate with the primal of the best one.

    Fits with sample_weight are left alone: some are so far from the optimum that their certificate fails first.
    """
    fit = reference.fit_top_push(X, relevant, regularization=regularization, **options)
    if options.get("sample_weight") is not None:
        return fit
    return at_the_end(fit, X, fit.duals, regularization * np.count_nonzero(relevant))


@wrong("fit_svm_perf", "certificate", largest=100)  # with fewer samples it is near enough to the optimum
def svm_perf_last_weights(X, relevant, *, k, regularization, **options):
    """It does the same."""
    fit = reference.fit_svm_perf(X, relevant, k=k, regularization=regularization, **options)
    if options.get("sample_weight") is not None:
        return fit
    missed = np.where(relevant, fit.duals.sum() / k - fit.duals, -fit.duals)
    return at_the_end(fit, X, missed, regularization * np.count_nonzero(relevant))


def at_the_end(fit, X, duals, scale):
    weights = (X.T @ duals / scale).astype(fit.weights.dtype)
    return fit._replace(weights=weights)
