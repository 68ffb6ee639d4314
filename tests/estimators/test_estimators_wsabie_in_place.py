"""partial_fit of WsabieClassifier changes a model with an embedding in place."""

import copy
import pickle
import tracemalloc

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from fast.estimators import WsabieClassifier
from fast.estimators import wsabie as module

EACH_PRESET = pytest.mark.parametrize("preset", ["WSABIE", "WSABIE_PP"])
EACH_DTYPE = pytest.mark.parametrize("dtype", [np.float32, np.float64])
DENSE_OR_NOT = pytest.mark.parametrize("dense", [False, True], ids=["sparse", "dense"])


def stream(n=80, d=30, m=6, dtype=np.float64, dense=False):
    rng = np.random.default_rng(0)
    X = sparse.random_array((n, d), density=0.2, rng=rng, format="csr")
    return (X.toarray() if dense else X).astype(dtype), np.append(np.arange(m), rng.integers(0, m, n - m))


def model(preset, **options):
    sizes = {"embedding_dim": 5, "margin": 1.0, "step_size": 0.1, "last_violators": 0, "random_state": 0}
    return WsabieClassifier.from_preset(preset, **sizes | options)


def assert_same(got, expected, dtype):
    rounding = {"rtol": 1e-9, "atol": 1e-10} if dtype == np.float64 else {"rtol": 1e-4, "atol": 1e-5}
    np.testing.assert_allclose(got.prototypes_, expected.prototypes_, **rounding)
    np.testing.assert_allclose(got.embedding_, expected.embedding_, **rounding)
    assert (got.steps_, got.updates_) == (expected.steps_, expected.updates_)
    assert got.prototypes_.dtype == got.embedding_.dtype == dtype


@EACH_PRESET
@EACH_DTYPE
@DENSE_OR_NOT
@pytest.mark.parametrize("members", [1, 2])
def test_batches_in_place_are_batches_that_copy(monkeypatch, preset, dtype, dense, members):
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
    read, kept, unfitted = got.embedding_, got.embedding_.copy(), clone(got)
    old = [copy.deepcopy(got), pickle.loads(pickle.dumps(got))]
    got.partial_fit(X[40:], y[40:])
    assert np.array_equal(read, kept) and not np.array_equal(got.embedding_, kept)
    assert not hasattr(unfitted, "embedding_") and not hasattr(unfitted, "prototypes_")
    for other in old:
        assert np.array_equal(other.embedding_, kept)
        other.partial_fit(X[40:], y[40:])
        assert np.array_equal(other.embedding_, got.embedding_)
        assert np.array_equal(other.decision_function(X), got.decision_function(X))


@EACH_PRESET
@DENSE_OR_NOT
@pytest.mark.parametrize("members", [1, 3])
def test_a_refused_batch_changes_nothing(preset, dense, members):
    X, y = stream(dense=dense)
    got = model(preset, n_ensemble=members).partial_fit(X, y, classes=range(6)).partial_fit(X[:9], y[:9])
    before, other = got.embedding_.copy(), pickle.loads(pickle.dumps(got))
    bad = np.zeros((40, 30))
    bad[:, 0], bad[20:, 1] = 1.0, 1e200
    bad = bad if dense else sparse.csr_array(bad)
    with pytest.raises(ValueError, match="finite|range"), np.errstate(all="ignore"):
        got.partial_fit(bad, np.arange(40) % 6)
    assert np.array_equal(got.embedding_, before) and got.steps_ == other.steps_
    assert_same(got.partial_fit(X[:5], y[:5]), other.partial_fit(X[:5], y[:5]), np.float64)


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
