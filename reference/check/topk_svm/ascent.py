"""How `certify_weights` improves its bound: dual coordinate ascent for the hinges, L-BFGS for the entropies.

Nothing here proves anything. Each round gives shares to the objective, which repairs them and computes their value.
"""

import warnings

import numpy as np

from ...problems import checks
from ..proofs.duality import rounding
from ..topk_svm.bounds import SmoothTopKHinge

WIDTHS = (1.0, 1e-1, 1e-2, 1e-3, 1e-4)  # of the smoothing of the hinge at the weights; margins are of size 1
FIRST = 4  # epochs or iterations of the first round; each round has twice as many as the one before
SLACK = 1e-13  # by how much shares may be outside of their domain, and still be the start of the next round
HALVINGS = 60  # of the interval that has the threshold: to its last digits
EXACT = 1e-15  # a relative gap that float64 does not reach
FINER = 0.25  # by which the gap asked for is multiplied if it was reached and the bounds are not yet tight


def by_coordinates(search, objective, solver, options, progress):
    """Improve the bounds by rounds of `solver`, which has the arguments of `fit_topk_svm`."""
    smoothing = getattr(objective.loss, "smoothing", 0.0)
    known = {"smoothing": smoothing} if smoothing > 0 else {}  # of a hinge, any solver of hinges will do
    shares = max(_restored(search, objective), key=lambda pair: pair[0])[1]
    size, finer = FIRST, 1.0
    while not search.settled and search.epochs < options.max_epochs:
        size, wanted = min(size, options.max_epochs - search.epochs), finer * search.wanted
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="gap .* > tol")
            fit = solver(
                objective.features.X, objective.loss.y, k=options.k, kind=options.kind,
                regularization=objective.regularization, tol=wanted, max_epochs=size, seed=search.epochs,
                sample_weight=objective.s, duals=objective.duals(shares), progress=progress, **known,
            )  # fmt: skip
        search.epochs += max(1, int(fit.epochs))
        _, found = offer(search, objective, objective.shares(_array(fit.duals, objective)))
        if objective.loss.values(found)[1].max() <= SLACK + rounding(8 * objective.loss.m):  # or the solver may refuse
            shares = found
        if fit.epochs < size:  # the solver found the gap small enough; the bounds, which include rounding, are not
            if wanted <= EXACT:
                break
            finer *= FINER
        size *= 2


def _array(duals, objective):
    """Returns the duals of a fit as a finite array of the right shape."""
    duals = duals.toarray() if hasattr(duals, "tocsr") else duals
    duals = checks.finite_array(checks.real_array(duals, "duals", (2,)), "duals").astype(np.float64)
    expected = objective.loss.n, objective.loss.m
    if duals.shape != expected:
        raise ValueError(f"solver must return duals of shape {expected}, got shape {duals.shape}")
    return duals


def offer(search, objective, shares):
    """Give shares to the search, and the weights that belong to them. Returns (the lower bound, repaired shares)."""
    dual, weights, shares = objective.dual(objective.loss.repaired(shares))
    search.offer_dual(dual)
    search.offer_weights(weights)
    return dual, shares


def _restored(search, objective):
    """Yields (lower bound, shares) of the duals that the subgradients at the weights give.

    Where several subgradients are possible, the gradient of a smoothed loss is a compromise. Several widths are tried.
    A smooth hinge has one gradient.
    """
    differences, loss = objective.differences(search.weights), objective.loss
    if isinstance(loss, SmoothTopKHinge):
        yield offer(search, objective, loss.gradients(differences))
        return
    for width in WIDTHS:
        yield offer(search, objective, _gradient((1 + differences) / width, loss.k, loss.kind))


def _gradient(b, k, kind):
    """Returns the shares of the loss that is smoothed over a width of 1, for margins b (n, m - 1).

    Bisection finds the t for which clip(b - t, 0, 1/k) sums to 1. Large margins leave few digits to t, so shares are
    interpolated between the last two t. For beta they are a projection onto the dual domain, with t = 0 if the sum is
    then below 1. For the others the row is multiplied by the slope of the smoothed max(0, loss). It stays in the domain
    of alpha, which is in that of alpha_inclusive.
    """
    low, high = b.min(axis=1, keepdims=True) - 1 / k, b.max(axis=1, keepdims=True)
    low -= EXACT * np.abs(low)  # so that all of the row are at 1/k there, for large margins, too
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        above = np.clip(b - middle, 0, 1 / k).sum(axis=1, keepdims=True) > 1
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    more, less = np.clip(b - low, 0, 1 / k), np.clip(b - high, 0, 1 / k)
    missing, step = 1 - less.sum(axis=1, keepdims=True), (more - less).sum(axis=1, keepdims=True)
    shares = less + np.divide(missing, step, out=np.zeros_like(step), where=step > 0) * (more - less)
    if kind == "beta":
        return np.where(high > 0, shares, np.clip(b, 0, 1 / k))
    loss = -np.sort(-b, axis=1)[:, :k].mean(axis=1, keepdims=True)
    return np.clip(loss, 0, 1) * shares


def by_lbfgs(search, objective, max_epochs, progress):
    """Improve the bounds by rounds of L-BFGS on the primal. The probabilities at its weights are feasible duals."""
    from scipy.optimize import minimize  # takes long to import

    def function(flat):
        value, gradient = _primal_and_gradient(objective, flat.reshape(search.weights.shape) / unit)
        return value, gradient.ravel() / unit

    # In these units a step is about as long along the features as along the weights.
    unit = max(np.sqrt(objective.features.longest()), np.finfo(np.float64).tiny)
    offer(search, objective, objective.loss.gradients(objective.differences(search.weights)))
    size, weights = FIRST, search.weights
    with checks.progress_bar(progress, max_epochs, "bound") as report:
        while not search.settled and search.epochs < max_epochs:
            size = min(size, max_epochs - search.epochs)
            options = {"maxiter": size, "ftol": 0.0, "gtol": 0.0, "maxcor": 30, "maxfun": 20 * size}
            found = minimize(function, (weights * unit).ravel(), jac=True, method="L-BFGS-B", options=options)
            search.epochs, weights = search.epochs + size, found.x.reshape(weights.shape) / unit
            search.offer_weights(weights)
            offer(search, objective, objective.loss.gradients(objective.differences(weights)))
            for _ in range(size):
                report(search.value)
            if found.nit < size:  # rounding ends it
                break
            size *= 2


def _primal_and_gradient(objective, weights):
    differences = objective.differences(weights)
    loss, duals = objective.loss.losses(differences), objective.duals(objective.loss.gradients(differences))
    value = objective.regularization / 2 * (weights**2).sum() + np.mean(objective.s * loss)
    return value, objective.regularization * (weights - objective.features.X.T @ duals)
