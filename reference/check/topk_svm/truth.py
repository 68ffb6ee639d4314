"""The right losses by enumeration, the right duals after one epoch by exact projections, and the minimum by CVXPY."""

from functools import partial
from math import comb

import numpy as np

from ...ground_truth import enumeration, losses, topk_svm, topk_svm_parts
from ...problems import checks
from ..judging.condition import Exactly, Minimum
from ..proofs.rounding import answer_dtype, tolerance

LARGEST_PROGRAMME = 20  # examples
MOST_CHOICES, MOST_SMOOTH = 5000, 20  # of classes that are tried, and classes of a smooth loss
CVXPY_ERROR = 1e-8  # of the minimum, relative
PROGRAMMES = {**vars(topk_svm), **vars(topk_svm_parts)}
LOSS = ("k", "kind", "smoothing")


def topk_error(problem):
    """The definition: every subset of the rivals is tried."""
    return Exactly({"errors": _loss("topk_error", problem)}, allowed=0.0) if _is_small(problem) else None


def topk_hinge(problem):
    """The definition: every choice of classes is tried."""
    return Exactly({"losses": _loss("topk_hinge", problem)}, unit=_size(problem)) if _is_small(problem) else None


def topk_hinge_gradient(problem):
    """The definition. A smooth one changes by as much as the scores, divided by the smoothing."""
    if not _is_small(problem):
        return None
    unit = max(1.0, _size(problem) / problem.smoothing) if problem.smoothing else 1.0
    return Exactly({"gradient": _loss("topk_hinge_gradient", problem)}, unit=unit)


def _loss(name, problem):
    return getattr(losses, name)(problem.scores.astype(np.float64), problem.y, **problem.only(*LOSS))


def _is_small(problem):
    """True if few choices of classes are to be tried; the conditions judge the others alone."""
    rivals, k = problem.scores.shape[1] - 1, problem.k
    if getattr(problem, "smoothing", 0.0) > 0:
        return rivals < MOST_SMOOTH
    sizes = {"beta": range(k + 1), "alpha_inclusive": (k - 1, k)}.get(getattr(problem, "kind", None), (k,))
    return sum(comb(rivals, size) for size in sizes) <= MOST_CHOICES


def _size(problem):
    return max(1.0, float(np.abs(problem.scores).max()))


def _fit(name, problem):
    """Returns the duals after one epoch or round if that is what was asked, or the minimum; None if it is large."""
    options = vars(problem)
    in_order = np.ndim(options.get("order")) == 1 and options.get("max_epochs") == 1
    adds = options.get("combine") == "adding" and options.get("max_rounds") == 1
    if (
        (in_order or adds)
        and problem.kind != "alpha_inclusive"
        and _is_curved(problem)
        and problem.sample_weight is None
    ):
        duals = one_round(problem) if adds else one_epoch(problem)
        allowed = 100 * tolerance(answer_dtype(options["K" if "K" in options else "X"]), len(duals))
        detail = f"the duals after one {'round of adding' if adds else 'epoch in this order'} are off by {{:.1e}}"
        return Exactly({"duals": duals}, 0.0, float(np.abs(duals).max()), allowed, "differs from algorithm 1", detail)
    return minimum(name, problem)


def _is_curved(problem):
    """True if each step is a projection: no example is 0, or there is smoothing."""
    norms = problem.K.diagonal() if hasattr(problem, "K") else (problem.X**2).sum(axis=1)
    return getattr(problem, "smoothing", 0.0) > 0 or norms.min() > 0


def minimum(name, problem):
    """Returns the smallest primal that CVXPY finds, or None if the instance is too large or the solver fails."""
    data = list(problem.only("X", "K", "y", "parts").values())
    return minimum_of(PROGRAMMES[name], data, problem.only(*LOSS, "regularization", "sample_weight"))


def minimum_of(programme, data, options):
    """Returns the Minimum that a programme finds for (X or K, labels, ...), or None if they are many or it fails."""
    n = len(data[1])
    if n > LARGEST_PROGRAMME:
        return None
    try:
        value = programme(*data, **options)[1]
    except RuntimeError:
        return None
    # A rounded Gram matrix has eigenvalues a little below 0. CVXPY receives the nearest matrix without them.
    return Minimum(value, max(CVXPY_ERROR, tolerance(answer_dtype(data[0]), n)))


fit_topk_svm = partial(_fit, "fit_topk_svm")
fit_topk_svm_kernel = partial(_fit, "fit_topk_svm_kernel")
fit_topk_svm_parts = partial(_fit, "fit_topk_svm_parts")


def one_epoch(problem):
    """The duals after one epoch of algorithm 1 from 0."""
    K = problem.K if hasattr(problem, "K") else problem.X @ problem.X.T
    return _steps(problem, K, problem.order)


def one_round(problem):
    """The duals after one round of "adding" from 0: an epoch of each part alone, with sigma' times its inner products.

    An example takes scores ``x'(W + sigma' V)`` and the curvature ``sigma' |x|^2``. From W = 0, both are sigma' times
    those of algorithm 1 for the part.
    """
    parts = checks.parts_of(problem.parts, len(problem.y), problem.seed)
    sigma = problem.sigma or len(parts)
    K, duals = sigma * (problem.X @ problem.X.T), 0.0
    for p, part in enumerate(parts):
        visits = part[np.random.default_rng([problem.seed, 0, 0, p]).permutation(len(part))]
        duals = duals + _steps(problem, K, visits)
    return duals


def _steps(problem, K, order):
    """The duals after one step for each example of the order from 0, each by an exact projection (Proposition 4)."""
    y, k, n = problem.y, problem.k, len(problem.y)
    radius, duals = 1 / (problem.regularization * n), np.zeros((n, int(y.max()) + 1))
    stiffness = getattr(problem, "smoothing", 0.0) / radius
    for i in order:
        q = K[i] @ duals - K[i, i] * duals[i]
        rivals = np.arange(duals.shape[1]) != y[i]
        curvature = K[i, i] + stiffness
        b, bias = (q[rivals] + 1 - q[y[i]]) / curvature, K[i, i] / curvature
        if problem.kind == "beta":
            x = enumeration.project_capped_simplex(b, radius / k, radius, bias=bias)
        else:
            x = enumeration.project_topk_simplex(b, k, radius, bias=bias)
        duals[i, rivals], duals[i, y[i]] = -x, x.sum()
    return duals
