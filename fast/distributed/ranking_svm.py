"""The ranking SVM on Dask: cutting planes are sums over queries, so that each block computes its part of a plane."""

from __future__ import annotations

import os
from time import perf_counter

import numpy as np
from distributed import Client

from reference.problems import checks
from reference.problems.checks.types import Array

from .._shared.planes import minimise_by_planes
from ._blocks import Rows, checked_blocks, gathered
from ._cluster import connected
from ._groups import number_of_blocks, planned, refuse_wrong_flags
from ._hinges import OFFSET, SECONDS, SLOPE, VALUE, known_loss, part_of_block, plane_of_block, rows_to_move
from ._sums import sum_on_blocks
from ._tasks import LostWork, Traffic, nbytes, pick, pin, start_on_blocks

__all__ = ["fit_ranking_svm"]

MOST_TRIES = 20  # of one round, should workers be lost that have what it needs
RECORD = [("seconds_computing", np.float64), ("seconds_talking", np.float64), ("bytes", np.int64)]


def fit_ranking_svm(
    X: Rows, relevant: Array | None = None, *, groups: Array | None = None, loss: str | checks.QSLoss = "ap",
    regularization: float, tol: float = 1e-3, max_iterations: int = 1000, group_weight: Array | None = None,
    client: Client | None = None, n_jobs: int = 1, progress: bool = False,
) -> checks.RankingSVMFit:  # fmt: skip
    r"""Train the ranking SVM of `fast.fit_ranking_svm` on a Dask cluster, to the same certified gap.

    .. math::

        \arg\min_w \; \tfrac{\lambda}{2} \|w\|^2
        + \frac{1}{G} \sum_{g=1}^G \max_R \left( \text{loss}(R) + F_g(R) - F_g(R_g^*) \right)

    The symbols are those of `fast.fit_ranking_svm`.

    Parameters
    ----------
    X : dask array, shape (n, d), in chunks of rows, NumPy or scipy CSR; or list of paths; or array or CSR matrix
        Features, one row a sample. A chunk or a file is a block, and a task reads one block. Files are ``.npy``,
        ``.npz`` or svmlight text, which the workers read. float32 stays float32, everything else becomes float64.
    relevant : bool array or dask array, shape (n,)
        Which samples are positive. If it is not given, each file holds it, and, if `groups` is not given, the groups:
        ``.npz`` as arrays `relevant` and `groups`, svmlight text as labels 0 and 1, and qid.
    groups : int array or dask array, shape (n,), optional
        The number of each sample's group, such as the query of a document. If not given, all samples are one group.
    loss : {"ap", "ndcg", "auc", "zero_one"} or QSLoss
        The loss of a ranking, or "zero_one" for the binary SVM, as for `fast.fit_ranking_svm`.
    regularization : float, > 0
        :math:`\lambda`.
    tol : float, >= 0
        The relative duality gap at which to stop.
    max_iterations : int, >= 1
        The largest number of cutting planes.
    group_weight : array or dask array, shape (n,), >= 0, optional
        The weights of the mean over groups. All samples of a group must have the same weight.
    client : distributed.Client, optional
        By default the blocks are computed by threads of this process.
    n_jobs : int
        Without a client: the number of threads, or -1 for one per processor.
    progress : bool
        Whether to show a progress bar.

    Returns
    -------
    fit : RankingSVMFit
        As of `fast.fit_ranking_svm`, with the same proof of the gap: slope, offset, points and shares. The history has
        three more fields. seconds_computing is what the workers took for an iteration: the seconds of all blocks,
        divided by the number of threads that had a block. seconds_talking is the rest of the time of the round:
        sending, scheduling and waiting for the last block. bytes is what was sent. The fit does not depend on the
        number of workers.

    Raises
    ------
    ValueError
        An argument is not as described above, or no group has both classes. The message names the block, and the row.
        Or too many rows have to be moved: see the notes.

    Warns
    -----
    UserWarning
        Some groups do not have both classes and are left out.
    ConvergenceWarning
        The gap is still above `tol` after the last iteration. The fit returned is valid, with its true gap.

    Notes
    -----
    The algorithm is that of `fast.fit_ranking_svm`. The mean hinge is a sum over groups, and so are its offset and its
    slope. In an iteration the weights (d,) are sent to all workers, each block computes its part of the plane, and the
    parts are summed in the order of the blocks. The driver solves the small programme. So the planes are exact, and
    their bound is a certificate, whatever happened to workers: a task has no state, and is computed again if a worker
    is lost.

    X is read once an iteration, and once before for checks: persist a dask array that fits into the memory of the
    workers. Flags, groups and weights are kept by the driver.

    A group is ranked as a whole, by the first block that has rows of it. Its rows in other blocks are moved there,
    once, and stay in memory. So sort the rows by groups: then few rows are moved. It is an error if one block would be
    given more rows than the largest block has. For "zero_one", nothing is moved. An array in memory is cut into 16
    blocks, or fewer if groups are spread over them.

    References
    ----------
    * Paper 002 (Mohapatra et al.: Efficient Optimization for Rank-based Loss Functions, 2018), problem (4).
    * Paper (Joachims, Finley, Yu: Cutting-Plane Training of Structural SVMs, 2009).

    Examples
    --------
    >>> import dask.array
    >>> X, relevant = np.array([[1.0, 0.0], [0.8, 1.0], [0.0, 1.0], [-1.0, 0.5]]), np.array([1, 0, 1, 0])
    >>> groups = np.array([0, 0, 1, 1])
    >>> blocks = dask.array.from_array(X, chunks=(2, 2))
    >>> fit = fit_ranking_svm(blocks, relevant, groups=groups, regularization=0.1, tol=1e-6)
    >>> print((X @ fit.weights).round(2))  # in both groups the positive is above the negative
    [ 0.34  0.09 -0.18 -0.43]
    """
    options = checks.ranking_options(regularization, tol, max_iterations)
    whole = known_loss(loss) is not None
    X = checks.features(X) if _is_in_memory(X) else X
    with connected(client, n_jobs) as client:
        vectors = {"relevant": relevant, "groups": groups, "group_weight": group_weight}
        blocks, vectors = _checked(client, X, vectors)
        n = blocks.n if blocks else X.shape[0]
        _, flags, rows, starts = checks.grouped_scores(np.zeros(n), vectors["relevant"], vectors["groups"])
        shares = checks.group_shares(vectors["group_weight"], n, rows, starts)
        if not blocks:
            blocks, _ = checked_blocks(client, X, n_blocks=number_of_blocks(n, rows, starts, whole))
        plan = planned(blocks.starts, flags, vectors["groups"], rows, starts, shares, whole)
        hinge = DistributedHinge(client, blocks, plan, loss)
        fit, _ = minimise_by_planes(hinge.plane, np.zeros(blocks.d), blocks.dtype, options, progress)
    return fit._replace(history=_with_rounds(fit.history, hinge.rounds))


