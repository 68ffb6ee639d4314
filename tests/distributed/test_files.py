"""Blocks in files: workers read them, nothing is unpickled, and a wrong file is named."""

import pickle
import re
from collections import Counter
from pathlib import Path

import dask
import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import dump_svmlight_file

from fast.distributed._blocks import checked_blocks
from tests.support.distributed import row_blocks, rows_and_labels, run_on_blocks, shape_and_kind

N, D, M = 20, 5, 3
EDGES = (0, 8, 13, 20)


def examples(dtype=np.float64):
    rng = np.random.default_rng(1)
    return (rng.standard_normal((N, D)) * (rng.random((N, D)) < 0.7)).astype(dtype), np.arange(N) % M


def parts():
    return [slice(first, last) for first, last in zip(EDGES, EDGES[1:], strict=False)]


def write(folder, kind, X, y):
    """Returns the files of the parts of X, one file a part."""
    paths = []
    for b, rows in enumerate(parts()):
        path = folder / f"part{b}.{'npz' if 'npz' in kind else 'npy' if 'npy' in kind else 'svm'}"
        if kind == "npy":
            np.save(path, X[rows])
        elif kind == "npy by columns":
            np.save(path, np.asfortranarray(X[rows]))
        elif kind == "npz":
            np.savez(path, X=X[rows], y=y[rows])
        elif kind == "npz compressed":
            np.savez_compressed(path, X=X[rows], y=y[rows])
        elif kind == "npz of scipy":
            sparse.save_npz(path, sparse.csr_matrix(X[rows]))
        elif kind == "npz of scipy with y":
            matrix = sparse.csr_matrix(X[rows])
            arrays = {"data": matrix.data, "indices": matrix.indices, "indptr": matrix.indptr, "shape": matrix.shape}
            np.savez(path, **arrays, y=y[rows])
        else:
            dump_svmlight_file(X[rows], y[rows], str(path), zero_based="from 0" in kind)
        paths.append(path)
    return paths


WITH_LABELS = ("npz", "npz compressed", "npz of scipy with y", "svmlight from 1", "svmlight from 0")
KINDS = ("npy", "npy by columns", "npz of scipy", *WITH_LABELS)


def assert_rows(client, blocks, X, y):
    got = run_on_blocks(client, blocks, rows_and_labels)
    for rows, (got_X, got_y) in zip(parts(), got, strict=True):
        np.testing.assert_allclose(got_X, X[rows], rtol=1e-15)  # text holds 16 digits
        np.testing.assert_array_equal(got_y, y[rows])
        assert got_y.dtype == np.int64


@pytest.mark.parametrize("kind", KINDS)
def test_workers_read_the_rows_of_files(client, tmp_path, kind):
    X, y = examples()
    paths = [str(path) if "svmlight" in kind else path for path in write(tmp_path, kind, X, y)]
    blocks = row_blocks(client, paths, y)
    assert (blocks.d, blocks.n, blocks.dtype, blocks.n_classes) == (D, N, np.float64, M)
    assert_rows(client, blocks, X, y)
    if kind in WITH_LABELS:
        assert_rows(client, row_blocks(client, paths), X, y)
        assert_rows(client, row_blocks(client, paths, 2 - y), X, 2 - y)  # labels that are given are those that count


def test_a_parser_that_another_thread_disturbs_is_called_again(client, tmp_path, monkeypatch):
    X, y = examples()
    paths, read, calls = write(tmp_path, "npy", X, y), np.lib.format.read_array_header_1_0, Counter()

    def fails_often(file):
        calls[file.name] += 1
        if calls[file.name] % 3 or is_broken:
            raise SystemError("AST constructor recursion depth mismatch (before=54, after=51)")
        return read(file)

    monkeypatch.setattr(np.lib.format, "read_array_header_1_0", fails_often)
    is_broken = False
    assert_rows(client, row_blocks(client, paths, y), X, y)
    assert len(calls) == len(paths) and min(calls.values()) >= 6
    is_broken = True
    with pytest.raises(SystemError, match="recursion depth"):
        row_blocks(client, paths, y)


@pytest.mark.parametrize("kind", ["npy", "npz", "npz of scipy"])
def test_float32_stays_if_all_files_have_it(client, tmp_path, kind):
    X, y = examples(np.float32)
    paths = write(tmp_path, kind, X, y)
    assert row_blocks(client, paths, y).dtype == np.float32
    if kind == "npy":
        np.save(paths[1], X[parts()[1]].astype(np.float64))
        blocks = row_blocks(client, paths, y)
        assert {dtype for _, dtype, _, _ in run_on_blocks(client, blocks, shape_and_kind)} == {"float64"}


