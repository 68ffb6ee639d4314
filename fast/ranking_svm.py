"""The ranking SVM by cutting planes; `reference.ranking_svm` derives the algorithm.

The scores of all samples and the slope of a plane are two products with X. Between them a kernel ranks all groups, and
the dual keeps its inner products, so that a new plane costs one row of them.
"""

import numpy as np

from reference import contract

from ._ranking.groups import Groups, infer_groups, rank_groups
from ._shared.examples import read_only
from ._shared.planes import minimise_by_planes
from .ranking import LOSSES, _kind_of, interleaving_ranks, loss_augmented_inference, rank_loss, semigradient

__all__ = ["grouped_inference", "fit_ranking_svm"]


def grouped_inference(scores, relevant, groups=None, loss="ap"):
    """argmax_R loss(R) + F(R)  for each group of samples: `loss_augmented_inference`, many queries at once.

    Parameters
    ----------
    scores : array, shape (n,), float32 or float64
    relevant : bool array, shape (n,)
        Which samples are positive.
    groups : int array, shape (n,), optional
        Which samples belong together; all of them if not given.
    loss : {"ap", "ndcg", "auc"} or QSLoss

    Returns
    -------
    inference : Inference
        interleaving (n,), int64: of each negative within its group, 0 for positives and for what is left out; objective
        and loss (groups,), float64, of the groups that have both classes, in the order of their numbers.

    Raises
    ------
    ValueError
        Scores are empty, not finite or not 1-D; no group has both classes; `loss` is none of the above.

    Warns
    -----
    UserWarning
        Some groups do not have both classes and are left out.

    Notes
    -----
    The twin of `reference.grouped_inference`: the groups are shared out among NUMBA_NUM_THREADS threads.
    Source: 002, eq. (6).

    Examples
    --------
    >>> scores, relevant = np.array([1.0, 0.5, 0.0, 3.0, 2.0]), np.array([True, False, True, True, False])
    >>> grouped_inference(scores, relevant, groups=np.array([0, 0, 0, 1, 1])).interleaving
    array([0, 2, 0, 0, 2])
    """
    scores, relevant, rows, starts = contract.grouped_scores(scores, relevant, groups)
    loss = contract.qs_loss(loss, LOSSES)
    ranker = Ranker(relevant, rows, starts, loss)
    passed, values = ranker.rank(scores.astype(np.float64))
    ranks = np.zeros(len(scores), np.int64)
    negatives = ranker.groups.rows[~relevant[ranker.groups.rows]]
    ranks[negatives] = ranker.count[negatives, 0] + 1 - passed[negatives]
    return contract.Inference(ranks, values[:, 0].copy(), values[:, 1].copy())


def fit_ranking_svm(
    X, relevant, *, groups=None, loss="ap", regularization, tol=1e-3, max_iterations=1000, group_weight=None,
    progress=False,
):  # fmt: skip
    """argmin_w regularization/2 |w|^2 + mean over groups of max_R [loss(R) + F(R) - F(R*)],  with scores X w.

    Parameters
    ----------
    X : array or scipy CSR matrix, shape (n, d), float32 or float64
        Features, one row a sample.
    relevant : bool array, shape (n,)
        Which samples are positive.
    groups : int array, shape (n,), optional
        Which samples belong together, such as the documents of a query; all of them if not given.
    loss : {"ap", "ndcg", "auc", "zero_one"} or QSLoss
        "zero_one" is the hinge of each sample on its own, mean of max(0, 1 - s) and max(0, 1 + s): the binary SVM.
    regularization : float, > 0
        lambda.
    tol : float, >= 0
        The relative duality gap at which to stop.
    max_iterations : int, >= 1
        How many cutting planes at most.
    group_weight : array, shape (n,), >= 0, optional
        The mean over groups is weighted by it; all samples of a group must have the same.
    progress : bool
        Show a progress bar.

    Returns
    -------
    fit : RankingSVMFit
        weights (d,), primal, dual, gap = (primal - dual) / primal, iterations, and history, with one record
        (primal, dual, gap, seconds) an iteration. primal is that of the weights as returned, the best that were found.
        slope (d,), offset, points (c, d) and shares (c,) prove the dual: see the notes.

    Raises
    ------
    ValueError
        An argument is none of the above; no group has both classes.

    Warns
    -----
    UserWarning
        Some groups do not have both classes and are left out.
    ConvergenceWarning
        The iterations are used up and the gap is still above `tol`. The fit returned is valid, with its true gap.

    Notes
    -----
    With planes b_c + <a_c, w> the dual is max over the simplex of <b, alpha> - |A' alpha|^2 / (2 lambda), and
    w = -A' alpha / lambda. Any alpha gives a lower bound, so that the programme need not be solved to the end. Planes
    that have not been needed for a while are dropped. O(n d + n + P log n) an iteration, plus the small programme.
    slope = A' alpha and offset = <b, alpha> make the plane that proves the dual, offset - |slope|^2 / (2 lambda).
    points are the weights at which the planes with alpha > 0 touch the mean hinge, and shares are their alpha.
    `reference.fit_ranking_svm` says how to check the proof. Source: 002, problem (4); Joachims, Finley and Yu 2009.

    Examples
    --------
    >>> X, relevant = np.array([[1.0, 0.0], [0.8, 1.0], [0.0, 1.0], [-1.0, 0.5]]), np.array([1, 1, 0, 0])
    >>> fit = fit_ranking_svm(X, relevant, regularization=0.1, tol=1e-6)
    >>> scores = X @ fit.weights
    >>> bool(scores[:2].min() > scores[2:].max())
    True
    """
    X, relevant, rows, starts = contract.sorted_groups(X, relevant, groups)
    options = contract.ranking_options(regularization, tol, max_iterations)
    loss = contract.qs_loss(loss, {**LOSSES, "zero_one": None})
    ranker = Ranker(relevant, rows, starts, loss, contract.group_shares(group_weight, len(relevant), rows, starts))
    hinge = ranker.hinge if loss else ranker.hinge_of_samples

    def plane(weights):
        value, offset, gradient = hinge(np.asarray(X @ weights, np.float64))
        return value, offset, X.T @ gradient

    return minimise_by_planes(plane, np.zeros(X.shape[1]), X.dtype, options, progress)[0]


