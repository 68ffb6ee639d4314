"""The ranking SVM by cutting planes. `reference.ranking_svm` derives the algorithm.

An iteration multiplies with X twice: for the scores of all samples, and for the slope of the new plane. In between a
kernel ranks all groups. The inner products of the planes are kept, so that a new plane adds one row of them.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from reference.problems import checks
from reference.problems import ranking_svm as problems
from reference.problems.checks import QSLoss
from reference.problems.checks.types import Array, Matrix

from ._ranking.groups import Groups, infer_groups, put_positives_first, rank_groups, write_ranks
from ._shared.examples import read_only
from ._shared.planes import minimise_by_planes
from ._shared.threads import in_turn, one_blas_thread, ranges, threads
from .ranking import _kind_of, _known_loss, interleaving_ranks, loss_augmented_inference, rank_loss, semigradient

__all__ = ["grouped_inference", "fit_ranking_svm"]

ENTRIES = 1 << 18  # of a matrix, about so many in one part of a product
PER_COLUMN = 16  # entries of a sparse matrix in one part, at least: each part adds a vector to the sum of the slopes
SAMPLES = 1 << 12  # at least, in one part of the groups
MOST_PARTS = 32  # of the groups: enough to balance threads, and few beside what a call of a kernel costs


@checks.documented_by(problems.grouped_inference)
def grouped_inference(
    scores: Array, relevant: Array, groups: Array | None = None, loss: str | QSLoss = "ap", *, n_jobs: int = 1
) -> checks.Inference:
    """Returns the ranking with the largest sum of loss and score for each group: `loss_augmented_inference` for many
    queries.

    Notes
    -----
    The twin of `reference.grouped_inference`. The groups are distributed over the threads.
    """
    scores, *samples, loss, n_jobs = problems.grouped_inference(scores, relevant, groups, loss, n_jobs=n_jobs)
    with threads(n_jobs) as each:
        ranks, values = Ranker(*samples, _known_loss(loss), each=each).ranks(scores.astype(np.float64))
    return checks.Inference(ranks, values[:, 0].copy(), values[:, 1].copy())


@checks.documented_by(problems.fit_ranking_svm)
def fit_ranking_svm(
    X: Matrix, relevant: Array, *, groups: Array | None = None, loss: str | QSLoss = "ap", regularization: float,
    tol: float = 1e-3, max_iterations: int = 1000, group_weight: Array | None = None, n_jobs: int = 1,
    progress: bool = False,
) -> checks.RankingSVMFit:  # fmt: skip
    r"""Train the ranking SVM for a loss of rankings to a certified gap.

    Notes
    -----
    The twin of `reference.fit_ranking_svm`. With planes :math:`b_c + \langle a_c, w \rangle`, the dual is the maximum
    of :math:`\langle b, \alpha \rangle - \|A^\top \alpha\|^2 / (2 \lambda)` over :math:`\alpha` in the simplex, and
    :math:`w = -A^\top \alpha / \lambda`. Any :math:`\alpha` gives a lower bound, so the small programme need not be
    solved exactly. Planes that have not been needed for many iterations are dropped. The cost is O(n d + n + P log n)
    an iteration, plus the small programme.

    slope :math:`= A^\top \alpha` and offset :math:`= \langle b, \alpha \rangle` define the plane that proves the dual,
    offset :math:`- \|\text{slope}\|^2 / (2 \lambda)`. points are the weights at which the planes with
    :math:`\alpha_c > 0` touch the mean hinge, and shares are their :math:`\alpha_c`. `reference.fit_ranking_svm` says
    how to check the proof.
    """
    X, *samples, loss, shares, options, n_jobs, progress = problems.fit_ranking_svm(
        X, relevant, groups=groups, loss=loss, regularization=regularization, tol=tol, max_iterations=max_iterations,
        group_weight=group_weight, n_jobs=n_jobs, progress=progress,
    )  # fmt: skip
    with threads(n_jobs) as each, one_blas_thread():
        ranker, products = Ranker(*samples, _known_loss(loss), shares, each), Products(X, each)
        hinge = ranker.hinge if ranker.loss else ranker.hinge_of_samples

        def plane(weights):
            value, offset, gradient = hinge(checks.finite_array(products.scores(weights), "X @ weights"))
            return value, offset, products.slope(gradient)

        return minimise_by_planes(plane, np.zeros(X.shape[1]), X.dtype, options, progress, X)[0]


class Products:
    """The two products of a matrix with vectors, in parts of rows, by several threads.

    The parts are the same for any number of threads, so that the sums are, too.
    """

    def __init__(self, X, each=in_turn):
        n, d = X.shape
        size, width = (max(ENTRIES, PER_COLUMN * d), X.nnz / n) if hasattr(X, "tocsr") else (ENTRIES, d)
        self.parts, self.each = ranges(n, max(1, int(size // max(1, width)))), each
        self.blocks = [X] if len(self.parts) == 1 else [_rows_of(X, *part) for part in self.parts]

    def scores(self, weights):
        """Returns X @ weights."""
        if len(self.parts) == 1:
            return np.asarray(self.blocks[0] @ weights, np.float64)
        scores = np.empty(self.parts[-1][1])

        def write(block, begin, end):
            scores[begin:end] = block @ weights

        self.each(write, [(block, *part) for block, part in zip(self.blocks, self.parts, strict=True)])
        return scores

    def slope(self, gradient):
        """Returns X' @ gradient."""
        parts = [(block, gradient[begin:end]) for block, (begin, end) in zip(self.blocks, self.parts, strict=True)]
        return sum(self.each(lambda block, part: block.T @ part, parts))


