"""Threads change the time of a fit of the top-k SVM, and nothing else."""

import threading

import numpy as np
import pytest
from scipy import sparse
from threadpoolctl import threadpool_info

import fast
from fast._shared import threads
from fast._shared.threads import one_blas_thread
from fast._svm.dual_lists import DualLists, dual_rows, join_regions, regions, reserve
from tests.support.twins import assert_equal

N, D, M = 400, 12, 20  # enough classes for lists that are not complete
FEW = {"tol": 1e-2, "regularization": 1 / N}


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """Several blocks, so that threads have something to do, of few examples, so that the tests take little time."""
    monkeypatch.setattr(threads, "NUMBERS", 640)
    monkeypatch.setattr(threads, "LEAST_ROWS", 16)
    assert len(threads.row_blocks(N, M)) >= 10


def overlapping(dtype=np.float64):
    """Classes that overlap, so that many duals are not 0."""
    rng = np.random.default_rng(0)
    y = np.concatenate([np.arange(M), rng.integers(0, M, N - M)])
    X = 0.5 * rng.standard_normal((M, D))[y] + rng.standard_normal((N, D))
    return (X / np.sqrt(D)).astype(dtype), y


def sparse_examples(dtype=np.float64):
    X, y = overlapping(dtype)
    return sparse.csr_matrix(np.where(np.abs(X) > 0.2, X, 0)), y


WEIGHTS = np.random.default_rng(1).random(N) * (np.arange(N) % 7 > 0)
CASES = {
    "dense": (overlapping, np.float64, {}),
    "float32": (overlapping, np.float32, {"kind": "beta", "k": 2}),
    "sparse": (sparse_examples, np.float64, {}),
    "sparse float32": (sparse_examples, np.float32, {"k": 5}),
    "sample_weight": (overlapping, np.float64, {"sample_weight": WEIGHTS, "kind": "alpha_inclusive", "k": 3}),
    "sparse_duals": (sparse_examples, np.float64, {"sparse_duals": True, "sample_weight": WEIGHTS}),
    "smooth": (overlapping, np.float64, {"smoothing": 0.1, "k": 2}),
    "order": (overlapping, np.float64, {"order": np.arange(N), "max_epochs": 2, "tol": 1.0}),
}


@pytest.mark.parametrize("name", CASES)
def test_a_fit_does_not_depend_on_the_number_of_threads(name):
    examples, dtype, options = CASES[name]
    X, y = examples(dtype)
    expected = fast.fit_topk_svm(X, y, **FEW | options)
    for n_jobs in (1, 2, 3, -1):
        assert_equal(fast.fit_topk_svm(X, y, **FEW | options, n_jobs=n_jobs), expected)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_kernel_fit_does_not_depend_on_the_number_of_threads(dtype):
    X, y = overlapping()
    K = (X @ X.T).astype(dtype)
    expected = fast.fit_topk_svm_kernel(K, y, **FEW)
    for n_jobs in (2, 3):
        assert_equal(fast.fit_topk_svm_kernel(K, y, **FEW, n_jobs=n_jobs), expected)


def test_a_fit_continues_with_several_threads():
    X, y = sparse_examples()
    start = fast.fit_topk_svm(X, y, **FEW, sparse_duals=True).duals
    options = FEW | {"tol": 1e-4, "duals": start}
    assert_equal(fast.fit_topk_svm(X, y, **options, n_jobs=3), fast.fit_topk_svm(X, y, **options))


# --- parts ---------------------------------------------------------------------------------------------------------


def test_regions_of_lists_are_joined_in_the_order_of_their_blocks():
    """Two examples a block, three classes. Each block replaces some lists, and keeps or loses others."""
    m, n = 3, 6
    numbers = [np.zeros(n, np.int64) for _ in range(4)]
    lists = DualLists(np.empty(0), np.empty(0, np.int32), *numbers, np.zeros(2, np.int64))
    labels, blocks = np.zeros(n, np.int64), [slice(0, 2), slice(2, 4), slice(4, 6)]
    reserve(lists, n + len(blocks) - 1, m)
    shares = regions(lists, blocks, m)
    assert [share.ends.tolist() for share in shares] == [[0, 0], [9, 9], [18, 18]]
    expected = np.zeros((n, m))
    for i, share in ((1, 0), (2, 1), (5, 2), (4, 2)):  # the last block writes its lists in another order
        end, place = shares[share].ends
        lists.values[end : end + 2], lists.classes[place : place + 2] = (i + 1, -i - 1), (0, 2)
        lists.starts[i], lists.places[i], lists.counts[i], lists.rooms[i] = end, place, 2, 2
        shares[share].ends[:] += 2
        expected[i, [0, 2]] = i + 1, -i - 1
    join_regions(lists, blocks, shares, m)
    assert lists.ends.tolist() == [8, 8]
    assert sorted(lists.starts[lists.counts > 0].tolist()) == [0, 2, 4, 6]
    got = np.concatenate([duals for _, duals in dual_rows(lists, labels, m)])
    assert np.array_equal(got, expected)


def test_contexts_of_one_blas_thread_overlap():
    """The first context to end must not restore the number of threads, and the last one must."""

    def threads_of_blas():
        return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]

    before, entered, leave = threads_of_blas(), threading.Event(), threading.Event()

    def other():
        with one_blas_thread():
            entered.set()
            leave.wait()

    thread = threading.Thread(target=other)
    with one_blas_thread():
        thread.start()
        entered.wait()
        assert set(threads_of_blas()) <= {1}
    assert set(threads_of_blas()) <= {1}
    leave.set()
    thread.join()
    assert threads_of_blas() == before
