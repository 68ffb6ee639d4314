"""The top-k multiclass SVM by Prox-SDCA with shrinking. `reference.topk_svm` derives the algorithm."""

from __future__ import annotations

import numpy as np  # noqa: F401 - the examples use it

from reference.problems import checks
from reference.problems import topk_svm as problems
from reference.problems.checks.types import Array, Matrix

from ._svm.ascent import ascend
from ._svm.models import KernelModel, LinearModel

__all__ = ["fit_topk_svm", "fit_topk_svm_kernel"]


@checks.documented_by(problems.fit_topk_svm)
def fit_topk_svm(
    X: Matrix, y: Array, *, k: int = 1, kind: str = "alpha", smoothing: float = 0.0, regularization: float,
    tol: float = 1e-3, max_epochs: int = 1000, order: Array | None = None, seed: int = 0,
    sample_weight: Array | None = None, duals: Matrix | None = None, sparse_duals: bool = False, n_jobs: int = 1,
    progress: bool = False,
) -> checks.TopKSVMFit:  # fmt: skip
    r"""Train the top-k multiclass SVM to a certified duality gap.

    Notes
    -----
    If `order` is given, each epoch visits all examples, and does nothing else. Otherwise examples and classes that will
    not move are skipped, and passes over the others are accelerated by conjugate directions. Such shrinking is usual in
    sequential dual methods. Each epoch ends with a look at all examples. Arithmetic is in float64. X is neither copied
    nor made dense if it is CSR or in C order; float32 values are converted as they are read. The cost is O(n m d) an
    epoch, most of it in one matrix product, plus O(d) for each listed class and pass.

    Duals are lists of 12 bytes for each class that has one or may get one. A list of more than two thirds of the
    classes holds them all, in 8 bytes each. So training takes memory in proportion to the duals that are not 0, and a
    dense result takes 8 n m bytes more only as the lists are given up.

    The looks at all examples are distributed over the threads. The passes between them are not, and neither are the
    steps of Newton's method: each dual step changes the weights that the next one reads.

    Newton's method takes over if there are few weights for the examples, as its time hardly depends on :math:`\lambda`.
    The conditions are d m <= 2000, :math:`(d m)^2 \le 100 n` or d m <= 150, a mean of :math:`s_i \|x_i\|^2` of at least
    :math:`0.1 \lambda n`, and no given order. It waits for up to 10 epochs of coordinate ascent while examples and
    listed duals are at most 10 d m. An epoch is then a step of the proximal point method, with several passes
    over the examples. Each pass takes :math:`O(n m d + (d m)^3)` time. The method takes :math:`12 (d m)^2` bytes, and 8
    n m bytes for the duals. If the gap stops decreasing above `tol`, coordinate ascent continues. The method is that of
    Paper (Li, Sun, Toh: A Semismooth Newton Method for Lasso Problems, 2018).
    """
    problem = problems.fit_topk_svm(
        X, y, k=k, kind=kind, smoothing=smoothing, regularization=regularization, tol=tol, max_epochs=max_epochs,
        order=order, seed=seed, sample_weight=sample_weight, duals=duals, sparse_duals=sparse_duals, n_jobs=n_jobs,
        progress=progress,
    )  # fmt: skip
    return ascend(LinearModel(problem.X, problem.y, problem.m, problem.n_jobs), problem, order is not None, seed)


@checks.documented_by(problems.fit_topk_svm_kernel)
def fit_topk_svm_kernel(
    K: Array, y: Array, *, k: int = 1, kind: str = "alpha", smoothing: float = 0.0, regularization: float,
    tol: float = 1e-3, max_epochs: int = 1000, order: Array | None = None, seed: int = 0,
    sample_weight: Array | None = None, duals: Matrix | None = None, sparse_duals: bool = False, n_jobs: int = 1,
    progress: bool = False,
) -> checks.TopKSVMFit:  # fmt: skip
    """Train the top-k multiclass SVM of `fit_topk_svm`, given the inner products of the examples.

    Notes
    -----
    The cost is :math:`O(n^2 m)` an epoch, plus O(n) for each listed class and pass.
    """
    problem = problems.fit_topk_svm_kernel(
        K, y, k=k, kind=kind, smoothing=smoothing, regularization=regularization, tol=tol, max_epochs=max_epochs,
        order=order, seed=seed, sample_weight=sample_weight, duals=duals, sparse_duals=sparse_duals, n_jobs=n_jobs,
        progress=progress,
    )  # fmt: skip
    return ascend(KernelModel(problem.K, problem.y, problem.m, problem.n_jobs), problem, order is not None, seed)
