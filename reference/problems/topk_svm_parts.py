"""The statements of `reference.topk_svm_parts`."""

from __future__ import annotations

from . import checks
from .checks.types import Array, Matrix
from .topk_svm import TopKSVM

__all__ = ["fit_topk_svm_parts"]


def fit_topk_svm_parts(
    X: Matrix, y: Array, parts: int | list[Array], *, k: int = 1, kind: str = "alpha", regularization: float,
    tol: float = 1e-3, max_rounds: int = 1000, local_epochs: int = 1, sigma: float | None = None,
    combine: str = "conjugate", gather: float | None = None, seed: int = 0, sample_weight: Array | None = None,
    duals: Matrix | None = None, sparse_duals: bool = False, n_jobs: int = 1, progress: bool = False,
) -> TopKSVM:  # fmt: skip
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
    parts = checks.parts_of(parts, len(y), seed)
    options = checks.svm_options(len(y), m, k, kind, regularization, tol, rule.max_rounds, sample_weight)
    flags = checks.flag(sparse_duals, "sparse_duals"), checks.thread_count(n_jobs), checks.flag(progress, "progress")
    return TopKSVM(y, m, options, duals, *flags, X=X, parts=parts, rule=rule)
