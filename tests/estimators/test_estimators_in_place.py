"""partial_fit changes the weights in place: the same model as by copies, and nothing that was read before changes."""

import copy
import pickle
import tracemalloc

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from fast._wsabie import in_place
from fast.estimators import PassiveAggressiveTopKClassifier, WsabieClassifier
from fast.estimators import wsabie as module

EACH_DTYPE = pytest.mark.parametrize("dtype", [np.float32, np.float64])
DENSE_OR_NOT = pytest.mark.parametrize("dense", [False, True], ids=["sparse", "dense"])
WITH_MEMBERS = pytest.mark.parametrize(("preset", "members"), [("WSABIE", 3), ("WSABIE_PP", 1), ("WARP", 1)])


def stream(n=80, d=30, m=6, dtype=np.float64, dense=False):
    rng = np.random.default_rng(0)
    X = sparse.random_array((n, d), density=0.2, rng=rng, format="csr")
    return (X.toarray() if dense else X).astype(dtype), np.append(np.arange(m), rng.integers(0, m, n - m))


def three_a_row(n, d):
    """The first rows of a stream with many features, of three ones each."""
    places = np.arange(3 * n) * 7 % d
    return sparse.csr_matrix((np.ones(3 * n), places, np.arange(0, 3 * n + 1, 3)), shape=(n, d))


def wsabie(preset, **options):
    sizes = {"margin": 1.0, "step_size": 0.1, "last_violators": 0, "random_state": 0}
    if preset != "WARP":  # which has no embedding
        sizes["embedding_dim"] = 5
    return WsabieClassifier.from_preset(preset, **sizes | options)


def passive(**options):
    return PassiveAggressiveTopKClassifier(**options)


MODELS = {f"{kind}, {where}": passive(average=kind == "mean", fit_intercept=where == "intercept")
          for kind in ("last", "mean") for where in ("intercept", "none")}  # fmt: skip
MODELS |= {preset: wsabie(preset) for preset in ("WSABIE", "WSABIE_PP", "WARP")}


def read(model):
    """What a user reads of the weights."""
    if isinstance(model, WsabieClassifier):
        return model.prototypes_ if model.embedding_ is None else model.embedding_
    return model.coef_


def arrays_of(model):
    """All that a model has learned, without what it keeps of it for the user."""
    if isinstance(model, PassiveAggressiveTopKClassifier):
        return [model.coef_.copy(), model.intercept_.copy(), model.t_, model.updates_, model.mistakes_[-1]]
    if model._walks is not None:
        model._copies = {}  # read from the walks again
    fits = model._fits()
    kept = ("prototypes", "embedding", "prototype_sums", "embedding_sums", "last_violators", "skipped")
    arrays = [getattr(fit, name) for fit in fits for name in kept if getattr(fit, name) is not None]
    return [array.copy() for array in arrays] + [np.array([fit.steps, fit.updates]) for fit in fits]


def assert_equal(got, expected):
    assert all(map(np.array_equal, got, expected)) and len(got) == len(expected)


# --- both kinds of models --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MODELS)
@EACH_DTYPE
def test_what_was_read_before_does_not_change(name, dtype):
    X, y = stream(dtype=dtype)
    got = clone(MODELS[name]).partial_fit(X[:30], y[:30], classes=range(6)).partial_fit(X[30:40], y[30:40])
    first, kept, unfitted = read(got), read(got).copy(), clone(got)
    old = [copy.deepcopy(got), pickle.loads(pickle.dumps(got))]
    got.partial_fit(X[40:], y[40:])
    assert np.array_equal(first, kept) and not np.array_equal(read(got), kept)
    assert not any(hasattr(unfitted, name) for name in ("coef_", "embedding_", "prototypes_"))
    for other in old:
        assert np.array_equal(read(other), kept)
        assert_equal(arrays_of(other.partial_fit(X[40:], y[40:])), arrays_of(got))
        assert np.array_equal(other.decision_function(X), got.decision_function(X))


OVERFLOWS = np.zeros((40, 30))
OVERFLOWS[:, 0], OVERFLOWS[20:, 1] = 1.0, 1e200
# The first row moves the weights before the second overflows: they become 5e198, and the score of the second row inf.
SCORE = np.zeros((2, 30))
SCORE[0, 0], SCORE[1, 0] = 1e-60, 1e139
STEEP = {"margin": 100.0, "variant": "pa", "fit_intercept": False}


