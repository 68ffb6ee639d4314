"""The top-k SVM on Dask. `reference.topk_svm_parts` derives the algorithm, and `fast._svm.parts` has its rounds."""

from __future__ import annotations

import os
import zlib
from dataclasses import replace
from functools import partial
from itertools import pairwise
from time import perf_counter

import dask
import dask.array
import numpy as np
from distributed import Client
from scipy import sparse

from reference.problems import checks
from reference.problems.checks.types import Array, Matrix

from .._shared.threads import one_blas_thread
from .._svm.hinge import KIND_NUMBERS
from .._svm.parts.part import Problem
from .._svm.parts.rounds import Driver, solve_in_rounds
from ._blocks import Rows, checked_blocks, gathered, sent_again
from ._checkpoint import Checkpoint
from ._checks import labels_of, whole_numbers
from ._cluster import connected
from ._engine import ClusterParts
from ._tasks import LostWork, Traffic, gather

__all__ = ["fit_topk_svm"]

RESUME = "With another client, and the same checkpoint if there is one, the fit begins with what that holds."
MOST_LOSSES = 20  # of workers, in one round: more are no accident
RECORD = [("seconds_computing", np.float64), ("seconds_talking", np.float64), ("bytes", np.int64)]


def fit_topk_svm(
    X: Rows, y: Array | None = None, *, k: int = 1, kind: str = "alpha", regularization: float, tol: float = 1e-3,
    max_rounds: int = 1000, local_epochs: int = 1, sigma: float | None = None, gather: float | None = None,
    seed: int = 0, sample_weight: Array | None = None, duals: Matrix | None = None, sparse_duals: bool = False,
    return_duals: bool = True, n_classes: int | None = None, n_blocks: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None, client: Client | None = None, n_jobs: int = 1,
    progress: bool = False,
) -> checks.TopKSVMFit:  # fmt: skip
    r"""Train the top-k multiclass SVM of `fast.fit_topk_svm` on a Dask cluster, to the same certified duality gap.

    .. math::

        \arg\min_W \; \tfrac{\lambda}{2} \|W\|^2 + \tfrac1n \sum_{i=1}^n s_i \, \text{loss}(W^\top x_i, y_i)

    Neither X nor the scores need to fit into one memory. Each block of rows is a part in the sense of
    `fast.fit_topk_svm_parts`.

    Parameters
    ----------
    X : dask array, list of paths, array or scipy CSR or CSC matrix, shape (n, d), float32 or float64
        Features, one row an example, in one of three forms.

        * A dask array in chunks of rows, NumPy or CSR. Each task reads its block again: persist X first if it fits into
          the memory of the workers. Otherwise each pass reads it from disk. Use few large blocks, but one for each
          thread or more.
        * Paths of files that every worker can read: all ``.npy`` (memory-mapped: a pass reads the rows that it needs),
          all ``.npz`` (an array X or what ``scipy.sparse.save_npz`` writes), or all svmlight text.
        * An array or a CSR matrix. It is cut into `n_blocks` blocks, by default one for each thread of the workers.
    y : int array or dask array, shape (n,), optional
        Classes 0..m-1. If not given, the files hold them: an array y in ``.npz``, the labels of svmlight text.
    k, kind, regularization, tol, max_rounds, local_epochs, sigma, gather, seed
        As for `fit_topk_svm_parts`. The gathered examples are sent to the driver, and solved there.
    sample_weight : array or dask array, shape (n,), >= 0, optional
        :math:`s_i`, which multiplies the loss of example i. All 1 if not given.
    duals : array, CSR array or dask array, shape (n, m), optional
        Starting point, as for `fit_topk_svm`. A checkpoint goes before it.
    sparse_duals : bool
        Return the duals in CSR chunks instead of dense ones.
    return_duals : bool
        If False, the duals of the fit are None.
    n_classes : int, >= 2, optional
        The number m of classes. The largest label plus one if not given.
    n_blocks : int, >= 1, optional
        The number of blocks of an X in memory.
    checkpoint : path, optional
        A folder, made if it does not exist, in which each round leaves its duals, in the file ``topk_svm.npz``. A fit
        of the same problem begins with the duals in it.
    client : distributed.Client, optional
        The cluster. If not given, tasks run in `n_jobs` threads of this process, and nothing listens on a socket.
    n_jobs : int
        Number of these threads, or -1 for one per processor. The answer depends on the blocks only.
    progress : bool
        Show a progress bar.

    Returns
    -------
    fit : TopKSVMFit
        As for `fit_topk_svm_parts`. weights is an array (d, m) and duals a dask array (n, m) in the blocks of X, whose
        chunks are made from the duals that are not 0, which the driver holds. history has three fields more for each
        round: seconds_computing, the time in tasks divided by the number of threads; seconds_talking, the rest of the
        round, with what makes the blocks of a dask array; and bytes, what was sent between processes, as the sizes of
        arrays tell.

    Raises
    ------
    ValueError
        As for `fit_topk_svm`. The message names the block, and the row in it. Or blocks are empty or have different
        numbers of columns, or the checkpoint belongs to another problem.

    Warns
    -----
    ConvergenceWarning
        The gap is still above `tol` after `max_rounds`. The fit returned is valid, with its true gap.

    Notes
    -----
    A round sends W to each worker twice. It takes the sum of the parts' own weights :math:`X_p^\top A_p` in return: W,
    exactly. A step of a round that is not gathered sends W once, and takes the sum of the changes, and that of the
    corrections for examples that would leave their domain. Sums of more than 2 MB are computed by the workers.

    Tasks are functions of what they are given. If a worker is lost, Dask runs again on others what led to the states of
    its parts. If that is impossible, the round begins again from the last states that the driver has. The gap is true
    in any case, as it is computed from feasible duals and :math:`W = X^\top A`.

    Memory of a worker: a block or two for each thread, 8 d m bytes for each of a few arrays, and up to about 80 bytes
    for each listed dual of its parts. Of an example, max(16, 4 k) classes may be listed, or twice as many as have a
    dual, and no more: also where n m numbers do not fit into memory. Memory of the driver: up to 10 arrays of 8 d m
    bytes, the duals that are not 0, and the gathered examples. If there are no workers any more, Dask waits for new
    ones. If the cluster itself is gone, that is an error.

    References
    ----------
    * Paper (Ma et al.: Adding vs. Averaging in Distributed Optimization, 2015), algorithm 1.
    * Paper 004 (Lapin, Hein, Schiele: Top-k Multiclass SVM, 2015), algorithm 1, for the steps.

    Examples
    --------
    >>> import dask.array
    >>> X, y = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]), np.array([0, 1, 2])
    >>> fit = fit_topk_svm(dask.array.from_array(X, chunks=(2, 2)), y, regularization=0.1, tol=1e-9)
    >>> (X @ fit.weights).argmax(axis=1)
    array([0, 1, 2])
    """
    rule = checks.parts_rule(max_rounds, local_epochs, sigma, "conjugate", gather, seed)
    sparse_duals = checks.flag(sparse_duals, "sparse_duals")
    return_duals = checks.flag(return_duals, "return_duals")
    saved = None if checkpoint is None else Checkpoint(checkpoint)
    with connected(client, n_jobs) as client, one_blas_thread():
        blocks, y = _labelled(client, X, y, n_blocks, n_classes)
        sample_weight = None if sample_weight is None else gathered(client, sample_weight, "sample_weight")
        options = checks.svm_options(
            blocks.n, blocks.n_classes, k, kind, regularization, tol, rule.max_rounds, sample_weight
        )  # fmt: skip
        problem = Problem(blocks.n_classes, KIND_NUMBERS[kind], options.k, options.radius, rule)
        send = partial(_sent_again, client, X, blocks, y, options.sample_weight)
        blocks = blocks.with_vectors(client, y, options.sample_weight)
        found = None if saved is None else saved.duals(_about(blocks, y, options))
        given = _starting_duals(client, duals if found is None else found, y, blocks.n_classes, options)
        engine = ClusterParts(client, blocks, problem, Traffic(), y, _cut(given, blocks.starts), send)
        driver = ClusterDriver(engine, problem, options, saved)
        with checks.progress_bar(progress, rule.max_rounds) as report:
            *results, records = solve_in_rounds(driver, report, given is not None)
        rows = engine.dual_blocks() if return_duals else None
    weights = driver.weights if blocks.is_sparse else driver.weights.T
    duals = None if rows is None else _dask_array(rows, blocks, sparse_duals)
    history = checks.parts_history(records, RECORD)
    return checks.TopKSVMFit(np.ascontiguousarray(weights, blocks.dtype), duals, *results, history)


