"""Multilabel losses, and the multilabel SVM and softmax by stochastic dual coordinate ascent.

An example has a set of positive classes Y. All other classes are its negatives N. Both losses compare positives with
negatives: the hinge compares the lowest score of Y with the highest one of N, and the entropy compares softmax(s) with
the uniform distribution on Y. An example without a positive or without a negative has the loss 0.

The fit in English::

    Until the relative duality gap is small:
        for each example i, in random order:
            compute its scores from the weights W;
            find the row of duals that raises the dual objective most while all other rows stay;
            move W along x_i by the change of the row.
        Recompute W from the duals, and with it both objectives: their gap is a certificate.

Source: Paper (Lapin, Hein, Schiele: Analysis and Optimization of Loss Functions, 2018).
"""

from __future__ import annotations

from time import perf_counter

import numpy as np

from ._multilabel import rows
from ._multilabel.dual_step import best_row
from ._multilabel.gap import certified_gap
from .problems import checks
from .problems import multilabel as problems
from .problems.checks.types import Array, Floats, Matrix
from .topk_svm import _Linear

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
    This is what `multilabel_hinge` bounds. A tie counts as an error, as in `topk_error`. For one positive, it is the
    top-1 error. Measures that count the wrong pairs or classes are in scikit-learn: ``coverage_error``,
    ``label_ranking_loss`` and ``label_ranking_average_precision_score``. The cost is O(n m).
    """
    scores, Y = problems.multilabel_error(scores, Y)
    lowest, highest = np.where(Y, scores, np.inf).min(axis=1), np.where(Y, -np.inf, scores).max(axis=1)
    return (highest >= lowest).astype(scores.dtype)


@checks.documented_by(problems.multilabel_hinge)
def multilabel_hinge(scores: Array, Y: Matrix, smoothing: float = 0.0) -> Floats:
    r"""Returns the multilabel hinge loss of each example, or the smooth one if `smoothing` is positive.

    .. math::

        \max_{u, v} \;\; & \langle \tfrac12 - s_Y, u \rangle + \langle \tfrac12 + s_N, v \rangle
        - \tfrac{\gamma}{2} (\|u\|^2 + \|v\|^2) \\
        \text{subject to} \;\; & u, v \ge 0, \;\; \sum_i u_i = \sum_j v_j \le 1

    Here :math:`s_Y` are the scores of the positive classes, :math:`s_N` those of the negative ones, and :math:`\gamma`
    is `smoothing`.

    Notes
    -----
    Without smoothing this is :math:`\max(0, 1 + \max s_N - \min s_Y)`: for one positive, the loss of Crammer and
    Singer. With smoothing, (u, v) is a projection onto the bipartite simplex, divided by :math:`\gamma`. The loss
    decreases with :math:`\gamma`, by at most :math:`\gamma`. For one positive, it is not the smooth top-1 hinge, in
    which only the duals of the rivals are penalised. The cost is O(n m log m).
    """
    scores, Y, smoothing = problems.multilabel_hinge(scores, Y, smoothing)
    return _each_row(scores, Y, 0.0, lambda row, member: rows.hinge(row, member, smoothing))


@checks.documented_by(problems.multilabel_hinge_gradient)
def multilabel_hinge_gradient(scores: Array, Y: Matrix, smoothing: float = 0.0) -> Floats:
    r"""Returns the gradient of `multilabel_hinge` in the scores of each example, or a subgradient at a kink.

    It is -u for the positive classes and v for the negative ones, where (u, v) is the maximiser that defines the loss.

    Notes
    -----
    Each row sums to 0. With smoothing, the gradient is the projection of :math:`(\tfrac12 - s_Y, \tfrac12 + s_N)` onto
    the bipartite simplex of radius :math:`\gamma`, divided by :math:`\gamma`, with the sign of the scores. The cost is
    O(n m log m).
    """
    scores, Y, smoothing = problems.multilabel_hinge_gradient(scores, Y, smoothing)
    zero = np.zeros(scores.shape[1])
    return _each_row(scores, Y, zero, lambda row, member: rows.hinge_gradient(row, member, smoothing))


@checks.documented_by(problems.multilabel_entropy)
def multilabel_entropy(scores: Array, Y: Matrix) -> Floats:
    r"""Returns the multilabel entropy loss of each example.

    .. math::

        \log \sum_j e^{s_j} - \frac{1}{|Y|} \sum_{j \in Y} s_j

    This is the cross-entropy of softmax(s) and the uniform distribution on the positives Y.

    Notes
    -----
    For one positive, it is the loss of multinomial logistic regression. For several, it is at least log of their
    number, which it reaches if they have equal scores that are far above all others. The cost is O(n m).
    """
    scores, Y = problems.multilabel_entropy(scores, Y)
    return _each_row(scores, Y, 0.0, rows.entropy)


@checks.documented_by(problems.multilabel_entropy_gradient)
def multilabel_entropy_gradient(scores: Array, Y: Matrix) -> Floats:
    """Returns the gradient of `multilabel_entropy` in the scores of each example.

    It is softmax(s), less one divided by the number of positives for each positive class.

    Notes
    -----
    Each row sums to 0. The cost is O(n m).
    """
    scores, Y = problems.multilabel_entropy_gradient(scores, Y)
    return _each_row(scores, Y, np.zeros(scores.shape[1]), rows.entropy_gradient)


def _each_row(scores, Y, otherwise, of_row):
    """Returns what `of_row` computes for each example, or `otherwise` where the positives or negatives are empty."""
    pairs = zip(scores.astype(np.float64), Y, checks.proper_rows(Y), strict=True)
    values = np.array([of_row(row, member) if proper else otherwise for row, member, proper in pairs])
    return checks.in_range(values, scores.dtype, "the loss")


@checks.documented_by(problems.fit_multilabel)
def fit_multilabel(
    X: Matrix, Y: Matrix, *, loss: str = "hinge", smoothing: float = 0.0, regularization: float, tol: float = 1e-3,
    max_epochs: int = 1000, order: Array | None = None, seed: int = 0, sample_weight: Array | None = None,
    duals: Matrix | None = None, n_jobs: int = 1, progress: bool = False,
) -> checks.TopKSVMFit:  # fmt: skip
    r"""Train the multilabel SVM, or its entropy relative, to a certified duality gap.

    .. math::

        \arg\min_W \; \tfrac{\lambda}{2} \|W\|^2 + \tfrac1n \sum_{i=1}^n s_i \, \text{loss}(W^\top x_i, Y_i)

    Here :math:`\lambda` is `regularization`, :math:`x_i` is row i of `X`, :math:`Y_i` are the positive classes in row i
    of `Y`, and :math:`s_i` is `sample_weight`.

    Notes
    -----
    Let :math:`r_i = s_i / (\lambda n)`, and let :math:`a_i` be row i of the duals. The dual of the hinge is

    .. math::

        \max_a \;\; & \lambda \sum_i \left( \tfrac12 \|a_i\|_1 - \frac{\gamma}{2 r_i} \|a_i\|^2 \right)
        - \tfrac{\lambda}{2} \|W\|^2 \\
        \text{subject to} \;\; & (a_Y, -a_N)_i \in B(r_i)

    where :math:`B(r) = \{u, v \ge 0, \sum u = \sum v \le r\}` is the bipartite simplex. That of the entropy is

    .. math::

        \max_a \;\; & \lambda \sum_i r_i H(p_i) - \tfrac{\lambda}{2} \|W\|^2 \\
        \text{subject to} \;\; & p_i = \tau_i - a_i / r_i \ge 0, \;\; \sum_j p_{ij} = 1

    where H is the entropy, and :math:`\tau_i` is the uniform distribution on the positives. One step of the hinge is a
    projection onto B(r). One of the entropy has :math:`p = \omega(c - t) / \alpha` with the Wright omega function.

    A sparse X is made dense. The cost is O(n m (d + log m)) an epoch.
    """
    problem = problems.fit_multilabel(
        X, Y, loss=loss, smoothing=smoothing, regularization=regularization, tol=tol, max_epochs=max_epochs,
        order=order, seed=seed, sample_weight=sample_weight, duals=duals, n_jobs=n_jobs, progress=progress,
    )  # fmt: skip
    X = problem.X.toarray() if hasattr(problem.X, "tocsr") else problem.X
    return _ascend(_Linear(X, problem.duals), X.dtype, problem.Y, problem.options, problem.orders, progress)


def _ascend(model, dtype, Y, options, orders, progress):
    """Stochastic dual coordinate ascent."""
    start, history = perf_counter(), []
    with checks.progress_bar(progress, options.max_epochs) as report:
        for visiting in orders:
            for i in visiting:
                row = best_row(model.scores(i), model.duals[i], model.squared_norms[i], Y[i], options.of(i))
                model.set_row(i, row)
            duals = checks.in_range(model.duals, dtype, "duals")
            weights, primal, dual, gap = certified_gap(model, duals.astype(np.float64), Y, options)
            history.append((primal, dual, gap, perf_counter() - start))
            report(gap)
            if gap <= options.tol:
                break
            model.forget_rounding()
    checks.warn_unless_converged(gap, options.tol, len(history), X=model.X)
    history = checks.svm_history(history)
    return checks.TopKSVMFit(weights.astype(dtype), duals, primal, dual, gap, len(history), history)
