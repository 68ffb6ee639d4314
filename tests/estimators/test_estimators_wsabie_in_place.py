"""partial_fit of WsabieClassifier changes a model in place, with an embedding and without one."""

import copy
import pickle
import tracemalloc

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from fast._wsabie import in_place
from fast.estimators import WsabieClassifier
from fast.estimators import wsabie as module

EACH_PRESET = pytest.mark.parametrize("preset", ["WSABIE", "WSABIE_PP", "WARP"])  # the last one has no embedding
WITH_MEMBERS = pytest.mark.parametrize(("preset", "members"), [("WSABIE", 3), ("WSABIE_PP", 1), ("WARP", 1)])
EACH_DTYPE = pytest.mark.parametrize("dtype", [np.float32, np.float64])
DENSE_OR_NOT = pytest.mark.parametrize("dense", [False, True], ids=["sparse", "dense"])


def stream(n=80, d=30, m=6, dtype=np.float64, dense=False):
    rng = np.random.default_rng(0)
    X = sparse.random_array((n, d), density=0.2, rng=rng, format="csr")
    return (X.toarray() if dense else X).astype(dtype), np.append(np.arange(m), rng.integers(0, m, n - m))


def model(preset, **options):
    sizes = {"margin": 1.0, "step_size": 0.1, "last_violators": 0, "random_state": 0}
    if preset != "WARP":
        sizes["embedding_dim"] = 5
    return WsabieClassifier.from_preset(preset, **sizes | options)


def arrays_of(fitted):
    """All that the model has learned: prototypes, W, and the state of the walk."""
    fits = fitted._fits()
    kept = ("prototypes", "embedding", "prototype_sums", "embedding_sums", "last_violators", "skipped")
    arrays = [getattr(fit, name) for fit in fits for name in kept if getattr(fit, name) is not None]
    return [array.copy() for array in arrays] + [np.array([fit.steps, fit.updates]) for fit in fits]


def assert_equal(got, expected):
    assert all(map(np.array_equal, got, expected)) and len(got) == len(expected)


def assert_same(got, expected, dtype):
    rounding = {"rtol": 1e-9, "atol": 1e-10} if dtype == np.float64 else {"rtol": 1e-4, "atol": 1e-5}
    np.testing.assert_allclose(got.prototypes_, expected.prototypes_, **rounding)
    assert (got.steps_, got.updates_) == (expected.steps_, expected.updates_)
    assert got.prototypes_.dtype == dtype
    if got.embedding_ is not None:
        np.testing.assert_allclose(got.embedding_, expected.embedding_, **rounding)
        assert got.embedding_.dtype == dtype


@WITH_MEMBERS
@EACH_DTYPE
@DENSE_OR_NOT
def test_batches_in_place_are_batches_that_copy(monkeypatch, preset, members, dtype, dense):
    X, y = stream(dtype=dtype, dense=dense)
    got = model(preset, n_ensemble=members)
    expected = clone(got)
    for rows in np.split(np.arange(80), [20, 21, 22, 50]):
        got.partial_fit(X[rows], y[rows], classes=range(6))
        with monkeypatch.context() as patch:
            patch.setattr(module.WsabieClassifier, "_goes_on_in_place", lambda self, X: False)
            expected.partial_fit(X[rows], y[rows], classes=range(6))
    assert got._walks is not None and expected._walks is None
    assert_same(got, expected, dtype)


@EACH_PRESET
@EACH_DTYPE
def test_what_was_read_before_does_not_change(preset, dtype):
    X, y = stream(dtype=dtype)
    got = model(preset).partial_fit(X[:30], y[:30], classes=range(6)).partial_fit(X[30:40], y[30:40])
    unfitted, name = clone(got), "prototypes_" if preset == "WARP" else "embedding_"
    read, kept = getattr(got, name), getattr(got, name).copy()
    old = [copy.deepcopy(got), pickle.loads(pickle.dumps(got))]
    got.partial_fit(X[40:], y[40:])
    assert np.array_equal(read, kept) and not np.array_equal(getattr(got, name), kept)
    assert not hasattr(unfitted, "embedding_") and not hasattr(unfitted, "prototypes_")
    for other in old:
        assert np.array_equal(getattr(other, name), kept)
        other.partial_fit(X[40:], y[40:])
        assert_equal(arrays_of(other), arrays_of(got))
        assert np.array_equal(other.decision_function(X), got.decision_function(X))


@WITH_MEMBERS
@DENSE_OR_NOT
def test_a_refused_batch_changes_nothing(preset, members, dense):
    X, y = stream(dense=dense)
    got = model(preset, n_ensemble=members).partial_fit(X, y, classes=range(6)).partial_fit(X[:9], y[:9])
    before, other = arrays_of(got), pickle.loads(pickle.dumps(got))
    bad = np.zeros((40, 30))
    bad[:, 0], bad[20:, 1] = 1.0, 1e200
    bad = bad if dense else sparse.csr_array(bad)
    with pytest.raises(ValueError, match="at most|range"), np.errstate(all="ignore"):
        got.partial_fit(bad, np.arange(40) % 6)
    got._copies = {}  # read from the walks again
    assert_equal(arrays_of(got), before)
    assert got.steps_ == other.steps_
    assert_equal(arrays_of(got.partial_fit(X[:5], y[:5])), arrays_of(other.partial_fit(X[:5], y[:5])))