def _labelled(client, X, y, n_blocks, n_classes):
    """Returns the blocks of X, which know the number of classes, and the labels."""
    blocks, found = checked_blocks(client, X, ("y",) if y is None else (), n_blocks=n_blocks)
    y = whole_numbers(found["y"], blocks.starts) if y is None else gathered(client, y, "y")
    y, m = labels_of(y, blocks.starts, n_classes)
    return replace(blocks, n_classes=m), y


def _sent_again(client, X, blocks, *vectors):
    """Returns the blocks with the vectors of their rows. All of it is sent anew, unless X is a dask array or files."""
    return sent_again(client, X, blocks).with_vectors(client, *vectors)


def _about(blocks, y, options):
    """Returns what tells this problem from others, for the checkpoint."""
    numbers = {"n": blocks.n, "d": blocks.d, "m": blocks.n_classes, "dtype": str(blocks.dtype)}
    options_ = {"k": options.k, "kind": options.kind, "regularization": options.regularization}
    sums = {"labels": zlib.crc32(y), "weights": zlib.crc32(options.sample_weight), "squared norm": blocks.squared_norm}
    return numbers | options_ | sums


def _starting_duals(client, duals, y, m, options):
    """Returns the starting duals as a CSR array in float64, or None if there are none."""
    if duals is None:
        return None
    if isinstance(duals, dask.array.Array):
        duals = sparse.vstack([sparse.csr_array(rows) for rows in _row_chunks(client, duals)], format="csr")
    return checks.assembled_duals(checks.dual_chunks(duals, y, m, options), len(y), m, np.float64, True)


