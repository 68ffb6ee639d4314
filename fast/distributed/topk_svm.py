"""The top-k SVM on Dask. `reference.topk_svm_parts` derives the algorithm, and `fast._svm.parts` has its rounds."""

import zlib
from dataclasses import replace
from itertools import pairwise
from time import perf_counter

import dask
import dask.array
import numpy as np
from scipy import sparse

from reference import contract

from .._shared.threads import one_blas_thread
from .._svm.hinge import KIND_NUMBERS
from .._svm.parts.part import Problem
from .._svm.parts.rounds import Driver, solve_in_rounds
from ._blocks import checked_blocks, gathered
from ._checkpoint import Checkpoint
from ._checks import labels_of, whole_numbers
from ._cluster import connected
from ._engine import ClusterParts
from ._tasks import LostWork, Traffic

__all__ = ["fit_topk_svm"]

MOST_LOSSES = 20  # of workers, in one round: more are no accident
RECORD = [("seconds_computing", np.float64), ("seconds_talking", np.float64), ("bytes", np.int64)]


def fit_topk_svm(
    X, y=None, *, k=1, kind="alpha", regularization, tol=1e-3, max_rounds=1000, local_epochs=1, sigma=None,
    gather=2**26, seed=0, sample_weight=None, duals=None, sparse_duals=False, return_duals=True, n_classes=None,
    n_blocks=None, checkpoint=None, client=None, n_jobs=1, progress=False,
):  # fmt: skip
    """x"""
    rule = contract.parts_rule(max_rounds, local_epochs, sigma, "conjugate", gather, seed)
    sparse_duals, return_duals = (
        contract.flag(sparse_duals, "sparse_duals"),
        contract.flag(return_duals, "return_duals"),
    )
    with connected(client, n_jobs) as client, one_blas_thread():
        blocks, y = _labelled(client, X, y, n_blocks, n_classes)
        sample_weight = None if sample_weight is None else gathered(client, sample_weight, "sample_weight")
        options = contract.svm_options(
            blocks.n, blocks.n_classes, k, kind, regularization, tol, rule.max_rounds, sample_weight
        )  # fmt: skip
        problem = Problem(blocks.n_classes, KIND_NUMBERS[kind], options.k, options.radius, rule)
        blocks = blocks.with_vectors(client, y, options.sample_weight)
        saved = None if checkpoint is None else Checkpoint(checkpoint, _about(blocks, y, options))
        given = _starting_duals(client, saved, duals, y, blocks.n_classes, options)
        engine = ClusterParts(
            client, blocks, problem, Traffic(), y, None if given is None else _cut(given, blocks.starts)
        )
        driver = ClusterDriver(engine, problem, options, saved)
        with contract.progress_bar(progress, rule.max_rounds) as report:
            *results, records = solve_in_rounds(driver, report, given is not None)
        rows = engine.dual_blocks() if return_duals else None
    weights = driver.weights if blocks.is_sparse else driver.weights.T
    duals = None if rows is None else _dask_array(rows, blocks, sparse_duals)
    history = contract.parts_history(records, RECORD)
    return contract.TopKSVMFit(np.ascontiguousarray(weights, blocks.dtype), duals, *results, history)


def _labelled(client, X, y, n_blocks, n_classes):
    """Returns the blocks of X, which know the number of classes, and the labels."""
    blocks, found = checked_blocks(client, X, ("y",) if y is None else (), n_blocks=n_blocks)
    y = whole_numbers(found["y"], blocks.starts) if y is None else gathered(client, y, "y")
    y, m = labels_of(y, blocks.starts, n_classes)
    return replace(blocks, n_classes=m), y


def _about(blocks, y, options):
    """Returns what tells this problem from others, for the checkpoint."""
    numbers = {"n": blocks.n, "d": blocks.d, "m": blocks.n_classes, "dtype": str(blocks.dtype)}
    options_ = {"k": options.k, "kind": options.kind, "regularization": options.regularization}
    sums = {"labels": zlib.crc32(y), "weights": zlib.crc32(options.sample_weight), "squared norm": blocks.squared_norm}
    return numbers | options_ | sums


def _starting_duals(client, saved, duals, y, m, options):
    """Returns the starting duals as a CSR array: those of the checkpoint, or else the given ones, or None."""
    found = saved and saved.duals()
    if found is not None:
        duals = found
    if duals is None:
        return None
    if isinstance(duals, dask.array.Array):
        duals = sparse.vstack([sparse.csr_array(rows) for rows in _row_chunks(client, duals)], format="csr")
    return contract.assembled_duals(contract.dual_chunks(duals, y, m, options), len(y), m, np.float64, True)


def _row_chunks(client, duals):
    """Yields the chunks of rows of a dask array, one after the other."""
    duals = duals.rechunk({1: -1})
    for chunk in duals.to_delayed()[:, 0]:
        yield client.compute(chunk).result()


def _cut(rows, starts):
    """Returns the rows of each block, or None if there are none."""
    return None if rows is None else [rows[first:last] for first, last in pairwise(starts.tolist())]


def _dask_array(rows, blocks, sparse_duals):
    """Returns the duals (n, m) as a dask array in the blocks of X, from CSR arrays that the driver has."""
    rows = [own.astype(blocks.dtype) for own in rows]
    chunks = [dask.delayed(own if sparse_duals else own.toarray) for own in rows]
    chunks = chunks if sparse_duals else [chunk() for chunk in chunks]
    return dask.array.concatenate(
        [dask.array.from_delayed(chunk, own.shape, own.dtype) for chunk, own in zip(chunks, rows, strict=True)]
    )


class ClusterDriver(Driver):
    """The rounds of `Driver` on a cluster: repeated after a loss, saved, and counted in seconds and bytes."""

    def __init__(self, engine, problem, options, saved):
        m, d = problem.m, engine.blocks.d
        super().__init__(engine, problem, options, (d, m) if engine.blocks.is_sparse else (m, d))
        self.saved, self.begun = saved, perf_counter()

    def begin(self):
        """Certify the starting duals."""
        self._until_done(super().begin)
        self._keep()

    def advance(self, wanted):
        """One round."""
        self._until_done(self._advance, wanted)

    def _advance(self, wanted):
        super().advance(wanted)
        self._keep()

    def _keep(self):
        """Fetch the states if they are to be saved, or to be returned: then no loss of a worker matters any more."""
        gap = contract.relative_gap(*self.objectives)
        if self.saved or gap <= self.options.tol or self.number >= self.options.max_epochs:
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
            except LostWork:
                if loss == MOST_LOSSES:
                    raise

    def _restart(self):
        """Take the last states that the driver has. Any states are feasible, so that their gap is true."""
        self.engine.restart()
        self.pending, self.own_pending, self.number = (None, None), None, 0
        self.weights = np.zeros_like(self.weights)
        if self.engine.has_duals:
            super().begin()

    def record(self):
        """Returns the record of `Driver`, and of this round the seconds of computing and of talking, and the bytes."""
        wall, traffic = perf_counter() - self.begun, self.engine.traffic.take()
        threads = sum(self.engine.client.nthreads().values())
        computing, self.engine.seconds, self.begun = self.engine.seconds / threads, 0.0, perf_counter()
        sent = traffic.sent + traffic.received + traffic.between
        return *super().record(), computing, wall - computing, sent
