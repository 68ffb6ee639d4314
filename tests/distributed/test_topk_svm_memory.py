"""The top-k SVM on Dask under a limit on the memory that X does not fit into."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
LIMIT = 5 * 2**24  # bytes that the fit may take beyond what the cluster itself takes
# (features, classes, regularization). The features, or the duals if they were dense, take four times as much. The first
# fit makes a round and some steps, the second one a round.
CASES = [(1024, 4, 35.0), (32, 1024, 0.5)]

LIMITED = """
import os, resource, sys
import dask, numpy as np
from fast.distributed import fit_topk_svm
from fast.distributed._cluster import connected
from reference.losses import topk_hinge
def fit(paths, y, client, gather, **ends):
    options = {"n_classes": m, "regularization": lam, "sparse_duals": True}
    return fit_topk_svm(paths, y, **options, gather=gather, client=client, **ends)
if __name__ == "__main__":
    small, large, limit, m, lam = *sys.argv[1:3], int(sys.argv[3]), int(sys.argv[4]), float(sys.argv[5])
    labels, few = (np.load(path + ".labels.npy") for path in (large, small))
    with dask.config.set({"array.chunk-size": "8 MiB"}), connected() as client:
        for gather in (0, 2**22):
            fit([small], few, client, gather, tol=0, max_rounds=3).duals.compute()  # compiles, and starts threads
        used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + limit, used + limit))
        n = len(labels)
        got = fit([large], labels, client, 2**22, tol=0.1)
        penalty = lam / 2 * np.vdot(got.weights, got.weights)
        first, loss, own = 0, 0.0, 0.0
        weights = np.zeros_like(got.weights)
        for block, chunk in enumerate(got.duals.to_delayed()[:, 0]):
            chunk = chunk.compute(scheduler="sync")
            for part in range(0, chunk.shape[0], 2**10):
                duals = chunk[part : part + 2**10].toarray()
                rows = np.fromfile(large, count=len(duals) * len(weights), offset=128 + 8 * first * len(weights))
                rows, y = rows.reshape(len(duals), -1), labels[first : first + len(duals)]
                loss += topk_hinge(rows @ got.weights, y).sum() / n
                own += lam * duals[np.arange(len(y)), y].sum()
                weights += rows.T @ duals
                first += len(duals)
        same = np.allclose(weights, got.weights, atol=1e-9)
        gap = (penalty + loss - (own - penalty)) / (penalty + loss)
        print(len(got.duals.chunks[0]), first == n, same, got.gap <= 0.1, abs(gap - got.gap) < 1e-9)
"""


def write(path, n, d, m):
    """Write X and the labels of n examples, block by block."""
    rng, means = np.random.default_rng(0), np.random.default_rng(1).standard_normal((m, d))
    X, y = np.lib.format.open_memmap(path, "w+", np.float64, (n, d)), rng.integers(0, m, n)
    for first in range(0, n, 2**12):
        rows = y[first : first + 2**12]
        X[first : first + 2**12] = means[rows] + 0.2 * rng.standard_normal((len(rows), d))
    X.flush()
    np.save(f"{path}.labels.npy", y)


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs the size of the address space from Linux")
@pytest.mark.parametrize(("d", "m", "regularization"), CASES)
def test_four_times_the_memory_limit(tmp_path, d, m, regularization):
    small, large, n = tmp_path / "small.npy", tmp_path / "large.npy", 4 * LIMIT // (8 * max(d, m))
    write(small, 2**11, d, m)
    write(large, n, d, m)
    assert 8 * n * max(d, m) >= 4 * LIMIT
    arguments = [str(part) for part in (small, large, LIMIT, m, regularization)]
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, *arguments],
        cwd=ROOT, env=os.environ | {"MALLOC_ARENA_MAX": "1"}, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    blocks = -(-8 * n * d // 2**23)
    for path in (large, small):
        path.unlink()
    assert done.returncode == 0, done.stderr[-4000:]
    assert done.stdout.split() == [str(blocks), *["True"] * 4], done.stdout + done.stderr[-2000:]