def test_a_large_npy_file_becomes_several_blocks(client, tmp_path):
    X, y = examples()
    np.save(tmp_path / "X.npy", X)
    with dask.config.set({"array.chunk-size": f"{6 * D * 8} B"}):
        blocks = row_blocks(client, [tmp_path / "X.npy"], y)
    np.testing.assert_array_equal(blocks.counts, [5, 5, 5, 5])
    got = run_on_blocks(client, blocks, rows_and_labels)
    np.testing.assert_array_equal(np.concatenate([rows for rows, _ in got]), X)


def test_a_npy_file_is_mapped_and_not_copied(client, tmp_path):
    X, y = examples()
    np.save(tmp_path / "X.npy", X)
    blocks = row_blocks(client, [tmp_path / "X.npy"], y)
    mapped = run_on_blocks(client, blocks, lambda rows, labels: (rows.flags.owndata, rows.flags.writeable))
    assert mapped == [(False, False)]


def test_svmlight_columns_are_the_same_in_all_files(client, tmp_path):
    lines = {"a": "0 2:1.5 3:2\n1 5:1\n", "b": "1 1:4\n", "c": "2\n"}
    paths = []
    for name, text in lines.items():
        (tmp_path / name).write_text(text)
        paths.append(str(tmp_path / name))
    expected = np.array([[0, 1.5, 2, 0, 0], [0, 0, 0, 0, 1], [4, 0, 0, 0, 0], [0, 0, 0, 0, 0]])
    for shift in (0, 1):
        if shift:  # one file with a column 0 shifts all of them
            Path(paths[1]).write_text("1 0:7 1:4\n")
            expected = np.hstack([[[0], [0], [7], [0]], expected])
        blocks = row_blocks(client, paths)
        got = run_on_blocks(client, blocks, rows_and_labels)
        np.testing.assert_array_equal(np.concatenate([rows for rows, _ in got]), expected)
        np.testing.assert_array_equal(np.concatenate([labels for _, labels in got]), [0, 1, 1, 2])


def test_other_row_vectors_are_read_from_files(client, tmp_path):
    X, y = examples()
    for b, rows in enumerate(parts()):
        np.savez(tmp_path / f"{b}.npz", X=X[rows], relevant=y[rows] == 1, groups=y[rows])
    blocks, found = checked_blocks(client, [tmp_path / f"{b}.npz" for b in range(3)], ("relevant", "groups"))
    np.testing.assert_array_equal(found["relevant"], y == 1)
    np.testing.assert_array_equal(found["groups"], y)
    blocks = blocks.with_vectors(client, found["relevant"], found["groups"])
    got = run_on_blocks(client, blocks, lambda rows, relevant, groups: (relevant, groups))
    np.testing.assert_array_equal(np.concatenate([groups for _, groups in got]), y)
    (tmp_path / "text").write_text("1 qid:4 1:2\n0 qid:4 2:1\n")
    found = checked_blocks(client, [str(tmp_path / "text")], ("relevant", "groups"))[1]
    np.testing.assert_array_equal([found["relevant"], found["groups"]], [[1, 0], [4, 4]])


# --- what is refused -----------------------------------------------------------------------------------------------


def refused(client, message, paths, y=None):
    with pytest.raises(ValueError, match=message):
        row_blocks(client, paths, y)


@pytest.mark.parametrize("kind", ["npy", "npz", "svmlight from 1"])
def test_a_missing_file_is_named(client, tmp_path, kind):
    X, y = examples()
    paths = write(tmp_path, kind, X, y)
    paths[1].unlink()
    refused(client, f"files that can be read, got {re.escape(str(paths[1]))}: .*No such file.*, in block 1", paths, y)


@pytest.mark.parametrize("kind", ["npy", "npz", "svmlight from 1"])
@pytest.mark.parametrize("content", [b"", b"1 2 3 nonsense\n", b"PK\x03\x04 nonsense", b"\x93NUMPY\x01\x00\xff"])
def test_a_damaged_file_is_named(client, tmp_path, kind, content):
    X, y = examples()
    paths = write(tmp_path, kind, X, y)
    paths[2].write_bytes(content)
    refused(client, r"^X must .*in block 2", paths, y)


