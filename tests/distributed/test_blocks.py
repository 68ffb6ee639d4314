"""Rows in blocks: a task is given the rows and labels of its block, and wrong blocks are named."""

import re
import time

import dask.array as da
import numpy as np
import pytest
from scipy import sparse

from fast.distributed import fit_topk_svm
from tests.support.distributed import row_blocks, rows_and_labels, run_on_blocks, shape_and_kind

N, D, M = 23, 4, 3
CHUNKS = (9, 8, 6)
STARTS = (0, 9, 17, 23)
UNKNOWN = ((np.nan,) * len(CHUNKS), (D,))


def examples(dtype=np.float64):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N, D)) * (rng.random((N, D)) < 0.7)
    return X.astype(dtype), np.arange(N) % M


def chunked(X, columns=D):
    return da.from_array(X, chunks=(CHUNKS, columns))


def of_unknown_sizes(X):
    """A dask array with the same chunks, whose numbers of rows Dask does not know."""
    array = chunked(X)
    return da.Array(array.dask, array.name, UNKNOWN, meta=array._meta)


def csr_blocks(X, columns=D, kind=sparse.csr_matrix):
    return chunked(X, columns).map_blocks(kind)


def refused(client, message, X, y, **options):
    with pytest.raises(ValueError, match=re.escape(message)):
        row_blocks(client, X, y, **options)


FORMS = {
    "chunks": chunked,
    "chunks of columns": lambda X: chunked(X, 3),
    "unknown sizes": of_unknown_sizes,
    "csr": csr_blocks,
    "csr arrays": lambda X: csr_blocks(X, kind=sparse.csr_array),
    "csr in chunks of columns": lambda X: csr_blocks(X, 3),
}


@pytest.mark.parametrize(("form", "dtype"), list(zip(FORMS, 3 * [np.float32, np.float64], strict=True)))
def test_tasks_are_given_the_chunks_of_a_dask_array(client, form, dtype):
    X, y = examples(dtype)
    blocks = row_blocks(client, FORMS[form](X), y)
    assert (len(blocks), blocks.n, blocks.d, blocks.dtype, blocks.n_classes) == (len(CHUNKS), N, D, dtype, M)
    np.testing.assert_array_equal(blocks.starts, STARTS)
    np.testing.assert_array_equal(blocks.counts, CHUNKS)
    for b, (got_X, got_y) in enumerate(run_on_blocks(client, blocks, rows_and_labels)):
        assert got_X.dtype == dtype
        np.testing.assert_array_equal(got_X, X[STARTS[b] : STARTS[b + 1]])
        np.testing.assert_array_equal(got_y, y[STARTS[b] : STARTS[b + 1]])
    kinds = {kind for _, _, kind, _ in run_on_blocks(client, blocks, shape_and_kind)}
    assert all(kind.startswith("csr") for kind in kinds) if "csr" in form else kinds == {"ndarray"}


@pytest.mark.parametrize("chunks", [CHUNKS, 5, N, "unknown", "unknown with X"])
def test_labels_may_be_chunked_in_any_way(client, chunks):
    X, y = examples()
    if isinstance(chunks, str):
        labels = da.from_array(y, chunks=7)
        labels = da.Array(labels.dask, labels.name, ((np.nan,) * 4,), dtype=y.dtype)
    else:
        labels = da.from_array(y, chunks=(chunks,))
    blocks = row_blocks(client, (of_unknown_sizes if chunks == "unknown with X" else chunked)(X), labels)
    got = [labels for _, labels in run_on_blocks(client, blocks, rows_and_labels)]
    assert [len(part) for part in got] == list(CHUNKS)
    np.testing.assert_array_equal(np.concatenate(got), y)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix, sparse.csr_array])
@pytest.mark.parametrize(("n_blocks", "expected"), [(None, 2), (5, 5)])
def test_arrays_in_memory_are_cut(client, kind, n_blocks, expected):
    X, y = examples()
    blocks = row_blocks(client, kind(X), y, n_blocks=n_blocks)
    assert len(blocks) == expected and blocks.counts.max() - blocks.counts.min() <= 1
    got = run_on_blocks(client, blocks, rows_and_labels)
    np.testing.assert_array_equal(np.concatenate([rows for rows, _ in got]), X)
    np.testing.assert_array_equal(np.concatenate([labels for _, labels in got]), y)


