"""What does a fit cost in one process, and in one and two worker processes? The measurement of notebook 16.

Run from the top of the checkout:

    make study STUDY=workers          or            python -m notebooks.studies.workers

The top-1 SVM of 100 000 examples of 100 Gaussian classes, 256 features in float32, lambda = 1/n, to a gap of 1e-3. It
is fitted by `fast.fit_topk_svm` with one thread, and by `fast.distributed.fit_topk_svm` in four blocks, which lie in
the memory of one or of two worker processes of one thread each, on this machine. The blocks are the same, so both
clusters make the same rounds. A run stores CPU seconds: of each worker, and of the driver, which is the process that
asks the workers, with the scheduler in it. Wall times are not stored, as other work may share the machine.

The three ways take turns, REPEATS times each, and a run is stored when it is done. Five minutes, or more on a machine
that is busy.
"""

import contextlib
import json
import time
import warnings
from pathlib import Path

import dask
import dask.array
import distributed
import numpy as np
import psutil

import fast
import fast.distributed

from .which_estimator import machine

RESULTS = Path(__file__).parents[1] / "results" / "workers.json"
BLOCKS, REPEATS = 4, 3
WAYS = {"fit_topk_svm": 0, "one worker": 1, "two workers": 2}


def blobs(n=100_000, d=256, m=100):
    """(X, y) of Gaussian classes, of which about a tenth of the examples have a dual in the end."""
    random = np.random.default_rng(0)
    y = np.concatenate([np.arange(m), random.integers(0, m, n - m)])
    X = random.standard_normal((n, d), dtype=np.float32)
    X += 0.5 * random.standard_normal((m, d)).astype(np.float32)[y]
    return X / np.float32(np.sqrt(d)), y


@contextlib.contextmanager
def workers(number):
    """Gives a client of so many worker processes with one thread each; nothing listens beyond this machine."""
    options = {"n_workers": number, "threads_per_worker": 1, "host": "127.0.0.1", "dashboard_address": "127.0.0.1:0"}
    with (
        dask.config.set({"distributed.worker.multiprocessing-method": "spawn"}),
        distributed.LocalCluster(processes=True, silence_logs=50, **options) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client


def cpu_seconds():
    """CPU seconds of this process since it began."""
    times = psutil.Process().cpu_times()
    return times.user + times.system


def distributed_fit(client, X, y):
    """Returns the fit in `BLOCKS` blocks, which the workers have before it begins, and a row of its costs."""
    blocks = client.persist(dask.array.from_array(X, chunks=(-(-len(X) // BLOCKS), X.shape[1])))
    client.compute(blocks.sum()).result()
    before, own = client.run(cpu_seconds), cpu_seconds()
    fit = fast.distributed.fit_topk_svm(blocks, y, regularization=1 / len(y), client=client, return_duals=False)
    driver, after = cpu_seconds() - own, client.run(cpu_seconds)
    return fit, {
        "workers": sorted(round(after[worker] - before[worker], 2) for worker in after),
        "driver": round(driver, 2),
        "rounds": fit.epochs,
        "gathered": int(fit.history.gathered.sum()),
        "communications": int(fit.history.communications[-1]),
        "megabytes": round(float(fit.history.bytes.sum()) / 1e6),
    }


def row_of(way, X, y):
    """The costs of one run. A small fit before it compiles, or loads, what the run calls."""
    small = blobs(2000)
    if WAYS[way] == 0:
        fast.fit_topk_svm(*small, regularization=1 / 2000, sparse_duals=True)
        begun = time.process_time()
        fit = fast.fit_topk_svm(X, y, regularization=1 / len(y), sparse_duals=True)
        return {"driver": round(time.process_time() - begun, 2), "rounds": fit.epochs}
    with workers(WAYS[way]) as client:
        distributed_fit(client, *small)
        return distributed_fit(client, X, y)[1]


def stored():
    """{"fit_topk_svm": [row, ...], "one worker": [...], "two workers": [...]}"""
    return json.loads(RESULTS.read_text())["rows"] if RESULTS.is_file() else {way: [] for way in WAYS}


def seconds():
    """{way: array (2, turns)} of CPU seconds: of the busiest worker (0 if there is none), and of the driver."""
    ways = stored().items()
    return {way: np.array([(max(row.get("workers", [0.0])), row["driver"]) for row in rows]).T for way, rows in ways}


def ratios():
    """{what is compared: array (turns,)} of ratios of CPU seconds."""
    (_, thread), one, two = seconds().values()
    work = np.array([sum(row["workers"]) for row in stored()["two workers"]])
    return {
        "busiest of two workers / thread": two[0] / thread,
        "the same with the driver / thread": two.sum(axis=0) / thread,
        "one worker with the driver / two": one.sum(axis=0) / two.sum(axis=0),
        "work of both workers / of the one": work / one[0],
        "thread / driver of two workers": thread / two[1],
    }


def main():
    warnings.filterwarnings("ignore", "Sending large graph")  # before the measurement begins
    X, y = blobs()
    for number in range(REPEATS):
        for way in WAYS:
            rows = stored()
            if len(rows[way]) <= number:
                row = row_of(way, X, y)
                rows[way].append(row)
                RESULTS.write_text(json.dumps({"machine": machine(), "rows": rows}, indent=1) + "\n")
                print(f"{way:13}{row}", flush=True)


if __name__ == "__main__":
    main()
