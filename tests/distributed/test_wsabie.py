"""Ensembles of Wsabie on Dask: the members of the estimator, whatever the workers do."""

import dask.array
import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

import fast
from fast.distributed import fit_wsabie_ensemble
from fast.distributed._cluster import connected
from fast.estimators import WsabieClassifier
from tests.support.distributed import kill, processes_of

OPTIONS = {"embedding_dim": 3, "n_updates": 600, "margin": 0.5, "last_violators": 0}


def examples(seed=0, n=60, d=6, m=4, dtype=np.float64):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % m
    return (rng.standard_normal((m, d))[y] + 0.3 * rng.standard_normal((n, d))).astype(dtype), y


def by_hand(X, Y, n_members, seed, **options):
    """The ensemble, one member after the other, with the seeds that the docstring promises."""
    seeds = np.random.RandomState(seed).randint(2**31 - 1, size=n_members)
    return fast.concatenate_fits([fast.fit_wsabie(X, Y, seed=int(each), **options) for each in seeds])


def assert_same(got, expected):
    for name in ("prototypes", "embedding"):
        one, other = getattr(got, name), getattr(expected, name)
        assert one.dtype == other.dtype and (one == other).all(), f"{name}: expected {other}, got {one}"


@pytest.mark.parametrize("kind", ["float32", "csr", "indicator", "dask", "dask csr"])
def test_members_are_those_of_the_estimator(kind):
    X, y = examples(dtype=np.float32 if kind == "float32" else np.float64)
    Y = np.eye(4, dtype=int)[y] if kind == "indicator" else y
    model = WsabieClassifier(n_ensemble=3, random_state=5, **OPTIONS).fit(X, Y)
    given = sparse.csr_matrix(X) if "csr" in kind else X
    if "dask" in kind:
        given = dask.array.from_array(X, chunks=(25, 4))
        given = given.map_blocks(sparse.csr_matrix) if "csr" in kind else given
    got = fit_wsabie_ensemble(given, Y, n_members=3, seed=5, **OPTIONS)
    if "csr" not in kind:
        assert_same(got, model._final())
    assert_same(got, by_hand(given.compute() if "dask" in kind else given, Y, 3, 5, **OPTIONS))
    assert (fast.prototype_scores(X, got).argmax(axis=1) == y).mean() > 0.9


def test_members_do_not_depend_on_the_number_of_threads(capsys):
    X, y = examples()
    expected = fit_wsabie_ensemble(X, y, n_members=5, seed=np.random.default_rng(3), **OPTIONS)
    with connected(n_jobs=3) as client:
        got = fit_wsabie_ensemble(X, y, n_members=5, seed=np.random.default_rng(3), client=client, **OPTIONS)
        assert_same(got, expected)
        assert client.status == "running"
    assert capsys.readouterr().out == ""
    shown = fit_wsabie_ensemble(X, y, n_members=5, n_jobs=2, progress=True, seed=np.random.default_rng(3), **OPTIONS)
    assert_same(shown, expected)
    assert "members 5" in capsys.readouterr().out
    other = fit_wsabie_ensemble(X, y, n_members=1, seed=4, **OPTIONS)
    assert not (other.prototypes == expected.prototypes[:, :3]).all()


def test_processes_fit_the_same(processes):
    for kind in (sparse.csr_matrix, lambda X: dask.array.from_array(X, chunks=(20, 6))):
        X, y = examples()
        expected = fit_wsabie_ensemble(kind(X), y, n_members=3, **OPTIONS)
        assert_same(fit_wsabie_ensemble(kind(X), y, n_members=3, client=processes, **OPTIONS), expected)


def test_frozen_classes_of_a_process_are_warned_of_here(processes):
    X, y = examples()
    with pytest.warns(ConvergenceWarning, match="of 4 classes are frozen"):
        fit_wsabie_ensemble(X, y, n_members=1, client=processes, **OPTIONS | {"last_violators": 8, "margin": 100.0})


def test_members_of_lost_workers_are_fitted_again(processes):
    """All workers end in the middle, and the examples with them."""
    X, y = examples()
    options, before = OPTIONS | {"n_updates": 1_500_000}, processes_of(processes)
    kill(before, 0.2)
    got = fit_wsabie_ensemble(X, y, n_members=3, client=processes, **options)
    assert set(before).isdisjoint(processes_of(processes)), "the fit ended before"
    assert_same(got, by_hand(X, y, 3, 0, **options))


# --- arguments -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "wrong, message",
    [
        ({"n_members": 0}, r"n_members must be an integer in 1..2147483647, got 0"),
        ({"seed": "a"}, "seed must be an int in .*, got 'a'"),
        ({"embedding_dim": None}, "embedding_dim must be given"),
        ({"draws": np.zeros(3)}, "draws must not be given, as all members would be the same"),
        ({"start": fast.WsabieFit(np.zeros((4, 3)))}, "start must not be given"),
        ({"callback": 3}, "callback must be a function"),
        ({"patience": 3}, "patience must be given with a callback"),
        ({"Y": np.arange(59) % 4}, r"Y must have shape \(60,\)"),
        ({"X": dask.array.ones(5)}, "X must have two dimensions of known lengths"),
        ({"client": "here"}, "client must be a distributed.Client"),
        ({"n_jobs": 0}, "n_jobs must be an integer"),
    ],
    ids=lambda case: next(iter(case)) if isinstance(case, dict) else "",
)
def test_wrong_arguments_are_refused(wrong, message, monkeypatch):
    monkeypatch.setattr("fast.distributed.wsabie._members", None)  # nothing is sent
    X, y = examples()
    arguments = {"X": X, "Y": y, "n_members": 2, **OPTIONS} | wrong
    with pytest.raises(ValueError, match=f"^{message}"):
        fit_wsabie_ensemble(arguments.pop("X"), arguments.pop("Y"), **arguments)


@pytest.mark.parametrize("options", [{"steps": 3}, {"n_updates": None}])
def test_options_that_a_fit_does_not_have(options):
    X, y = examples()
    given = {name: value for name, value in (OPTIONS | options).items() if value is not None}
    with pytest.raises(TypeError, match="steps|n_updates"):
        fit_wsabie_ensemble(X, y, n_members=2, **given)


def test_entries_of_a_dask_array_are_checked_by_the_workers():
    X, y = examples()
    X[3, 1] = np.inf
    with pytest.raises(ValueError, match=r"X must be finite, got inf at index \(3, 1\)"):
        fit_wsabie_ensemble(dask.array.from_array(X, chunks=20), y, n_members=2, **OPTIONS)
