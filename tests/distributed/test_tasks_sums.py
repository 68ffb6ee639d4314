"""Sums in one message, and arrays that come from another process."""

import dask.array as da
import numpy as np
import pytest
from scipy import sparse

from fast.distributed._blocks import row_blocks
from fast.distributed._sums import sum_on_blocks
from fast.distributed._tasks import Traffic, aligned
from tests.support.distributed import run_on_blocks


def product(X, y, W, scale=1.0):
    return scale * (X.T @ (X @ W)), len(y)


@pytest.mark.parametrize("n_blocks", [1, 2, 3, 5])
def test_the_sum_is_that_of_pairs_on_the_workers(client, n_blocks):
    X, W = np.random.default_rng(0).standard_normal((30, 4)), np.arange(4.0)
    blocks = row_blocks(client, da.from_array(X, chunks=(30 // n_blocks, 4)), np.arange(30) % 3)
    scales, traffic = np.arange(1.0, n_blocks + 1).tolist(), Traffic()
    got = sum_on_blocks(client, blocks, lambda X, y, scale, W: product(X, y, W, scale), scales, traffic=traffic, W=W)
    parts = [part for part, _ in run_on_blocks(client, blocks, lambda X, y, s, W: product(X, y, W, s), scales, W=W)]
    pairs = [sum(parts[:2]), sum(parts[2:4])] if n_blocks > 3 else [sum(parts[:2])]
    assert np.array_equal(got[0], sum(pairs + parts[2 * len(pairs) :])) and got[1] == 30
    assert traffic == Traffic(sent=8 * (n_blocks + 4), received=8 * (4 + 1), between=0)


def test_an_error_in_a_sum_names_the_block(client):
    X = np.arange(20.0).reshape(10, 2)
    blocks = row_blocks(client, da.from_array(X, chunks=(5, 2)), np.arange(10) % 2)

    def fails(X, y):
        if X[0, 0] > 0:
            raise ValueError("no")
        return X.sum()

    with pytest.raises(ValueError, match=r"^block 1 \(rows 5\.\.9 of X\): no"):
        sum_on_blocks(client, blocks, fails)


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