def test_options_that_do_not_fit_are_refused_and_a_new_bound_is_obeyed():
    X, y = stream()
    got = model("WSABIE", max_norm=None).partial_fit(X, y, classes=range(6)).partial_fit(X, y)
    with pytest.raises(ValueError, match="discriminant must be that of start"):
        clone(got).partial_fit(X, y, classes=range(6)).set_params(discriminant="euclidean").partial_fit(X, y)
    got.set_params(max_norm=0.5).partial_fit(X[:1], y[:1])
    assert np.linalg.norm(got.embedding_, axis=1).max() <= 0.5 + 1e-12


def test_one_row_takes_no_copy_of_the_embedding():
    """W takes 13 MB. Earlier versions copied it several times for each row."""
    d, m = 40_000, 30
    X = sparse.csr_matrix((np.ones(3 * m), (np.arange(3 * m) * 7 % d), np.arange(0, 3 * m + 1, 3)), shape=(m, d))
    got = model("WSABIE", embedding_dim=40).partial_fit(X[:8], np.arange(8), classes=range(m))
    got.partial_fit(X[8:9], [8])
    tracemalloc.start()
    got.partial_fit(X[9:10], [9])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak <= 2e6, f"expected at most 2 MB, got {peak / 1e6:.0f} MB"


# --- without an embedding ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("discriminant", ["linear", "euclidean"])
@pytest.mark.parametrize("max_norm", [None, 0.7])
def test_dense_and_sparse_batches_take_turns(monkeypatch, discriminant, max_norm):
    X, y = stream()
    options = {"discriminant": discriminant, "max_norm": max_norm, "step": "adagrad", "last_violators": 2}
    got, expected = model("WARP", **options), model("WARP", **options)
    for i, rows in enumerate(np.split(np.arange(80), [20, 21, 40, 41, 60])):
        batch = X[rows].toarray() if i % 2 else X[rows]
        got.partial_fit(batch, y[rows], classes=range(6))
        with monkeypatch.context() as patch:
            patch.setattr(module.WsabieClassifier, "_goes_on_in_place", lambda self, X: False)
            expected.partial_fit(batch, y[rows], classes=range(6))
        assert_same(got, expected, np.float64)
        if max_norm is None:  # both settle the same prototypes at the same time
            assert_equal(arrays_of(got), arrays_of(expected))


@DENSE_OR_NOT
@pytest.mark.parametrize("stops", ["after the walk", "in the middle"])
def test_a_batch_that_is_stopped_changes_nothing(monkeypatch, dense, stops):
    """The user stops it, after some of its steps or all: prototypes have moved, and numbers have been drawn."""
    X, y = stream(dense=dense)
    got = model("WARP").partial_fit(X, y, classes=range(6)).partial_fit(X[:9], y[:9])
    before, other = arrays_of(got), pickle.loads(pickle.dumps(got))
    walk, moved = in_place.walk_by_pairs, []

    def stopped(data, state, rule, numbers, count):
        moved.append(walk(data, state, rule, numbers, 5 if stops == "in the middle" else count).moves)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(in_place, "walk_by_pairs", stopped)
        got.partial_fit(X[::-1], y[::-1])
    assert sum(moved) > 1
    got._copies = {}
    assert_equal(arrays_of(got), before)
    assert_equal(arrays_of(got.partial_fit(X[:5], y[:5])), arrays_of(other.partial_fit(X[:5], y[:5])))


def test_prototypes_out_of_the_range_of_float32_are_refused():
    X, y = stream(dtype=np.float32)
    got = model("WARP", step="constant").partial_fit(X, y, classes=range(6)).partial_fit(X[:9], y[:9])
    before = arrays_of(got)
    with pytest.raises(ValueError, match="prototypes must stay within the range of float32"):
        got.set_params(step_size=3e38, max_norm=None).partial_fit(X[9:10], y[9:10])
    got._copies = {}
    assert_equal(arrays_of(got), before)


@DENSE_OR_NOT
def test_one_row_takes_no_copy_of_the_prototypes(dense):
    """They take 32 MB. Earlier versions copied them several times for each row."""
    d, m = 20_000, 200
    X = sparse.csr_matrix((np.ones(3 * m), (np.arange(3 * m) * 7 % d), np.arange(0, 3 * m + 1, 3)), shape=(m, d))
    got = model("WARP").partial_fit(X[:8], np.arange(8), classes=range(m))
    row, last = (X[i].toarray() if dense else X[i] for i in (8, 9))
    got.partial_fit(row, [8])
    tracemalloc.start()
    got.partial_fit(last, [9])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak <= 3e6, f"expected at most 3 MB, got {peak / 1e6:.0f} MB"