@pytest.mark.parametrize(
    ("model", "change", "bad", "match"),
    [
        (passive(**STEEP), {"margin": 1e139}, SCORE, "within the range of float64"),
        (passive(**STEEP, average=True), {"margin": 1e139}, SCORE, "within the range of float64"),
        (wsabie("WSABIE", n_ensemble=3), {}, OVERFLOWS, "at most|range"),
        (wsabie("WSABIE_PP"), {}, OVERFLOWS, "at most|range"),
        (wsabie("WARP"), {}, OVERFLOWS, "at most|range"),
    ],
    ids=["last", "mean", "WSABIE", "WSABIE_PP", "WARP"],
)
@DENSE_OR_NOT
def test_a_refused_batch_changes_nothing(model, change, bad, match, dense):
    X, y = stream(dense=dense)
    got = clone(model).partial_fit(X, y, classes=range(6)).partial_fit(X[:9], y[:9]).set_params(**change)
    before, other, scores = arrays_of(got), pickle.loads(pickle.dumps(got)), got.decision_function(X)
    with pytest.raises(ValueError, match=match), np.errstate(all="ignore"):
        got.partial_fit(bad if dense else sparse.csr_array(bad), np.arange(len(bad)) % 6)
    assert_equal(arrays_of(got), before)
    assert np.array_equal(got.decision_function(X), scores)
    assert_equal(arrays_of(got.partial_fit(X[:5], y[:5])), arrays_of(other.partial_fit(X[:5], y[:5])))


@pytest.mark.parametrize(
    ("model", "d", "m", "dense", "dtype"),
    [
        *((passive(average=average), 12_000, 300, False, dtype) for average in (False, True)
          for dtype in (np.float32, np.float64)),
        (wsabie("WSABIE", embedding_dim=40), 40_000, 30, False, np.float64),
        *((wsabie("WARP"), 20_000, 200, dense, np.float64) for dense in (False, True)),
    ],
    ids=str,
)  # fmt: skip
def test_one_row_takes_no_copy_of_the_weights(model, d, m, dense, dtype):
    """The weights take 13 to 32 MB. Earlier versions copied them several times for each row."""
    X, got = three_a_row(10, d).astype(dtype), clone(model)
    got.partial_fit(X[:8], np.arange(8), classes=range(m))
    row, last = (X[i].toarray() if dense else X[i] for i in (8, 9))
    got.partial_fit(row, [8])
    tracemalloc.start()
    got.partial_fit(last, [9])
    if isinstance(got, PassiveAggressiveTopKClassifier) and not got.average:
        got.predict(last)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    limit = 2e6 if model.get_params().get("embedding_dim") else 3e6
    assert peak <= limit, f"expected at most {limit / 1e6:.0f} MB, got {peak / 1e6:.0f} MB"
    assert got.decision_function(last).shape == (1, m)


# --- passive-aggressive ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize("fit_intercept", [False, True])
@DENSE_OR_NOT
@EACH_DTYPE
def test_rows_one_by_one_are_one_pass(average, fit_intercept, dense, dtype):
    X, y = stream(dtype=dtype, dense=dense)
    model = passive(k=2, average=average, fit_intercept=fit_intercept)
    expected = clone(model).partial_fit(X, y, classes=range(6))
    for i in range(len(y)):
        model.partial_fit(X[i : i + 1] if dense else X[[i]], y[i : i + 1], classes=range(6))
    rounding = {"rtol": 1e-12, "atol": 1e-13} if dtype == np.float64 else {"rtol": 2e-6, "atol": 1e-6}
    np.testing.assert_allclose(model.coef_, expected.coef_, **rounding)
    np.testing.assert_allclose(model.intercept_, expected.intercept_, **rounding)
    assert model.coef_.dtype == model.intercept_.dtype == model.decision_function(X).dtype == dtype
    np.testing.assert_allclose(model.decision_function(X), X @ model.coef_.T + model.intercept_, **rounding)
    assert (model.t_, model.updates_, model.mistakes_[-1]) == (len(y), expected.updates_, expected.mistakes_[-1])
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.decision_function(X), model.decision_function(X))


