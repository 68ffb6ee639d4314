"""The losses from their definitions: every subset of the rivals is tried, without any sorting. The smooth losses are
quadratic programmes.

Slow and obviously right. Signatures and results are those of `reference.losses`, which explains the arguments.
"""

from itertools import combinations

import numpy as np

from ..problems import checks
from .projections import _project as project_polyhedron


def topk_error(scores, y, k=1):
    """Returns 1 if there are k rivals that all score as much as the true class or more, else 0."""
    scores, y = checks.scores_and_labels(scores, y)
    k = checks.count(k, "k", scores.shape[1])
    errors = []
    for row, label in zip(scores, y, strict=True):
        rivals = [score for j, score in enumerate(row) if j != label]
        errors.append(any(all(score >= row[label] for score in subset) for subset in combinations(rivals, k)))
    return np.array(errors, dtype=scores.dtype)


def topk_hinge(scores, y, k=1, kind="alpha", smoothing=0.0):
    """Returns the largest value over all choices of classes. With h_j = 1 + s_j - s_y for the rivals j, the values are

    alpha: 0, and the mean of any k of the h_j;
    beta: the sum of any k or fewer of the h_j, divided by k;
    alpha_inclusive: 0, and the mean of any k of the h_j and the number 0 (for the true class).

    With smoothing, a quadratic programme gives the maximiser u. The smooth loss is the minimum over z of the loss of z
    plus ``|h - z|^2 / (2 smoothing)``, which is at z = h - smoothing u. Rounding errors of u hardly change this value,
    but they change ``<h, u> - smoothing/2 |u|^2`` if the sum of u is a little off.
    """
    scores, y = checks.scores_and_labels(scores, y)
    k, kind, gamma = checks.topk_loss(k, kind, smoothing, scores.shape[1])
    losses = []
    for h in _margins(scores, y):
        u = _maximiser(h, k, kind, gamma) if gamma > 0 else np.zeros(len(h))
        hinge = max(_sums(h - gamma * u, k, kind)) / k
        losses.append(hinge + gamma / 2 * (u @ u))
    return np.array(losses, dtype=scores.dtype)


def topk_hinge_gradient(scores, y, k=1, kind="alpha", smoothing=0.0):
    """Returns the gradient in the scores: u_j for the rivals, and -(sum u) for the true class.

    Without smoothing, u is the first of its maximisers that are 1/k on a choice of rivals, in the order of `_choices`.
    """
    scores, y = checks.scores_and_labels(scores, y)
    k, kind, gamma = checks.topk_loss(k, kind, smoothing, scores.shape[1])
    rows = [_maximiser(h, k, kind, gamma) for h in _margins(scores, y)]
    return np.array([np.insert(u, j, -u.sum()) for u, j in zip(rows, y, strict=True)], dtype=scores.dtype)


def _margins(scores, y):
    """Returns the h_j of each example, for its rivals."""
    rows = zip(scores.astype(np.float64), y, strict=True)
    return [np.array([1 + score - row[label] for j, score in enumerate(row) if j != label]) for row, label in rows]


def _maximiser(h, k, kind, gamma):
    """``argmax_u <h, u> - gamma/2 |u|^2  subject to  u in the dual domain of the kind``."""
    if gamma > 0:
        return project_polyhedron(h / gamma, 0.0, *dual_domain(len(h), k, kind))
    first = int(np.argmax(_sums(h, k, kind)))  # of the largest
    u = np.zeros(len(h))
    u[list(_choices(len(h), k, kind)[first])] = 1 / k
    return u


def _sums(h, k, kind):
    """Returns the sum of each choice of the h_j."""
    h = h.tolist()
    return [sum(h[j] for j in chosen) for chosen in _choices(len(h), k, kind)]


def _choices(n_rivals, k, kind):
    """Returns the choices of rivals whose h_j / k can sum to the hinge: fewer first, then in ascending order."""
    sizes = {"alpha": (0, k), "beta": range(k + 1), "alpha_inclusive": (0, k - 1, k)}[kind]
    return [chosen for size in sizes for chosen in combinations(range(n_rivals), size)]


def dual_domain(n_rivals, k, kind):
    """Returns (G, b) such that the dual domain of radius 1 is {x: G x <= b}."""
    identity, ones, shares = np.eye(n_rivals), np.ones(n_rivals), []
    if kind == "alpha" or k == 1:
        shares = [k]
    elif kind == "alpha_inclusive":
        shares = [k - 1]
    G = [-identity, *(identity - ones / share for share in shares), ones[None]]
    b = [0 * ones, *(0 * ones for _ in shares), [1.0]]
    if kind != "alpha":
        G, b = [*G, identity], [*b, ones / k]
    return np.vstack(G), np.concatenate(b)
