"""Work on blocks: results in the order of blocks, sums in a fixed order, errors that name the block, lost workers."""

import os
import re
import time

import dask.array as da
import distributed
import numpy as np
import pytest
from scipy import sparse

import fast
from fast.distributed._cluster import is_embedded
from fast.distributed._sums import sum_on_blocks
from fast.distributed._tasks import LostWork, Traffic, aligned, gather, nbytes, pick, pin, start_on_blocks
from tests.support.distributed import (
    kill,
    processes_of,
    row_blocks,
    rows_and_labels,
    run_on_blocks,
    scores_and_slope,
    where_it_runs,
)

N, D, M = 30, 4, 3
OF_SCHEDULER = {"allowed_failures": 2}  # by default 3, which takes longer


def examples():
    return np.random.default_rng(2).standard_normal((N, D)), np.arange(N) % M


def blocks_of(client, n_blocks=5):
    X, y = examples()
    return row_blocks(client, da.from_array(X, chunks=(N // n_blocks, D)), y)


# --- results -------------------------------------------------------------------------------------------------------


def test_values_of_a_block_and_of_all_blocks_reach_the_function(client):
    blocks = blocks_of(client)
    scaled = run_on_blocks(client, blocks, lambda X, y, a, b, c: a * c + b + len(y), range(5), [10] * 5, c=100)
    assert scaled == [100 * block + 16 for block in range(5)]


def test_results_may_stay_on_the_workers_and_be_used_there(client):
    X, y = examples()
    blocks, W = blocks_of(client), np.arange(D * M, dtype=float).reshape(D, M)
    states = start_on_blocks(client, blocks, lambda X, y: np.ones(len(y)))
    [weights] = pin(client, [W])
    results = start_on_blocks(client, blocks, lambda X, y, state, W: (state @ X @ W, y), states, W=weights)
    np.testing.assert_allclose(sum(gather(client, pick(client, results, 0))), X.sum(axis=0) @ W, atol=1e-12)
    np.testing.assert_array_equal(np.concatenate(gather(client, pick(client, results, 1))), y)


@pytest.mark.parametrize("count", [1, 3, 5, 6])
def test_sums_have_one_order(client, count):
    rng = np.random.default_rng(count)
    parts = rng.standard_normal((count, 3)) * 10.0 ** np.arange(count)[:, None]
    level, given = list(parts), parts.copy()
    while len(level) > 1:
        sums = [a + b for a, b in zip(level[::2], level[1::2], strict=False)]
        level = sums + level[2 * len(sums) :]
    summands = [(part, float(block), [block]) for block, part in enumerate(parts)]
    total, number, joined = sum_on_blocks(client, blocks_of(client, count), lambda X, y, summand: summand, summands)
    np.testing.assert_array_equal(total, level[0])
    assert number == sum(range(count)) and joined == list(range(count))
    np.testing.assert_array_equal(parts, given)  # within the process the summands are the caller's arrays


def test_bytes_are_counted(client, processes):
    for each, workers in ((client, 1), (processes, 2)):
        traffic, blocks, size = Traffic(), blocks_of(each), 8 * (D * M + 1)
        total, number = sum_on_blocks(each, blocks, scores_and_slope, W=np.ones((D, M)), traffic=traffic)
        assert total.shape == (D, M) and number == N
        assert traffic.take() == Traffic(sent=8 * D * M * workers, received=size, between=size * (workers - 1))
        assert traffic == Traffic()
        run_on_blocks(each, blocks, lambda X, y, a, b: None, [np.ones(2)] * 5, traffic=traffic, b=3.0)
        assert traffic.take() == Traffic(sent=5 * 16 + 5 * 8)


def test_bytes_of_values():
    matrix = sparse.csr_matrix(np.eye(3))
    assert nbytes(matrix) == 3 * 8 + 3 * 4 + 4 * 4
    assert nbytes([np.ones(3, np.float32), (1, 2.0), {"a": np.float64(1)}, None, "text"]) == 12 + 16 + 8


# --- errors --------------------------------------------------------------------------------------------------------


class TwoArguments(Exception):
    def __init__(self, first, second):
        super().__init__(first, second)


class RowError(ValueError):
    def __init__(self, message, row=None):
        super().__init__(message)
        self.row = row


def failing(X, y, block, error):
    if block >= 2:
        raise error
    return block


@pytest.mark.parametrize(
    ("error", "expected", "message"),
    [
        (ValueError("too large"), ValueError, "block 2 (rows 12..17 of X): too large"),
        (ZeroDivisionError("by 0"), ZeroDivisionError, "block 2 (rows 12..17 of X): by 0"),
        (TimeoutError("slow disk"), TimeoutError, "block 2 (rows 12..17 of X): slow disk"),
        (KeyError("name"), KeyError, "block 2 (rows 12..17 of X): 'name'"),
        (RowError("bad", 3), RowError, "block 2, row 3 (row 15 of X): bad"),
        (TwoArguments("a", "b"), RuntimeError, "block 2 (rows 12..17 of X): TwoArguments: ('a', 'b')"),
        (UnicodeDecodeError("utf-8", b"a", 0, 1, "odd"), RuntimeError, "block 2 (rows 12..17 of X): UnicodeDecode"),
    ],
)
def test_errors_name_the_first_block_that_failed(client, processes, error, expected, message):
    for each in (client, processes):
        blocks = blocks_of(each)
        for end in (run_on_blocks, sum_on_blocks):
            with pytest.raises(expected, match=re.escape(message)) as caught:
                end(each, blocks, failing, range(5), error=error)
            assert type(caught.value.__cause__) is type(error)


# --- processes and lost workers ------------------------------------------------------------------------------------


def test_worker_processes_know_the_package_and_the_cache_of_kernels(processes):
    found = run_on_blocks(processes, blocks_of(processes), where_it_runs)
    assert not is_embedded(processes) and len(processes.nthreads()) == 2
    for process, cache, package, answer in found:
        assert process != os.getpid()
        assert (cache, package) == (os.environ["NUMBA_CACHE_DIR"], fast.__file__)
        np.testing.assert_array_equal(answer, [0.25, 0.75, 0])


def test_workers_that_die_within_a_round_change_nothing(processes):
    X, y = examples()
    blocks = row_blocks(processes, X, y, n_blocks=5)  # in memory: sent by this process, once

    def slow(X, y, state, W):
        time.sleep(0.2)
        return state + X.T @ (X @ W)

    states = start_on_blocks(processes, blocks, scores_and_slope, W=np.eye(D))
    states = pick(processes, states, 0)
    gather(processes, states)
    futures = start_on_blocks(processes, blocks, slow, states, W=2 * np.eye(D))
    time.sleep(0.1)
    kill(processes_of(processes))  # the states, too, are computed again, from the weights of their own round
    np.testing.assert_allclose(sum(gather(processes, futures, blocks)), 3 * X.T @ X, atol=1e-12)
    got = run_on_blocks(processes, blocks, rows_and_labels)
    np.testing.assert_array_equal(np.concatenate([labels for _, labels in got]), y)


def test_data_that_no_worker_has_any_more_is_lost_work(processes):
    blocks, W = blocks_of(processes, 1), np.eye(D)
    weights = processes.scatter(W, hash=False)
    futures = start_on_blocks(processes, blocks, lambda X, y, W: time.sleep(1), W=weights)
    while not any(processes.processing().values()):
        time.sleep(0.01)
    time.sleep(0.2)  # until the task runs, and its worker holds the weights
    holders = list(processes.who_has([weights])[weights.key])
    kill(processes.run(os.getpid, workers=holders).values())
    with pytest.raises(LostWork, match="the work on block 0 was lost with its workers"):
        gather(processes, futures, blocks)
    with pytest.raises(LostWork):
        run_on_blocks(processes, blocks, lambda X, y, W: len(y), W=weights)
    [weights] = pin(processes, [W])  # the round starts anew
    assert run_on_blocks(processes, blocks, lambda X, y, W: len(y), W=weights) == [N]


def test_one_deadly_task_among_others_is_lost_work(processes):
    blocks = blocks_of(processes)  # Dask may blame the data of another block that dies with the same workers
    with pytest.raises(LostWork, match=r"the work on block [0-4] was lost with its workers"):
        run_on_blocks(processes, blocks, lambda X, y, block: os._exit(1) if block == 3 else block, range(5))


class Task:
    """A future of Dask, as far as errors go: with an error, finished, or never finished."""

    def __init__(self, status, error=None):
        self.status, self.error = status, error

    def done(self):
        return self.status != "pending"

    def exception(self):
        assert self.done(), "expected nobody to wait for workers that may never come back"
        return self.error


def test_lost_work_waits_for_no_other_block(client, monkeypatch):
    lost, failed = distributed.comm.CommClosedError("closed"), ValueError("bad row")
    tasks = [Task("pending"), Task("finished"), Task("error", failed), Task("error", lost), Task("pending")]

    def fail(_):
        raise failed

    monkeypatch.setattr(client, "gather", fail)
    with pytest.raises(LostWork, match="the work on block 3 was lost with its workers"):
        gather(client, tasks)
    with pytest.raises(ValueError, match="block 1: bad row"):
        gather(client, tasks[1:3])


def test_work_that_the_cluster_dropped_is_lost_work(client):
    blocks = blocks_of(client)
    futures = start_on_blocks(client, blocks, lambda X, y: time.sleep(0.2))
    client.cancel(futures)
    with pytest.raises(LostWork, match="the work on block 0 was lost"):
        gather(client, futures, blocks)


def test_a_connection_that_breaks_is_lost_work(client, monkeypatch):
    blocks = blocks_of(client)
    futures = start_on_blocks(client, blocks, lambda X, y: len(y))
    for broken in (TimeoutError("no answer"), distributed.comm.CommClosedError("closed")):

        def fail(*arguments, error=broken):
            raise error

        with monkeypatch.context() as patch, pytest.raises(LostWork, match="results were lost with their workers"):
            patch.setattr(client, "gather", fail)
            gather(client, futures, blocks)
    assert gather(client, futures, blocks) == [6] * 5


# --- arrays that come from another process -----------------------------------------------------------------------


def elsewhere(array):
    """A copy that begins at an odd place of the memory."""
    memory = np.empty(array.nbytes + 1, np.uint8)[1:]
    copy = memory.view(array.dtype).reshape(array.shape)
    copy[:] = array
    return copy


def test_arrays_at_odd_places_are_copied_and_others_are_not():
    array = np.random.default_rng(0).standard_normal((50, 7))
    odd = elsewhere(array)
    assert not odd.flags.aligned
    got = aligned(odd)
    assert got.flags.aligned and np.array_equal(got, array)
    assert aligned(array) is array and aligned("text") == "text"
    matrix = sparse.csr_matrix(array * (array > 0))
    assert aligned(matrix) is matrix
    parts = tuple(elsewhere(part) for part in (matrix.data, matrix.indices, matrix.indptr))
    other = sparse.csr_matrix(matrix.shape)
    other.data, other.indices, other.indptr = parts
    got = aligned(other)
    assert all(part.flags.aligned for part in (got.data, got.indices, got.indptr))
    assert type(got) is type(matrix) and (got != matrix).nnz == 0
