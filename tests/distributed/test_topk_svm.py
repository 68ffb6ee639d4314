"""The top-k SVM on Dask: the same numbers as on parts within one process, certificates, and errors that name a row."""

import re
import time

import dask.array as da
import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from fast.distributed import _engine, fit_topk_svm
from fast.distributed._cluster import connected
from fast.distributed._engine import ClusterParts
from tests.support.topk_svm import assert_certified, instance
from tests.support.topk_svm_distributed import assert_same, chunked, examples, fit, in_memory, on_parts, sizes

PROBLEM = {"k": 2, "regularization": 0.05, "tol": 1e-2}


# --- the same numbers ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("gather", "kind", "dtype", "stored"),
    [
        (0, "alpha", "d", None),
        (0, "beta", "f", "csr"),
        (0, "alpha_inclusive", "d", "csr"),
        (2**26, "beta", "f", None),
        (2**26, "alpha", "d", "csr"),
        (2**26, "alpha_inclusive", "f", None),
    ],
)
def test_the_fit_is_that_of_the_parts(client, gather, kind, dtype, stored):
    X, y, s = examples()
    options = PROBLEM | {"kind": kind, "gather": gather, "sample_weight": s, "tol": 1e-3 if gather else 0.1}
    X = X.astype(dtype)
    expected = on_parts(sparse.csr_matrix(X) if stored else X, y, 3, **options)
    got = fit_topk_svm(chunked(X, 3, kind=sparse.csr_matrix if stored else None), y, client=client, **options)
    assert_same(got, expected)
    assert (got.history.gathered[1:] == (gather > 0)).all() and got.epochs > 1
    assert_certified(in_memory(got), X, y, options["tol"], **{name: options[name] for name in ("k", "kind")},
                     regularization=0.05, sample_weight=s)  # fmt: skip


@pytest.mark.parametrize(("blocks", "gather"), [(1, 0), (32, 2**26)])
def test_any_number_of_blocks(client, blocks, gather):
    X, y, _ = examples(1, n=32)
    options = PROBLEM | {"gather": gather, "max_rounds": 2, "tol": 0.1}
    assert_same(fit(chunked(X, blocks), y, client=client, **options), on_parts(X, y, blocks, **options))


@pytest.mark.parametrize("gather", [0, 2**26], ids=["steps", "gathered"])
def test_weights_larger_than_what_goes_with_each_task(client, gather):
    X, y = instance(2, n=60, d=1200, m=8)
    options = PROBLEM | {"gather": gather, "max_rounds": 2}
    assert 3 * 8 * 1200 * 8 > 2**17
    assert_same(fit(chunked(X, 3), y, client=client, **options), on_parts(X, y, 3, **options))


# --- forms of the arguments ----------------------------------------------------------------------------------------


def test_no_client_is_a_cluster_within_the_process():
    X, y, s = examples(8)
    got = fit_topk_svm(X, y, n_blocks=3, n_jobs=2, sample_weight=da.from_array(s, chunks=11), **PROBLEM)
    assert_same(got, on_parts(X, y, 3, sample_weight=s, **PROBLEM))  # the duals outlive the cluster


def test_forms_of_the_duals(client):
    X, y, _ = examples(10)
    X = X.astype(np.float32)
    got = fit_topk_svm(chunked(X, 3), y, client=client, **PROBLEM)
    shared = fit_topk_svm(chunked(X, 3), y, client=client, sparse_duals=True, **PROBLEM)
    none = fit_topk_svm(chunked(X, 3), y, client=client, return_duals=False, **PROBLEM)
    assert none.duals is None and none.gap == got.gap and np.array_equal(none.weights, got.weights)
    assert got.duals.chunks == shared.duals.chunks == (sizes(60, 3), (5,))
    assert got.duals.dtype == shared.duals.dtype == np.float32
    duals = shared.duals.compute()
    assert duals.format == "csr" and (duals.data != 0).all() and np.array_equal(duals.toarray(), got.duals.compute())
    assert shared.duals.blocks[1].compute().format == shared.duals._meta.format == "csr"


def test_starting_duals(client):
    X, y, _ = examples(11)
    dense = fit_topk_svm(chunked(X, 3), y, client=client, **PROBLEM).duals.compute()
    expected = on_parts(X, y, 3, duals=dense, **PROBLEM)
    assert expected.epochs == 1 and expected.history.communications[0] == 1  # looked at, and not moved
    for form in (
        dense,
        sparse.csr_array(dense),
        chunked(dense, 4, columns=2),
        chunked(dense, 2, kind=sparse.csr_matrix),
    ):
        assert_same(fit_topk_svm(chunked(X, 3), y, client=client, duals=form, **PROBLEM), expected)
    on = PROBLEM | {"tol": 1e-4}
    assert_same(fit_topk_svm(chunked(X, 3), y, client=client, duals=dense, **on), on_parts(X, y, 3, duals=dense, **on))


