"""The top-k SVM on Dask when workers die, tasks are slow, results are dropped or the cluster goes; its checkpoints."""

import io
import json
import time

import numpy as np
import pytest

from fast.distributed import _checkpoint, fit_topk_svm
from fast.distributed._engine import ClusterParts
from fast.distributed._tasks import LostWork
from fast.distributed.topk_svm import ClusterDriver
from tests.support.distributed import AtCall, kill, processes_of, worker_processes
from tests.support.topk_svm import assert_certified, instance
from tests.support.topk_svm_distributed import OBJECTIVES, assert_same, chunked, in_memory, on_parts

PROBLEM = {"k": 2, "regularization": 0.02, "tol": 1e-2}


def examples(seed=0):
    return instance(seed, n=80, d=6, m=5)


def at_run(monkeypatch, number, action):
    """Does something before the n-th run of a task. Returns what counts the restarts."""
    AtCall(monkeypatch, ClusterParts, "run", number, action)
    return AtCall(monkeypatch, ClusterParts, "restart")


def assert_right(got, X, y, tol=1e-2):
    got = in_memory(got)
    assert_certified(got, X, y, tol, k=2, regularization=0.02)
    np.testing.assert_allclose(got.weights, X.T @ got.duals, atol=1e-12)


# --- workers that die ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("gather", "dead"), [(0, 2), (2**26, 1)], ids=["steps", "gathered"])
def test_workers_that_die_change_nothing(processes, monkeypatch, gather, dead):
    """Dask runs the tasks again that led to the lost states, so that each number is that of a fit without a loss."""
    X, y = examples(dead)
    rng = np.random.default_rng([dead, gather])
    victims = rng.permutation(processes_of(processes))[:dead].tolist()
    at_run(monkeypatch, int(rng.integers(3, 7)), lambda engine: kill(victims, 0.02 * rng.uniform()))  # as tasks begin
    got = fit_topk_svm(X, y, n_blocks=4, client=processes, gather=gather, **PROBLEM)
    assert not set(victims) & set(processes_of(processes))
    assert_same(got, on_parts(X, y, 4, gather=gather, **PROBLEM))


# --- results that are dropped --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("gather", "number"), [(0, 1), (0, 5), (0, 6), (2**26, 2), (2**26, 5)])
def test_a_round_begins_again_from_the_last_states(client, monkeypatch, gather, number):
    X, y = examples(3)
    restarts = at_run(monkeypatch, number, lambda engine: client.cancel(engine.states))
    got = fit_topk_svm(chunked(X, 3), y, client=client, gather=gather, **PROBLEM)
    assert restarts.calls == 1
    assert_right(got, X, y)


def test_a_loss_after_the_states_were_saved_keeps_the_progress(client, monkeypatch, tmp_path):
    X, y = examples(4)
    options = PROBLEM | {"tol": 1e-4, "duals": np.zeros((80, 5)), "checkpoint": tmp_path}
    restarts = at_run(monkeypatch, 9, lambda engine: client.cancel(engine.states))
    got = fit_topk_svm(chunked(X, 3), y, client=client, **options)
    assert restarts.calls == 1
    assert np.diff(got.history.dual).min() >= -1e-12
    assert_right(got, X, y, 1e-4)


@pytest.mark.parametrize("gather", [0, 2**26], ids=["steps", "gathered"])
def test_a_loss_in_the_last_round_returns_the_duals_of_its_gap(client, monkeypatch, gather):
    X, y = examples(5)
    restarts = at_run(monkeypatch, 4, lambda engine: client.cancel(engine.states))
    with pytest.warns(UserWarning, match="after 2 rounds"):
        got = fit_topk_svm(chunked(X, 3), y, client=client, gather=gather, **(PROBLEM | {"tol": 0, "max_rounds": 2}))
    assert restarts.calls == 1 and got.epochs == 2
    assert_right(got, X, y, 1)


@pytest.mark.parametrize("number", [1, 2])
def test_a_loss_while_starting_duals_are_certified(client, monkeypatch, tmp_path, number):
    X, y = examples(6)
    first = fit_topk_svm(chunked(X, 3), y, client=client, **PROBLEM)
    restarts = at_run(monkeypatch, number, lambda engine: client.cancel(engine.states))
    again = fit_topk_svm(chunked(X, 3), y, client=client, duals=first.duals, checkpoint=tmp_path, **PROBLEM)
    assert restarts.calls == 1
    assert [getattr(again, name) for name in OBJECTIVES] == [getattr(first, name) for name in OBJECTIVES]


