"""The top-k error and the three top-k hinge losses of `reference.losses`, in one pass over each row."""

from __future__ import annotations

import numpy as np

from reference.problems import checks
from reference.problems import losses as problems
from reference.problems.checks.types import Array, Floats

from ._shared.examples import read_only
from ._shared.jit import kernel
from ._shared.order import heap_of_largest
from ._svm.biased_projection import candidates_within_reach, dual_thresholds, smooth_hinge
from ._svm.hinge import ALPHA_INCLUSIVE, BETA, KIND_NUMBERS, hinge, rivals_margins

__all__ = ["topk_error", "topk_hinge", "topk_hinge_gradient"]


@checks.documented_by(problems.topk_error)
def topk_error(scores: Array, y: Array, k: int = 1) -> Floats:
    """Returns 1 for an example if at least k rivals score as much as the true class or more, else 0.

    Notes
    -----
    The twin of `reference.topk_error`. A tie counts as an error. The cost is O(n m).
    """
    scores, y, k = problems.topk_error(scores, y, k)
    return _errors(read_only(np.ascontiguousarray(scores)), y, k).astype(scores.dtype)


@checks.documented_by(problems.topk_hinge)
def topk_hinge(scores: Array, y: Array, k: int = 1, kind: str = "alpha", smoothing: float = 0.0) -> Floats:
    """Returns the top-k hinge loss of each example, or the smooth one if `smoothing` is positive.

    Notes
    -----
    The twin of `reference.topk_hinge`. A heap holds the k largest values :math:`h_j` of a row. Usually few values enter
    it: O(n m) for small k, O(n m log k) in general. With smoothing, a row with a positive value is projected, in the
    same time for small k and in O(m log m) for k > 24.
    """
    scores, y, k, kind, smoothing = problems.topk_hinge(scores, y, k, kind, smoothing)
    rows = read_only(np.ascontiguousarray(scores))
    if smoothing == 0:
        losses = _hinges(rows, y, KIND_NUMBERS[kind], k)
    else:
        losses = _smooth_hinges(rows, y, KIND_NUMBERS[kind], k, smoothing)
    return checks.in_range(losses, scores.dtype, "the loss")


@checks.documented_by(problems.topk_hinge_gradient)
def topk_hinge_gradient(
    scores: Array, y: Array, k: int = 1, kind: str = "alpha", smoothing: float = 0.0
) -> Floats:  # fmt: skip
    """Returns the gradient of `topk_hinge` in the scores of each example, or a subgradient at a kink.

    Notes
    -----
    The twin of `reference.topk_hinge_gradient`, whose Notes name the subgradient at a kink. The cost is O(n m) for
    small k, and O(n m log m) in general.
    """
    scores, y, k, kind, smoothing = problems.topk_hinge_gradient(scores, y, k, kind, smoothing)
    gradient = np.empty(scores.shape)
    _write_gradients(read_only(np.ascontiguousarray(scores)), y, KIND_NUMBERS[kind], k, smoothing, gradient)
    return gradient.astype(scores.dtype, copy=False)


@kernel
def _errors(scores, y, k):
    """Returns the top-k error of each row."""
    errors = np.zeros(len(y))
    for i in range(len(y)):
        ahead = -1  # the loop counts the true class itself, too
        for score in scores[i]:
            ahead += score >= scores[i, y[i]]
        errors[i] = ahead >= k
    return errors


@kernel
def _hinges(scores, y, kind, k):
    """Returns the top-k hinge loss of each row."""
    n, m = scores.shape
    losses, margins, work = np.empty(n), np.empty(m), np.empty(m)
    for i in range(n):
        rivals_margins(scores[i], y[i], margins)
        losses[i] = hinge(margins, m - 1, kind, k, work)
    return losses


@kernel
def _smooth_hinges(scores, y, kind, k, smoothing):
    """Returns the smooth top-k hinge loss of each row."""
    n, m = scores.shape
    losses, margins, work = np.empty(n), np.empty(m), np.empty(m)
    for i in range(n):
        rivals_margins(scores[i], y[i], margins)
        losses[i] = smooth_hinge(margins, m - 1, kind, k, smoothing, work)
    return losses


@kernel
def _write_gradients(scores, y, kind, k, smoothing, gradient):
    """Write the gradient of each row, or its subgradient without smoothing."""
    n, m = scores.shape
    u, work = np.empty(m), np.empty(m)
    for i in range(n):
        rivals_margins(scores[i], y[i], u)
        if smoothing > 0:
            _maximiser_in_place(u[: m - 1], kind, k, smoothing, work)
        else:
            _subgradient_in_place(u[: m - 1], kind, k, work)
        total, label = 0.0, y[i]
        for j in range(m - 1):
            total += u[j]
            gradient[i, j if j < label else j + 1] = u[j]
        gradient[i, label] = -total


@kernel
def _maximiser_in_place(margins, kind, k, smoothing, work):
    """Replace the margins by the maximiser u of the smooth loss."""
    size = candidates_within_reach(margins, len(margins), k, smoothing / k, work)
    reference, t, cap = dual_thresholds(work, size, kind, k, smoothing, 0.0)
    for j in range(len(margins)):
        margins[j] = min(max(margins[j] - reference - t, 0.0), cap) / smoothing


@kernel
def _subgradient_in_place(margins, kind, k, work):
    """Replace the margins by the subgradient of the hinge that `topk_hinge_gradient` names."""
    is_zero, top = hinge(margins, len(margins), kind, k, work) <= 0, work[:k]
    heap_of_largest(margins, len(margins), top)
    kth = top[0]
    chosen = k - 1 if kind == ALPHA_INCLUSIVE and kth <= 0 else k
    for j in range(len(margins)):
        chosen -= margins[j] > kth  # those equal to the k-th take the places that are left
    for j in range(len(margins)):
        counts, ties = margins[j] > kth, margins[j] == kth
        if ties and chosen > 0:
            counts, chosen = True, chosen - 1
        counts &= not (is_zero or (kind == BETA and margins[j] <= 0))
        margins[j] = 1 / k if counts else 0.0
