"""Threads change the time of a ranking, and nothing else."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse

import fast
from fast.ranking_svm import Products
from tests.support.ranking_svm import LATE
from tests.support.twins import assert_equal


def queries(n=20_000, d=60, seed=0):
    """Many queries of different sizes, enough samples for several parts of each product and of the groups."""
    rng = np.random.default_rng(seed)
    X, groups = rng.standard_normal((n, d)), np.sort(rng.integers(0, 300, n))
    return X, X @ rng.standard_normal(d) + 5 * rng.standard_normal(n) > 5, groups


@pytest.mark.parametrize("loss", ["ndcg", LATE], ids=["ndcg", "late"])
def test_groups_are_ranked_alike_by_any_number_of_threads(loss):
    X, relevant, groups = queries()
    expected = fast.grouped_inference(X[:, 0], relevant, groups, loss)
    for n_jobs in (3, -1):
        assert_equal(fast.grouped_inference(X[:, 0], relevant, groups, loss, n_jobs=n_jobs), expected)


@pytest.mark.parametrize("layout", [np.ascontiguousarray, sparse.csr_matrix])
def test_a_fit_does_not_depend_on_the_number_of_threads(layout):
    X, relevant, groups = queries()
    options = {"groups": groups, "regularization": 1e-2, "tol": 1e-2}
    expected = fast.fit_ranking_svm(layout(X), relevant, **options)
    assert expected.gap <= 1e-2
    for n_jobs in (2, 5):
        assert_equal(fast.fit_ranking_svm(layout(X), relevant, n_jobs=n_jobs, **options), expected)


@pytest.mark.parametrize("layout", [np.ascontiguousarray, sparse.csr_matrix, sparse.csr_array])
def test_products_are_computed_in_parts_that_share_the_memory_of_the_matrix(layout):
    X, _, _ = queries()
    matrix, weights = layout(X), np.arange(60.0)
    products = Products(matrix)
    assert len(products.parts) > 2
    assert np.allclose(products.scores(weights), X @ weights, rtol=1e-12)
    assert np.allclose(products.slope(X[:, 0]), X.T @ X[:, 0], rtol=1e-12)
    for block, (begin, end) in zip(products.blocks, products.parts, strict=True):
        assert np.shares_memory(block.data, matrix.data) and block.shape == (end - begin, 60)


def test_the_learners_do_not_depend_on_the_number_of_threads():
    X, relevant, groups = queries()
    expected = fast.fit_direct_loss(X, relevant, groups=groups, max_iterations=3)
    assert_equal(fast.fit_direct_loss(X, relevant, groups=groups, max_iterations=3, n_jobs=2), expected)
    flags = relevant[np.searchsorted(groups, groups)]  # the same for all windows of a bag
    options = {"regularization": 1e-2, "tol": 1e-2, "max_rounds": 2}
    expected = fast.fit_latent_ranking_svm(X[:, :9], groups, flags, **options)
    got = fast.fit_latent_ranking_svm(X[:, :9], groups, flags, n_jobs=2, **options)
    assert_equal(got._replace(last_fit=0), expected._replace(last_fit=0))


PROGRAM = """
import json, sys, time, warnings
import fast
from tests.ranking.test_ranking_threads import queries
warnings.simplefilter("ignore")
X, relevant, groups = queries()
options = {"groups": groups, "regularization": 1e-4, "tol": 0.0, "n_jobs": int(sys.argv[1])}
fast.fit_ranking_svm(X, relevant, max_iterations=2, **options)
seconds = []
for _ in range(3):
    start = time.process_time()
    fast.fit_ranking_svm(X, relevant, max_iterations=25, **options)
    seconds.append(time.process_time() - start)
print(json.dumps(min(seconds)))
"""


def test_two_threads_take_hardly_more_time_of_the_processors_than_one():
    """Threads that wait in a loop, as those of OpenBLAS and OpenMP do, would take many times as much."""
    seconds = []
    for threads in ("1", "2"):
        names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
        environment = os.environ | dict.fromkeys(names, threads)
        command = [sys.executable, "-c", PROGRAM, threads]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[-3000:]
        seconds.append(json.loads(done.stdout))
    assert seconds[1] <= 1.5 * seconds[0] + 0.05, f"one thread took {seconds[0]:.2f} s, two took {seconds[1]:.2f} s"