def test_a_loss_of_the_states_that_are_saved(client, monkeypatch, tmp_path):
    X, y = examples(6)
    first = fit_topk_svm(chunked(X, 3), y, client=client, **PROBLEM)
    save, saves = ClusterParts.save, []

    def lost(engine):
        saves.append(len(saves))
        if len(saves) == 1:
            client.cancel(engine.states)
        save(engine)

    monkeypatch.setattr(ClusterParts, "save", lost)
    again = fit_topk_svm(chunked(X, 3), y, client=client, duals=first.duals, checkpoint=tmp_path, **PROBLEM)
    assert len(saves) == 2 and again.gap == first.gap


def test_a_cluster_that_forgets_everything(processes, monkeypatch):
    """What was sent is sent again: X, the labels and the weights of examples."""
    X, y = examples(7)
    s = np.random.default_rng(7).uniform(0.5, 2, 80)
    restarts = at_run(monkeypatch, 6, lambda engine: processes.restart())
    got = fit_topk_svm(X, y, n_blocks=3, client=processes, sample_weight=s, **(PROBLEM | {"tol": 1e-3}))
    assert restarts.calls == 1
    assert_certified(in_memory(got), X, y, 1e-3, k=2, regularization=0.02, sample_weight=s)


def test_work_that_is_always_lost_ends(client, monkeypatch):
    X, y = examples(8)
    monkeypatch.setattr("fast.distributed.topk_svm.MOST_LOSSES", 3)
    run, runs = ClusterParts.run, []

    def lost(engine, *arguments, **options):
        runs.append(1)
        client.cancel(engine.states)
        return run(engine, *arguments, **options)

    monkeypatch.setattr(ClusterParts, "run", lost)
    with pytest.raises(LostWork, match="was lost with its workers"):
        fit_topk_svm(chunked(X, 3), y, client=client, **PROBLEM)
    assert len(runs) == 4


# --- a straggler ---------------------------------------------------------------------------------------------------


def test_a_slow_block_changes_nothing_and_its_time_is_told(client):
    X, y = examples(9)

    def slow(rows, block_id):
        time.sleep(0.03 if block_id[0] == 1 else 0.003)
        return rows

    quick = fit_topk_svm(chunked(X, 3), y, client=client, **PROBLEM)
    got = fit_topk_svm(chunked(X, 3).map_blocks(slow, dtype=float, meta=X[:0]), y, client=client, **PROBLEM)
    assert_same(got, in_memory(quick))
    told = got.history.seconds_computing + got.history.seconds_talking
    assert got.history.seconds[-1] >= 0.03 * got.history.communications[-1]
    assert told.sum() >= 0.9 * got.history.seconds[-1]


# --- a cluster that goes, and checkpoints --------------------------------------------------------------------------


def kept_objectives(monkeypatch):
    """The objectives of all rounds that are saved."""
    found, keep = [], ClusterDriver._keep

    def kept(driver, *arguments):
        keep(driver, *arguments)
        found.append(tuple(map(float, driver.objectives)))

    monkeypatch.setattr(ClusterDriver, "_keep", kept)
    return found


def test_a_cluster_that_vanishes_is_an_error_and_the_fit_is_resumed(client, monkeypatch, tmp_path):
    X, y = examples(10)
    X, kept = X.astype(np.float32), kept_objectives(monkeypatch)
    options = {"n_blocks": 3, "checkpoint": tmp_path} | PROBLEM | {"tol": 1e-4}
    with worker_processes(1) as other, monkeypatch.context() as patch:
        at_run(patch, 9, lambda engine: other.cluster.close())
        with pytest.raises(LostWork, match="the cluster is gone. With another client"):
            fit_topk_svm(X, y, client=other, **options)
    saved, count = kept[-1], len(kept)
    assert 0 < saved[1] < saved[0]
    resumed = fit_topk_svm(X, y, client=client, **(options | {"tol": 1.0}))  # certifies what it finds, and stops
    assert (resumed.primal, resumed.dual, resumed.history.communications[-1]) == (*saved, 1)
    assert kept[count] == saved
    got = fit_topk_svm(X, y, client=client, **options)
    assert kept[count + 1] == saved and got.dual > saved[1]
    assert got.gap <= 1e-4
    again = fit_topk_svm(X, y, client=client, **(options | {"n_blocks": 5}))  # other blocks, the same problem
    assert again.epochs == 1 and again.gap <= 1e-4