def test_the_dtype_is_that_of_the_last_batch():
    X, y = stream()
    model = passive().partial_fit(X, y, classes=range(6))
    for dtype in (np.float32, np.float64, np.float32):
        model.partial_fit(X[:9].astype(dtype), y[:9])
        assert model.coef_.dtype == model.decision_function(X.astype(np.float32)).dtype == dtype
    rounded = model.coef_
    model.partial_fit(X[:9], y[:9])
    assert model.coef_.dtype == np.float64 and rounded.dtype == np.float32


@pytest.mark.parametrize("average", [False, True])
def test_small_steps_are_not_lost_in_float32(average):
    """A step of 1e-8 is below the rounding of weights near 1. Earlier versions rounded the weights after each row."""
    X, y = np.ones((1, 1), np.float32), np.zeros(1, int)
    model = passive(C=1.0, margin=4.0, fit_intercept=False, average=average)
    model.partial_fit(X, y, classes=[0, 1]).set_params(C=1e-8)
    for _ in range(100):
        model.partial_fit(X, y)
    np.testing.assert_allclose(model._weights[0, 0], 1 + 100e-8, rtol=1e-12)


def test_weights_beyond_float32_are_refused():
    X, y = np.full((1, 2), 1e-25, np.float32), np.zeros(1, int)
    model = passive(variant="pa", fit_intercept=False)
    model.partial_fit(X, y, classes=[0, 1])
    before = model.coef_.copy()
    with pytest.raises(ValueError, match="within the range of float32"):
        model.set_params(margin=1e20).partial_fit(X, y)
    assert np.array_equal(model.coef_, before) and np.array_equal(model._weights, before)


# --- Wsabie ----------------------------------------------------------------------------------------------------------


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
    got = wsabie(preset, n_ensemble=members)
    expected = clone(got)
    for rows in np.split(np.arange(80), [20, 21, 22, 50]):
        got.partial_fit(X[rows], y[rows], classes=range(6))
        with monkeypatch.context() as patch:
            patch.setattr(module.WsabieClassifier, "_goes_on_in_place", lambda self, X: False)
            expected.partial_fit(X[rows], y[rows], classes=range(6))
    assert got._walks is not None and expected._walks is None
    assert_same(got, expected, dtype)


def test_options_that_do_not_fit_are_refused_and_a_new_bound_is_obeyed():
    X, y = stream()
    got = wsabie("WSABIE", max_norm=None).partial_fit(X, y, classes=range(6)).partial_fit(X, y)
    with pytest.raises(ValueError, match="discriminant must be that of start"):
        clone(got).partial_fit(X, y, classes=range(6)).set_params(discriminant="euclidean").partial_fit(X, y)
    got.set_params(max_norm=0.5).partial_fit(X[:1], y[:1])
    assert np.linalg.norm(got.embedding_, axis=1).max() <= 0.5 + 1e-12


@pytest.mark.parametrize("discriminant", ["linear", "euclidean"])
@pytest.mark.parametrize("max_norm", [None, 0.7])
def test_dense_and_sparse_batches_take_turns(monkeypatch, discriminant, max_norm):
    X, y = stream()
    options = {"discriminant": discriminant, "max_norm": max_norm, "step": "adagrad", "last_violators": 2}
    got, expected = wsabie("WARP", **options), wsabie("WARP", **options)
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
    got = wsabie("WARP").partial_fit(X, y, classes=range(6)).partial_fit(X[:9], y[:9])
    before, other = arrays_of(got), pickle.loads(pickle.dumps(got))
    walk, moved = in_place.walk_by_pairs, []

    def stopped(data, state, rule, numbers, count):
        moved.append(walk(data, state, rule, numbers, 5 if stops == "in the middle" else count).moves)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(in_place, "walk_by_pairs", stopped)
        got.partial_fit(X[::-1], y[::-1])
    assert sum(moved) > 1
    assert_equal(arrays_of(got), before)
    assert_equal(arrays_of(got.partial_fit(X[:5], y[:5])), arrays_of(other.partial_fit(X[:5], y[:5])))


def test_prototypes_out_of_the_range_of_float32_are_refused():
    X, y = stream(dtype=np.float32)
    got = wsabie("WARP", step="constant").partial_fit(X, y, classes=range(6)).partial_fit(X[:9], y[:9])
    before = arrays_of(got)
    with pytest.raises(ValueError, match="prototypes must stay within the range of float32"):
        got.set_params(step_size=3e38, max_norm=None).partial_fit(X[9:10], y[9:10])
    assert_equal(arrays_of(got), before)