def test_few_rounds_warn_and_progress_shows(client, capsys):
    X, y, _ = examples(12)
    options = PROBLEM | {"tol": 0, "max_rounds": 3, "progress": True}
    with pytest.warns(ConvergenceWarning, match="gap .* > tol 0 after 3 rounds") as caught:
        got = fit_topk_svm(chunked(X, 3), y, client=client, **options)
    assert caught[0].filename == __file__ and "gap" in capsys.readouterr().out
    assert_same(got, on_parts(X, y, 3, **(options | {"progress": False})))
    record = got.history
    assert (record.seconds_computing > 0).all() and (record.seconds_talking > 0).all() and (record.bytes > 0).all()
    assert (record.seconds_computing + record.seconds_talking).sum() == pytest.approx(record.seconds[-1], rel=0.1)


# --- errors --------------------------------------------------------------------------------------------------------


def with_block_1(change):
    """A dask array in 3 blocks, of which this changes the second."""

    def read(rows, block_id):
        return change(rows) if block_id[0] == 1 else rows

    return chunked(examples()[0], 3).map_blocks(read, dtype=float, meta=np.empty((0, 0)))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"X": with_block_1(sparse.csr_matrix)}, "blocks of one kind, got a CSR matrix in block 1 and an array in"),
        ({"n_classes": 4}, "y must hold integers in 0..3, got 4, at row . of block 0, row . of X"),
        ({"y": np.zeros(60, int), "n_classes": 3}, "two classes"),
        ({"k": 5}, "k .*5"),
        ({"sample_weight": np.zeros(60)}, "sample_weight .*not all 0"),
        ({"duals": da.ones((60, 5), chunks=(20, 5))}, "duals must be in the domain.*at row 0"),
        ({"duals": np.zeros((60, 4))}, r"duals must have shape \(60, 5\)"),
        ({"sparse_duals": 1}, "sparse_duals .*1"),
        ({"return_duals": None}, "return_duals .*None"),
        ({"checkpoint": 3}, "checkpoint must be the path of a folder, got 3"),
        ({"checkpoint": __file__}, "checkpoint must be a folder, got the file"),
        ({"client": "tcp://127.0.0.1:1"}, "client must be"),
        ({"client": None, "n_jobs": 0}, "n_jobs must be"),
    ],
)
def test_bad_input_is_named(client, change, message):
    X, y, _ = examples()
    with pytest.raises(ValueError, match=message):
        fit_topk_svm(**({"X": chunked(X, 3), "y": y, "client": client} | PROBLEM | change))


def test_a_block_that_changes_within_the_fit_is_named(client):
    X, y, _ = examples()
    reads = []

    def read(rows, block_id):
        reads.append(block_id)
        if len(reads) > 4 and block_id[0] == 1:
            raise OSError("the disk is gone")
        return rows

    with pytest.raises(OSError, match=re.escape("block 1 (rows 20..39 of X): the disk is gone")):
        fit_topk_svm(chunked(X, 3).map_blocks(read, dtype=float, meta=X[:0]), y, client=client, **PROBLEM)


# --- what remains --------------------------------------------------------------------------------------------------


def test_nothing_remains_on_the_cluster(tmp_path):
    X, y, _ = examples(13)
    with connected(None, 2) as client:
        got = fit_topk_svm(chunked(X, 3), y, client=client, gather=0, checkpoint=tmp_path / "a", **PROBLEM)
        assert got.duals.compute().shape == (60, 5)
        for _ in range(200):  # the client and the scheduler hear of it a little later
            remaining = len(client.futures) + client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks))
            if remaining == 0:
                break
            time.sleep(0.01)
        assert remaining == 0
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["topk_svm.npz"]


def test_the_scheduler_forgets_what_led_to_the_states(monkeypatch):
    """A fit of many steps: the tasks that Dask remembers, and the weights in them, stay bounded."""
    X, y, _ = examples(14)
    known, options = [], PROBLEM | {"tol": 0, "max_rounds": 4, "gather": 0}
    expected, right = on_parts(X, y, 2, **options), ClusterParts.run
    with connected(None, 1) as client:

        def run(engine, *arguments, **options):
            answer = right(engine, *arguments, **options)
            known.append(client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)))
            return answer

        monkeypatch.setattr(ClusterParts, "run", run)
        for most in ({"MOST_RUNS": 5}, {"MOST_SENT": 5 * 8 * 25}, {"MOST_TASKS": 10}):
            known.clear()
            with monkeypatch.context() as patch:
                for name, value in most.items():
                    patch.setattr(_engine, name, value)
                got = fit(chunked(X, 2), y, client=client, **options)
            assert len(known) > 25 and max(known) < 40, f"{len(known)} runs, {max(known)} tasks known"
            assert_same(got, expected)