def test_another_problem_in_the_folder_is_refused_and_kept(client, tmp_path):
    X, y = examples(11)
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "old.part").write_text("mine, too")
    fit_topk_svm(chunked(X, 3), y, client=client, checkpoint=tmp_path, **PROBLEM)
    files = {path: path.read_bytes() for path in tmp_path.iterdir()}
    assert {path.name for path in files} == {"notes.txt", "old.part", "topk_svm.npz"}
    given = {"X": chunked(X, 3), "y": y} | PROBLEM
    for change, name in (
        ({"X": chunked(2 * X, 3)}, "squared norm"), ({"y": np.roll(y, 1)}, "labels"),
        ({"sample_weight": np.arange(1.0, 81)}, "weights"), ({"k": 1}, "k"), ({"kind": "beta"}, "kind"),
        ({"regularization": 0.03}, "regularization"), ({"n_classes": 6}, "m"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=f"checkpoint must hold a fit with {name} = .*choose another folder"):
            fit_topk_svm(**given | change, client=client, checkpoint=tmp_path)
        assert {path: path.read_bytes() for path in tmp_path.iterdir()} == files


def damages(path):
    """The bytes of files that are damaged, and what is said about each."""
    raw, found, unread = path.read_bytes(), dict(np.load(path)), "checkpoint must hold a fit that can be read"
    flipped, bit = bytearray(raw), raw.find(b"data.npy") + 200
    flipped[bit] ^= 1
    for damaged in (raw[:-100], b"", b"no fit", bytes(flipped)):
        yield damaged, unread
    one = io.BytesIO()
    np.save(one, np.ones(3))
    yield one.getvalue(), unread
    for change, message in (
        ({"about": json.dumps([1])}, unread), ({"indices": found["indices"] + 1000}, unread),
        ({"shape": np.array([80])}, unread), ({"data": np.full_like(found["data"], np.nan)}, "duals must be"),
        ({"data": -found["data"]}, "duals must be"),
    ):  # fmt: skip
        archive = io.BytesIO()
        np.savez(archive, **found | change)
        yield archive.getvalue(), message


def test_a_damaged_file_is_refused(client, tmp_path):
    X, y = examples(12)
    fit_topk_svm(chunked(X, 3), y, client=client, checkpoint=tmp_path, **PROBLEM)
    path = tmp_path / "topk_svm.npz"
    for damaged, message in list(damages(path)):
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match=message):
            fit_topk_svm(chunked(X, 3), y, client=client, checkpoint=tmp_path, **PROBLEM)
        assert path.read_bytes() == damaged


def test_interrupted_writing_leaves_the_old_file(client, tmp_path, monkeypatch):
    X, y = examples(13)
    first = fit_topk_svm(chunked(X, 3), y, client=client, checkpoint=tmp_path, **(PROBLEM | {"tol": 0.5}))
    kept = (tmp_path / "topk_svm.npz").read_bytes()

    def interrupted(file, **arrays):
        file.write(b"half of it")
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(_checkpoint.np, "savez", interrupted)
        fit_topk_svm(chunked(X, 3), y, client=client, checkpoint=tmp_path, **PROBLEM)
    assert [path.name for path in tmp_path.iterdir()] == ["topk_svm.npz"]
    assert (tmp_path / "topk_svm.npz").read_bytes() == kept
    again = fit_topk_svm(chunked(X, 3), y, client=client, checkpoint=tmp_path, **(PROBLEM | {"tol": 0.5}))
    assert again.gap == first.gap and again.history.communications[-1] == 1


def test_a_folder_without_the_right_to_write_is_refused_before_the_data_are_read(client, tmp_path, monkeypatch):
    def refuse(*arguments):
        raise PermissionError("no right to write")

    def read(rows):
        raise AssertionError("the data were read")

    X, y = examples(14)
    monkeypatch.setattr(_checkpoint.tempfile, "mkstemp", refuse)
    with pytest.raises(ValueError, match="checkpoint must be a folder for new files, got .*no right to write"):
        fit_topk_svm(
            chunked(X, 3).map_blocks(read, dtype=float, meta=X[:0]), y, client=client, checkpoint=tmp_path, **PROBLEM
        )
