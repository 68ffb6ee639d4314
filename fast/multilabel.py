"""Multilabel losses, and the multilabel SVM and softmax by SDCA and Newton's method. `reference` derives them.

The losses are those of `_multilabel.rows`, one pass over each row.
"""

from __future__ import annotations

import numpy as np

from reference.problems import checks
from reference.problems import multilabel as problems
from reference.problems.checks.types import Array, Floats, Matrix

from ._multilabel.ascent import ascend
from ._multilabel.rows import LOSS_NUMBERS, errors_of_rows, gradients_of_rows, losses_of_rows, work_for
from ._shared.examples import read_only

__all__ = [
    "multilabel_error",
    "multilabel_hinge",
    "multilabel_hinge_gradient",
    "multilabel_entropy",
    "multilabel_entropy_gradient",
    "fit_multilabel",
]


@checks.documented_by(problems.multilabel_error)
def multilabel_error(scores: Array, Y: Matrix) -> Floats:
    """Returns 1 for an example if some negative class scores as much as some positive class or more, else 0.

    Notes
    -----
    The twin of `reference.multilabel_error`. A tie counts as an error, as in `topk_error`. Measures that count the
    wrong pairs or classes are in scikit-learn: ``coverage_error``, ``label_ranking_loss`` and
    ``label_ranking_average_precision_score``. The cost is O(n m).
    """
    scores, Y = problems.multilabel_error(scores, Y)
    errors = np.empty(len(scores), scores.dtype)
    errors_of_rows(read_only(np.ascontiguousarray(scores)), read_only(np.ascontiguousarray(Y)), errors)
    return errors


@checks.documented_by(problems.multilabel_hinge)
def multilabel_hinge(scores: Array, Y: Matrix, smoothing: float = 0.0) -> Floats:
    """Returns the multilabel hinge loss of each example, or the smooth one if `smoothing` is positive.

    Notes
    -----
    The twin of `reference.multilabel_hinge`. With smoothing, Newton's method finds both thresholds of the projection.
    The cost is O(n m).
    """
    scores, Y, smoothing = problems.multilabel_hinge(scores, Y, smoothing)
    return _losses(scores, Y, "hinge", smoothing)


@checks.documented_by(problems.multilabel_hinge_gradient)
def multilabel_hinge_gradient(scores: Array, Y: Matrix, smoothing: float = 0.0) -> Floats:
    """Returns the gradient of `multilabel_hinge` in the scores of each example, or a subgradient at a kink.

    Notes
    -----
    The twin of `reference.multilabel_hinge_gradient`. The cost is O(n m).
    """
    scores, Y, smoothing = problems.multilabel_hinge_gradient(scores, Y, smoothing)
    return _gradients(scores, Y, "hinge", smoothing)


@checks.documented_by(problems.multilabel_entropy)
def multilabel_entropy(scores: Array, Y: Matrix) -> Floats:
    """Returns the multilabel entropy loss of each example.

    Notes
    -----
    The twin of `reference.multilabel_entropy`. The cost is O(n m).
    """
    return _losses(*problems.multilabel_entropy(scores, Y), "entropy", 0.0)


@checks.documented_by(problems.multilabel_entropy_gradient)
def multilabel_entropy_gradient(scores: Array, Y: Matrix) -> Floats:
    """Returns the gradient of `multilabel_entropy` in the scores of each example.

    Notes
    -----
    The twin of `reference.multilabel_entropy_gradient`. The cost is O(n m).
    """
    return _gradients(*problems.multilabel_entropy_gradient(scores, Y), "entropy", 0.0)


def _losses(scores, Y, loss, smoothing):
    losses, work = np.empty(len(scores)), work_for(scores.shape[1])
    scores, Y, dtype = np.ascontiguousarray(scores), np.ascontiguousarray(Y), scores.dtype
    losses_of_rows(read_only(scores), read_only(Y), LOSS_NUMBERS[loss], smoothing, work, losses)
    return checks.in_range(losses, dtype, "the loss")


def _gradients(scores, Y, loss, smoothing):
    gradients, work = np.empty(scores.shape, scores.dtype), work_for(scores.shape[1])
    scores, Y = np.ascontiguousarray(scores), np.ascontiguousarray(Y)
    gradients_of_rows(read_only(scores), read_only(Y), LOSS_NUMBERS[loss], smoothing, work, gradients)
    return gradients


@checks.documented_by(problems.fit_multilabel)
def fit_multilabel(
    X: Matrix, Y: Matrix, *, loss: str = "hinge", smoothing: float = 0.0, regularization: float, tol: float = 1e-3,
    max_epochs: int = 1000, order: Array | None = None, seed: int = 0, sample_weight: Array | None = None,
    duals: Matrix | None = None, n_jobs: int = 1, progress: bool = False,
) -> checks.TopKSVMFit:  # fmt: skip
    """Train the multilabel SVM, or its entropy relative, to a certified duality gap.

    Notes
    -----
    The twin of `reference.fit_multilabel`. If `order` is given, each epoch visits all examples, and does nothing else.
    Otherwise only the first epoch of the hinge visits all duals. A later one makes at most 30 passes over the duals
    that may move, accelerated by conjugate directions, and ends with a look at all scores.

    Newton's method fits the entropy from the start if n >= 20 d. Otherwise it takes over if the gap decreases so slowly
    that it would need more than 100 + d m / 10 passes over all duals, or a tenth of this for the entropy. Passes are
    slow at a small regularization, and the time of Newton's method hardly depends on it. An epoch is then at most 30
    Newton steps. Each solves a linear system for all weights by conjugate gradients, with products with the rows of X
    that can move. They are preconditioned by the diagonal, and by the blocks of the classes once that took more than
    d / 4 steps. For the hinge with d m <= 2000, the matrix is factored once they took more than 100. The entropy is
    smooth as it is. The hinge is smoothed around the last duals, ever less. The best duals so far are kept. If these do
    not improve any more, passes continue. Newton's method takes some arrays (n, m) and up to 128 MB for the blocks, and
    directions take up to four arrays of the duals that may move and four of the weights. The method is that of
    Paper (Li, Sun, Toh: A Semismooth Newton Method for Lasso Problems, 2018).

    Arithmetic is in float64. X is neither copied nor made dense if it is CSR or in C order, but Newton's method needs X
    in float64, and copies the rows that can move unless all do. The cost is O(n m d) a pass over all duals, most of it
    at the speed of memory, and a matrix product for the gap. Only the look at all examples is distributed over the
    threads.
    """
    problem = problems.fit_multilabel(
        X, Y, loss=loss, smoothing=smoothing, regularization=regularization, tol=tol, max_epochs=max_epochs,
        order=order, seed=seed, sample_weight=sample_weight, duals=duals, n_jobs=n_jobs, progress=progress,
    )  # fmt: skip
    return ascend(problem._replace(Y=np.ascontiguousarray(problem.Y)), order is None, progress)