def _row_chunks(client, duals):
    """Yields the chunks of rows of a dask array, one after the other."""
    duals = duals.rechunk({1: -1})
    for chunk in duals.to_delayed()[:, 0]:
        yield from gather(client, [client.compute(chunk)])


def _cut(rows, starts):
    """Returns the rows of each block, or None if there are none."""
    return None if rows is None else [rows[first:last] for first, last in pairwise(starts.tolist())]


def _dask_array(rows, blocks, sparse_duals):
    """Returns the duals (n, m) as a dask array in the blocks of X, from CSR arrays that the driver has."""
    rows = [own.astype(blocks.dtype) for own in rows]
    chunks = [dask.delayed(own if sparse_duals else own.toarray) for own in rows]
    chunks = chunks if sparse_duals else [chunk() for chunk in chunks]
    kind = sparse.csr_array((0, 0), dtype=blocks.dtype) if sparse_duals else np.empty((0, 0), blocks.dtype)
    return dask.array.concatenate(
        [dask.array.from_delayed(chunk, own.shape, meta=kind) for chunk, own in zip(chunks, rows, strict=True)]
    )


class ClusterDriver(Driver):
    """The rounds of `Driver` on a cluster: repeated after a loss, saved, and counted in seconds and bytes."""

    def __init__(self, engine, problem, options, saved):
        m, d = problem.m, engine.blocks.d
        super().__init__(engine, problem, options, (d, m) if engine.blocks.is_sparse else (m, d))
        self.saved, self.rounds, self.begun = saved, 0, perf_counter()

    def begin(self):
        """Certify the starting duals."""
        self._until_done(self._begin)

    def _begin(self):
        super().begin()
        self._keep(False)

    def advance(self, wanted):
        """One round."""
        self._until_done(self._advance, wanted)
        self.rounds += 1

    def _advance(self, wanted):
        super().advance(wanted)
        self._keep(self.rounds + 1 == self.options.max_epochs)

    def _keep(self, is_last):
        """Fetch the states if they are to be saved, or to be returned: then no loss of a worker matters any more."""
        if self.saved or is_last or checks.relative_gap(*self.objectives) <= self.options.tol:
            self.engine.save()
        if self.saved:
            self.saved.save(sparse.vstack(self.engine.dual_blocks(), format="csr"))

    def _until_done(self, work, *arguments):
        """Do the work. If workers are lost with what Dask cannot compute again, retry it from the last states."""
        for loss in range(MOST_LOSSES + 1):
            try:
                if loss:
                    self._restart()
                return work(*arguments)
            except Exception as error:
                if self.engine.client.status != "running":
                    raise LostWork(f"the cluster is gone. {RESUME}") from error
                if not isinstance(error, LostWork) or loss == MOST_LOSSES:
                    raise

    def _restart(self):
        """Take the last states that the driver has. Any states are feasible, so that their gap is true."""
        self.engine.restart()
        number, self.number = self.number, 0
        self.pending, self.own_pending, self.weights = (None, None), None, np.zeros_like(self.weights)
        if self.engine.has_duals:
            super().begin()
            self.number = max(number, 1)  # the next orders are new ones

    def record(self):
        """Returns the record of `Driver`, and of this round the seconds of computing and of talking, and the bytes."""
        wall, traffic = perf_counter() - self.begun, self.engine.traffic.take()
        threads = sum(self.engine.client.nthreads().values())
        computing, self.engine.seconds, self.begun = self.engine.seconds / threads, 0.0, perf_counter()
        sent = traffic.sent + traffic.received + traffic.between
        return *super().record(), computing, wall - computing, sent
