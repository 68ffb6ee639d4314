"""The top-k SVM on examples that are cut into parts. `reference.topk_svm_parts` derives the algorithm."""

import numpy as np

from reference.problems import checks

from ._shared.threads import one_blas_thread, threads
from ._svm.hinge import KIND_NUMBERS
from ._svm.parts.local import LocalParts
from ._svm.parts.part import Part, Problem, chunks_of, own_chunks
from ._svm.parts.rounds import Driver, solve_in_rounds

__all__ = ["fit_topk_svm_parts"]


def fit_topk_svm_parts(
    X, y, parts, *, k=1, kind="alpha", regularization, tol=1e-3, max_rounds=1000, local_epochs=1, sigma=None,
    combine="conjugate", gather=None, seed=0, sample_weight=None, duals=None, sparse_duals=False, n_jobs=1,
    progress=False,
):  # fmt: skip
    r"""Train the top-k multiclass SVM of `fit_topk_svm` on examples that are cut into parts.

    .. math::

        \arg\min_W \; \tfrac{\lambda}{2} \|W\|^2 + \tfrac1n \sum_{i=1}^n s_i \, \text{loss}(W^\top x_i, y_i)

    Each part ascends the dual by itself, and rounds combine what the parts have changed. The fit has a certified
    duality gap.

    Parameters
    ----------
    X : array or scipy CSR or CSC matrix, shape (n, d), float32 or float64
        Features, one row an example.
    y : int array, shape (n,)
        Classes 0..m-1, as for `fit_topk_svm`.
    parts : int in 1..n, or list of int arrays
        The number S of parts to which the examples are dealt out at random. Or the examples of each part: every
        example in one part, and no part empty. Their order within a part does not matter.
    k, kind, regularization, tol
        As for `fit_topk_svm`.
    max_rounds : int, >= 1
        The largest number of rounds.
    local_epochs : int, >= 1
        The number of passes that a part makes before its change is combined with those of the others.
    sigma : float, > 0, optional
        The factor sigma' by which a part stretches its own change of the weights, as the other parts may make the same
        change. If not given, it is S for "adding". Otherwise it starts at S, and is then the largest coupling of the
        last 5 passes, rounded up to a power of 2, between 1 and S. With "adding" and a number below S the dual may
        decrease.
    combine : {"conjugate", "line_search", "adding"}
        What a round does with the changes that the parts make in the duals. "adding" makes all of them, after passes
        over all examples. "line_search" makes the share of them, between 0 and 1, that increases the dual most.
        "conjugate" makes many steps, each after passes over the examples that may move. Each step maximises the dual
        along the changes, made conjugate to the last 3 directions. With the latter two the dual never decreases.
    gather : float, >= 0, may be inf, optional
        "conjugate" gathers the examples that may move if they take at most so many bytes, 8 for each number of their
        rows and 12 for each listed dual. Then it makes the steps of the round on these as one part, with sigma' = 1.
        If not given, it is 64 MB, or 8 times the bytes of W in float64 if that is more. A pass over fewer rows takes
        about as long as a cluster takes to exchange W, so that several workers would not be faster.
    seed : int, >= 0
        Seed of the parts and of all visiting orders: part p visits its examples, or those that may move, in pass q of
        round t in the order ``numpy.random.default_rng([seed, t, q, p]).permutation(...)``, all counted from 0.
    sample_weight, duals, sparse_duals, n_jobs, progress
        As for `fit_topk_svm`.

    Returns
    -------
    fit : TopKSVMFit
        As for `fit_topk_svm`, with the number of rounds as epochs. history has one record a round: primal, dual, gap,
        seconds, communications, sigma, gathered. communications is how often so far all parts were sent weights or
        directions. sigma is sigma' at the beginning of the round. gathered is 1 if the steps were made on the gathered
        examples, and otherwise 0. The gap is that of the duals as returned.

    Raises
    ------
    ValueError
        As for `fit_topk_svm`; or parts are empty, overlap or leave an example out; or another argument is not as
        described above.

    Warns
    -----
    ConvergenceWarning
        The gap is still above `tol` after `max_rounds`. The fit returned is valid, with its true gap.

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

    References
    ----------
    * Paper (Ma et al.: Adding vs. Averaging in Distributed Optimization, 2015),
      algorithm 1.
    * Paper 004 (Lapin, Hein, Schiele: Top-k Multiclass SVM, 2015), algorithm 1, for the steps.

    Examples
    --------
    >>> X, y = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]), np.array([0, 1, 2])
    >>> fit = fit_topk_svm_parts(X, y, [[0, 2], [1]], regularization=0.1, tol=1e-9)
    >>> (X @ fit.weights).argmax(axis=1)
    array([0, 1, 2])
    """
    X, y, m = checks.features_and_labels(X, y, sparse=True)
    rule = checks.parts_rule(max_rounds, local_epochs, sigma, combine, gather, seed)
    parts, n_jobs = checks.parts_of(parts, X.shape[0], seed), checks.thread_count(n_jobs)
    options = checks.svm_options(X.shape[0], m, k, kind, regularization, tol, rule.max_rounds, sample_weight)
    problem = Problem(m, KIND_NUMBERS[kind], options.k, options.radius, rule)
    given = None
    if duals is not None:
        chunks = checks.dual_chunks(duals, y, m, options)
        given = checks.assembled_duals(chunks, len(y), m, np.float64, sparse_duals=True)
    sparse_duals = checks.flag(sparse_duals, "sparse_duals")
    with threads(n_jobs) as each, one_blas_thread():
        examples = [Part(p, X[rows], y[rows], options.sample_weight[rows]) for p, rows in enumerate(parts)]
        engine = LocalParts(examples, problem, each, n_jobs, [chunks_of(given, rows) for rows in parts])
        driver = Driver(engine, problem, options, (X.shape[1], m) if hasattr(X, "tocsr") else (m, X.shape[1]))
        with checks.progress_bar(progress, rule.max_rounds) as report:
            *results, records = solve_in_rounds(driver, report, given is not None)
    weights = driver.weights if hasattr(X, "tocsr") else driver.weights.T
    chunks = [own_chunks(state, part.labels, m) for part, state in zip(examples, engine.states, strict=True)]
    duals = _in_order(parts, chunks, X.dtype, m)
    duals = duals if sparse_duals else duals.toarray()
    history = checks.parts_history(records)
    return checks.TopKSVMFit(np.ascontiguousarray(weights, X.dtype), duals, *results, history)


def _in_order(parts, chunks, dtype, m):
    """Returns the duals (n, m) of all examples as a CSR array, from those of each part."""
    from scipy import sparse  # takes half a second to import, and few fits need it

    rows = [checks.assembled_duals(own, len(part), m, dtype, True) for own, part in zip(chunks, parts, strict=True)]
    return sparse.vstack(rows, format="csr")[np.argsort(np.concatenate(parts))]