def test_within_the_process_an_array_is_not_copied(client):
    X, y = examples()
    blocks = row_blocks(client, X, y)
    assert all(run_on_blocks(client, blocks, lambda rows, labels: np.shares_memory(rows, X)))


def test_a_block_of_another_dtype_makes_all_float64(client):
    X, y = examples(np.float32)
    parts = [da.from_array(part, chunks=-1) for part in (X[:9], X[9:].astype(np.float64))]
    mixed = da.concatenate([parts[0].map_blocks(lambda part: part.astype(np.float32), dtype=np.float64), parts[1]])
    blocks = row_blocks(client, mixed, y)
    assert blocks.dtype == np.float64
    assert {dtype for _, dtype, _, _ in run_on_blocks(client, blocks, shape_and_kind)} == {"float64"}
    np.testing.assert_array_equal(run_on_blocks(client, blocks, rows_and_labels)[0][0], X[:9])


@pytest.mark.parametrize("dtype", [np.uint16, np.bool_, np.float16])
def test_other_real_numbers_become_float64(client, dtype):
    X = np.arange(N * D).reshape(N, D).astype(dtype)
    blocks = row_blocks(client, chunked(X), examples()[1])
    assert blocks.dtype == np.float64
    np.testing.assert_array_equal(run_on_blocks(client, blocks, rows_and_labels)[1][0], X[9:17].astype(np.float64))


def test_columns_of_a_csr_block_are_put_in_order(client):
    X, y = examples()
    dense = sparse.csr_matrix(X)
    dense.indices, dense.data = dense.indices.copy(), dense.data.copy()
    start, end = dense.indptr[9], dense.indptr[10]
    assert end - start > 1
    dense.indices[start:end], dense.data[start:end] = dense.indices[start:end][::-1], dense.data[start:end][::-1]
    dense.has_sorted_indices = False
    blocks = row_blocks(client, dense, y, n_blocks=2)
    assert all(run_on_blocks(client, blocks, lambda rows, labels: (np.diff(rows[-1].indices) > 0).all()))
    np.testing.assert_array_equal(np.concatenate([r for r, _ in run_on_blocks(client, blocks, rows_and_labels)]), X)


def test_a_pass_keeps_nothing_of_x(client):
    X, y = examples()
    blocks = row_blocks(client, chunked(X), y)
    run_on_blocks(client, blocks, shape_and_kind)
    deadline = time.monotonic() + 10  # seconds; Dask releases results a moment later
    while len(held := {key for keys in client.has_what().values() for key in keys}) > len(CHUNKS):
        assert time.monotonic() < deadline, f"only the labels may stay, one part a block, got {held}"
    assert len(held) == len(CHUNKS)


# --- what is refused -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("form", "value"), list(zip(FORMS, 2 * [np.nan, np.inf, -np.inf], strict=True)))
def test_what_is_not_finite_is_named_by_block_and_row(client, form, value):
    X, y = examples()
    X[20, 0] = X[11, 2] = value  # the first is named
    refused(client, f"X must be finite, got {value} in column 2, at row 2 of block 1, row 11 of X", FORMS[form](X), y)


def test_a_number_out_of_range_is_named(client):
    for dtype, large in ((np.float64, 1e200), (np.float64, -1e160)):
        X, y = examples(dtype)
        X[18, 3] = large
        for form in (chunked, csr_blocks):
            got = f"got {large} in column 3, at row 1 of block 2, row 18 of X"
            message = f"X must be at most 1e+140 in magnitude, {got}"
            refused(client, message, form(X), y)


def test_another_number_of_columns_is_named(client):
    X, y = examples()
    narrow = chunked(X).map_blocks(lambda part: part[:, :3] if len(part) == 8 else part, dtype=X.dtype)
    refused(client, "X must have as many columns in all blocks, got 3 in block 1 and 4 in block 0", narrow, y)


