"""Replays direct loss minimisation with the inference of `ranking_svm.bounds`.

Where two rankings tie up to rounding, several steps are right. The replay says up to which step none does.
"""

from typing import NamedTuple

import numpy as np

from ..proofs.rounding import relative
from ..ranking_svm.bounds import MeanHinge, as_scored, worst

TIED = 1e-9  # the relative change of the weights by which ties are looked for
TRIES = 3  # random changes of the weights, to look for ties


class Trail(NamedTuple):
    """Weights and losses before each step, and the numbers of those that rounding cannot change."""

    weights: list
    losses: np.ndarray
    known_weights: int
    known_losses: int


def trail(problem):
    """Returns all steps as a Trail."""
    hinge = MeanHinge(problem.X, problem.relevant, problem.groups, problem.loss)
    w = problem.weights
    if w is None:
        w = np.mean([_mean(hinge.X[p]) - _mean(hinge.X[n]) for p, n in hinge.groups], axis=0)
    rng, weights, losses, known, seen = np.random.default_rng(0), [], [], True, [0, 0]
    for _ in range(problem.max_iterations + 1):
        loss, slope = _step(hinge, w, problem.epsilon)
        near = [_step(hinge, w * (1 + TIED * rng.normal(size=hinge.d)), problem.epsilon) for _ in range(TRIES)]
        weights.append(w)
        losses.append(loss)
        seen[0] += known
        seen[1] += known and (len(losses) == 1 or all(abs(other - loss) <= TIED for other, _ in near))
        known &= all(np.abs(other - slope).max() <= TIED * hinge.largest.max() for _, other in near)
        w = w - problem.step_size / problem.epsilon * slope
    return Trail(weights, np.array(losses), *seen)


def from_the_best(trail, weights, losses, allowed):
    """Returns how far weights are from those of the smallest loss, relative; None if these are not known.

    A loss that ties with the smallest one, up to `allowed`, counts as the smallest, too.
    """
    smallest = np.flatnonzero(losses <= losses.min() + allowed)
    if smallest[-1] >= trail.known_weights:
        return None
    size = max(np.abs(w).max() for w in trail.weights[: trail.known_weights])
    weights = weights.astype(np.float64)
    return relative(min(np.abs(weights - trail.weights[i]).max() for i in smallest), size)


def _step(hinge, weights, epsilon):
    """Returns (mean loss of the ranking by scores, mean of grad F(R_epsilon) - grad F(R_w) in the weights)."""
    scores, by_score, losses = hinge.X @ weights, np.zeros(hinge.X.shape[0]), []
    for p, n in hinge.groups:
        _, worse_p, worse_n = worst(scores[p] / epsilon, scores[n] / epsilon, hinge.loss)
        lost, here_p, here_n = as_scored(scores[p], scores[n], hinge.loss)
        losses.append(lost)
        by_score[p], by_score[n] = worse_p - here_p, worse_n - here_n
    return float(np.mean(losses)), hinge.X.T @ by_score / len(hinge.groups)


def _mean(rows):
    """Returns the mean of the rows of a dense or CSR matrix."""
    return np.ravel(rows.mean(axis=0))
