"""Conditions of class means, whose slope is 0, and of one-vs-all learners, which are replayed."""

import numpy as np

from ...problems import checks
from ..judging.answers import integers
from ..judging.condition import Condition
from ..judging.outcome import remembered
from ..proofs.rounding import tolerance
from ..wsabie.bounds import dense, indicator, longest, squares
from ..wsabie.conditions import named, recorded, walked
from . import replay


def fit_nearest_means(problem, prototypes, **claims):
    r"""At each prototype b the slope of :math:`\tfrac12 \sum_i s_i \|b - x_i\|^2` over the examples of its class is 0.

    It is relative to the weight and the size of the examples.
    """
    X, b = problem.X, prototypes.astype(np.float64)
    unit, s, slopes = squares(X).max() ** 0.5 or longest(b) or 1.0, problem.sample_weight, []
    s = np.ones(X.shape[0]) if s is None else s
    for g, of in enumerate(map(np.flatnonzero, indicator(problem.Y, len(b)).T)):
        slopes.append(np.average((b[g] - dense(X[of])) / unit, axis=0, weights=s[of] / s[of].max()))
    what = "slope of the squared distances, relative to their weight and the largest example"
    allowed = tolerance(prototypes.dtype, 1) + tolerance(np.float64, X.shape[0])
    return [Condition(float(np.abs(slopes).max()), allowed, what), *named(claims, "euclidean")]


def fit_one_vs_all(problem, **parts):
    """The fit is the end of the walk; or, if only a seed is given, it may be the end of another one."""
    given, counts, last = vars(problem), np.ravel(problem.negatives).tolist(), parts.get("last_violators")
    if last is not None:  # a learner has none, but a fit may say so
        integers(last, parts["prototypes"].shape[:1], "last_violators", checks.NONE, len(parts["prototypes"]) - 1)
    replayed = remembered("replay of fit_one_vs_all", given, lambda: replay.replay(given, counts))
    wrong = replay.impossible(given, parts)
    claimed = [*named(parts, "linear"), *recorded(parts, len(counts) if len(counts) > 1 else None)]
    return [*claimed, *walked(parts, replayed, wrong, problem.draws is not None)]