class Ranker:
    """The groups in the one form that the kernels read, and the hinges of given scores."""

    def __init__(self, relevant, rows, starts, loss, shares=None):
        self.loss, self.relevant, self.kind = loss, relevant, _kind_of(loss)
        sizes, numbers = np.diff(starts), np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        rows = rows[np.lexsort((~relevant[rows], numbers))]
        positives = np.add.reduceat(relevant[rows].astype(np.int64), starts[:-1])
        self.groups = Groups(rows, starts, positives)
        self.count = np.zeros((len(relevant), 2))  # the positives and the negatives of a sample's group
        self.count[rows] = np.column_stack([positives, sizes - positives])[numbers]
        self.shares = contract.group_shares(None, len(relevant), rows, starts) if shares is None else shares
        self.share = np.zeros(len(relevant))  # of a sample's group in the mean over all groups
        self.share[rows] = self.shares[numbers]
        self.weight = np.zeros(len(relevant))  # of a pair of its group in that mean
        self.weight[rows] = self.share[rows] / np.prod(self.count[rows], axis=1)
        self.copies = np.empty(len(rows))
        self.fixed = read_only(self.copies)

    def rank(self, scores):
        """(by how many each sample is passed, (objective, loss) of each group), as `infer_groups` has them."""
        passed, values = np.zeros(len(scores), np.int64), np.empty((len(self.groups.positives), 2))
        if self.kind is not None:
            infer_groups(scores, self.copies, self.fixed, self.groups, self.kind, passed, values)
            return passed, values
        for g, (p, n) in enumerate(self._samples()):
            inference = loss_augmented_inference(scores[p], scores[n], self.loss)
            values[g] = inference.objective, inference.loss
            self._write_passed(scores, p, n, inference.interleaving, passed)
        return passed, values

    def rank_by_scores(self, scores):
        """(by how many each sample is passed, the loss of each group) in the ranking that the scores make."""
        passed, losses = np.zeros(len(scores), np.int64), np.empty(len(self.groups.positives))
        if self.kind is not None:
            rank_groups(scores, self.copies, self.fixed, self.groups, self.kind, passed, losses)
            return passed, losses
        for g, (p, n) in enumerate(self._samples()):
            ranks = interleaving_ranks(scores[p], scores[n])
            losses[g] = rank_loss(ranks, len(p), self.loss)
            self._write_passed(scores, p, n, ranks, passed)
        return passed, losses

    def _samples(self):
        """(rows of the positives, rows of the negatives) of each group."""
        for here, P in zip(np.split(self.groups.rows, self.groups.starts[1:-1]), self.groups.positives, strict=True):
            yield here[:P], here[P:]

    def _write_passed(self, scores, p, n, ranks, passed):
        for which, slope in zip((p, n), semigradient(scores[p], scores[n], ranks), strict=True):
            passed[which] = np.rint(slope * len(p) * len(n) / 2)

    def towards_perfect(self):
        """The gradient of the mean of F(R*) in the scores."""
        return self.weight * np.where(self.relevant, self.count[:, 1], -self.count[:, 0])

    def hinge(self, scores):
        """(mean hinge, mean loss at the rankings that attain it, gradient of the mean hinge in the scores)."""
        passed, values = self.rank(scores)
        gradient, loss = 2 * passed * self.weight, self.shares @ values[:, 1]
        return loss + gradient @ scores, loss, gradient

    def hinge_of_samples(self, scores):
        """The same for the hinge of each sample on its own."""
        sizes, sign = np.maximum(self.count.sum(axis=1), 1), np.where(self.relevant, 1.0, -1.0)
        gradient = -sign * (sign * scores < 1) * self.share / sizes  # 0 for what is left out
        loss = np.abs(gradient).sum()
        return loss + gradient @ scores, loss, gradient
