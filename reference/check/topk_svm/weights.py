"""`certify_weights`: how far the weights of a classifier are from the optimum of its problem, at most and at least."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...problems import checks
from ...problems.checks.types import Array, Matrix
from ...topk_svm import fit_topk_svm
from ..entropy.bounds import Softmax, TopKEntropy
from ..proofs.duality import Linear, Objective
from ..proofs.weights import Search, WeightsCertificate
from ..topk_svm.bounds import hinge
from . import ascent

LOSSES = ("topk_hinge", "topk_entropy", "softmax", "hinge", "logistic")
SMOOTH = ("topk_entropy", "softmax", "logistic")
BINARY = ("hinge", "logistic")


def certify_weights(
    X: Matrix, y: Array, weights: Array, *, loss: str = "topk_hinge", k: int = 1, kind: str = "alpha",
    smoothing: float = 0.0, regularization: float, sample_weight: Array | None = None, tol: float = 1e-3,
    max_epochs: int = 1000, solver: Callable[..., checks.TopKSVMFit] | None = None, progress: bool = False,
) -> WeightsCertificate:  # fmt: skip
    r"""Returns a certified bound of how far the weights of a classifier are from the optimum of its problem.

    .. math::

        \frac{P(W) - \min P}{P(W)}, \qquad
        P(W) = \tfrac{\lambda}{2} \|W\|^2 + \tfrac1n \sum_{i=1}^n s_i \, \text{loss}_i(W)

    Here :math:`\lambda` is `regularization`, and :math:`s_i` is `sample_weight`.

    Parameters
    ----------
    X : array or scipy CSR or CSC matrix, shape (n, d), float32 or float64
        Features, one row an example. There is no intercept: see the notes.
    y : int array, shape (n,)
        Classes 0..m-1, where m is the largest plus one. 0 and 1 for the binary losses.
    weights : array, shape (d, m), or (d,) for the binary losses
        W, or w. scikit-learn's `coef_` is the transpose, or has one row for two classes.
    loss : {"topk_hinge", "topk_entropy", "softmax", "hinge", "logistic"}
        "topk_hinge" is the loss of `fit_topk_svm`, which for k = 1 is that of Crammer and Singer. "topk_entropy" is
        that of `fit_topk_entropy`. "softmax" is the same for k = 1, the cross-entropy
        :math:`\log \sum_j e^{s_j} - s_y`. For two classes, "hinge" is :math:`\max(0, 1 - t s)` and "logistic" is
        :math:`\log(1 + e^{-t s})`, with t = 1 where y = 1, and -1 elsewhere.
    k, kind, smoothing
        For "topk_hinge", as for `fit_topk_svm`. "topk_entropy" has k alone.
    regularization : float, > 0
        :math:`\lambda`. See the notes for the names that solvers have for it.
    sample_weight : array, shape (n,), >= 0, optional
        :math:`s_i`, all 1 if not given.
    tol : float, >= 0
        The relative suboptimality up to which the weights are ok.
    max_epochs : int, >= 1
        The most epochs of the ascent; for the entropies and "logistic" the most iterations of L-BFGS.
    solver : function, optional
        For the hinges, what does the ascent: any function with the arguments and the result of `fit_topk_svm`, such as
        `fast.fit_topk_svm`. `reference.fit_topk_svm` if not given. It need not be right: see the notes.
    progress : bool
        Show a progress bar, one for each round of the ascent.

    Returns
    -------
    certificate : WeightsCertificate
        value, the bound: (P(W) - min P) / P(W) is at most this. at_least, a proved lower bound of the same number.
        bound is `tol`, ok is whether value <= tol, and what says so in a sentence. primal, P(W). dual, a lower bound of
        min P. better, weights of the same shape with a smaller objective better_primal, or the given ones. epochs and
        seconds. settled is False if the ascent ended before the bound was tight. The certificate is true if ok is.

    Raises
    ------
    ValueError
        An argument is not as described above; X, y or the weights are not finite; the shapes do not fit.

    Notes
    -----
    Any feasible duals A have :math:`D(A) \le \min P`, so that value = (P(W) - D(A)) / P(W) is right whatever made A.
    The duals are restored from the subgradients at W, and then improved. The ascent stops if value <= tol, or if its
    own weights W' prove that :math:`P(W) - \min P \ge P(W) - P(W') \ge 0.9 (P(W) - D(A))`. Then value is at most a
    ninth above the truth. All bounds include the rounding errors of their computation.

    The distance to the optimum :math:`W^*` has the bound :math:`\|W - W^*\|^2 \le 2 P(W) / \lambda` times value,
    because P is strongly convex.

    An epoch of `reference.fit_topk_svm` takes about 0.1 ms an example: for n = 1e5 some ten seconds, and dozens of
    epochs may be needed. Use ``solver=fast.fit_topk_svm`` then. O(n m (d + log m)) an epoch.

    The names of :math:`\lambda` in scikit-learn, for n examples::

        LinearSVC(C, multi_class="crammer_singer")      1 / (C n), loss "topk_hinge"
        LinearSVC(C, loss="hinge")                      1 / (C n), loss "hinge" for each class, y == c
        SGDClassifier(alpha, loss="hinge")              alpha, loss "hinge" for each class
        SGDClassifier(alpha, loss="log_loss")           alpha, loss "logistic" for each class
        LogisticRegression(C), three classes or more    1 / (C n), loss "softmax"
        LogisticRegression(C), two classes              1 / (C n), loss "logistic"

    In PyTorch, it is the ``weight_decay`` of plain SGD with the mean loss. AdamW's weight decay belongs to no such
    objective.

    An intercept that is not penalised makes another problem, with another dual: fit without it. One that is penalised
    is a weight. Append its value to the weights as a row, and a column of ones to X. LinearSVC penalises its intercept
    divided by ``intercept_scaling``: append this, and a column of that number.

    Examples
    --------
    >>> X, y = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]), np.array([0, 1, 2])
    >>> certificate = certify_weights(X, y, X.T / 2, regularization=0.1)
    >>> print(certificate.what)
    the objective exceeds the minimum by 8.26e-01 to 8.26e-01 of itself, at most 1.0e-03 asked
    """
    X, y, m = checks.features_and_labels(X, y, sparse=True)
    loss = checks.choice(loss, "loss", LOSSES)
    if loss != "topk_hinge" and (k if loss != "topk_entropy" else 1, kind, smoothing) != (1, "alpha", 0):
        got = f"{k!r}, {kind!r} and {smoothing!r} with {loss!r}"
        raise ValueError(f"k and kind must be left out unless loss is 'topk_hinge', and so must smoothing, got {got}")
    options = checks.svm_options(X.shape[0], m, k, kind, regularization, tol, max_epochs, sample_weight, smoothing)
    W = _matrix(weights, X.shape[1], m, loss)
    checks.flag(progress, "progress")
    # The binary problem is that of two classes with weights -w/2 and w/2, whose squared norms sum to |w|^2 / 2.
    strength = options.regularization * (2 if loss in BINARY else 1)
    objective = Objective(Linear(X), _loss(loss, options, y, m), strength, options.sample_weight)
    search = Search(lambda weights: objective.primal(objective.features.at(weights)), W, options.tol)
    if loss not in SMOOTH:
        ascent.by_coordinates(search, objective, solver or fit_topk_svm, options, progress)
    elif solver is None:
        ascent.by_lbfgs(search, objective, options.max_epochs, progress)
    else:
        raise ValueError(f"solver must be left out for loss {loss!r}, whose bound is improved by L-BFGS")
    certificate = search.certificate()
    better = certificate.better
    return certificate._replace(better=better[:, 1] - better[:, 0] if loss in BINARY else better)


def _loss(name, options, y, m):
    """Returns the loss of the objective."""
    if name in SMOOTH:
        return TopKEntropy(y, m, options.k) if name == "topk_entropy" else Softmax(y, m)
    return hinge(options.k, options.kind, options.smoothing)(y, m)


def _matrix(weights, d, m, loss):
    """Returns the weights (d, m) in float64. For a binary loss they are -w/2 and w/2."""
    is_binary = loss in BINARY
    if is_binary and m != 2:
        raise ValueError(f"y must hold 0 and 1 for loss {loss!r}, got {m} classes: for the weights of class c, y == c")
    weights = checks.finite_array(checks.real_array(weights, "weights", (1, 2)), "weights").astype(np.float64)
    expected = (d,) if is_binary else (d, m)
    if weights.shape != expected:
        raise ValueError(f"weights must have shape {expected}, got {weights.shape}{_hint(weights.shape, expected)}")
    return np.outer(weights, [-0.5, 0.5]) if is_binary else weights


def _hint(got, expected):
    """Returns what to do about weights of a wrong shape, if that is clear."""
    if got == expected[::-1]:
        return ": transpose them"
    if got == (1, *expected):
        return ": take their first row"
    if (got[0], *got[1:]) == (expected[0] + 1, *expected[1:]) or got == (*expected[1:], expected[0] + 1):
        return ": for an intercept that is penalised append a column of ones to X; one that is not has another dual"
    if len(got) == len(expected) == 2 and got[0] == expected[0]:
        return f": y has classes 0..{expected[1] - 1}"
    return ""
