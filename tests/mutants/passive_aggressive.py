"""Wrong versions of passive-aggressive updates and passes, and of the projection behind them."""

import numpy as np

import reference
from tests.mutants import wrong


@wrong("squish_column")
def bounds_forgotten(z, lower=-np.inf, upper=np.inf):
    """It ignores its bounds."""
    reference.squish_column(z, lower, upper)  # refuses wrong ones
    return reference.squish_column(z)


@wrong("fit_passive_aggressive", "columns")
def cut_off_at_zero(X, y, *, order=None, **options):
    """It clips weights at 0, but only if it is given no order."""
    fit = reference.fit_passive_aggressive(X, y, order=order, **options)
    return fit if order is not None else fit._replace(weights=np.maximum(fit.weights, 0))


@wrong("fit_passive_aggressive", "updates")
def every_step_counts(X, y, **options):
    """It counts every step as an update."""
    fit = reference.fit_passive_aggressive(X, y, **options)
    return fit._replace(updates=len(fit.mistakes))


@wrong("multiclass_update")
def half_the_price_of_slack(A, x, y, *, variant="pa", aggressiveness=1.0, **options):
    """Its "pa2" has 1/C where 1/(2C) belongs: it charges aggressiveness / 2 * loss^2."""
    price = aggressiveness / 2 if variant == "pa2" else aggressiveness
    return reference.multiclass_update(A, x, y, variant=variant, aggressiveness=price, **options)


@wrong("fit_passive_aggressive")
def last_step_not_averaged(X, y, *, weights=None, averaged=False, **options):
    """It averages the weights before each step, so that the last ones are missing."""
    fit = reference.fit_passive_aggressive(X, y, weights=weights, averaged=averaged, **options)
    if not averaged:
        return fit
    start = np.zeros(fit.weights.shape) if weights is None else weights
    mean = fit.averaged + (start - fit.weights) / len(fit.mistakes)
    return fit._replace(averaged=mean.astype(fit.averaged.dtype))


@wrong("multiclass_update")
def margin_on_the_wrong_side(A, x, y, *, margin=1.0, **options):
    """It subtracts the margin, and repairs scores_j - scores_y - margin."""
    B = reference.multiclass_update(A, x, y, margin=margin, **options)
    if not margin or not np.any(x):
        return B
    raised = A + np.outer(np.arange(len(A)) == y, 2 * margin * np.asarray(x) / np.dot(x, x))
    return (A + reference.multiclass_update(raised, x, y, margin=margin, **options) - raised).astype(B.dtype)


@wrong("fit_passive_aggressive", "mistakes")
def mistakes_after_the_update(X, y, *, order=None, weights=None, n_classes=None, **options):
    """It counts the mistakes that remain after each update."""
    fit = reference.fit_passive_aggressive(X, y, order=order, weights=weights, n_classes=n_classes, **options)
    if order is None:
        return fit
    rule = {name: value for name, value in options.items() if name not in ("averaged", "epochs", "seed")}
    m, A, missed = len(fit.weights), weights, []
    for i in np.resize(order, len(fit.mistakes)):
        step = reference.fit_passive_aggressive(X[[i]], y[[i]], n_classes=m, weights=A, **rule)
        A = step.weights
        scores = A @ X[i]
        missed.append(np.sum(np.delete(scores, y[i]) >= scores[y[i]]) >= rule.get("k", 1))
    return fit._replace(mistakes=np.cumsum(missed))


@wrong("multiclass_update")
def norm_forgotten(A, x, y, **options):
    """It assumes examples of length 1."""
    B = reference.multiclass_update(A, x, y, **options)
    squared = float(np.dot(x, x))
    return (A + (B - A) * (squared if 1e-3 < squared < 1e3 else 1.0)).astype(B.dtype)


@wrong("fit_passive_aggressive")
def one_order_for_all_epochs(X, y, *, order=None, **options):
    """It visits the examples in the order of the first epoch in every epoch."""
    fit = reference.fit_passive_aggressive(X, y, order=order, **options)
    return reference.fit_passive_aggressive(X, y, order=order[0], **options) if np.ndim(order) == 2 else fit


@wrong("squish_column")
def running_mean_off_by_one(z, lower=-np.inf, upper=np.inf):
    """Its running mean does not count the first coordinate."""
    x = reference.squish_column(z, lower, upper)
    rows = np.atleast_2d(z).astype(np.float64)
    return np.array([squished_row(row, lower, upper) for row in rows]).reshape(x.shape).astype(x.dtype)


def squished_row(z, lower, upper):
    mean, squished = z[0], 1
    for value in np.sort(z[1:])[::-1]:
        if value <= np.clip(mean, lower, upper):
            break
        mean += (value - mean) / squished
        squished += 1
    return np.clip(np.append(mean, np.minimum(z[1:], mean)), lower, upper)


@wrong("multiclass_update")
def slack_bound_forgotten(A, x, y, *, variant="pa", **options):
    """It treats "pa1" as "pa": the aggressiveness does not bound the steps."""
    return reference.multiclass_update(A, x, y, variant="pa" if variant == "pa1" else variant, **options)


@wrong("fit_passive_aggressive", "changed its input", certified=True)
def start_overwritten(X, y, *, weights=None, **options):
    """It writes its result into the weights that it was given."""
    fit = reference.fit_passive_aggressive(X, y, weights=weights, **options)
    if isinstance(weights, np.ndarray):
        weights[...] = fit.weights
    return fit


@wrong("multiclass_update", "changed its input", certified=True)
def weights_changed_in_place(A, x, y, **options):
    """It writes the new weights into its argument."""
    B = reference.multiclass_update(A, x, y, **options)
    A[...] = B
    return B


@wrong("multiclass_update")
def worst_rival_counts(A, x, y, *, k=1, **options):
    """It uses the hinge of the worst rival for every k."""
    reference.multiclass_update(A, x, y, **options, k=k)  # refuses a wrong k
    return reference.multiclass_update(A, x, y, **options)


@wrong("multiclass_update")
def worst_violator_only(A, x, y, *, margin=1.0, variant="pa", k=1, **options):
    """It is the closed form of Crammer et al. 2006, which moves the worst rival only."""
    B = reference.multiclass_update(A, x, y, margin=margin, variant=variant, k=k, **options)
    if variant != "pa" or k > 1 or not np.any(x):
        return B
    scores = A @ np.asarray(x, dtype=np.float64)
    rivals = np.where(np.arange(len(A)) == y, -np.inf, scores)
    violation = max(rivals.max() - scores[y] + margin, 0.0)
    steps = (np.arange(len(A)) == y) - 1.0 * (np.arange(len(A)) == rivals.argmax())
    return (A + np.outer(steps * violation / (2 * x @ x), x)).astype(B.dtype)