def _rows_of(X, begin, end):
    """Returns rows of a matrix, which share its memory. SciPy would copy those of a CSR matrix."""
    if not hasattr(X, "tocsr"):
        return X[begin:end]
    first, last = X.indptr[begin], X.indptr[end]
    rows = type(X)((end - begin, X.shape[1]), dtype=X.dtype)
    rows.data, rows.indices, rows.indptr = X.data[first:last], X.indices[first:last], X.indptr[begin : end + 1] - first
    return rows


class Ranker:
    """The groups in the form that the kernels read, and methods that rank them and evaluate their hinges."""

    def __init__(self, relevant, rows, starts, loss, shares=None, each=in_turn):
        self.loss, self.relevant, self.kind, self.each = loss, relevant, _kind_of(loss), each
        self.shares = checks.group_shares(None, len(relevant), rows, starts) if shares is None else shares
        size = max(SAMPLES, len(rows) // MOST_PARTS)
        firsts = np.flatnonzero(np.diff(starts[:-1] // size, prepend=-1))  # of each part, which has whole groups
        self.parts = list(zip(firsts.tolist(), [*firsts[1:].tolist(), len(starts) - 1], strict=True))
        self.groups = Groups(np.empty_like(rows), starts, np.empty(len(starts) - 1, np.int64))
        self._by_kernel(put_positives_first, relevant, rows, self.groups)
        self.copies = np.empty(len(rows))
        self.fixed = read_only(self.copies)

    @cached_property
    def count(self):
        """Number of positives and of negatives in each sample's group, shape (2, n)."""
        positives = self.groups.positives
        return self._of_samples(np.array([positives, np.diff(self.groups.starts) - positives], np.float64))

    @cached_property
    def share(self):
        """The share of each sample's group in the mean over groups."""
        return self._of_samples(self.shares)

    @cached_property
    def weight(self):
        """The weight of one pair of each sample's group in the mean over groups."""
        negatives = np.diff(self.groups.starts) - self.groups.positives
        return self._of_samples(self.shares / (self.groups.positives * negatives.astype(np.float64)))

    def _of_samples(self, values):
        """Returns the values of each sample's group, and 0 for the samples of groups that are left out."""
        of_samples = np.zeros((*values.shape[:-1], len(self.relevant)))
        of_samples[..., self.groups.rows] = np.repeat(values, np.diff(self.groups.starts), axis=-1)
        return of_samples

    def ranks(self, scores):
        """Returns the best ranks of the negatives, with 0 for the positives, and (objective, loss) of each group."""
        passed, values = self.rank(scores)
        self._by_kernel(write_ranks, self.groups, passed)
        return passed, values

    def rank(self, scores):
        """Returns (passed, values): the best rankings, in the form that `infer_groups` describes."""
        passed, values = np.zeros(len(scores), np.int64), np.empty((len(self.groups.positives), 2))
        if self.kind is not None:
            self._rank_by_kernel(infer_groups, scores, passed, values)
            return passed, values
        for g, (p, n) in enumerate(self._samples()):
            inference = loss_augmented_inference(scores[p], scores[n], self.loss)
            values[g] = inference.objective, inference.loss
            self._write_passed(scores, p, n, inference.interleaving, passed)
        return passed, values

    def rank_by_scores(self, scores):
        """Returns (passed, losses): the rankings by scores, in the form that `rank_groups` describes."""
        passed, losses = np.zeros(len(scores), np.int64), np.empty(len(self.groups.positives))
        if self.kind is not None:
            self._rank_by_kernel(rank_groups, scores, passed, losses)
            return passed, losses
        for g, (p, n) in enumerate(self._samples()):
            ranks = interleaving_ranks(scores[p], scores[n])
            losses[g] = rank_loss(ranks, len(p), self.loss)
            self._write_passed(scores, p, n, ranks, passed)
        return passed, losses

    def _rank_by_kernel(self, kernel, scores, passed, values):
        self._by_kernel(kernel, scores, self.copies, self.fixed, self.groups, self.kind, passed, values)

    def _by_kernel(self, kernel, *arguments):
        """Call a kernel for all groups, some groups a thread."""
        self.each(lambda *part: kernel(*part, *arguments), self.parts)

    def _samples(self):
        """Yields (rows of the positives, rows of the negatives) for each group."""
        for here, P in zip(np.split(self.groups.rows, self.groups.starts[1:-1]), self.groups.positives, strict=True):
            yield here[:P], here[P:]

    def _write_passed(self, scores, p, n, ranks, passed):
        """Write the entries of `passed` for one group, given the ranks of its negatives."""
        for which, slope in zip((p, n), semigradient(scores[p], scores[n], ranks), strict=True):
            passed[which] = np.rint(slope * len(p) * len(n) / 2)

    def towards_perfect(self):
        """Returns the gradient of the mean of F(R*) in the scores."""
        return self.weight * np.where(self.relevant, self.count[1], -self.count[0])

    def hinge(self, scores):
        """Returns (mean hinge, mean loss of the rankings that attain it, gradient of the mean hinge in the scores)."""
        passed, values = self.rank(scores)
        gradient, loss = 2 * passed * self.weight, self.shares @ values[:, 1]
        return loss + gradient @ scores, loss, gradient

    def hinge_of_samples(self, scores):
        """Returns the same as `hinge`, for the hinge of each sample on its own."""
        sizes, sign = np.maximum(self.count.sum(axis=0), 1), np.where(self.relevant, 1.0, -1.0)
        gradient = -sign * (sign * scores < 1) * self.share / sizes  # 0 for samples of groups that are left out
        loss = np.abs(gradient).sum()
        return loss + gradient @ scores, loss, gradient
