"""The top-k SVM on examples that are cut into parts. `reference.topk_svm_parts` derives the algorithm."""

from __future__ import annotations

import numpy as np

from reference.problems import checks
from reference.problems import topk_svm_parts as problems
from reference.problems.checks.types import Array, Matrix

from ._shared.threads import one_blas_thread, threads
from ._svm.hinge import KIND_NUMBERS
from ._svm.parts.local import LocalParts
from ._svm.parts.part import Part, Problem, chunks_of, own_chunks
from ._svm.parts.rounds import Driver, solve_in_rounds

__all__ = ["fit_topk_svm_parts"]


@checks.documented_by(problems.fit_topk_svm_parts)
def fit_topk_svm_parts(
    X: Matrix, y: Array, parts: int | list[Array], *, k: int = 1, kind: str = "alpha", regularization: float,
    tol: float = 1e-3, max_rounds: int = 1000, local_epochs: int = 1, sigma: float | None = None,
    combine: str = "conjugate", gather: float | None = None, seed: int = 0, sample_weight: Array | None = None,
    duals: Matrix | None = None, sparse_duals: bool = False, n_jobs: int = 1, progress: bool = False,
) -> checks.TopKSVMFit:  # fmt: skip
    """Train the top-k multiclass SVM of `fit_topk_svm` on examples that are cut into parts.

    Notes
    -----
    The parts are computed by the threads. Their rows of X are copied. A pass over all examples steps over all classes,
    a later one over the listed classes. Gathered examples are solved by the passes of `fit_topk_svm`.

    With "conjugate" the answer has the same certificate as the reference's, but is not the same: a step along a
    direction and the next pass are one communication, so that a pass does not know which examples of other parts were
    left out of the step. The best shares of both are made, and the dual never decreases.

    Of an example, at most max(16, 4 k) classes are listed, or twice as many as have a dual. An example with x = 0 gets
    its optimal duals in the first round. Duals are kept in lists, as in `fit_topk_svm`. The cost is O(n m d) a round,
    O(d) for each listed class and pass, and O(d m) for each part and pass. Memory: 8 d m bytes for each of about 6
    arrays, and for each of up to 8 parts.
    """
    problem = problems.fit_topk_svm_parts(
        X, y, parts, k=k, kind=kind, regularization=regularization, tol=tol, max_rounds=max_rounds,
        local_epochs=local_epochs, sigma=sigma, combine=combine, gather=gather, seed=seed, sample_weight=sample_weight,
        duals=duals, sparse_duals=sparse_duals, n_jobs=n_jobs, progress=progress,
    )  # fmt: skip
    X, y, m, parts, options = problem.X, problem.y, problem.m, problem.parts, problem.options
    common, given = Problem(m, KIND_NUMBERS[kind], options.k, options.radius, problem.rule), None
    if duals is not None:
        given = checks.assembled_duals(problem.chunks_of_duals(), len(y), m, np.float64, sparse_duals=True)
    with threads(problem.n_jobs) as each, one_blas_thread():
        examples = [Part(p, X[rows], y[rows], options.sample_weight[rows]) for p, rows in enumerate(parts)]
        engine = LocalParts(examples, common, each, problem.n_jobs, [chunks_of(given, rows) for rows in parts])
        driver = Driver(engine, common, options, (X.shape[1], m) if hasattr(X, "tocsr") else (m, X.shape[1]))
        with checks.progress_bar(problem.progress, options.max_epochs) as report:
            *results, records = solve_in_rounds(driver, report, given is not None)
    weights = driver.weights if hasattr(X, "tocsr") else driver.weights.T
    chunks = [own_chunks(state, part.labels, m) for part, state in zip(examples, engine.states, strict=True)]
    duals = _in_order(parts, chunks, X.dtype, m)
    duals = duals if problem.sparse_duals else duals.toarray()
    history = checks.parts_history(records)
    return checks.TopKSVMFit(np.ascontiguousarray(weights, X.dtype), duals, *results, history)


def _in_order(parts, chunks, dtype, m):
    """Returns the duals (n, m) of all examples as a CSR array, from those of each part."""
    from scipy import sparse  # takes half a second to import, and few fits need it

    rows = [checks.assembled_duals(own, len(part), m, dtype, True) for own, part in zip(chunks, parts, strict=True)]
    return sparse.vstack(rows, format="csr")[np.argsort(np.concatenate(parts))]
