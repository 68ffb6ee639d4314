"""The top-k SVM on examples that are cut into parts. `reference.topk_svm_parts` derives the algorithm."""

import numpy as np

from reference import contract

from ._shared.threads import one_blas_thread, threads
from ._svm.hinge import KIND_NUMBERS
from ._svm.parts.local import LocalParts
from ._svm.parts.part import Part, Problem, chunks_of, own_chunks
from ._svm.parts.rounds import Driver, solve_in_rounds

__all__ = ["fit_topk_svm_parts"]


def fit_topk_svm_parts(
    X, y, parts, *, k=1, kind="alpha", regularization, tol=1e-3, max_rounds=1000, local_epochs=1, sigma=None,
    combine="conjugate", gather=2**26, seed=0, sample_weight=None, duals=None, sparse_duals=False, n_jobs=1,
    progress=False,
):  # fmt: skip
    """x"""
    X, y, m = contract.features_and_labels(X, y, sparse=True)
    rule = contract.parts_rule(max_rounds, local_epochs, sigma, combine, gather, seed)
    parts, n_jobs = contract.parts_of(parts, X.shape[0], seed), contract.thread_count(n_jobs)
    options = contract.svm_options(X.shape[0], m, k, kind, regularization, tol, rule.max_rounds, sample_weight)
    problem = Problem(m, KIND_NUMBERS[kind], options.k, options.radius, rule)
    given = None
    if duals is not None:
        chunks = contract.dual_chunks(duals, y, m, options)
        given = contract.assembled_duals(chunks, len(y), m, np.float64, sparse_duals=True)
    sparse_duals = contract.flag(sparse_duals, "sparse_duals")
    with threads(n_jobs) as each, one_blas_thread():
        examples = [Part(p, X[rows], y[rows], options.sample_weight[rows]) for p, rows in enumerate(parts)]
        engine = LocalParts(examples, problem, each, n_jobs, [chunks_of(given, rows) for rows in parts])
        driver = Driver(engine, problem, options, (X.shape[1], m) if hasattr(X, "tocsr") else (m, X.shape[1]))
        with contract.progress_bar(progress, rule.max_rounds) as report:
            *results, records = solve_in_rounds(driver, report, given is not None)
    weights = driver.weights if hasattr(X, "tocsr") else driver.weights.T
    chunks = [own_chunks(state, part.labels, m) for part, state in zip(examples, engine.states, strict=True)]
    duals = _in_order(parts, chunks, X.dtype, m)
    duals = duals if sparse_duals else duals.toarray()
    history = contract.parts_history(records)
    return contract.TopKSVMFit(np.ascontiguousarray(weights, X.dtype), duals, *results, history)


def _in_order(parts, chunks, dtype, m):
    """Returns the duals (n, m) of all examples as a CSR array, from those of each part."""
    from scipy import sparse  # takes half a second to import, and few fits need it

    rows = [contract.assembled_duals(own, len(part), m, dtype, True) for own, part in zip(chunks, parts, strict=True)]
    return sparse.vstack(rows, format="csr")[np.argsort(np.concatenate(parts))]
