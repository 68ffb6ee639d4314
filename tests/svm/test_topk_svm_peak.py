"""Top-k SVMs: the peak memory of a fit of each shape, layout and dtype, beyond the data and in a process of its own."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAM = """
import json, os, resource, sys
import numpy as np
from scipy import sparse
import fast
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
def measured(shape, layout, dtype, C, warm, tol):
    (n, m, d), rng, width = shape, np.random.default_rng(0), 50
    y = np.append(np.arange(m), rng.integers(0, m, n - m))
    if layout == "csr":
        columns = np.sort((7 * y[:, None] + np.arange(width) ** 2) % d, axis=1)
        values, ends = rng.random(n * width, dtype) + 0.5, np.arange(n + 1) * width
        X = sparse.csr_matrix((values, columns.ravel(), ends), shape=(n, d))
        few = X[:warm]
    else:
        X = np.empty((n, d), dtype, order=layout)
        for first in range(0, n, 1000):
            X[first : first + 1000] = rng.standard_normal((min(1000, n - first), d), dtype)
        X[np.arange(n), y % d] += 3
        few = np.array(X[:warm, :4], order=layout)
    fast.fit_topk_svm(few, y[:warm], regularization=1 / warm, tol=0.5)
    before = peak()
    fit = fast.fit_topk_svm(X, y, regularization=1 / (C * n), tol=tol)
    print(json.dumps([peak() - before, float(fit.gap)]), flush=True)
for case in json.loads(sys.argv[1]):
    if (child := os.fork()) == 0:  # its peak is its own
        measured(*case)
        os._exit(0)
    os.waitpid(child, 0)
"""
FIXED = 3 * 2**23  # scores, work of a chunk and the allocator, up to 18 MB: independent of n m and d m
ARRAYS_OF_EXAMPLES = 12  # of n numbers of 8 bytes: labels, norms, sample weights, and where the lists are
# Duals, or the weights and as many again, that would be copied take more than that.
NARROW, WIDE, TEXT = (70_000, 60, 4), (300, 200, 10_000), (6000, 600, 6000)
# (shape, layout, dtype, C, warm, tol). The second fit of a process compiles nothing: `warm` examples take it through
# the same method as all.
CASES = [
    (WIDE, "C", "float64", 1e-4, 300, 0.5),
    (WIDE, "F", "float32", 1e-4, 300, 0.5),
    (NARROW, "C", "float64", 1e-3, 300, 0.05),
    (NARROW, "C", "float64", 1, 2000, 0.05),  # Newton's method
    (TEXT, "csr", "float32", 1e-3, 1000, 0.05),  # more memory than with C = 1: twice the duals are not 0
]


@pytest.fixture(scope="module")
def measured():
    """(bytes, gap) of each case. Each is fitted in a copy of one process, which has imported what it needs."""
    command = [sys.executable, "-c", PROGRAM, json.dumps(CASES)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return list(map(json.loads, done.stdout.splitlines()))


@pytest.mark.parametrize("number", range(len(CASES)))
def test_the_peak_is_that_of_the_duals_and_three_times_the_weights(measured, number):
    """A fit by Newton's method returned a copy of its duals. Features in Fortran order are copied, as documented."""
    assert len(measured) == len(CASES)
    (grown, gap), ((n, m, d), layout, dtype, _, _, tol) = measured[number], CASES[number]
    copied = n * d * int(dtype[-2:]) // 8 if layout == "F" else 0
    limit = 8 * (m + ARRAYS_OF_EXAMPLES) * n + 3 * 8 * d * m + copied + FIXED
    assert gap <= tol
    assert grown <= limit, f"expected at most {limit / 1e6:.0f} MB, got {grown / 1e6:.0f} MB"
