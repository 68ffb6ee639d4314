"""Clusters and functions of the tests of fast.distributed."""

import contextlib
import multiprocessing
import os
import signal
import threading
import time

import dask
import distributed
import numpy as np

import fast
from fast.distributed._tasks import gather, start_on_blocks
from fast.distributed.topk_svm import _labelled


def start_method():
    """Returns how worker processes begin: where that is possible, as copies of one that has imported what they need."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return "spawn"
    from multiprocessing import forkserver

    forkserver.set_forkserver_preload(["fast.distributed"])
    forkserver.ensure_running()  # before Dask asks for other imports
    return "forkserver"


@contextlib.contextmanager
def worker_processes(n_workers=2, **of_scheduler):
    """Gives a client of worker processes with one thread each, and a scheduler that listens on this machine alone."""
    # A dashboard address with port 0: without one, Dask takes port 8787 and warns if another run of the tests has it.
    options = {"n_workers": n_workers, "threads_per_worker": 1, "processes": True, "host": "127.0.0.1"}
    options |= {"scheduler_kwargs": of_scheduler}
    settings = {"distributed.worker.multiprocessing-method": start_method()}
    # 15 s after a worker was lost, LocalCluster gives it up if it is missing, even if it is only being restarted then.
    settings |= {"distributed.deploy.lost-worker-timeout": "1h"}
    with (
        dask.config.set(settings),
        distributed.LocalCluster(**options, dashboard_address="127.0.0.1:0", silence_logs=50) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client


def processes_of(client):
    """Returns the numbers of the worker processes."""
    return sorted(client.run(os.getpid).values())


def kill(processes, seconds=0.0):
    """Kill worker processes of this test, so many seconds later. Dask's nannies start others."""

    def later():
        time.sleep(seconds)
        for process in processes:
            os.kill(process, signal.SIGKILL)

    threading.Thread(target=later).start()


class AtCall:
    """Counts the calls of a method, and does something before the n-th."""

    def __init__(self, monkeypatch, owner, name, number=0, action=None):
        self.calls, method = 0, getattr(owner, name)

        def counted(owned, /, *arguments, **options):
            self.calls += 1
            if self.calls == number:
                action(owned)
            return method(owned, *arguments, **options)

        monkeypatch.setattr(owner, name, counted)


def row_blocks(client, X, y=None, *, n_blocks=None, n_classes=None):
    """Returns the blocks of examples as `fit_topk_svm` has them, with the labels as their only vector."""
    blocks, y = _labelled(client, X, y, n_blocks, n_classes)
    return blocks.with_vectors(client, y)


def run_on_blocks(client, blocks, function, *per_block, traffic=None, **common):
    """Returns what the function returns for each block."""
    return gather(
        client, start_on_blocks(client, blocks, function, *per_block, traffic=traffic, **common), blocks, traffic
    )


def rows_and_labels(X, y):
    """Returns what a task is given."""
    return np.array(X.toarray() if hasattr(X, "tocsr") else X), np.array(y)


def shape_and_kind(X, y):
    """Returns the shape, the dtype and the type of the matrix that a task is given, and the number of labels."""
    return X.shape, X.dtype.name, type(X).__name__, len(y)


def scores_and_slope(X, y, W):
    """Returns X' X W, and the number of rows: what a pass over the examples computes."""
    return X.T @ (X @ W), len(y)


def where_it_runs(X, y):
    """Returns the process, its cache of kernels, the package, and an answer that needs a compiled kernel."""
    answer = fast.project_simplex(np.array([0.5, 1.0, -1.0]))
    return os.getpid(), os.environ.get("NUMBA_CACHE_DIR"), fast.__file__, answer