def _checked(client, X, vectors):
    """Returns the Blocks of X, or None if it is in memory, and the vectors in the memory of the driver.

    Vectors that are not given are read from the files, the groups only if the flags are, too.
    """
    blocks = None
    if vectors["relevant"] is None or not _is_in_memory(X):
        wanted = ("relevant", "groups") if vectors["relevant"] is None else ()
        blocks, found = checked_blocks(client, X, tuple(name for name in wanted if vectors[name] is None))
        vectors = vectors | found
    vectors = {name: gathered(client, vector, name) for name, vector in vectors.items()}
    if blocks:
        refuse_wrong_flags(vectors["relevant"], blocks.starts)
    return blocks, vectors


def _is_in_memory(X):
    if isinstance(X, (list, tuple)):
        return not all(isinstance(x, (str, os.PathLike)) for x in X)
    return not hasattr(X, "__dask_graph__") and not isinstance(X, (str, os.PathLike))


class DistributedHinge:
    """The mean hinge over all blocks, as `minimise_by_planes` needs it, and what each evaluation took."""

    def __init__(self, client, blocks, plan, loss):
        self.client, self.blocks, self.loss, self.plan = client, blocks, loss, plan
        self.traffic, self.parts, self.rounds = Traffic(), None, []

    def plane(self, weights):
        """Returns (mean hinge, offset, slope) at the weights. Work that is lost with workers is done again."""
        began = perf_counter()
        total = self._total(weights)
        seconds, tasks = perf_counter() - began, min(len(self.blocks), sum(self.client.nthreads().values()))
        computing = min(total[SECONDS] / max(tasks, 1), seconds)
        sent = self.traffic.take()
        self.rounds.append((computing, seconds - computing, sent.sent + sent.received + sent.between))
        return total[VALUE], total[OFFSET], total[SLOPE:]

    def _total(self, weights):
        """Returns the sum of `plane_of_block` over the blocks."""
        for _ in range(MOST_TRIES):
            try:
                self.parts = self.parts or self._prepared()
                return sum_on_blocks(
                    self.client, self.blocks, plane_of_block, self.parts, traffic=self.traffic, weights=weights
                )
            except LostWork as error:
                self.parts, lost = None, error
        raise lost

    def _prepared(self):
        """Returns the futures of the Part of each block."""
        groups, moves = self.plan
        self.traffic.sent += sum(map(nbytes, groups))
        moved = [[] for _ in groups]
        if moves:
            lists = [[move.rows for move in moves if move.source == block] for block in range(len(groups))]
            sources = start_on_blocks(self.client, self.blocks, rows_to_move, lists, traffic=self.traffic)
            sent = [0] * len(groups)
            for move in moves:
                moved[move.target] += pick(self.client, [sources[move.source]], sent[move.source])
                sent[move.source] += 1
        groups = pin(self.client, groups)
        return [
            self.client.submit(part_of_block, own, self.loss, *rows, pure=False)
            for own, rows in zip(groups, moved, strict=True)
        ]


def _with_rounds(history, rounds):
    """Returns the history with the fields of RECORD."""
    full = np.recarray(len(history), dtype=history.dtype.descr + RECORD)
    for name in history.dtype.names:
        full[name] = history[name]
    for (name, _), values in zip(RECORD, zip(*rounds, strict=True), strict=True):
        full[name] = values
    return full
