"""`certify_ranking_weights`: how far the weights of a ranking SVM are from its optimum, at most and at least."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np

from ...problems import checks
from ...problems.checks.types import Array, Matrix
from ...ranking import LOSSES
from ...ranking_svm import fit_ranking_svm
from ..proofs.weights import Search, WeightsCertificate
from ..ranking_svm.bounds import MeanHinge, RankingObjective, is_combination

FIRST_GAP, FASTER = 0.1, 0.1  # the relative gap of the first round, and by what each round multiplies it at most
FINEST = 1e-12  # no round is asked for a smaller gap


def certify_ranking_weights(
    X: Matrix, relevant: Array, weights: Array, *, groups: Array | None = None, loss: str | checks.QSLoss = "ap",
    regularization: float, group_weight: Array | None = None, tol: float = 1e-3, max_iterations: int = 1000,
    solver: Callable[..., checks.RankingSVMFit] | None = None, progress: bool = False,
) -> WeightsCertificate:  # fmt: skip
    r"""Returns a certified bound of how far the weights of a ranking SVM are from its optimum.

    .. math::

        \frac{P(w) - \min P}{P(w)}

    Here P is the objective of `fit_ranking_svm`.

    Parameters
    ----------
    X, relevant, groups, loss, regularization, group_weight
        The problem, as for `fit_ranking_svm`. With loss "zero_one", it is a binary SVM for each group.
    weights : array, shape (d,)
        The weights w.
    tol : float, >= 0
        The relative suboptimality up to which the weights are ok.
    max_iterations : int, >= 1
        The most cutting planes of all rounds together.
    solver : function, optional
        What finds the planes: any function with the arguments and the result of `fit_ranking_svm`, such as
        `fast.fit_ranking_svm`. `reference.fit_ranking_svm` if not given. It need not be right.
    progress : bool
        Show a progress bar, one for each round.

    Returns
    -------
    certificate : WeightsCertificate
        As for `certify_weights`; epochs is the number of cutting planes.

    Raises
    ------
    ValueError
        An argument is not as described above; X or the weights are not finite; the shapes do not fit.

    Warns
    -----
    UserWarning
        Some groups do not have both classes and are left out.

    Notes
    -----
    The mean hinge h is convex. A ranking of all groups that attains h at a point gives a plane that is nowhere above h.
    The minimum of a convex combination of planes plus the penalty is a lower bound of min P. The first bound is that of
    the plane at w. Then the solver is asked for smaller and smaller gaps, until its weights prove that the bound is
    tight, as for `certify_weights`. Of its answer only the points and the shares of its planes are used: the planes are
    computed again, by another inference. O(n d + n log n) for each plane, in the solver and again in the certificate.

    Examples
    --------
    >>> X, relevant = np.array([[1.0, 0.0], [0.8, 1.0], [0.0, 1.0], [-1.0, 0.5]]), np.array([1, 1, 0, 0])
    >>> certificate = certify_ranking_weights(X, relevant, np.array([1.0, 0.0]), regularization=0.1)
    >>> certificate.ok, round(certificate.value, 2), round(certificate.at_least, 2)
    (False, 0.82, 0.82)
    """
    X, relevant, rows, starts = checks.sorted_groups(X, relevant, groups)
    options = checks.ranking_options(regularization, tol, max_iterations)
    checks.qs_loss(loss, {**LOSSES, "zero_one": None})
    checks.group_shares(group_weight, len(relevant), rows, starts)
    checks.flag(progress, "progress")
    problem = RankingObjective(MeanHinge(X, relevant, groups, loss, group_weight), options.regularization)
    search = Search(problem.primal, _vector(weights, X.shape[1]), options.tol)
    search.offer_dual(problem.dual(search.weights[None], np.ones(1)))
    data = {"groups": groups, "loss": loss, "group_weight": group_weight, "progress": progress}
    _by_planes(search, problem, solver or fit_ranking_svm, options, (X.astype(np.float64), relevant, data))
    return search.certificate()


def _by_planes(search, problem, solver, options, instance):
    """Improve the bounds by rounds of the solver, from the start, each to a smaller gap than the one before."""
    (X, relevant, data), wanted = instance, FIRST_GAP
    while not search.settled and search.epochs < options.max_iterations and wanted >= FINEST:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="gap .* > tol|.* do not have both classes")
            fit = solver(
                X, relevant, regularization=options.regularization, tol=wanted,
                max_iterations=options.max_iterations - search.epochs, **data,
            )  # fmt: skip
        search.epochs += int(fit.iterations)
        better = _vector(fit.weights, X.shape[1])
        search.offer_weights(better)
        if is_combination(fit.points, fit.shares):
            points, shares = np.asarray(fit.points, dtype=np.float64), np.asarray(fit.shares, dtype=np.float64)
            search.offer_dual(problem.dual(points, shares, float(fit.dual)))
        wanted = min(FASTER * wanted, max(search.wanted, FINEST)) if wanted > FINEST else 0.0


def _vector(weights, d):
    weights = checks.finite_array(checks.real_array(weights, "weights", (1, 2)), "weights").astype(np.float64)
    if weights.shape != (d,):
        raise ValueError(f"weights must have shape ({d},), got {weights.shape}")
    return weights