def test_a_truncated_file_is_named(client, tmp_path):
    X, y = examples()
    for kind in ("npy", "npz", "npz of scipy"):
        paths = write(tmp_path, kind, X, y)
        paths[1].write_bytes(paths[1].read_bytes()[:-30])
        refused(client, f"files that can be read, got {re.escape(str(paths[1]))}.*in block 1", paths, y)


class Trap:
    """Is noticed if it is unpickled."""

    def __reduce__(self):
        return (Path("unpickled").touch, ())


def test_nothing_is_unpickled(client, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    y, objects = examples()[1], np.full((N, D), None, object)
    objects[:] = Trap()
    np.save("a.npy", objects, allow_pickle=True)
    np.savez("a.npz", X=objects, y=y, allow_pickle=True)
    np.savez("b.npz", X=examples()[0], y=objects[:, 0], allow_pickle=True)
    Path("pickle.npy").write_bytes(pickle.dumps(Trap()))
    for path in ("a.npy", "a.npz", "pickle.npy"):
        refused(client, "X must be files that can be read.*in block 0", [path], y)
    refused(client, "X must be files that can be read.*in block 0", ["b.npz"])
    assert not Path("unpickled").exists()


@pytest.mark.parametrize("kind", KINDS)
def test_nan_in_a_file_is_named(client, tmp_path, kind):
    X, y = examples()
    X[9, 1] = 12345 if "svmlight" in kind else np.nan
    paths = write(tmp_path, kind, X, y)
    if "svmlight" in kind:  # scikit-learn writes no NaN
        paths[1].write_text(paths[1].read_text().replace("12345", "nan"))
    column = 2 if kind == "svmlight from 1" else 1  # as the file counts
    refused(client, f"X must be finite, got nan in column {column}, at row 1 of block 1, row 9 of X", paths, y)


def test_wrong_arrays_in_files_are_named(client, tmp_path):
    X, y = examples()
    path = tmp_path / "a.npz"
    for arrays, given, message in (
        ({"X": X}, None, "y is not given and not in it; it holds X, in block 0"),
        ({"Z": X, "y": y}, None, "it must hold X, or data, indices, indptr, shape, and holds Z, y, in block 0"),
        ({"X": X, "y": y[:-1]}, None, r"y must have shape \(20,\), one entry a row, got shape \(19,\), in block 0"),
        ({"X": X[0], "y": y}, None, r"X must have 2 dimensions, got shape \(5,\), in block 0"),
        ({"X": X[:0], "y": y[:0]}, None, r"X must not be empty, got shape \(0, 5\), in block 0"),
        ({"X": X, "y": y - 1}, None, "in 0..m-1, got -1, at row 0 of block 0, row 0 of X"),
        ({"X": X, "y": y + 0.5}, None, "y must hold integers 0..m-1, got 0.5, at row 0 of block 0"),
        ({"X": X, "y": np.full(N, "a")}, None, "y must hold integers 0..m-1, got an array of <U1"),
        ({"X": X, "y": y}, y[:-1], r"y must have shape \(20,\)"),
    ):
        np.savez(path, **arrays)
        refused(client, message, [path], given)
    sparse.save_npz(path, sparse.csc_matrix(X))
    refused(client, "its matrix must be CSR, and is b'csc', in block 0", [path], y)
    matrix = sparse.csr_matrix(X)
    np.savez(path, data=matrix.data, indices=matrix.indices + D, indptr=matrix.indptr, shape=matrix.shape)
    refused(client, "X must .*in block 0", [path], y)


def test_labels_of_text_must_be_integers_from_zero_on(client, tmp_path):
    path = tmp_path / "a.svm"
    for label, got in (("-1", "-1"), ("0.5", "0.5"), ("nan", "nan"), ("1e300", "1e\\+300")):
        path.write_text(f"0 1:1\n1 1:2\n{label} 1:1\n")
        refused(client, f"got {got}, at row 2 of block 0, row 2 of X", [path])


def test_lists_of_files_that_do_not_fit_are_refused(client, tmp_path):
    X, y = examples()
    arrays, archives = write(tmp_path, "npy", X, y), write(tmp_path, "npz", X, y)
    message = "X must hold files of one kind, got .*part1.npz at 1 after .*part0.npy"
    refused(client, message, [arrays[0], archives[1]], y)
    archives[0].write_bytes(arrays[0].read_bytes())
    refused(client, "it holds a single array, as a .npy file does, in block 0", archives, y)
    refused(client, "y must be given: a .npy file holds X only", arrays)
    refused(client, "X must be a list of files, got an empty one", [], y)
    refused(client, "X must be a list of files, got the single path", str(arrays[0]), y)