def test_an_empty_block_is_named(client):
    X, y = examples()
    array = da.from_array(X, chunks=((9, 0, 14), D))
    refused(client, "X must not be empty, got shape (0, 4), in block 1", array, y)
    kept = chunked(X)[da.from_array((np.arange(N) < 9) | (np.arange(N) > 16), chunks=(CHUNKS,))]
    refused(client, "X must not be empty, got shape (0, 4), in block 1", kept, y[:15])


def test_blocks_that_are_no_real_matrices_are_named(client):
    X, y = examples()
    for wrong, message in (
        (lambda part: part.astype(object) if len(part) == 8 else part, None),  # objects that are numbers are converted
        (lambda part: np.full(part.shape, "a", object) if len(part) == 8 else part, "X must hold real numbers"),
        (lambda part: part + 1j if len(part) == 8 else part, "X must hold real numbers"),
        (lambda part: part[:, 0] if len(part) == 8 else part, "X must have 2 dimensions"),
        (lambda part: sparse.coo_matrix(part) if len(part) == 8 else part, "X must be dense, CSR or CSC, and real"),
    ):
        array = chunked(X).map_blocks(wrong, dtype=X.dtype, meta=X)
        if message is None:
            assert row_blocks(client, array, y).dtype == np.float64
        else:
            with pytest.raises(ValueError, match=re.escape(message) + ".*, in block 1"):
                row_blocks(client, array, y)


def test_classes_without_an_example_are_named_unless_their_number_is_given(client):
    X, y = examples()
    y = np.where(y == 2, 12, np.arange(N) % 5)
    says = r"so 13 classes are fitted, but it has no example of \[5, 6, 7, 8, 9, 10, 11\]: .* pass n_classes=13 "
    with pytest.warns(UserWarning, match=says) as caught:
        fit = fit_topk_svm(chunked(X), y, regularization=1.0, tol=0.5, client=client)
    assert len(caught) == 1 and caught[0].filename == __file__ and fit.weights.shape == (D, 13)
    silent = fit_topk_svm(chunked(X), y, regularization=1.0, tol=0.5, n_classes=13, client=client)
    assert np.array_equal(silent.weights, fit.weights)


def test_labels_that_are_wrong_are_named(client):
    X, y = examples()
    for form in (chunked, of_unknown_sizes):
        wrong = y.copy()
        wrong[12] = -1
        refused(client, "y must hold integers in 0..m-1, got -1, at row 3 of block 1, row 12 of X", form(X), wrong)
        wrong[12] = 3
        message = "y must hold integers in 0..2, got 3, at row 3 of block 1, row 12 of X"
        refused(client, message, form(X), da.from_array(wrong, chunks=4), n_classes=3)
        refused(client, "y must hold integers 0..m-1, got an array of float64", form(X), y.astype(float))
        refused(client, "y must have shape (23,), one label a row of X, got shape (22,)", form(X), y[:-1])
        refused(client, "y must have shape (23,), one label a row of X, got shape (1, 23)", form(X), y[None])
        refused(client, "y must have one dimension, got shape (1, 23)", form(X), da.from_array(y[None], chunks=4))
        refused(client, "y must hold at least two classes, got only 0", form(X), 0 * y)
    refused(client, "n_classes must be an integer in 2..2147483647, got 1", chunked(X), y, n_classes=1)


def test_arguments_of_another_kind_are_refused(client):
    X, y = examples()
    refused(client, "y must be given: only files can hold it beside X", chunked(X), None)
    refused(client, "n_blocks must be None, got 2: the chunks or the files of X are", chunked(X), y, n_blocks=2)
    refused(client, f"n_blocks must be an integer in 1..{N}, got {N + 1}", X, y, n_blocks=N + 1)
    refused(client, "X must have 2 dimensions, got shape (23,)", chunked(X)[:, 0], y)
    refused(client, "X must not be empty, got shape (0, 4)", X[:0], y[:0])
    refused(client, "X must hold real numbers", [["a", 1.0]], y)


def test_an_error_of_the_graph_of_x_names_its_block(client):
    def fail(part):
        if len(part) == 6:
            raise OSError("the disk is gone")
        return part

    X, y = examples()
    with pytest.raises(OSError, match="block 2: the disk is gone"):
        row_blocks(client, chunked(X).map_blocks(fail, dtype=X.dtype, meta=X), y)
