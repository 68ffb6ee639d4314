"""Linear classifiers with the top-k entropy losses. `reference.entropy_fits` derives the algorithms."""

from __future__ import annotations

import warnings

import numpy as np  # noqa: F401 - the examples use it

from reference.problems import checks
from reference.problems import entropy_fits as problems
from reference.problems.checks.types import Array, Matrix

from ._svm.entropy.ascent import ascend
from ._svm.entropy.models import KernelEntropyModel, LinearEntropyModel
from ._svm.entropy.truncated import TruncatedObjective, descend

__all__ = ["fit_topk_entropy", "fit_topk_entropy_kernel", "fit_truncated_topk_entropy"]


@checks.documented_by(problems.fit_topk_entropy)
def fit_topk_entropy(
    X: Matrix, y: Array, *, k: int = 1, regularization: float, tol: float = 1e-3, max_epochs: int = 1000,
    order: Array | None = None, seed: int = 0, sample_weight: Array | None = None, duals: Matrix | None = None,
    n_jobs: int = 1, progress: bool = False,
) -> checks.TopKSVMFit:  # fmt: skip
    """Train a linear classifier with the top-k entropy loss to a certified duality gap.

    Notes
    -----
    If `order` is given, each epoch visits all examples once, and the iterates are those of the reference. Otherwise an
    epoch makes several passes of coordinate ascent, and ends with a certificate when the gap is expected to be at most
    `tol`. The order is random; with blocks, it changes little from pass to pass as long as passes gain fast. If the
    regularization is so strong that the losses hardly bend the objective, the first step is one along the gradient, and
    often no pass is needed. If more than a few passes would be left, Newton's method by conjugate gradients takes over;
    its products leave out examples that have hardly any curvature. If it takes longer than the passes would, these go
    on, and each method gets about as much time as the other. With `tol` of 1e-5 or more, passes over blocks of examples
    and products of Newton's method are in float32. Duals and certificates are in float64. The cost is O(n m d) for a
    pass or a product. It takes 8 n m bytes for the duals, as much for Newton's method, and up to 128 MB for
    blocks of dense features in float32 and their inner products. Certificates are distributed over the threads; passes
    and Newton's method are not.
    """
    problem = problems.fit_topk_entropy(
        X, y, k=k, regularization=regularization, tol=tol, max_epochs=max_epochs, order=order, seed=seed,
        sample_weight=sample_weight, duals=duals, n_jobs=n_jobs, progress=progress,
    )  # fmt: skip
    model = LinearEntropyModel(problem.X, problem.y, problem.m, problem.n_jobs, problem.duals)
    return ascend(model, problem, order is None, seed)


@checks.documented_by(problems.fit_topk_entropy_kernel)
def fit_topk_entropy_kernel(
    K: Array, y: Array, *, k: int = 1, regularization: float, tol: float = 1e-3, max_epochs: int = 1000,
    order: Array | None = None, seed: int = 0, sample_weight: Array | None = None, duals: Matrix | None = None,
    n_jobs: int = 1, progress: bool = False,
) -> checks.TopKSVMFit:  # fmt: skip
    r"""Train the classifier of `fit_topk_entropy`, given the inner products of the examples.

    Notes
    -----
    Passes and certificates are those of `fit_topk_entropy`. If more than about 100 passes would be left, Newton's
    method takes over. It needs features, which a Cholesky factorization of K gives, as many as the rank of K. The cost
    is :math:`O(n^2 m)` a pass, :math:`O(n \, \text{rank}^2)` once for the factorization, and
    :math:`O(n m \, \text{rank})` a product of Newton's method, which takes :math:`8 n^2 + 8 n \, \text{rank}` bytes.
    """
    problem = problems.fit_topk_entropy_kernel(
        K, y, k=k, regularization=regularization, tol=tol, max_epochs=max_epochs, order=order, seed=seed,
        sample_weight=sample_weight, duals=duals, n_jobs=n_jobs, progress=progress,
    )  # fmt: skip
    model = KernelEntropyModel(problem.K, problem.y, problem.m, problem.n_jobs, problem.duals)
    return ascend(model, problem, order is None, seed)


@checks.documented_by(problems.fit_truncated_topk_entropy)
def fit_truncated_topk_entropy(
    X: Matrix, y: Array, *, k: int = 1, regularization: float, tol: float = 1e-6, max_iterations: int = 1000,
    sample_weight: Array | None = None, weights: Array | None = None, progress: bool = False,
) -> checks.TruncatedEntropyFit:  # fmt: skip
    """Find a stationary point of the objective with the truncated top-k entropy loss.

    Notes
    -----
    L-BFGS is SciPy's. The cost is O(n m d) an iteration.
    """
    problem = problems.fit_truncated_topk_entropy(
        X, y, k=k, regularization=regularization, tol=tol, max_iterations=max_iterations, sample_weight=sample_weight,
        weights=weights, progress=progress,
    )  # fmt: skip
    objective = TruncatedObjective(problem)
    start = _start(objective.products, problem) if problem.weights is None else problem.weights
    return descend(objective, start)


def _start(X, problem):
    """Returns the weights of `fit_topk_entropy`, in float64. They need not be an optimum."""
    options = {name: getattr(problem, name) for name in ("k", "regularization", "sample_weight")}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="gap .* > tol")
        return fit_topk_entropy(X, problem.y, **options).weights
